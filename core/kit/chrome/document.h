/* One written trace: what is around its events, and the text that waits to be handed over. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_DOCUMENT_H
#define KIT_CHROME_DOCUMENT_H

#include <glib.h>
#include <stagemill/sink.h>

#include "kit/chrome/rows.h"
#include "kit/chrome/text.h"

typedef struct FrameMember {
  const char *key;
  const char *json;
} FrameMember;

/* What the documents of one instance have in common. */
typedef struct Frame {
  const MillSinkHost *host;
  const MillHost *common;
  TraceLanes lanes; /* of the document */
  uint32_t members; /* the lane whose members come first */
  bool merging;     /* several lanes go into the document */
  bool
      bare; /* nothing is around the events, and each is followed by a comma: something comes last */
  bool late;               /* members come after the events: lanes of other documents were first */
  bool keep_pids;          /* when merging: those that no other lane has */
  Ranks *ranks;            /* NULL of what writes no events */
  char *merged;            /* when merging: which pids are of which rank, as a member's value */
  bool of_merged;          /* one lane of the merged stream, whose base its times count from */
  const FrameMember *more; /* written unless the lane has such members; ends with a key of NULL */
  const FrameMember *instead; /* written in place of what the lanes have by these keys; as more */
} Frame;

typedef struct Document {
  char *file;  /* NULL until it is known */
  GTree *keys; /* members written so far */
  Text text;
  uint64_t handed_over; /* bytes */
  bool opened;          /* its head is written */
  bool any;             /* an event was written */
  /* Of one part of several, see parts.h: */
  uint32_t n_rows; /* metadata rows that it was given */
  bool any_event;  /* metadata rows apart */
  bool timed;      /* its window is known */
  int64_t window;
} Document;

Document *document_new(char *file); /* takes the name */
void document_free(Document *d);
/* The rank of its lane as a part of a name: "3", of lanes that share it "3-lane5", without one `before` and
 * "lane5".  g_free. */
char *document_worker(const Frame *f, const char *before);
void document_head(const Frame *f, Document *d, uint32_t lane);
/* What several ranks need besides their events, before the tail. */
void document_ranks(const Frame *f, Document *d);
void document_tail(const Frame *f, Document *d);
/* Composed text goes after the event before it. */
void document_join(Document *d);
/* Hands the text over. */
int document_flush(const Frame *f, Document *d);

#endif
