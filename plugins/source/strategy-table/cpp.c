/* Lookup tables in C++, as the generator writes them and as formatters break them: nested braces of numbers, and
 * comments that say what the levels stand for. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "strategy-table.h"

#define NAME "AllReduceBestStrategyTableSM"
enum { N_LEVELS = 4, LEVEL_TP = 0, LEVEL_FUSION, LEVEL_HIDDEN, LEVEL_TOKENS, MAX_ITEMS = 4096 };

typedef struct Scan {
  Tables *out;
  const char *p, *end, *line_start;
  uint64_t line;
  GPtrArray *axis[N_LEVELS];  /* char *: from a comment that lists them; empty: none */
  GPtrArray *named[N_LEVELS]; /* from comments beside the blocks and rows */
  uint32_t count[N_LEVELS];   /* items of the first block of each level; 0: not known yet */
  GArray *numbers;            /* int64_t */
} Scan;

static bool fail(Scan *s, uint32_t number, const char *p, char *what)
{
  return tables_fail(s->out, number, s->line, (uint64_t)(p - s->line_start) + 1, what);
}

/* ---------------------------------------------------------------- comments */
static const char *const titles[N_LEVELS] = { "TP:", "Fusion:", "Hidden:", "Tokens:" };
static const char *const marks[N_LEVELS] = { "TP=", "Fusion=", "hidden_size=", "tokens=" };

static void set_axis(GPtrArray *axis, const char *list, size_t len)
{
  g_autofree char *text = g_strndup(list, len);
  g_auto(GStrv) items = g_strsplit(text, ",", MAX_ITEMS);
  g_ptr_array_set_size(axis, 0);
  for (char **i = items; *i; i++) {
    g_strdelimit(*i, "'\"", ' ');
    g_strstrip(*i);
    if (**i) g_ptr_array_add(axis, g_strdup(*i));
  }
}

static void add_name(GPtrArray *names, const char *text)
{
  size_t len = strcspn(text, " \t\r\n,*/");
  g_autofree char *name = g_strndup(text, len);
  for (guint i = 0; i < names->len; i++)
    if (!strcmp(names->pdata[i], name)) return;
  if (len && names->len < MAX_ITEMS) g_ptr_array_add(names, g_steal_pointer(&name));
}

static void take_comment(Scan *s, const GString *text)
{
  for (uint32_t level = 0; level < N_LEVELS; level++) {
    const char *title = strstr(text->str, titles[level]), *mark = strstr(text->str, marks[level]);
    const char *open = title ? strchr(title, '[') : NULL, *close = open ? strchr(open, ']') : NULL;
    if (close) set_axis(s->axis[level], open + 1, (size_t)(close - open - 1));
    if (mark) add_name(s->named[level], mark + strlen(marks[level]));
  }
}

static void new_line(Scan *s)
{
  s->line++;
  s->line_start = s->p + 1;
}

static bool starts(const Scan *s, const char *with)
{
  size_t len = strlen(with);
  return (size_t)(s->end - s->p) >= len && !memcmp(s->p, with, len);
}

static void skip_blanks(Scan *s)
{
  for (; s->p < s->end && g_ascii_isspace(*s->p); s->p++)
    if (*s->p == '\n') new_line(s);
}

/* Lines of comments that follow each other are one text, as formatters break long ones. */
static void read_lines(Scan *s, GString *text)
{
  while (starts(s, "//")) {
    const char *end = memchr(s->p, '\n', (size_t)(s->end - s->p));
    if (!end) end = s->end;
    g_string_append_len(text, s->p + 2, end - s->p - 2);
    s->p = end;
    skip_blanks(s);
  }
}

static void read_block(Scan *s, GString *text)
{
  for (s->p += 2; s->p < s->end && !starts(s, "*/"); s->p++) {
    if (*s->p == '\n') new_line(s);
    g_string_append_c(text, *s->p);
  }
  s->p += s->p < s->end ? 2 : 0;
}

/* Before the next token. */
static void skip(Scan *s)
{
  for (skip_blanks(s); starts(s, "//") || starts(s, "/*"); skip_blanks(s)) {
    g_autoptr(GString) text = g_string_new(NULL);
    if (s->p[1] == '/')
      read_lines(s, text);
    else
      read_block(s, text);
    take_comment(s, text);
  }
}

