/* The tables of a summary that is read; see load-parts.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/hash-seed.h"
#include "base/num.h"
#include "results/load-parts.h"
#include "results/load-rows.h"

#define MOST_COLUMNS 4096u

typedef struct ColumnRead {
  MillColumn column;
  uint32_t better;
  bool key, brief, finding, lead;
} ColumnRead;

typedef struct TableRead {
  const char *name, *declared, *help, *order;
  const char *rows_file, *rows_sha256;
  uint64_t n_rows; /* in that file */
  bool has_rows;
  uint32_t per, brief_rows;
  GArray *columns;    /* ColumnRead */
  GHashTable *places; /* name to its place, from 1 */
  uint64_t *filled;   /* of each column the last row, from 1, that has it */
  Sheet *sheet;
} TableRead;

/* ----------------------------------------------------------------- columns */

static bool take_type(JsonIn *in, void *out)
{
  static const uint32_t types[] = { MILL_INT, MILL_REAL, MILL_TEXT, MILL_BOOL };
  static const char *const words[] = { "int", "real", "text", "bool" };
  const char *word;
  if (!json_in_text(in, &word)) return false;
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    ((ColumnRead *)out)->column.type = types[i];
    if (!strcmp(word, words[i])) return true;
  }
  return json_in_fail(in, NULL, "this must be int, real, text or bool");
}

static const JsonMember column_members[] = {
  JSON_FIELD(ColumnRead, column.name, "name", TEXT, true),
  JSON_FIELD(ColumnRead, column.unit, "unit", TEXT, false),
  JSON_TAKE("type", true, take_type),
  JSON_FIELD(ColumnRead, key, "key", BOOL, true),
  JSON_FIELD(ColumnRead, brief, "brief", BOOL, false),
  JSON_FIELD(ColumnRead, lead, "lead", BOOL, false),
  JSON_WORD(ColumnRead, better, "better", "neither|lower|higher"),
  JSON_FIELD(ColumnRead, finding, "finding", BOOL, false),
  JSON_FIELD(ColumnRead, column.help, "help", TEXT, false),
};

static uint32_t flags_of(const ColumnRead *c)
{
  return (c->key ? MILL_COLUMN_KEY : 0u) | (c->brief ? MILL_COLUMN_BRIEF : 0u) |
         (c->finding ? MILL_COLUMN_FINDING : 0u) |
         (c->better == MILL_LOWER ? MILL_COLUMN_LOWER : 0u) |
         (c->better == MILL_HIGHER ? MILL_COLUMN_HIGHER : 0u);
}

static bool take_column(JsonIn *in, void *table)
{
  TableRead *t = table;
  ColumnRead c = { .key = false };
  const char *at = in->token.start;
  if (!json_in_object(in, column_members, G_N_ELEMENTS(column_members), &c)) return false;
  guint n = t->columns->len;
  if (n >= MOST_COLUMNS) return json_in_fail(in, at, "more than %u columns", MOST_COLUMNS);
  if (c.lead && n && !g_array_index(t->columns, ColumnRead, n - 1).lead)
    return json_in_fail(in, at, "a leading column comes after another one");
  c.column.flags = flags_of(&c);
  g_array_append_val(t->columns, c);
  if (!g_hash_table_insert(t->places, (gpointer)c.column.name, GUINT_TO_POINTER(n + 1)))
    return json_in_fail(in, at, "two columns have this name");
  return true;
}

/* The table as a stage would declare it. */
static MillTable *declare(Results *r, const TableRead *t, guint n_lead)
{
  guint n = t->columns->len - n_lead;
  MillTable *table = results_alloc(r, sizeof *table);
  MillColumn *columns = results_alloc(r, MAX(n, 1) * sizeof *columns);
  for (guint i = 0; i < n; i++)
    columns[i] = g_array_index(t->columns, ColumnRead, n_lead + i).column;
  *table = (MillTable){ .per = t->per, .columns = { columns, n, sizeof *columns } };
  return table;
}

static bool take_columns(JsonIn *in, void *table)
{
  TableRead *t = table;
  Results *r = load_of(in)->results;
  guint n_lead = 0;
  if (!json_in_array(in, take_column, t)) return false;
  while (n_lead < t->columns->len && g_array_index(t->columns, ColumnRead, n_lead).lead) n_lead++;
  t->sheet = sheet_new(declare(r, t, n_lead), NULL);
  t->filled = g_new0(uint64_t, t->columns->len + 1);
  for (guint i = 0; i < n_lead; i++) {
    const MillColumn *c = &g_array_index(t->columns, ColumnRead, i).column;
    sheet_add_lead(t->sheet, c->name, c->type, c->flags, c->help);
  }
  sheet_add_declared(t->sheet);
  return true;
}

/* -------------------------------------------------------------------- rows */

static bool take_number(JsonIn *in, uint32_t type, MillValue *out)
{
  const JsonToken *t = &in->token;
  *out = (MillValue){ .type = type };
  bool good = type == MILL_INT    ? num_int(t->start, t->len, &out->u.i)
              : type == MILL_REAL ? num_real(t->start, t->len, &out->u.r)
                                  : false;
  return good || json_in_fail(in, NULL, "this value is not of its column's type");
}

static bool take_cell(JsonIn *in, uint32_t type, MillValue *out)
{
  size_t len;
  JsonKind kind = in->token.kind;
  if (kind == JSON_NULL) return true;
  if (kind == JSON_NUMBER) return take_number(in, type, out);
  if (kind == JSON_STRING && type == MILL_TEXT) {
    out->type = type;
    if (!json_in_string(in, &out->u.text, &len)) return false;
    out->len = (uint32_t)len;
    return true;
  }
  if (type != MILL_BOOL || (kind != JSON_TRUE && kind != JSON_FALSE))
    return json_in_fail(in, NULL, "this value is not of its column's type");
  *out = mill_bool(kind == JSON_TRUE);
  return true;
}

