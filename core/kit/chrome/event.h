/* One event as text: copied as it was read, rewritten where a stage changed it, or made. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_EVENT_H
#define KIT_CHROME_EVENT_H

#include <glib.h>
#include <stagemill/sink.h>

#include "kit/chrome/member.h"
#include "kit/chrome/ranks.h"
#include "kit/chrome/text.h"

/* What an id or a name was before ranks were merged. */
typedef struct Original {
  const char *key; /* as it is written, without the word before it */
  size_t key_len;
  const char *value;
  size_t value_len;
  bool told; /* by the event itself, in an argument: it was merged before */
} Original;

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
  GArray *changes;   /* Change */
  GArray *members;   /* Member, of its old text */
  GArray *arguments; /* Member, of args and attr */
  Text old;          /* that text, padded for the scanner */
  bool has_args;     /* it has a member of that name */
  GString *joined;   /* args and attr of one event as one object */
  GString *key;      /* a key without its escapes */
  GArray *originals; /* Original */
  bool is_thread_name;
  bool told_id; /* the id of before an earlier merge is known */
  bool bare;    /* of any event: it gets no name that it lacks, and attr is a member as others */
  Ranks *ranks;
  RankView view;
  MillSym process_name, process_labels, process_sort_index, thread_name;
} EventWriter;

typedef enum {
  EVENT_WRITTEN,
  EVENT_WAITS,   /* nothing was written: a row about a process comes with the others of its lane */
  EVENT_UNFIT,   /* nothing was written: a trace has no form for it */
  EVENT_REPAIRED /* its text could not be walked and was repaired first */
} EventFate;

/* ranks: NULL of what writes no events.  Takes no ownership. */
void event_writer_init(EventWriter *w, const MillHost *common, Text *text, Ranks *ranks);
void event_writer_free(EventWriter *w);
EventFate event_write(EventWriter *w, const MillBatch *b, const MillEvent *e);
/* Of the event that was just written: from the base of the trace. */
int64_t event_time(const EventWriter *w, const MillEvent *e);

/* args.c */
void args_collect(EventWriter *w, const MillBatch *b, const MillEvent *e, bool changed_only);
bool args_any(const EventWriter *w); /* some value waits to be written */
void args_make(EventWriter *w, const MillBatch *b);
/* The object `old` with the changes applied; those it does not have are added when `append`. */
void args_rebuild(EventWriter *w, const MillBatch *b, const Member *old, bool append);
/* As it was but for ids of the lane and the name of a thread. */
void args_rename(EventWriter *w, const Member *m, bool *first);
static inline const Member *args_at(const EventWriter *w, const Member *object, unsigned index)
{
  return &g_array_index(w->arguments, Member, object->first_inner + index);
}
/* What is in the arguments of the event whose members were read; NULL: nothing. */
const Member *args_member(EventWriter *w, const char *key);

/* flex.c: of the members that were read, attr becomes args, as numbers of those fields.  Of an event with both, a member
 * of one name is that of attr. */
void flex_fold(EventWriter *w, int args, int attr);

/* originals.c: which there are, of the members that were read. */
void originals_collect(EventWriter *w, const MillEvent *e);
bool originals_told(const EventWriter *w, const char *key);
/* What counts as the value: that of before an earlier merge, else as it is. */
Member originals_value(const EventWriter *w, const Member *m);
/* As members of an object.  Those that are told already stay where they are. */
void originals_put(EventWriter *w, bool *first);
bool originals_any(const EventWriter *w);
/* Attributes that tie events of one lane together. */
bool originals_is_correlation(const char *key, size_t len);
Change *args_change_of(EventWriter *w, const Member *m);

const char *event_key_text(EventWriter *w, const Member *m, size_t *out_len);
/* "key": after a comma unless it is the first member. */
void event_open_member(EventWriter *w, const char *key, size_t len, bool *first);
/* The member as it was, after a comma unless it is the first. */
void event_copy_member(EventWriter *w, const Member *m, bool *first);

#endif
