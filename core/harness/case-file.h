/* Cases as text: their lines, read and put back.  docs/cases.md has the form. */
/* SPDX-License-Identifier: MIT */
#ifndef HARNESS_CASE_FILE_H
#define HARNESS_CASE_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "model/error.h"

typedef enum CaseWord { /* what an item begins with */
  CASE_WITH,
  CASE_LANE,
  CASE_BYTES,
  CASE_FILE,
  CASE_GIVEN,
  CASE_EVENTS,
  CASE_ATTR,
  CASE_TABLE,
  CASE_METRIC,
  CASE_NOTICE,
  CASE_STATUS,
  CASE_DESCRIBED,
  CASE_PROBE,
  CASE_OUTPUT,
  CASE_NO_OUTPUT,
  CASE_WORDS
} CaseWord;

typedef struct CaseItem {
  CaseWord word;
  int64_t number;   /* 0 where it has none */
  char *name;       /* "" where it has none */
  char *value;      /* after the equals sign; NULL: "-", or it has none */
  GPtrArray *lines; /* char *, below it and without their indent; NULL at the end */
  GString *text;    /* the bytes that they stand for, or NULL */
  guint line;       /* from 1 */
  guint n_lines;    /* with those below */
} CaseItem;

typedef struct WrittenCase {
  char *name;
  guint line, last_line; /* from 1 */
  GPtrArray *items;      /* CaseItem */
} WrittenCase;

typedef struct CaseFile {
  char *path;
  char **lines;
  GPtrArray *cases; /* WrittenCase */
} CaseFile;

Error *case_file_read(const char *path, CaseFile **out);
void case_file_free(CaseFile *f);
bool case_word_expects(CaseWord word);

typedef struct CaseChange { /* n lines from that one on become the text */
  guint line, n_lines;
  const char *text;
} CaseChange;
/* The file with these changes, which are in order. */
GString *case_file_changed(const CaseFile *f, const CaseChange *changes, guint n);

/* ---- writing: what reading gives back */
void case_put_word(GString *out, CaseWord word); /* begins the line of an item */
/* Bytes on one line, as the value of an item or a row. */
void case_put_value(GString *out, const char *value);
/* Bytes as indented lines. */
void case_put_text(GString *out, const char *bytes, gsize len);

#endif
