/* Tables as they are written: columns of the program before the declared ones, and rows in order. */
/* SPDX-License-Identifier: MIT */
#include "results/sheet.h"

#include "check.h"

static const MillColumn columns[] = {
  MILL_CELL_COLUMN("name", NULL, MILL_TEXT, MILL_COLUMN_KEY, "x"),
  MILL_CELL_COLUMN("total", "ns", MILL_INT, 0, "x"),
  MILL_CELL_COLUMN("share", "percent", MILL_REAL, 0, "x"),
};

typedef struct Row {
  int64_t rank; /* -1: none */
  const char *name;
  int64_t total;
  double share;
} Row;

static MillValue text(const char *t) { return t ? mill_text(t, strlen(t)) : mill_none(); }

static void add(Sheet *s, const Row *r)
{
  const MillValue declared[] = { text(r->name), mill_int(r->total), mill_real(r->share) };
  MillValue *cells = sheet_add_row(s, declared);
  cells[0] = r->rank < 0 ? mill_none() : mill_int(r->rank);
}

/* As "rank name total share" of each row, with a slash between. */
static void check_rows(const Sheet *s, const char *wanted)
{
  g_autoptr(GString) got = g_string_new(NULL);
  for (guint i = 0; i < s->rows->len; i++) {
    const MillValue *c = s->rows->pdata[i];
    g_string_append_printf(got, "%s%d %.*s %d %.1f", i ? "/" : "",
                           c[0].type == MILL_INT ? (int)c[0].u.i : -1, (int)c[1].len,
                           c[1].type == MILL_TEXT ? c[1].u.text : "-", (int)c[2].u.i, c[3].u.r);
  }
  CHECK_STR(got->str, wanted);
}

static const Row rows[] = {
  { 1, "b", 5, 0.5 }, { 0, "10", 5, 0.1 }, { 0, "9", 7, 0.9 },
  { 0, "a", 5, 0.9 }, { -1, "z", 1, 0 },
};

static void test_orders(void)
{
  static const struct {
    const char *order, *wanted;
  } table[] = {
    { NULL, "-1 z 1 0.0/0 9 7 0.9/0 10 5 0.1/0 a 5 0.9/1 b 5 0.5" },
    { "-total", "-1 z 1 0.0/0 9 7 0.9/0 10 5 0.1/0 a 5 0.9/1 b 5 0.5" },
    { "total", "-1 z 1 0.0/0 10 5 0.1/0 a 5 0.9/0 9 7 0.9/1 b 5 0.5" },
    { "-share,total", "-1 z 1 0.0/0 a 5 0.9/0 9 7 0.9/0 10 5 0.1/1 b 5 0.5" },
    { "-share,-total", "-1 z 1 0.0/0 9 7 0.9/0 a 5 0.9/0 10 5 0.1/1 b 5 0.5" },
    { "nothing,total", "-1 z 1 0.0/0 10 5 0.1/0 a 5 0.9/0 9 7 0.9/1 b 5 0.5" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    const MillTable t = { .name = "t", .order = table[i].order, .columns = MILL_ROWS(columns) };
    Sheet *s = sheet_new(&t, g_strdup("t"));
    sheet_add_lead(s, "rank", MILL_INT, 0, "x");
    sheet_add_declared(s);
    for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) add(s, &rows[k]);
    sheet_sort(s);
    check_rows(s, table[i].wanted);
    sheet_free(s);
  }
}

static void test_columns(void)
{
  const MillTable t = { .name = "t", .columns = MILL_ROWS(columns) };
  Sheet *s = sheet_new(&t, g_strdup("u-t"));
  sheet_add_lead(s, "model", MILL_TEXT, MILL_COLUMN_BRIEF, "A tag");
  sheet_add_declared(s);
  CHECK(s->columns->len == 4 && s->n_lead == 1);
  const MillColumn *lead = &g_array_index(s->columns, MillColumn, 0);
  CHECK_STR(lead->name, "model");
  CHECK_INT(lead->flags, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF);
  CHECK_STR(g_array_index(s->columns, MillColumn, 2).unit, "ns");
  CHECK_STR(s->name, "u-t");
  sheet_free(s);
}

