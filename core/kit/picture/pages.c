/* Pages of a figure; see pages.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/pages.h"

#include <string.h>

#include "kit/picture/axis.h"

#define BETWEEN "\x1f"

/* ------------------------------------------------------------------- paths */

enum { LONGEST_PART = 60, LONGEST_NAME = 200 };

static bool is_plain(char c) { return g_ascii_isalnum(c) || c == '_' || c == '-' || c == '.'; }

static uint32_t hash_of(const char *text, size_t len)
{
  uint32_t h = 2166136261u; /* FNV-1a: the same in every run */
  for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

static char *plain_part(const char *text, size_t len, size_t longest)
{
  g_autoptr(GString) out = g_string_new(NULL);
  bool changed = len > longest;
  for (size_t i = 0; i < MIN(len, longest); i++) {
    bool plain = is_plain(text[i]) && !(i == 0 && text[i] == '.');
    changed |= !plain;
    g_string_append_c(out, plain ? text[i] : '_');
  }
  if (changed) g_string_append_printf(out, "-%08x", hash_of(text, len));
  return g_strdup(out->len ? out->str : "none");
}

char *path_part(const char *text, size_t len) { return plain_part(text, len, LONGEST_PART); }

static void put_value(GString *out, PathValue value, const void *context, const char *name,
                      size_t len)
{
  g_autofree char *text = value(context, name, len);
  g_string_append(out, text);
}

/* One name of the path; nothing for an empty one. */
static void put_name(GString *path, const GString *name)
{
  if (!name->len) return;
  g_autofree char *plain = plain_part(name->str, name->len, LONGEST_NAME);
  if (path->len) g_string_append_c(path, '/');
  g_string_append(path, plain);
}

char *path_fill(const char *pattern, PathValue value, const void *context)
{
  g_autoptr(GString) path = g_string_new(NULL);
  g_autoptr(GString) name = g_string_new(NULL);
  for (const char *p = pattern; *p; p++) {
    const char *end = *p == '{' ? strchr(p, '}') : NULL;
    if (end) {
      put_value(name, value, context, p + 1, (size_t)(end - p - 1));
      p = end;
    } else if (*p == '/') {
      put_name(path, name);
      g_string_truncate(name, 0);
    } else
      g_string_append_c(name, *p);
  }
  put_name(path, name);
  return g_strdup(path->len ? path->str : "none");
}

/* Another one when it is taken: "tp4", "tp4-2", ... */
static char *untaken(Names *taken, char *wanted)
{
  char *name = g_strdup(wanted);
  for (uint32_t k = 2;; k++) {
    g_autofree char *folded = g_ascii_strdown(name, -1);
    uint32_t before = names_len(taken);
    if (names_add(taken, folded, strlen(folded)) == before) break;
    g_free(name);
    name = g_strdup_printf("%s-%u", wanted, k);
  }
  g_free(wanted);
  return name;
}

/* ------------------------------------------------------------------ values */

typedef struct Split {
  const Source *source;
  GArray *columns; /* int */
  Row row;         /* the first one of the page */
} Split;

static char *value_of(const void *context, const char *name, size_t len)
{
  const Split *s = context;
  char buf[NUM_BUF];
  size_t text_len;
  int column = source_column_len(s->source, name, len);
  if (column < 0 || !s->row) return g_strdup("none");
  const char *text = source_text(s->source, &s->row[column], buf, &text_len);
  return path_part(text, text_len);
}

static char *title_of(const Split *s)
{
  g_autoptr(GString) out = g_string_new(NULL);
  for (guint c = 0; c < s->columns->len; c++) {
    char buf[NUM_BUF];
    size_t len;
    int column = g_array_index(s->columns, int, c);
    const char *text = source_text(s->source, &s->row[column], buf, &len);
    g_autofree char *title = column_title(source_column_at(s->source, column)->name);
    g_autofree char *clean = names_clean(text, len, NAMES_LONGEST);
    g_string_append_printf(out, "%s%s %s", c ? ", " : "", title, len ? clean : "(none)");
  }
  return g_strdup(out->str);
}

static void name_page(Page *io_page, const Split *s, const MillFigure *f, const char *name,
                      Taken *io_taken)
{
  g_autoptr(GString) full = g_string_new(NULL);
  g_autofree char *figure = path_part(name, strlen(name));
  g_string_append(full, figure);
  for (guint c = 0; s->row && c < s->columns->len; c++) {
    const char *column = source_column_at(s->source, g_array_index(s->columns, int, c))->name;
    g_autofree char *value = value_of(s, column, strlen(column));
    g_autofree char *part = path_part(column, strlen(column));
    g_string_append_printf(full, "-%s%s", part, value);
  }
  char *file = f->file ? path_fill(f->file, value_of, s) : g_strdup(full->str);
  io_page->name = untaken(io_taken->names, g_strdup(full->str));
  io_page->file = untaken(io_taken->files, file);
  io_page->title = s->columns->len && s->row ? title_of(s) : g_strdup("");
}

/* ------------------------------------------------------------------- pages */

static void page_free(gpointer data)
{
  Page *p = data;
  g_array_unref(p->rows);
  g_free(p->name);
  g_free(p->file);
  g_free(p->title);
  g_free(p);
}

static GArray *columns_of(const Source *s, const char *pages)
{
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(int));
  for (const char *p = pages; p && *p; p += *p == ',') {
    size_t len = strcspn(p, ",");
    int column = source_column_len(s, p, len);
    if (column >= 0) g_array_append_val(columns, column);
    p += len;
  }
  return columns;
}

