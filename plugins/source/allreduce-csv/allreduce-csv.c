/* The allreduce-csv source: measured times of all-reduce strategies. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <string.h>

#include "allreduce-csv.h"
#include "base/num.h"
#include "kit/read/input.h"
#include "kit/read/table-source.h"

enum { TP, FUSION, STRATEGY, TOKENS, HIDDEN, BYTES, OP, DTYPE, TIME, SHAPE };
enum {
  SIZE = TABLE_AS_REAL,
  SIZE_NEEDED = SIZE | TABLE_NEEDED,
  NAME_NEEDED = TABLE_NEEDED | TABLE_FILLED
};
enum { IN_MICROSECONDS = 3 };      /* titles of the time before those in milliseconds */
#define LARGEST ((int64_t)1 << 48) /* of a size: products of two do not matter beyond */
#define FROM_1 .least = 1, .most = LARGEST, .is_not = "a whole number from 1"

static bool read_shape(TableRow *row, uint32_t column, const char *text, size_t len);
static bool read_time(TableRow *row, uint32_t column, const char *text, size_t len);

static const TableColumn columns[] = {
  [TP] = { "world_size|tp_size", "tp", TABLE_INT, SIZE_NEEDED | TABLE_HINT, FROM_1 },
  [FUSION] = { "fusion|fusion_op", "fusion", TABLE_NAME, NAME_NEEDED },
  [STRATEGY] = { "strategy", "strategy", TABLE_NAME, NAME_NEEDED | TABLE_HINT },
  [TOKENS] = { "num_tokens", "tokens", TABLE_INT, SIZE_NEEDED, FROM_1, .instead = "shape" },
  [HIDDEN] = { "hidden_size", "hidden", TABLE_INT, SIZE_NEEDED, FROM_1, .instead = "shape" },
  [BYTES] = { "size|size_bytes", "bytes", TABLE_INT, SIZE, FROM_1 },
  [OP] = { "op", "op", TABLE_NAME, 0 },
  [DTYPE] = { "dtype", "dtype", TABLE_NAME, 0 },
  [TIME] = { "time (us)|time_us|time (\xce\xbcs)|time_ms|time (ms)", "time_us", TABLE_REAL,
             TABLE_NEEDED, .read = read_time, .is_not = "a number" },
  [SHAPE] = { "shape", NULL, 0, 0, .read = read_shape, .is_not = "TOKENSxHIDDEN" },
};

/* ------------------------------------------------------------------- cells */

/* "128x1024": tokens, then the hidden size; a pair as Python writes it, too.  What has a column of its own is not read. */
static bool read_shape(TableRow *row, uint32_t column, const char *text, size_t len)
{
  (void)column;
  if (row->found->at[TOKENS] != TABLE_NO_CELL && row->found->at[HIDDEN] != TABLE_NO_CELL)
    return true;
  g_autofree char *copy = g_strndup(text, len);
  g_strdelimit(copy, "()[]\"'", ' ');
  g_auto(GStrv) parts = g_strsplit_set(copy, "xX,*", 2);
  if (g_strv_length(parts) != 2) return false;
  for (uint32_t i = 0, c = TOKENS; i < 2; i++, c++) {
    g_strstrip(parts[i]);
    if (row->found->at[c] != TABLE_NO_CELL) continue;
    if (table_number(&columns[c], parts[i], strlen(parts[i]), &row->values[c])) return false;
  }
  return true;
}

static bool is_word_for_none(const char *text, size_t len)
{
  static const char *const none[] = { "nan", "inf", "infinity", "none", "null", "na", "n/a" };
  for (size_t i = 0; i < G_N_ELEMENTS(none); i++)
    if (strlen(none[i]) == len && !g_ascii_strncasecmp(text, none[i], len)) return true;
  return false;
}

/* Times that are not above 0, or beyond all numbers, were not measured. */
static bool read_time(TableRow *row, uint32_t column, const char *text, size_t len)
{
  TableValue *v = &row->values[column];
  int decimals = row->found->which[column] < IN_MICROSECONDS ? 0 : 3;
  if (num_real_scaled(text, len, decimals, &v->u.r)) {
    v->is_known = v->u.r > 0;
    return true;
  }
  size_t sign = len > 0 && (*text == '-' || *text == '+');
  if (len == 0 || is_word_for_none(text + sign, len - sign)) return true;
  for (size_t i = sign; i < len; i++)
    if (!g_ascii_isdigit(text[i]) && !strchr(".eE+-", text[i])) return false;
  return len > sign && g_ascii_isdigit(text[sign]);
}

/* -------------------------------------------------------------------- rows */