/* ------------------------------------------------------------------- items */
static bool fail_token(Scan *s, const char *wanted)
{
  if (s->p >= s->end) return fail(s, ST_CUT, s->p, g_strdup("the table ends in the middle"));
  char *what =
      g_strdup_printf("%s is missing before \"%c\"", wanted, g_ascii_isprint(*s->p) ? *s->p : '?');
  return fail(s, ST_BAD_CELL, s->p, what);
}

static bool read_number(Scan *s)
{
  const char *start = s->p;
  int64_t v;
  while (s->p < s->end && g_ascii_isalnum(*s->p)) s->p++;
  if (s->p == start) return fail_token(s, "a number");
  bool octal = s->p - start > 1 && *start == '0' && g_ascii_isdigit(start[1]);
  if (octal || !num_int(start, (size_t)(s->p - start), &v) || v < 0 || v > INT32_MAX) {
    char *what =
        g_strdup_printf("a strategy is not a number: \"%.*s\"", (int)MIN(s->p - start, 40), start);
    return fail(s, ST_BAD_CELL, start, what);
  }
  g_array_append_val(s->numbers, v);
  return true;
}

static bool end_level(Scan *s, uint32_t level, uint32_t n)
{
  static const char *const nouns[N_LEVELS] = { "number of GPUs", "fusion", "hidden size",
                                               "number of tokens" };
  if (n == 0) return fail(s, ST_RAGGED, s->p, g_strdup("braces are empty"));
  if (s->count[level] == 0) s->count[level] = n;
  if (s->count[level] == n) return true;
  char *what = g_strdup_printf("there are %u entries by %s here, and %u in the first", n,
                               nouns[level], s->count[level]);
  return fail(s, ST_RAGGED, s->p, what);
}

/* From an opening brace to the closing one; levels are four at most. */
static bool read_level(Scan *s, uint32_t level)
{
  uint32_t n = 0;
  skip(s);
  if (s->p >= s->end || *s->p != '{') return fail_token(s, "a brace");
  s->p++;
  for (skip(s); s->p < s->end && *s->p != '}'; skip(s)) {
    if (n == MAX_ITEMS) return fail(s, ST_RAGGED, s->p, g_strdup("there are too many entries"));
    if (!(level == LEVEL_TOKENS ? read_number(s) : read_level(s, level + 1))) return false;
    n++;
    skip(s);
    if (s->p < s->end && *s->p == ',')
      s->p++;
    else if (s->p < s->end && *s->p != '}')
      return fail_token(s, "a comma");
  }
  if (s->p >= s->end) return fail_token(s, "a brace");
  if (!end_level(s, level, n)) return false;
  s->p++;
  return true;
}

/* -------------------------------------------------------------------- axes */
/* Of comments that list them, else of those beside blocks, else those of the library. */
static bool values_of(Scan *s, uint32_t level, int64_t *out)
{
  static const int64_t first[N_LEVELS] = { 2, 0, 128, 1 };
  const GPtrArray *from = s->axis[level]->len ? s->axis[level] : s->named[level];
  uint32_t n = s->count[level];
  if (from->len && from->len != n && from == s->axis[level]) {
    char *what = g_strdup_printf("the comment %s lists %u values, and the table has %u",
                                 titles[level], from->len, n);
    return fail(s, ST_AXES, s->p, what);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (from->len != n)
      out[i] = i < 40 ? first[level] << i : INT64_MAX;
    else if (!num_int(from->pdata[i], strlen(from->pdata[i]), &out[i]) || out[i] < 1)
      return fail(s, ST_AXES, s->p,
                  g_strdup_printf("a value of the comment %s is no number", titles[level]));
  }
  return true;
}

