/* The cpp-table sink: the lookup table of all-reduce strategies as C++, byte for byte as the generator of
 * TensorRT-LLM writes it. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>
#include <string.h>

#include "kit/read/input.h"
#include "kit/sink/result.h"

#define TABLE "allreduce-table"
#define FILE_NAME "gen_heuristic_code/generated_lookup_table.cpp"

enum {
  NOTICE_NO_SM = 1,
  NOTICE_NO_TABLE = 2,
  NOTICE_HOLES = 3,
  NOTICE_ALIKE = 4,
  NOTICE_TOO_LARGE = 5
};
#define MAX_VALUES 4096u /* of an axis, as whoever reads the table takes them */
enum { LAYOUT_PUBLISHED, LAYOUT_ANNOTATED };
enum { TP, FUSION, HIDDEN, TOKENS, N_AXES, SM = N_AXES, NUMBER, N_COLUMNS };

typedef struct Options {
  int64_t layout;
} Options;

typedef struct Sink {
  const MillSinkHost *host;
  bool annotated;
} Sink;

typedef struct Cells {
  GPtrArray *axis[N_AXES]; /* char *, in the order of the rows */
  GArray *numbers;         /* int64_t, by place; -1: no row */
  int64_t sm;              /* -1: not said */
  guint at[N_AXES];        /* places of the row at hand */
  uint32_t failed;         /* number of the notice, or 0 */
} Cells;

static const MillNotice notices[] = {
  MILL_ERROR(NOTICE_NO_SM, "the table does not name its kind of GPU",
             "--set allreduce-best.sm-version=90, or name the files benchmark.tp8.sm90.csv",
             "The name of a table in C++ ends in the number of the GPUs.  It is found in the names "
             "of the measured files, or given."),
  MILL_WARNING(NOTICE_NO_TABLE, "there is no table " TABLE " with rows",
               FILE_NAME " was not written",
               "leave cpp-table out of the formats, or use a profile with the stage allreduce-best "
               "on measured times",
               "The stage allreduce-best makes the table from measured times, or passes on one "
               "that was read."),
  MILL_ERROR(NOTICE_HOLES, "the table lacks cells", "give a whole table",
             "A table in C++ has a cell for each combination of its axes.  One that was read from "
             "rows may lack some."),
  MILL_ERROR(NOTICE_ALIKE, "two fusions have the same name in C++", "rename one of them",
             "Names of fusions are in comments, with _ for each character that is not a letter, "
             "digit, dot or dash. Two names that differ only there would become one."),
  MILL_ERROR(NOTICE_TOO_LARGE, "an axis of the table has more than 4096 values", NULL,
             "Tables have some ten values on each axis.  More are measurements, not a table."),
};

/* ----------------------------------------------------------------- reading */

/* Names stand in comments, and may come from an input: nothing in them ends a line. */
static char *name_of(const char *text, size_t len)
{
  char *name = g_strndup(text, len);
  for (char *c = name; *c; c++)
    if (!g_ascii_isalnum(*c) && !strchr("_.-", *c)) *c = '_';
  return name;
}

static char *text_of(const Sink *s, const MillValue *v)
{
  size_t len = v->len;
  const char *text = v->type == MILL_SYM
                         ? s->host->common->symbol_text(s->host->common, v->u.sym, &len)
                         : v->u.text;
  if (v->type == MILL_INT) return g_strdup_printf("%" G_GINT64_FORMAT, v->u.i);
  return v->type == MILL_SYM || v->type == MILL_TEXT ? name_of(text, len) : g_strdup("");
}

static bool is_at(const GPtrArray *axis, guint place, const char *text)
{
  return place < axis->len && !strcmp(axis->pdata[place], text);
}

/* Its place on the axis: mostly that of the row before, or the next one. */
static guint place_of(GPtrArray *axis, guint last, char *text)
{
  guint place = is_at(axis, last, text) ? last : is_at(axis, last + 1, text) ? last + 1 : 0;
  while (place < axis->len && !is_at(axis, place, text)) place++;
  if (place == axis->len)
    g_ptr_array_add(axis, text);
  else
    g_free(text);
  return place;
}