typedef struct RowRead {
  TableRead *table;
  MillValue *cells;
  guint next, n; /* index of the expected column; number of cells */
} RowRead;

/* Cells are usually in the order of the columns. */
static bool take_named_cell(JsonIn *in, const char *name, void *row)
{
  RowRead *r = row;
  TableRead *t = r->table;
  guint at = r->next;
  if (at >= t->columns->len ||
      strcmp(g_array_index(t->columns, ColumnRead, at).column.name, name)) {
    at = GPOINTER_TO_UINT(g_hash_table_lookup(t->places, name));
    if (!at--) return json_in_fail(in, NULL, "the table has no column \"%s\"", name);
  }
  if (t->filled[at] == t->sheet->rows->len)
    return json_in_fail(in, NULL, "\"%s\" is there twice", name);
  t->filled[at] = t->sheet->rows->len;
  r->next = at + 1;
  r->n++;
  return take_cell(in, g_array_index(t->columns, ColumnRead, at).column.type, &r->cells[at]);
}

static bool take_row(JsonIn *in, void *table)
{
  TableRead *t = table;
  const char *at = in->token.start;
  RowRead row = { .table = t, .cells = sheet_add_cells(t->sheet) };
  if (!json_in_each(in, take_named_cell, &row)) return false;
  return row.n == t->columns->len || json_in_fail(in, at, "this row has no cell for some column");
}

static bool take_rows(JsonIn *in, void *table)
{
  TableRead *t = table;
  t->has_rows = true;
  if (!t->sheet) return json_in_fail(in, NULL, "rows come before \"columns\"");
  return json_in_array(in, take_row, table);
}

static bool take_next_cell(JsonIn *in, void *row)
{
  RowRead *r = row;
  if (r->next >= r->table->columns->len)
    return json_in_fail(in, NULL, "this row has too many cells");
  guint at = r->next++;
  return take_cell(in, g_array_index(r->table->columns, ColumnRead, at).column.type, &r->cells[at]);
}

/* A list of its cells, as files of rows have it. */
static bool take_list(JsonIn *in, void *table)
{
  TableRead *t = table;
  const char *at = in->token.start;
  RowRead row = { .table = t, .cells = sheet_add_cells(t->sheet) };
  if (!json_in_array(in, take_next_cell, &row)) return false;
  return row.next == t->columns->len ||
         json_in_fail(in, at, "this row has no cell for some column");
}

static bool read_rows(JsonIn *in, const char *at, TableRead *t)
{
  const RowsFile file = { t->rows_file, t->rows_sha256, take_list, t };
  if (t->has_rows == (t->rows_file != NULL))
    return json_in_fail(in, at, "a table has either \"rows\" or \"rows_file\"");
  if (t->has_rows) return true;
  if (!load_rows_file(in, at, &file)) return false;
  return t->sheet->rows->len == t->n_rows ||
         json_in_fail(in, at, "its file has another number of rows");
}

/* ------------------------------------------------------------------ tables */

static bool take_declared(JsonIn *in, void *table)
{
  static const JsonMember members[] = { JSON_FIELD(TableRead, declared, "name", TEXT, true) };
  return json_in_object(in, members, G_N_ELEMENTS(members), table);
}

static const JsonMember members[] = {
  JSON_FIELD(TableRead, name, "name", TEXT, true),
  JSON_TAKE("declared", false, take_declared),
  JSON_FIELD(TableRead, help, "help", TEXT, false),
  JSON_WORD(TableRead, per, "per", "run|lane"),
  JSON_FIELD(TableRead, brief_rows, "brief_rows", COUNT, false),
  JSON_FIELD(TableRead, order, "order", TEXT, false),
  JSON_TAKE("columns", true, take_columns),
  JSON_TAKE("rows", false, take_rows),
  JSON_FIELD(TableRead, rows_file, "rows_file", TEXT, false),
  JSON_FIELD(TableRead, rows_sha256, "rows_sha256", TEXT, false),
  JSON_FIELD(TableRead, n_rows, "n_rows", LARGE, false),
};

/* Name and other members may come after the rows. */
static bool add(JsonIn *in, const char *at, TableRead *t)
{
  Load *load = load_of(in);
  MillTable *table = (MillTable *)t->sheet->table;
  if (!g_hash_table_add(load->tables, (gpointer)t->name))
    return json_in_fail(in, at, "two tables are called \"%s\"", t->name);
  table->per = t->per;
  table->brief_rows = t->brief_rows;
  table->name = t->declared ? t->declared : t->name;
  table->help = t->help ? t->help : "";
  table->order = t->order;
  t->sheet->name = g_strdup(t->name);
  results_add_sorted(load->results, g_steal_pointer(&t->sheet));
  return true;
}

static bool take_table(JsonIn *in, void *load)
{
  (void)load;
  const char *at = in->token.start;
  TableRead t = { .columns = g_array_new(FALSE, TRUE, sizeof(ColumnRead)),
                  .places = g_hash_table_new(hash_text, g_str_equal) };
  bool good = json_in_object(in, members, G_N_ELEMENTS(members), &t) && read_rows(in, at, &t) &&
              add(in, at, &t);
  if (t.sheet) sheet_free(t.sheet);
  g_free(t.filled);
  g_array_unref(t.columns);
  g_hash_table_unref(t.places);
  return good;
}

bool load_tables(JsonIn *in, void *load) { return json_in_array(in, take_table, load); }
