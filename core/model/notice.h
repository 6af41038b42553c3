/* Counted notices: how often, and the first example of each kind. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_NOTICE_H
#define MODEL_NOTICE_H

#include <glib.h>

#include "model/descriptor.h"
#include "model/summary.h"

typedef struct NoticeLane {
  uint32_t lane;
  uint64_t count;
} NoticeLane;

typedef struct NoticeCount { /* of one row of a descriptor's table */
  uint64_t count;
  uint32_t lane; /* of the first example, in (lane, seq) order */
  uint64_t seq;
  char **names, **values; /* NULL-terminated: the values given with it */
  GArray *lanes;          /* NoticeLane, rising: those that it was counted in; NULL: none */
} NoticeCount;

typedef struct Notices { /* of one instance */
  const Descriptor *descriptor;
  NoticeCount *counts; /* one per row */
  const char
      *path; /* of the input, or NULL: of values that begin with it, its folders are left out */
} Notices;

void notices_init(Notices *n, const Descriptor *stage);
void notices_clear(Notices *n);
/* -1 when the descriptor has no such number. */
int notices_find(const Descriptor *stage, uint32_t number);
/* Counts; true for the first of its kind.  text_of turns symbols into text. */
typedef const char *(*NoticeText)(void *context, MillSym sym);
bool notices_add(Notices *n, uint32_t row, uint32_t lane, const MillEvent *e,
                 const MillNamed *values, uint32_t n_values, NoticeText text_of, void *context);
/* Folds `from` in; seq of its examples grows by seq_base. */
void notices_merge(Notices *into, const Notices *from, uint64_t seq_base);
bool notices_are_empty(const Notices *n);
/* Of each lane that it was counted in, the number that takes its place; both rise alike. */
typedef uint32_t (*NoticeNumber)(const void *context, uint32_t lane);
void notices_renumber(Notices *n, NoticeNumber number_of, const void *context);
/* All of them as bytes, and back into those of the same descriptor that count nothing yet. */
void notices_save(const Notices *n, Summary *out);
void notices_load(Notices *n, Summary *from);
/* A text of the row (NULL: NULL) with {count} and the example's values filled in; "[one|many]" goes by
 * the number before it, at first by the count.  {lane} is the example's, and where it stands for all that was counted
 * ("{count} rows of {lane}") what notice_inputs says; NULL: their number.  Of a value "lines" line ends stay, others are printable. */
char *notice_render(const NoticeCount *c, const char *text, const char *lane_name,
                    const char *inputs);
/* The number of inputs, and how often it was counted in each: "2 inputs (19 of a.csv, 35 of b.csv)".  NULL: it was in
 * one. */
typedef const char *(*NoticeLaneName)(const void *context, uint32_t lane);
char *notice_inputs(const NoticeCount *c, NoticeLaneName name_of, const void *context);
/* The same for any number: as of many, with its {names}. */
char *notice_pattern(const char *text);
/* The same of made-up values, as an example of a message. */
char *notice_example(const char *text);
const char *notice_level(uint32_t level); /* "error", "warning", ... */
char *notice_code(const Descriptor *stage, uint32_t row);

#endif