static bool find_columns(const MillTableResult *t, uint32_t *out)
{
  static const char *const names[N_COLUMNS] = { "tp",         "fusion", "hidden_size",
                                                "num_tokens", "sm",     "number" };
  return result_columns(t, names, N_COLUMNS, out);
}

static guint index_of(const Cells *c, const guint *place)
{
  guint index = 0;
  for (uint32_t a = 0; a < N_AXES; a++) index = index * c->axis[a]->len + place[a];
  return index;
}

/* Those of the axes as they are by now. */
static uint64_t n_cells(const Cells *c)
{
  uint64_t n = 1;
  for (uint32_t a = 0; a < N_AXES; a++) n *= c->axis[a]->len;
  return n;
}

static bool read_places(const Sink *s, const MillValue *cells, const uint32_t *columns,
                        GArray *places, Cells *out)
{
  for (uint32_t a = 0; a < N_AXES; a++) {
    out->at[a] = place_of(out->axis[a], out->at[a], text_of(s, &cells[columns[a]]));
    g_array_append_val(places, out->at[a]);
    if (out->axis[a]->len > MAX_VALUES) out->failed = NOTICE_TOO_LARGE;
  }
  if (cells[columns[SM]].type == MILL_INT) out->sm = cells[columns[SM]].u.i;
  return !out->failed;
}

/* Axes first, as places depend on how long they are.  Each row is another cell. */
static void read_cells(const Sink *s, const MillResults *r, uint32_t table, uint64_t n_rows,
                       const uint32_t *columns, Cells *out)
{
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));
  for (uint64_t row = 0; row < n_rows; row++) {
    if (!read_places(s, r->row(r, table, row), columns, places, out)) return;
    if (n_cells(out) > n_rows) {
      out->failed = NOTICE_HOLES;
      return;
    }
  }
  if (n_cells(out) < n_rows) out->failed = NOTICE_ALIKE;
  for (uint64_t i = 0; i < n_rows; i++) {
    const int64_t none = -1;
    g_array_append_val(out->numbers, none);
  }
  for (uint64_t row = 0; row < n_rows && !out->failed; row++) {
    const MillValue *number = &r->row(r, table, row)[columns[NUMBER]];
    guint index = index_of(out, &g_array_index(places, guint, row * N_AXES));
    if (number->type == MILL_INT) g_array_index(out->numbers, int64_t, index) = number->u.i;
  }
}

/* ----------------------------------------------------------------- writing */

static void put_list(GString *out, const char *title, const GPtrArray *axis, bool quoted)
{
  const char *quote = quoted ? "'" : "";
  g_string_append_printf(out, "%s:[", title);
  for (guint i = 0; i < axis->len; i++)
    g_string_append_printf(out, "%s%s%s%s", i ? ", " : "", quote, (char *)axis->pdata[i], quote);
  g_string_append_c(out, ']');
}

static void put_head(GString *out, const Sink *s, const Cells *c)
{
  const char *between = s->annotated ? " " : "\n// ";
  g_string_append(out, "// AllReduce lookup: [tp][fusion][hidden][tokens] = strategy\n// ");
  put_list(out, "TP", c->axis[TP], false);
  g_string_append(out, between);
  put_list(out, "Fusion", c->axis[FUSION], true);
  if (!s->annotated) {
    g_string_append(out, between);
    put_list(out, "Hidden", c->axis[HIDDEN], false);
    g_string_append(out, between);
    put_list(out, "Tokens", c->axis[TOKENS], false);
  }
  g_string_append_printf(out,
                         "\ninline AllReduceBestStrategyTableType "
                         "AllReduceBestStrategyTableSM%" G_GINT64_FORMAT " = {\n",
                         c->sm);
}

static const char *comma(guint i, const GPtrArray *axis) { return i + 1 < axis->len ? "," : ""; }

