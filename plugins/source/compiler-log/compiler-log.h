/* What the files of the compiler-log source share: lines of a log, one table, and notices. */
/* SPDX-License-Identifier: MIT */
#ifndef COMPILER_LOG_H
#define COMPILER_LOG_H

#include <glib.h>
#include <stagemill/source.h>
#include <string.h>

#include "kit/read/pair-table.h"

enum { /* MillNotice.number */
       CLOG_TOO_MANY = 1,
       CLOG_NO_TABLE = 2,
       CLOG_CUT = 3,
       CLOG_CYCLES = 4,
       CLOG_CATEGORY = 5,
       CLOG_SCALING = 6,
       CLOG_NAME = 7,
       CLOG_LONG = 8,
       CLOG_LARGE = 9,
       CLOG_FILE = 10,
       CLOG_ROW = 11,
       CLOG_EMPTY = 12
};
#define CLOG_N_NOTICES 12u
extern const MillNotice clog_notices[CLOG_N_NOTICES];

/* ------------------------------------------------------------------ lines.c */
#define CLOG_LINE (64u << 10) /* bytes of a line that are looked at */

typedef struct LineReader {
  const MillSourceHost *host;
  char *bytes; /* CLOG_LINE of them, and a NUL */
  size_t pos, len;
  uint64_t number; /* of the line at hand, from 1 */
  bool at_end, skips;
} LineReader;

void clog_lines_init(LineReader *r, const MillSourceHost *host);
void clog_lines_clear(LineReader *r);
/* 1: the next line, without its line break, which lasts until the next call; 0: there are no more; negative: reading
 * failed.  *out_cut: it is longer, and the rest was passed over. */
int clog_line(LineReader *r, const char **out, size_t *out_len, bool *out_cut);

/* ------------------------------------------------------------------ front.c */
static inline bool clog_is_blank(char c) { return g_ascii_isspace(c) || c == '\v'; }
static inline bool clog_is_one_of(char c, const char *set) { return c && strchr(set, c); }
/* Where a line begins behind blanks, and behind what a logger wrote before it. */
size_t clog_front(const char *line, size_t len);

/* -------------------------------------------------------------------- row.c */
typedef enum ClogLine {
  CLOG_IS_NOTHING,
  CLOG_IS_ROW,
  CLOG_IS_ODD,       /* a name that no kernel can have, and a number */
  CLOG_IS_LARGE,     /* more cycles than 63 bits */
  CLOG_IS_UNREADABLE /* a kernel or the total, without a number of cycles */
} ClogLine;

typedef struct ClogRow {
  char *name, *category;
  int64_t cycles;
} ClogRow;

/* What a line inside a table is. */
ClogLine clog_row(const char *line, size_t len, ClogRow *out);
void clog_row_clear(ClogRow *row);

/* ------------------------------------------------------------------ table.c */
#define CLOG_MAX_ROWS (1u << 20)

typedef struct Kernel {
  char *name, *category; /* the host's memory */
  int64_t cycles;        /* the first that is not 0 */
  int64_t rows;
  uint64_t line; /* of its first row; of a folder its number in it, from 1 */
} Kernel;

typedef struct Table {
  const MillHost *common;
  PairTable by_name; /* (symbol of the name, 0) to index + 1 in kernels */
  Kernel *kernels;   /* in order of their first rows */
  uint32_t n_kernels, max_kernels;
  int64_t n_rows, ideal_cycles; /* of all rows but the total */
  uint64_t line;                /* where it begins */
  const char *phase;
  bool is_open;
} Table;

void clog_table_init(Table *t, const MillHost *common);
void clog_table_clear(Table *t);
void clog_table_begin(Table *t, const char *phase, uint64_t line);
/* Negative: it has too many rows, or takes more memory than there is. */
int clog_table_add(Table *t, const char *name, const char *category, int64_t cycles, uint64_t line);
/* A line between the head of a table and its end. */
int clog_table_line(Table *t, const char *line, size_t len, uint64_t number);

void clog_note(const MillHost *common, uint32_t number, const char *what, size_t len);

/* ----------------------------------------------------------------- folder.c */
#define CLOG_LABEL "log"

/* Whether the folder has ideal cycles by kernel in it. */
bool clog_is_folder(const MillSourceHost *host, const char *folder);
int clog_expand(const MillSource *self, const MillSourceHost *host, const char *folder);
/* All of them, as one table; negative: failed. */
int clog_read_folder(const MillSourceHost *host, const char *folder, Table *t);

#endif
