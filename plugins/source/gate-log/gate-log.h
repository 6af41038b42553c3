/* What the files of the gate-log source share: the text, one log's lists and rows, and notices. */
/* SPDX-License-Identifier: MIT */
#ifndef GATE_LOG_H
#define GATE_LOG_H

#include <glib.h>
#include <stagemill/source.h>

#include "base/scan.h"

enum { /* MillNotice.number */
       GATE_BAD_VALUE = 1,
       GATE_NOTHING = 2,
       GATE_LONG_ROW = 3,
       GATE_CHANGED = 4,
       GATE_DAMAGED = 8,
       GATE_RECOVERED = 9,
       GATE_NO_LOADS = 10,
       GATE_LENGTHS = 11,
       GATE_TWICE = 12,
       GATE_UNREADABLE = 13,
       GATE_COPY = 14,
       GATE_NAN = 15
};
#define GATE_N_NOTICES 12u
extern const MillNotice gate_notices[GATE_N_NOTICES];

/* ------------------------------------------------------------------- text.c */
#define GATE_WINDOW (128u << 10) /* bytes of text in memory */
#define GATE_AHEAD 1024u         /* a token may be that long */

typedef struct GateText {
  const MillSourceHost *host;
  char *bytes;         /* the window; SCAN_PAD bytes of 0xFF follow `end` */
  const char *p, *end; /* the next byte, and after the last */
  uint64_t offset;     /* of bytes[0] in the file */
  bool at_end;         /* nothing follows the window */
  int status;          /* negative: reading failed after `end` */
} GateText;

void gate_text_start(GateText *t); /* at the first byte of a file that was entered */
void gate_text_fill(GateText *t);  /* keeps what is not read, and reads more after it */
/* Passes as many bytes; false when the file ends before. */
bool gate_text_skip(GateText *t, uint64_t n);

static inline uint64_t gate_text_at(const GateText *t)
{
  return t->offset + (uint64_t)(t->p - t->bytes);
}

/* From here the whole next token is in the window, or the file ends inside it. */
static inline void gate_text_ahead(GateText *t)
{
  if ((size_t)(t->end - t->p) < GATE_AHEAD && !t->at_end) gate_text_fill(t);
}

/* Passes white space; the byte that follows, with all of its token in the window, or -1. */
static inline int gate_text_space(GateText *t)
{
  for (;;) {
    gate_text_ahead(t);
    t->p = scan_space(t->p);
    if ((size_t)(t->end - t->p) >= GATE_AHEAD || t->at_end)
      return t->p < t->end ? (unsigned char)*t->p : -1;
  }
}

/* ------------------------------------------------------------------ value.c */
/* What was last in such a row, as it is the same nearly everywhere; at most 16 bytes. */
typedef struct GateGap {
  uint64_t bytes[2], mask[2];
  size_t len; /* 0: none */
} GateGap;

void gate_gap_learn(GateGap *gap, const char *from, const char *to);

/* Bytes after the window match no gap. */
static inline bool gate_gap_is_at(const GateGap *gap, const char *p)
{
  uint64_t first = (scan_load64(p) ^ gap->bytes[0]) & gap->mask[0];
  uint64_t second = (scan_load64(p + 8) ^ gap->bytes[1]) & gap->mask[1];
  return gap->len > 0 && !(first | second);
}

typedef enum GateStop {
  GATE_GOES_ON,
  GATE_STOP_DAMAGED, /* cut short, no JSON, or not to be read to its end */
  GATE_STOP_VALUE,   /* JSON, but no number where one is needed */
  GATE_STOP_LONG     /* more than GATE_KEPT loads in a row */
} GateStop;

#define GATE_KEPT (1u << 19) /* values of a list that are kept, and loads that are held */
#define GATE_SPARE 256u      /* space after them for values that are read but not kept */

typedef struct GateNumbers {
  double *at;
  size_t n, max;
  uint64_t dropped; /* read, but not kept */
  bool is_there;    /* the file has this list */
} GateNumbers;

/* One log file.  Its rows are held, or, when there are too many, found again in a second pass. */
typedef struct GateLog {
  GateText text;
  GateNumbers step, tokens;
  GateNumbers loads;  /* of all rows; in two passes: of the row at hand */
  size_t row_start;   /* in loads */
  uint32_t *row_ends; /* of the rows held: place in loads after the last */
  size_t max_rows;
  uint64_t n_rows; /* complete ones, empty ones too */
  bool two_passes;
  uint64_t rows_at; /* place in the file after the bracket of expert_loads */
  uint32_t n_twice; /* members that were there before */
  uint32_t n_nan;   /* values that are not finite, where nobody reads them */

  GateGap next_number; /* between the digits of two numbers, ".0" and comma included */
  GateGap list_end;    /* from the digits of the last number to after the bracket */
  GateGap next_row;    /* from there to the first number of the next row */

  GateStop stop;
  const char *why; /* lasts as long as the file stays open */
  uint64_t stop_at;
} GateLog;

typedef enum GateMember { GATE_STEP, GATE_TOKENS, GATE_LOADS, GATE_OTHER, GATE_NO_KEY } GateMember;
GateMember gate_key(GateLog *g); /* after its quote; passes it */
/* Each is false when reading cannot go on: see `stop`. */
bool gate_damaged(GateLog *g, const char *why);
bool gate_bad_value(GateLog *g, const char *why);
bool gate_numbers(GateLog *g, GateNumbers *v);    /* after the bracket that opens a list */
bool gate_skip_value(GateLog *g, unsigned depth); /* any value, checked but not kept */
bool gate_literal(GateLog *g, const char *word);  /* passes it if it is there */

/* -------------------------------------------------------------------- log.c */
void gate_log_init(GateLog *g, const MillSourceHost *host);
void gate_log_clear(GateLog *g);
void gate_log_read(GateLog *g); /* the file that was entered, from its start to its end */
/* The second pass, after the file was entered again. */
bool gate_log_second_pass(GateLog *g);
bool gate_log_row(GateLog *g); /* the next row is in `loads` */

/* ------------------------------------------------------------------ names.c */
int64_t gate_layer(const char *name, int64_t otherwise); /* from a path or a name */
bool gate_is_log(const MillEntry *e);
/* Compressed, while the log before it in the order of names is the same file, plain or otherwise. */
bool gate_is_copy(const char *name, const char *before);
int gate_probe(const MillSource *self, const char *bytes, size_t len, const char *name);

#endif