static void put_row(GString *out, const Sink *s, const Cells *c, const guint *place)
{
  guint index = index_of(c, place);
  g_string_append(out, "            {");
  for (guint t = 0; t < c->axis[TOKENS]->len; t++)
    g_string_append_printf(out, "%s%" G_GINT64_FORMAT, t ? "," : "",
                           g_array_index(c->numbers, int64_t, index + t));
  g_string_append_printf(out, "}%s", comma(place[HIDDEN], c->axis[HIDDEN]));
  if (s->annotated)
    g_string_append_printf(out, " // hidden_size=%s",
                           (char *)c->axis[HIDDEN]->pdata[place[HIDDEN]]);
  g_string_append_c(out, '\n');
}

static void put_table(GString *out, const Sink *s, const Cells *c)
{
  guint at[N_AXES] = { 0 };
  put_head(out, s, c);
  for (at[TP] = 0; at[TP] < c->axis[TP]->len; at[TP]++) {
    g_string_append_printf(out, "    {\n        // TP=%s\n", (char *)c->axis[TP]->pdata[at[TP]]);
    for (at[FUSION] = 0; at[FUSION] < c->axis[FUSION]->len; at[FUSION]++) {
      g_string_append_printf(out, "        { // Fusion=%s\n",
                             (char *)c->axis[FUSION]->pdata[at[FUSION]]);
      for (at[HIDDEN] = 0; at[HIDDEN] < c->axis[HIDDEN]->len; at[HIDDEN]++) put_row(out, s, c, at);
      g_string_append_printf(out, "        }%s\n", comma(at[FUSION], c->axis[FUSION]));
    }
    g_string_append_printf(out, "    }%s\n", comma(at[TP], c->axis[TP]));
  }
  g_string_append(out, "};\n");
}

static int fail(const Sink *s, uint32_t number)
{
  return input_fail(s->host->common, notices, number, MILL_BAD_INPUT, NULL, NULL, NULL);
}

static int no_table(const Sink *s)
{
  mill_note(s->host->common, NOTICE_NO_TABLE);
  return 0;
}

static int write_cells(const Sink *s, const Cells *c)
{
  if (c->failed) return fail(s, c->failed);
  if (c->sm < 0) return fail(s, NOTICE_NO_SM);
  for (guint i = 0; i < c->numbers->len; i++)
    if (g_array_index(c->numbers, int64_t, i) < 0) return fail(s, NOTICE_HOLES);
  g_autoptr(GString) text = g_string_new(NULL);
  put_table(text, s, c);
  return s->host->output(s->host, FILE_NAME, NULL, text->str, text->len);
}

static int write_table(const Sink *s, const MillResults *r, uint32_t index,
                       const MillTableResult *t)
{
  Cells c = { .numbers = g_array_new(FALSE, FALSE, sizeof(int64_t)), .sm = -1 };
  uint32_t columns[N_COLUMNS];
  if (!find_columns(t, columns)) return no_table(s);
  for (uint32_t a = 0; a < N_AXES; a++) c.axis[a] = g_ptr_array_new_with_free_func(g_free);
  read_cells(s, r, index, t->n_rows, columns, &c);
  int status = write_cells(s, &c);
  for (uint32_t a = 0; a < N_AXES; a++) g_ptr_array_unref(c.axis[a]);
  g_array_unref(c.numbers);
  return status;
}

static int write_results(void *instance, const MillResults *r)
{
  const Sink *s = instance;
  for (uint32_t i = 0; i < r->n_tables; i++) {
    MillTableResult t = { .size = sizeof t };
    if (!r->table(r, i, &t) || !t.table || strcmp(t.table->name, TABLE) != 0) continue;
    if (t.n_rows) return write_table(s, r, i, &t);
  }
  return no_table(s);
}

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->annotated = ((const Options *)options)->layout == LAYOUT_ANNOTATED;
  *out_instance = s;
  return 0;
}

static const MillOption options[] = {
  MILL_CHOICE_OPTION(Options, layout, "layout", "published", "published|annotated",
                     "published: as the generator writes it; annotated: with the hidden size after "
                     "each row"),
};

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .options_size = sizeof(Options),
  .name = "cpp-table",
  .format = "cpp-table",
  .version = "1.0.0",
  .tag = "CPPTAB",
  .title = "Write the lookup table of all-reduce strategies as C++",
  .help = FILE_NAME ": the table " TABLE " as TensorRT-LLM compiles it in, byte for byte as its "
                    "generator writes it.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