static uint32_t page_of(const Split *s, Names *keys, Row row)
{
  g_autoptr(GString) key = g_string_new(NULL);
  for (guint c = 0; c < s->columns->len; c++) {
    char buf[NUM_BUF];
    size_t len;
    const char *text = source_text(s->source, &row[g_array_index(s->columns, int, c)], buf, &len);
    g_string_append_len(key, text, (gssize)len);
    if (c + 1 < s->columns->len) g_string_append(key, BETWEEN);
  }
  return names_add(keys, key->str, key->len);
}

static Page *page_new(void)
{
  Page *p = g_new0(Page, 1);
  p->rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  return p;
}

static void fill_pages(GPtrArray *pages, const Split *s, const Rows *rows)
{
  g_autoptr(Names) keys = names_new(s->source->seed);
  g_autoptr(GPtrArray) found = g_ptr_array_new();
  for (guint r = 0; r < rows->len; r++) {
    uint32_t page = page_of(s, keys, source_row(s->source, rows, r));
    if (page == found->len) g_ptr_array_add(found, page_new());
    g_array_append_val(((Page *)found->pdata[page])->rows, g_array_index(rows, uint64_t, r));
  }
  g_autofree uint32_t *places = names_sort(keys, true);
  g_ptr_array_set_size(pages, (gint)found->len);
  for (guint i = 0; i < found->len; i++) pages->pdata[places ? places[i] : i] = found->pdata[i];
}

GPtrArray *pages_split(const Source *s, const MillFigure *f, const char *name, Rows *rows,
                       Taken *io_taken, uint32_t *out_left_out)
{
  g_autoptr(GArray) columns = columns_of(s, f->pages);
  GPtrArray *pages = g_ptr_array_new_with_free_func(page_free);
  Split split = { s, columns, NULL };
  if (columns->len && rows->len)
    fill_pages(pages, &split, rows);
  else {
    g_ptr_array_add(pages, page_new());
    g_array_append_vals(((Page *)pages->pdata[0])->rows, rows->data, rows->len);
  }
  g_array_unref(rows);
  *out_left_out = pages->len > PAGES_MOST ? pages->len - PAGES_MOST : 0;
  if (*out_left_out) g_ptr_array_set_size(pages, PAGES_MOST);
  for (guint i = 0; i < pages->len; i++) {
    Page *p = pages->pdata[i];
    split.row = p->rows->len ? source_row(s, p->rows, 0) : NULL;
    name_page(p, &split, f, name, io_taken);
  }
  return pages;
}
