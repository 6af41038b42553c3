/* One event as text: copied as it was read, rewritten where a stage changed it, or made. */
#ifndef CHROME_JSON_EVENT_H
#define CHROME_JSON_EVENT_H

#include <glib.h>
#include <stagemill/sink.h>

#include "member.h"
#include "ranks.h"
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
  const MillHost *common;
  Text *text;
  /* Of the event at hand: */
  GArray *changes; /* Change */
  GArray *members; /* Member, of its old text */
  Text old;        /* that text, padded for the scanner */
  bool has_args;   /* it has a member of that name */
  GString *key;    /* a key without its escapes */
  Ranks *ranks;    /* NULL: one lane a document */
  RankView view;   /* all zero without ranks */
  MillSym process_name, process_sort_index;
} EventWriter;

typedef enum {
  EVENT_WRITTEN,
  EVENT_UNFIT,   /* nothing was written: a trace has no form for it */
  EVENT_REPAIRED /* its text could not be walked and was repaired first */
} EventFate;

void event_writer_init(EventWriter *w, const MillHost *common, Text *text);
/* From now on events of several lanes go into one document.  Takes no ownership. */
void event_writer_merge(EventWriter *w, Ranks *ranks);
void event_writer_free(EventWriter *w);
EventFate event_write(EventWriter *w, const MillBatch *b, const MillEvent *e);
/* Of the event that was just written: from the base of the trace. */
int64_t event_time(const EventWriter *w, const MillEvent *e);

/* args.c */
void args_collect(EventWriter *w, const MillBatch *b, const MillEvent *e, bool changed_only);
bool args_any(const EventWriter *w); /* some value waits to be written */
void args_make(EventWriter *w, const MillBatch *b);
/* The object `old` with the changes applied; those it does not have are added when `append`.
 * False when `old` is not well formed. */
bool args_rebuild(EventWriter *w, const MillBatch *b, const Member *old, bool append);
/* As it was but for correlation ids, which get their lane.  False when it is not well formed. */
bool args_rename(EventWriter *w, const Member *m, bool *first);
bool args_integer(EventWriter *w, const Member *args, const char *key, int64_t *out);

const char *event_key_text(EventWriter *w, const Member *m, size_t *out_len);
/* "key": after a comma unless it is the first member. */
void event_open_member(EventWriter *w, const char *key, size_t len, bool *first);
/* The member as it was, after a comma unless it is the first. */
void event_copy_member(EventWriter *w, const Member *m, bool *first);

#endif
