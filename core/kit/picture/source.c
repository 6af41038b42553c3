/* The table of a figure; see source.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/source.h"

#include <math.h>
#include <string.h>

bool source_open(Source *s, const MillHost *common, const MillResults *results, uint32_t index)
{
  *s = (Source){ .common = common, .results = results, .index = index, .seed = common->seed };
  s->table.size = sizeof s->table;
  if (!results->table(results, index, &s->table)) return false;
  uint32_t declared = s->table.table ? s->table.table->columns.n : s->table.columns.n;
  s->n_lead = s->table.columns.n > declared ? s->table.columns.n - declared : 0;
  return true;
}

static bool is_empty(const Source *s, int column)
{
  for (uint64_t r = 0; r < s->table.n_rows; r++) {
    const MillValue *cells = s->results->row(s->results, s->index, r);
    if (cells[column].type != MILL_NONE) return false;
  }
  return true;
}

int source_column_len(const Source *s, const char *name, size_t len)
{
  for (uint32_t c = 0; name && c < s->table.columns.n; c++) {
    const char *own = source_column_at(s, (int)c)->name;
    if (strlen(own) != len || memcmp(own, name, len) != 0) continue;
    return c < s->n_lead && s->table.n_rows && is_empty(s, (int)c) ? -1 : (int)c;
  }
  return -1;
}

int source_column(const Source *s, const char *name)
{
  return name ? source_column_len(s, name, strlen(name)) : -1;
}

/* ------------------------------------------------------------------- cells */

static size_t real_text(char buf[NUM_BUF], double v)
{
  size_t len = num_format_real(buf, v);
  if (len > 2 && !memcmp(buf + len - 2, ".0", 2)) buf[len -= 2] = '\0';
  return len;
}

const char *source_text(const Source *s, const MillValue *v, char buf[NUM_BUF], size_t *out_len)
{
  switch (v->type) {
  case MILL_INT: *out_len = num_format_int(buf, v->u.i); return buf;
  case MILL_REAL: *out_len = real_text(buf, v->u.r); return buf;
  case MILL_BOOL: *out_len = v->u.i ? 3 : 2; return v->u.i ? "yes" : "no";
  case MILL_SYM: return s->common->symbol_text(s->common, v->u.sym, out_len);
  case MILL_TEXT:
  case MILL_JSON: *out_len = v->len; return v->u.text;
  default: *out_len = 0; return "";
  }
}

double cell_number(const Source *s, const MillValue *v)
{
  char buf[NUM_BUF];
  double number;
  size_t len;
  switch (v->type) {
  case MILL_INT: return (double)v->u.i;
  case MILL_REAL: return isfinite(v->u.r) ? v->u.r : (double)NAN;
  case MILL_TEXT:
  case MILL_SYM: break;
  default: return (double)NAN;
  }
  const char *text = source_text(s, v, buf, &len);
  return num_real(text, len, &number) ? number : (double)NAN;
}

Cells source_cells(const Source *s, int column)
{
  uint32_t type = source_column_at(s, column)->type;
  bool some = false;
  if (type == MILL_INT || type == MILL_REAL) return CELLS_NUMBERS;
  if (type != MILL_TEXT) return CELLS_TEXTS;
  for (uint64_t r = 0; r < s->table.n_rows; r++) {
    const MillValue *v = &s->results->row(s->results, s->index, r)[column];
    if (v->type == MILL_NONE) continue;
    if (isnan(cell_number(s, v))) return CELLS_TEXTS;
    some = true;
  }
  return some ? CELLS_NUMBERS : CELLS_TEXTS;
}

/* -------------------------------------------------------------------- rows */

typedef struct Condition { /* a part of `where` */
  int column;
  bool differs; /* "!=" */
  const char *words;
  size_t len;
} Condition;

static GArray *conditions_of(const Source *s, const char *where)
{
  GArray *list = g_array_new(FALSE, FALSE, sizeof(Condition));
  for (const char *p = where; p && *p; p += *p == ';') {
    size_t len = strcspn(p, ";");
    const char *equals = memchr(p, '=', len);
    if (equals && equals > p) {
      bool differs = equals[-1] == '!';
      int column = source_column_len(s, p, (size_t)(equals - p) - differs);
      Condition c = { column, differs, equals + 1, len - (size_t)(equals + 1 - p) };
      if (column >= 0) g_array_append_val(list, c);
    }
    p += len;
  }
  return list;
}

static void put_condition(const Source *s, const Condition *c, GString *out)
{
  g_autofree char *list = g_strndup(c->words, c->len);
  g_auto(GStrv) words = g_strsplit(list, "|", -1);
  guint n = g_strv_length(words);
  g_string_append_printf(out, "%s%s is%s", out->len ? ", " : "",
                         source_column_at(s, c->column)->name, c->differs ? " not" : "");
  for (guint i = 0; i < MAX(n, 1); i++)
    g_string_append_printf(out, "%s%s",
                           !i          ? " "
                           : i + 1 < n ? ", "
                                       : " or ",
                           n && *words[i] ? words[i] : "empty");
}

char *source_where_text(const Source *s, const char *where)
{
  g_autoptr(GArray) conditions = conditions_of(s, where);
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < conditions->len; i++)
    put_condition(s, &g_array_index(conditions, Condition, i), out);
  return g_string_free(out, !out->len);
}

static bool is_word(const char *text, size_t len, const char *word, size_t word_len)
{
  double a, b;
  if (len == word_len && !memcmp(text, word, len)) return true;
  return num_real(text, len, &a) && num_real(word, word_len, &b) && a == b;
}

static bool holds(const Source *s, const Condition *c, Row row)
{
  char buf[NUM_BUF];
  size_t len;
  const char *text = source_text(s, &row[c->column], buf, &len), *end = c->words + c->len;
  for (const char *p = c->words;; p++) {
    const char *bar = memchr(p, '|', (size_t)(end - p));
    size_t word_len = (size_t)((bar ? bar : end) - p);
    if (is_word(text, len, p, word_len)) return !c->differs;
    if (!bar) return c->differs;
    p = bar;
  }
}

Rows *source_rows(const Source *s, const char *where)
{
  Rows *rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  g_autoptr(GArray) conditions = conditions_of(s, where);
  for (uint64_t r = 0; r < s->table.n_rows; r++) {
    Row row = s->results->row(s->results, s->index, r);
    bool fits = true;
    for (guint c = 0; c < conditions->len && fits; c++)
      fits = holds(s, &g_array_index(conditions, Condition, c), row);
    if (fits) g_array_append_val(rows, r);
  }
  return rows;
}