/* Databases know no case, and CSV has the unit in the name. */
static void test_alike(void)
{
  static const char *const wanted[] = { "Rank",     "tag_NAME", "tag_total_ns", "time_ns",
                                        "tag_rank", "name",     "total",        "share" };
  const MillTable t = { .name = "t", .columns = MILL_ROWS(columns) };
  Sheet *s = sheet_new(&t, g_strdup("t"));
  sheet_add_lead(s, "Rank", MILL_INT, 0, "x");
  sheet_add_lead(s, "NAME", MILL_TEXT, 0, "A tag");
  sheet_add_lead(s, "total_ns", MILL_TEXT, 0, "A tag");
  sheet_add_lead(s, "time_ns", MILL_TEXT, 0, "A tag");
  sheet_add_lead(s, "rank", MILL_TEXT, 0, "A tag");
  sheet_add_declared(s);
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    CHECK_STR(g_array_index(s->columns, MillColumn, i).name, wanted[i]);
  sheet_free(s);
}

/* A table that orders by "share" means its own, and readers find each column by its name. */
static void test_names(void)
{
  static const char *const wanted[] = { "tag_tag_share", "model", "tag_total", "tag_share",
                                        "name",          "total", "share" };
  const MillTable t = { .name = "t", .columns = MILL_ROWS(columns) };
  Sheet *s = sheet_new(&t, g_strdup("t"));
  sheet_add_lead(s, "share", MILL_TEXT, 0, "A tag");
  sheet_add_lead(s, "model", MILL_TEXT, 0, "A tag");
  sheet_add_lead(s, "total", MILL_TEXT, 0, "A tag");
  sheet_add_lead(s, "tag_share", MILL_TEXT, 0, "A tag");
  sheet_add_declared(s);
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    CHECK_STR(g_array_index(s->columns, MillColumn, i).name, wanted[i]);
  sheet_free(s);
}

/* Rows that compare equal stay as they came: there is no key, or it is the same. */
static void test_stable(void)
{
  static const MillColumn bare[] = { MILL_CELL_COLUMN("n", NULL, MILL_INT, 0, "x") };
  const MillTable t = { .name = "t", .columns = MILL_ROWS(bare) };
  Sheet *s = sheet_new(&t, g_strdup("t"));
  sheet_add_declared(s);
  for (int64_t i = 0; i < 100; i++) {
    MillValue v = mill_int(i * 37 % 100);
    sheet_add_row(s, &v);
  }
  sheet_sort(s);
  for (int64_t i = 0; i < 100; i++) CHECK_INT(((MillValue *)s->rows->pdata[i])->u.i, i * 37 % 100);
  sheet_free(s);
}

static void test_keys(void)
{
  static const struct {
    const char *a, *b;
    int order;
  } pairs[] = { { "8", "32", -1 },    { "8", "all", -1 }, { "b", "a", 1 },
                { "1.5", "1.25", 1 }, { "8", "8", 0 },    { NULL, "8", -1 },
                { "1", "1.0", -1 },   { "a", "ab", -1 },  { "rate2", "rate16", -1 } };
  for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
    MillValue a = text(pairs[i].a), b = text(pairs[i].b);
    int got = sheet_compare_keys(&a, &b), back = sheet_compare_keys(&b, &a);
    if (!CHECK_INT((got > 0) - (got < 0), pairs[i].order)) CHECK_ROW(pairs[i].b);
    CHECK_INT((back > 0) - (back < 0), -pairs[i].order);
  }
}

TEST_MAIN({ "orders", test_orders }, { "columns", test_columns }, { "names", test_names },
          { "names that look alike", test_alike }, { "equal rows", test_stable },
          { "numbers among keys", test_keys })
