/* A window that slides over the input of a source, and the pieces of JSON in it. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_JSON_WINDOW_H
#define KIT_JSON_WINDOW_H

#include <glib.h>
#include <stagemill/source.h>

#include "base/json.h"
#include "base/scan.h"

typedef struct WindowPlace {
  uint64_t line, column; /* from 1; columns count characters */
} WindowPlace;

/* What a source says of its input: numbers of its rows; 0: it never asks for what counts that one. */
typedef struct WindowNotices {
  const MillNotice *rows;
  uint32_t not_json, truncated,
      huge;           /* errors; `truncated` is a warning where the source recovers */
  uint32_t bad_value; /* an error: a fault that is left at the end of an object */
  uint32_t text, nan; /* warnings */
} WindowNotices;

enum { WINDOW_CUT = 1 }; /* status: the text ends too early, and what is complete counts */

typedef struct Window {
  const MillSourceHost *host;
  const WindowNotices *notices;
  const MillHost *common;
  ScanContainer container; /* NULL before the first use */
  char *bytes;
  size_t max;          /* of bytes, without the padding of 0xFF after `end` */
  const char *p, *end; /* what is not consumed yet */
  bool at_end;         /* nothing follows `end` */
  bool begun;
  bool not_finite;  /* a value had NaN or infinity in it; until it is set to false */
  bool is_quiet;    /* says nothing of what it finds: the text is read once more */
  bool recovers;    /* a text that ends too early is no failure */
  const char *file; /* whose bytes these are, where that is not the input's own */
  const bool
      *refused;     /* NULL, or what says that memory for what was read is refused: reading ends */
  int status;       /* negative after a failure, or WINDOW_CUT */
  uint64_t n_read;  /* bytes of the input so far */
  uint64_t n_lines; /* line feeds in what left the window */
  uint64_t n_columns; /* characters after the last of them */
  GString *key;       /* the last one that window_key gave */
  GPtrArray *faults;  /* see window_fault; NULL before the first */
} Window;

void window_init(Window *w, const MillSourceHost *host, const WindowNotices *notices);
void window_clear(Window *w);
/* At the start of that file, which the host has entered; the name lives on. */
void window_enter(Window *w, const char *file);

/* Everything from p on stays, and moves; more comes after it.  False at the end, or failed. */
bool window_more(Window *w);
/* At least n bytes from p on, or all that there are.  False only if failed. */
bool window_ensure(Window *w, size_t n);
/* The next byte that is not a blank, which stays; -1 at the end or after a failure. */
int window_peek(Window *w);

/* Of `at`, a byte of the window. */
WindowPlace window_place(const Window *w, const char *at);
/* The one way out: reports the failure.  False. */
bool window_fail_at(Window *w, uint32_t number, WindowPlace place, const char *what,
                    const char *why);
bool window_fail(Window *w, uint32_t number, const char *at, const char *what, const char *why);
bool window_fail_end(Window *w); /* the text ends too early */

/* A value that is wrong is a failure only if its key does not come again: reading goes on.  The
 * name is that of the key, with ".member" for what is in its value; the first fault of a name
 * is kept.  False: too many. */
bool window_fault(Window *w, const char *name, const char *at, const char *what, const char *why);
void window_forget(Window *w, const char *key); /* which comes again, with all members */
void window_forget_member(Window *w, const char *name);
void window_forget_all(Window *w);
bool window_faultless(Window *w); /* at the end of an object; false: failed, now or before */
void window_faults_clear(Window *w);

/* Walks over containers of any size.  `first` starts true.  Both are false at the end of the
 * container, which is consumed then, and after a failure. */
bool window_open(Window *w, char bracket);
bool window_key(Window *w, bool *first); /* w->key; p is at the value */
bool window_element(Window *w, bool *first);

/* The first byte after the container at p, NULL when it continues after the window; see scan.h. */
const char *window_container(Window *w, bool *odd);

/* One whole value that must fit in memory, its syntax checked unless it is a scalar; its bytes stay
 * where they are until the next call. */
bool window_value(Window *w, JsonToken *out);
bool window_pass(Window *w); /* a value of any size, its syntax checked */
bool window_skip(Window *w); /* the same of a member of a result: NaN and infinity are counted */

/* Scalars.  Neither null, texts, NaN nor what is below zero is a number: that is a fault of `name`,
 * and *out is 0.  False only if failed. */
bool value_scaled(Window *w, const char *name, const JsonToken *t, int decimals, int64_t *out);
bool value_real(Window *w, const char *name, const JsonToken *t, double *out);
bool value_wrong(Window *w, const char *name, const char *needs); /* it is none of these: passed */
void json_value_text(const JsonToken *t, GString *out);           /* as it reads */
static inline bool value_is(const JsonToken *t, const char *word)
{
  return t->len == strlen(word) && memcmp(t->start, word, t->len) == 0;
}

#endif