/* 0: it is not known. */
static int64_t bytes_of_type(const char *dtype)
{
  static const struct {
    const char *part;
    int64_t bytes;
  } types[] = { { "float32", 4 }, { "fp32", 4 },    { "float8", 1 }, { "fp8", 1 },  { "int8", 1 },
                { "float64", 8 }, { "float16", 2 }, { "fp16", 2 },   { "bf16", 2 }, { "half", 2 } };
  for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
    if (strstr(dtype, types[i].part)) return types[i].bytes;
  return 0;
}

/* Of an element so large; 0: too many to count. */
static int64_t bytes_of_shape(const TableRow *row, int64_t element)
{
  int64_t bytes;
  bool fits = !__builtin_mul_overflow(row->values[TOKENS].u.i, row->values[HIDDEN].u.i, &bytes) &&
              !__builtin_mul_overflow(bytes, element, &bytes);
  return fits ? bytes : 0;
}

static const char *text_of(const TableRow *row, uint32_t column)
{
  size_t len;
  return row->common->symbol_text(row->common, row->values[column].u.name, &len);
}

/* A size that is not said follows from the others. */
static void finish(TableRow *row)
{
  int64_t *bytes = &row->values[BYTES].u.i, element = bytes_of_type(text_of(row, DTYPE));
  if (*bytes <= 0) *bytes = bytes_of_shape(row, element ? element : 2);
}

/* An all-reduce that is fused into a GEMM may have another size. */
static bool has_other_size(const TableRow *row)
{
  const char *op = text_of(row, OP);
  int64_t element = bytes_of_type(text_of(row, DTYPE)), bytes = bytes_of_shape(row, element);
  if ((*op && strcmp(op, "allreduce") != 0) || bytes == 0) return false;
  return row->values[BYTES].u.i != bytes;
}

static void given(const TableRow *row, MillBatch *b)
{
  if (has_other_size(row))
    row->common->note(row->common, ARC_OTHER_SIZE, b, b->n_events - 1, NULL, 0);
  if (row->values[TIME].is_known) return;
  row->common->note(row->common, ARC_NO_TIME, b, b->n_events - 1, NULL, 0);
}

static const uint32_t numbers[] = {
  [TABLE_EMPTY] = ARC_EMPTY,       [TABLE_NO_COLUMN] = ARC_NO_COLUMN, [TABLE_RAGGED] = ARC_RAGGED,
  [TABLE_BAD_CELL] = ARC_BAD_CELL, [TABLE_BAD_TEXT] = ARC_BAD_TEXT,   [TABLE_NO_ROWS] = ARC_NO_ROWS,
  [TABLE_TWICE] = ARC_TWICE,       [TABLE_REPLACED] = ARC_REPLACED,
};
static const TableSource table = { .record = "allreduce.row",
                                   TABLE_COLUMNS(columns),
                                   .few = 4,
                                   .likely = 40,
                                   .numbers = numbers,
                                   .finish = finish,
                                   .given = given };

/* ------------------------------------------------------------------ source */

static bool is_benchmark(const char *name)
{
  g_autofree char *base = g_path_get_basename(name ? name : "");
  return g_str_has_prefix(base, "benchmark.tp") && strstr(base, ".csv");
}

/* Other tables have a strategy, too, but hardly a world size. */
static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  int sure = table_source_probe(self, bytes, len, name);
  return sure == 0 && is_benchmark(name) ? 30 : sure;
}

/* "benchmark.tp8.sm90.csv": the number after sm, where a word begins. */
static void describe_sm(const MillSourceHost *host)
{
  MillLane lane = { .size = sizeof lane };
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  g_autofree char *base = g_path_get_basename(lane.path ? lane.path : lane.name);
  for (const char *p = strstr(base, "sm"); p; p = strstr(p + 1, "sm")) {
    size_t n = strspn(p + 2, "0123456789");
    if ((p > base && g_ascii_isalnum(p[-1])) || n == 0 || n > 6) continue;
    g_autofree char *tag = g_strdup_printf("sm=%.*s", (int)n, p + 2);
    input_describe(host, "tag", tag);
    return;
  }
}

static int describe(void *instance)
{
  describe_sm(table_source_host(instance));
  return table_source_describe(instance);
}

static const char *const provides[] = { "input.allreduce", "input.allreduce-times", NULL };
static const MillSourceOps ops = TABLE_SOURCE_OPS(probe, describe);

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "allreduce-csv",
  .version = "0.1.0",
  .tag = "ARCSV",
  .title = "Measured times of all-reduce strategies (CSV of TensorRT-LLM's benchmark)",
  .help = "Reads the files of TensorRT-LLM's all-reduce benchmark, in all of its forms, with "
          "columns in any order.  Each row becomes a record allreduce.row with its time in "
          "microseconds; the number after sm in the name of the file becomes the tag sm.",
  .provides = provides,
  .notices = MILL_ROWS(allreduce_csv_notices),
  .ops = &ops,
  .user = &table,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
