/* One event as text: copied as it was read, rewritten where a stage changed it, or made from its fields. */
#ifndef CHROME_JSON_EVENT_H
#define CHROME_JSON_EVENT_H

#include <glib.h>
#include <stagemill/stage.h>

#include "base/json.h"
#include "text.h"

/* All values that stages gave to one attribute. */
typedef struct Change {
  const char *key;
  size_t key_len;
  MillSym sym;
  uint32_t first;  /* in batch->attrs */
  uint32_t values; /* 0: the attribute was removed */
  bool placed;
} Change;

typedef struct EventWriter {
  const MillHost *host;
  Text *text;
  GArray *changes;  /* Change, of the event at hand */
  GString *scratch; /* decoded keys */
  GString *mended;
  bool has_args; /* the event at hand has a member of that name */
} EventWriter;

typedef enum {
  EVENT_WRITTEN,
  EVENT_UNFIT, /* nothing was written: a trace has no form for it */
  EVENT_MENDED /* its text could not be walked and was mended first */
} EventFate;

void event_writer_init(EventWriter *w, const MillHost *host, Text *text);
void event_writer_free(EventWriter *w);
EventFate event_write(EventWriter *w, const MillBatch *b, const MillEvent *e);

/* args.c */
void args_collect(EventWriter *w, const MillBatch *b, const MillEvent *e, bool changed_only);
bool args_any(const EventWriter *w); /* some value waits to be written */
void args_make(EventWriter *w, const MillBatch *b);
/* The object `old` with the changes applied; those it does not have are added when `append`.
 * False when `old` is not well formed. */
bool args_rebuild(EventWriter *w, const MillBatch *b, const JsonToken *old, bool append);

/* The decoded text of a key token: in place or in scratch. */
static inline const char *event_key(EventWriter *w, const JsonToken *key, size_t *out_len)
{
  if (json_plain(key)) {
    *out_len = key->len - 2;
    return key->start + 1;
  }
  g_string_truncate(w->scratch, 0);
  json_decode(key, w->scratch);
  *out_len = w->scratch->len;
  return w->scratch->str;
}

#endif
