/* One line of a table: a kernel's name and category, and its cycles. */
/* SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "compiler-log.h"

#define MARK "-opCat"
#define LAST_MARK "-NA"
#define TOTAL "Total"
#define MAX_DIGITS 64u

static bool has(const char *text, size_t len, const char *word)
{
  return memmem(text, len, word, strlen(word)) != NULL;
}

static bool ends_with(const char *text, size_t len, const char *word)
{
  size_t n = strlen(word);
  return len >= n && !memcmp(text + len - n, word, n);
}

/* --------------------------------------------------------------------- fields */

typedef struct Fields { /* of a line, between blanks */
  const char *name, *number;
  size_t name_len, number_len;
  unsigned n;      /* all that there are */
  bool has_a_mark; /* one of them is a kernel's */
} Fields;

static Fields split_fields(const char *line, size_t len)
{
  Fields f = { 0 };
  for (size_t at = 0; at < len;) {
    size_t begin = at;
    while (at < len && !clog_is_blank(line[at])) at++;
    size_t n = at - begin;
    if (f.n == 0) f.name = line + begin, f.name_len = n;
    if (f.n == 1) f.number = line + begin, f.number_len = n;
    f.has_a_mark |= has(line + begin, n, MARK) || ends_with(line + begin, n, LAST_MARK);
    f.n++;
    while (at < len && clog_is_blank(line[at])) at++;
  }
  return f;
}

static bool is_total(const Fields *f)
{
  return f->n <= 2 && f->name_len == strlen(TOTAL) && !memcmp(f->name, TOTAL, f->name_len);
}

/* ---------------------------------------------------------------------- parts */

/* 24576 or 24,576; false: it is neither. */
static bool read_digits(const char *text, size_t len, char *digits, size_t *out_n)
{
  size_t n = 0, since = 0, n_commas = 0;
  for (size_t i = 0; i < len; i++) {
    if (g_ascii_isdigit(text[i]) && n < MAX_DIGITS) {
      digits[n++] = text[i];
      since++;
    } else if (text[i] == ',' && (n_commas ? since == 3 : since >= 1 && since <= 3)) {
      n_commas++;
      since = 0;
    } else {
      return false;
    }
  }
  *out_n = n;
  return n && (!n_commas || since == 3);
}

/* With a mark any text is a kernel's name. */
static bool is_name(const Fields *f)
{
  if (f->has_a_mark && !g_utf8_validate(f->name, (gssize)f->name_len, NULL)) return false;
  for (size_t i = 0; i < f->name_len; i++) {
    char c = f->name[i];
    if (g_ascii_iscntrl(c)) return false;
    if (!f->has_a_mark && !g_ascii_isalnum(c) && !clog_is_one_of(c, "_-.")) return false;
  }
  return true;
}

/* The name before -opCat or a final -NA, and the category that these say. */
static void split_name(const char *name, size_t len, ClogRow *out)
{
  const char *at = memmem(name, len, MARK, strlen(MARK));
  size_t base = len;
  if (at) {
    base = (size_t)(at - name);
    out->category = g_strndup(at + strlen(MARK), len - base - strlen(MARK));
  } else if (ends_with(name, len, LAST_MARK)) {
    base = len - strlen(LAST_MARK);
    out->category = g_strdup("NotAvailable");
  } else {
    out->category = g_strdup(TOTAL);
  }
  out->name = g_strdup_printf("%.*s Cmpt Exec", (int)base, name);
}

/* ----------------------------------------------------------------------- rows */

ClogLine clog_row(const char *line, size_t len, ClogRow *out)
{
  char digits[MAX_DIGITS];
  size_t n_digits, front = clog_front(line, len);
  *out = (ClogRow){ 0 };
  if (has(line, len, "Precompute") || has(line, len, "-LxPreload")) return CLOG_IS_NOTHING;
  Fields f = split_fields(line + front, len - front);
  bool is_row = f.n == 2 && read_digits(f.number, f.number_len, digits, &n_digits);
  if (!is_row) return f.has_a_mark || is_total(&f) ? CLOG_IS_UNREADABLE : CLOG_IS_NOTHING;
  if (!is_name(&f)) return CLOG_IS_ODD;
  if (!num_int(digits, n_digits, &out->cycles)) return CLOG_IS_LARGE;
  split_name(f.name, f.name_len, out);
  return CLOG_IS_ROW;
}

void clog_row_clear(ClogRow *row)
{
  g_free(row->name);
  g_free(row->category);
}