static bool fusions_of(Scan *s, const char **out)
{
  static const char *const usual[] = { "NONE", "RESIDUAL_RMS_NORM", "RESIDUAL_RMS_NORM_QUANT_FP8",
                                       "RESIDUAL_RMS_NORM_QUANT_NVFP4" };
  const GPtrArray *from =
      s->axis[LEVEL_FUSION]->len ? s->axis[LEVEL_FUSION] : s->named[LEVEL_FUSION];
  uint32_t n = s->count[LEVEL_FUSION];
  if (from->len != n && (from->len || n != G_N_ELEMENTS(usual)))
    return fail(s, ST_AXES, s->p,
                g_strdup_printf("the table has %u fusions, and comments name %u", n, from->len));
  for (uint32_t i = 0; i < n; i++)
    out[i] = g_string_chunk_insert_const(s->out->names, from->len ? from->pdata[i] : usual[i]);
  return true;
}

static bool add_cells(Scan *s, int64_t sm)
{
  const uint32_t *n = s->count;
  g_autofree int64_t *tp = g_new(int64_t, n[LEVEL_TP]), *hidden = g_new(int64_t, n[LEVEL_HIDDEN]);
  g_autofree int64_t *tokens = g_new(int64_t, n[LEVEL_TOKENS]);
  g_autofree const char **fusions = g_new(const char *, n[LEVEL_FUSION]);
  if (!values_of(s, LEVEL_TP, tp) || !fusions_of(s, fusions)) return false;
  if (!values_of(s, LEVEL_HIDDEN, hidden) || !values_of(s, LEVEL_TOKENS, tokens)) return false;
  Table *t = tables_add(s->out, sm);
  for (guint i = 0; i < s->numbers->len; i++) {
    guint row = i / n[LEVEL_TOKENS], block = row / n[LEVEL_HIDDEN];
    const Cell cell = { .tp = tp[block / n[LEVEL_FUSION]],
                        .hidden = hidden[row % n[LEVEL_HIDDEN]],
                        .tokens = tokens[i % n[LEVEL_TOKENS]],
                        .number = g_array_index(s->numbers, int64_t, i),
                        .fusion = fusions[block % n[LEVEL_FUSION]] };
    g_array_append_val(t->cells, cell);
  }
  return true;
}

static bool read_table(Scan *s, int64_t sm)
{
  for (uint32_t i = 0; i < N_LEVELS; i++) {
    g_ptr_array_set_size(s->named[i], 0);
    s->count[i] = 0;
  }
  g_array_set_size(s->numbers, 0);
  return read_level(s, 0) && add_cells(s, sm);
}

/* A use of the name is none of its definition: that goes on with = or a brace. */
static bool take_name(Scan *s)
{
  s->p += strlen(NAME);
  const char *digits = s->p;
  int64_t sm;
  while (s->p < s->end && g_ascii_isdigit(*s->p)) s->p++;
  if (!num_int(digits, (size_t)(s->p - digits), &sm)) return true;
  skip(s);
  if (s->p < s->end && *s->p == '=') {
    s->p++;
    skip(s);
  }
  return s->p >= s->end || *s->p != '{' || read_table(s, sm);
}

static void skip_word(Scan *s)
{
  if (!g_ascii_isalnum(*s->p) && *s->p != '_') {
    s->p++;
    return;
  }
  while (s->p < s->end && (g_ascii_isalnum(*s->p) || *s->p == '_')) s->p++;
}

bool cpp_read(Tables *out, const char *text, size_t len)
{
  Scan s = { .out = out, .p = text, .end = text + len, .line_start = text, .line = 1 };
  bool good = true;
  s.numbers = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (uint32_t i = 0; i < N_LEVELS; i++) {
    s.axis[i] = g_ptr_array_new_with_free_func(g_free);
    s.named[i] = g_ptr_array_new_with_free_func(g_free);
  }
  for (skip(&s); good && s.p < s.end; skip(&s)) {
    if (starts(&s, NAME))
      good = take_name(&s);
    else
      skip_word(&s);
  }
  for (uint32_t i = 0; i < N_LEVELS; i++) {
    g_ptr_array_unref(s.axis[i]);
    g_ptr_array_unref(s.named[i]);
  }
  g_array_unref(s.numbers);
  if (good && out->tables->len == 0)
    return tables_fail(out, ST_NO_TABLE, 0, 0, g_strdup("the input defines no lookup table"));
  return good;
}

bool cpp_is(const char *text, size_t len) { return g_strstr_len(text, (gssize)len, NAME) != NULL; }
