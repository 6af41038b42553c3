/* What the files of the allreduce-csv source share: the header, the row at hand, the instance. */
#ifndef ALLREDUCE_CSV_H
#define ALLREDUCE_CSV_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/csv-input.h"
#include "kit/read/record.h"

enum { /* MillNotice.number */
       ARC_EMPTY = 1,
       ARC_NO_ROWS = 2,
       ARC_NO_COLUMN = 3,
       ARC_TWICE = 4,
       ARC_RAGGED = 5,
       ARC_BAD_CELL = 6,
       ARC_BAD_TEXT = 7,
       ARC_NO_TIME = 20,
       ARC_REPLACED = 21
};
#define ARC_N_NOTICES 9u
extern const MillNotice allreduce_csv_notices[ARC_N_NOTICES];

enum {
  COLUMN_WORLD,
  COLUMN_FUSION,
  COLUMN_STRATEGY,
  COLUMN_TOKENS,
  COLUMN_HIDDEN,
  COLUMN_SHAPE,
  COLUMN_BYTES,
  COLUMN_DTYPE,
  COLUMN_OP,
  COLUMN_TIME,
  N_COLUMNS
};
#define NO_CELL UINT32_MAX

typedef struct Header {
  uint32_t n_cells;
  uint32_t n_known;
  uint32_t cell[N_COLUMNS]; /* which one of the row, or NO_CELL */
  int time_decimals;        /* the time times 10^decimals is microseconds */
  uint32_t twice,
      twice_at; /* a column that is there twice, or N_COLUMNS; CsvCell.at of its second place */
} Header;

void header_read(const CsvCell *cells, uint32_t n, Header *out);
const char *header_missing(const Header *h); /* as the benchmark calls it, or NULL */
const char *column_title(uint32_t column);
int allreduce_csv_probe(const MillSource *self, const char *bytes, size_t len, const char *name);

/* Texts of a column that were seen, as few occur again and again. */
enum { MEMO = 16 };
typedef struct Memo {
  MillSym sym[MEMO];
  const char *text[MEMO]; /* of the symbol */
  uint32_t len[MEMO];
  uint32_t n, next;
} Memo;

enum { /* attributes, in the order in which stages expect them */
       KEY_TP,
       KEY_FUSION,
       KEY_STRATEGY,
       KEY_TOKENS,
       KEY_HIDDEN,
       KEY_BYTES,
       KEY_OP,
       KEY_DTYPE,
       KEY_TIME,
       N_KEYS
};

typedef struct Row {
  int64_t tp, tokens, hidden, bytes;
  MillSym fusion, strategy, op, dtype; /* 0: there is no such column, or it is empty */
  double time_us;                      /* 0: not measured */
} Row;

typedef struct Source {
  const MillSourceHost *host;
  CsvInput in;
  RecordWriter writer;
  MillSym record;
  Header header;
  Memo fusions, strategies, ops, dtypes;
  Row row;
} Source;

int allreduce_csv_next(void *instance, MillBatch *batch);

#endif
