/* Cases as text: an item is a line that begins with a word, and the indented lines below it. */
/* SPDX-License-Identifier: MIT */
#include "case-file.h"

#include <string.h>

#include "base/num.h"
#include "harness-internal.h"

#define INDENT "  "
#define CASE "case "

typedef enum Below { BELOW_NOTHING, BELOW_EVENTS, BELOW_ROWS, BELOW_TEXT } Below;

/* What follows a word: n: a number; o: one that may be missing; w: a name, up to the end or the
 * equals sign; r: the same, which may be missing; =: a value. */
static const struct {
  const char *word, *shape, *form;
  Below below;
} words[CASE_WORDS] = {
  [CASE_WITH] = { "with", "w", "with NAME=VALUE", BELOW_NOTHING },
  [CASE_LANE] = { "given lane", "r", "given lane FACT=VALUE...", BELOW_EVENTS },
  [CASE_BYTES] = { "given bytes", "", "given bytes", BELOW_TEXT },
  [CASE_FILE] = { "given file", "w", "given file PATH", BELOW_NOTHING },
  [CASE_GIVEN] = { "given", "", "given", BELOW_EVENTS },
  [CASE_EVENTS] = { "expect events", "o", "expect events [LANE]", BELOW_EVENTS },
  [CASE_ATTR] = { "expect attr", "nw=", "expect attr EVENT NAME = VALUE", BELOW_NOTHING },
  [CASE_TABLE] = { "expect table", "w", "expect table NAME", BELOW_ROWS },
  [CASE_METRIC] = { "expect metric", "w=", "expect metric NAME[.STAT] = VALUE", BELOW_NOTHING },
  [CASE_NOTICE] = { "expect notice", "n=", "expect notice NUMBER = COUNT", BELOW_NOTHING },
  [CASE_STATUS] = { "expect status", "n", "expect status NUMBER", BELOW_NOTHING },
  [CASE_DESCRIBED] = { "expect described", "nw", "expect described LANE FACT=VALUE...",
                       BELOW_NOTHING },
  [CASE_PROBE] = { "expect probe", "nw", "expect probe LEAST NAME", BELOW_TEXT },
  [CASE_OUTPUT] = { "expect output", "w", "expect output NAME", BELOW_TEXT },
  [CASE_NO_OUTPUT] = { "expect no output", "w", "expect no output NAME", BELOW_NOTHING },
};

bool case_word_expects(CaseWord word) { return word >= CASE_EVENTS; }

/* ------------------------------------------------------------------- bytes */

static const char letters[] = "ntr\\", meant[] = "\n\t\r\\";

/* Adds what a line stands for; false: it has a backslash that means nothing.  A lone one at the end
 * says that the line has no end. */
static bool unescape(const char *line, GString *out, bool *out_open)
{
  *out_open = false;
  for (const char *p = line; *p; p++) {
    const char *letter;
    if (*p != '\\') {
      g_string_append_c(out, *p);
    } else if (!p[1]) {
      *out_open = true;
    } else if (p[1] == 'x' && g_ascii_isxdigit(p[2]) && g_ascii_isxdigit(p[3])) {
      int byte = g_ascii_xdigit_value(p[2]) * 16 + g_ascii_xdigit_value(p[3]);
      g_string_append_c(out, (char)byte);
      p += 3;
    } else if ((letter = strchr(letters, p[1]))) {
      g_string_append_c(out, meant[letter - letters]);
      p++;
    } else {
      return false;
    }
  }
  return true;
}

static void put_byte(GString *out, char c)
{
  const char *letter = c ? strchr(meant, c) : NULL;
  if (letter)
    g_string_append_printf(out, "\\%c", letters[letter - meant]);
  else
    g_string_append_printf(out, "\\x%02x", (unsigned char)c);
}

/* UTF-8 as it is; what is none, and what steers a terminal, byte by byte. */
static void put_bytes(GString *out, const char *bytes, gsize len)
{
  const char *end = bytes + len;
  for (const char *p = bytes; p < end;) {
    gunichar c = g_utf8_get_char_validated(p, end - p);
    bool plain = c != (gunichar)-1 && c != (gunichar)-2 && c >= 0x20 && c != 0x7f && c != '\\';
    const char *next = plain ? g_utf8_next_char(p) : p + 1;
    if (plain)
      g_string_append_len(out, p, next - p);
    else
      put_byte(out, *p);
    p = next;
  }
}

void case_put_value(GString *out, const char *value) { put_bytes(out, value, strlen(value)); }

void case_put_text(GString *out, const char *bytes, gsize len)
{
  const char *end = bytes + len;
  while (bytes < end) {
    const char *line_end = memchr(bytes, '\n', (gsize)(end - bytes));
    g_string_append(out, INDENT);
    put_bytes(out, bytes, (gsize)((line_end ? line_end : end) - bytes));
    g_string_append(out, line_end ? "\n" : "\\\n");
    bytes = line_end ? line_end + 1 : end;
  }
}

void case_put_word(GString *out, CaseWord word) { g_string_append(out, words[word].word); }

/* ----------------------------------------------------------------- reading */

static void item_free(gpointer p)
{
  CaseItem *item = p;
  g_free(item->name);
  g_free(item->value);
  g_ptr_array_unref(item->lines);
  if (item->text) g_string_free(item->text, TRUE);
  g_free(item);
}

static void case_free(gpointer p)
{
  WrittenCase *c = p;
  g_free(c->name);
  g_ptr_array_unref(c->items);
  g_free(c);
}

void case_file_free(CaseFile *f)
{
  if (!f) return;
  g_free(f->path);
  g_strfreev(f->lines);
  g_ptr_array_unref(f->cases);
  g_free(f);
}

static Error *G_GNUC_PRINTF(3, 4) wrong(const CaseFile *f, guint line, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  Error *e = error_new(EXIT_INPUT, "RUN-72", "%s:%u: %s", f->path, line, text);
  return error_help(e, "stagemill help test    names the page with the form of cases");
}

/* The longest word that the line begins with; CASE_WORDS: none. */
static CaseWord word_of(const char *line)
{
  CaseWord found = CASE_WORDS;
  for (CaseWord w = 0; w < CASE_WORDS; w++) {
    size_t len = strlen(words[w].word);
    if (!g_str_has_prefix(line, words[w].word) || (line[len] && line[len] != ' ')) continue;
    if (found == CASE_WORDS || len > strlen(words[found].word)) found = w;
  }
  return found;
}

static bool take_number(const char **io_rest, int64_t *out)
{
  size_t len = strspn(*io_rest, "0123456789");
  if (!len || ((*io_rest)[len] && (*io_rest)[len] != ' ')) return false;
  if (!num_int(*io_rest, len, out) || *out > UINT32_MAX) return false;
  *io_rest += len + strspn(*io_rest + len, " ");
  return true;
}

static bool take_value(const char *equal, CaseItem *item)
{
  g_autofree char *given = g_strstrip(g_strdup(equal + 1));
  g_autoptr(GString) value = g_string_new(NULL);
  bool open, good = unescape(given, value, &open) && !open;
  if (good && strcmp(given, "-")) item->value = g_strdup(value->str);
  return good;
}

/* "= 3" and "name = 3". */
static const char *find_equal(const char *rest)
{
  if (*rest == '=') return rest;
  const char *found = strstr(rest, " = ");
  return found ? found + 1 : NULL;
}

static bool take_rest(const char *rest, const char *shape, CaseItem *item)
{
  bool number = strpbrk(shape, "no"), named = strpbrk(shape, "wr"), valued = strchr(shape, '=');
  const char *equal = valued ? find_equal(rest) : NULL;
  if (number && !take_number(&rest, &item->number) && (strchr(shape, 'n') || *rest)) return false;
  if (valued && (!equal || !take_value(equal, item))) return false;
  g_autofree char *name = equal ? g_strndup(rest, (gsize)(equal - rest)) : g_strdup(rest);
  g_strstrip(name);
  if (*name ? !named : strchr(shape, 'w') != NULL) return false;
  item->name = g_steal_pointer(&name);
  return true;
}

static Error *read_item(const CaseFile *f, guint index, CaseItem **out)
{
  const char *line = f->lines[index];
  CaseWord word = word_of(line);
  if (word == CASE_WORDS)
    return wrong(f, index + 1, "\"%s\" begins with no word of a case", line);
  const char *rest = line + strlen(words[word].word);
  CaseItem *item = g_new0(CaseItem, 1);
  item->word = word;
  item->line = index + 1;
  item->n_lines = 1;
  item->lines = g_ptr_array_new_with_free_func(g_free);
  if (words[word].below == BELOW_TEXT) item->text = g_string_new(NULL);
  *out = item;
  if (take_rest(rest + strspn(rest, " "), words[word].shape, item)) return NULL;
  return wrong(f, index + 1, "\"%s\" is not of the form \"%s\"", line, words[word].form);
}

/* An event must be one, bytes must be readable; rows are compared as they are. */
static Error *read_below(const CaseFile *f, guint index, CaseItem *item)
{
  const char *text = f->lines[index] + strlen(INDENT);
  Below below = words[item->word].below;
  g_autofree char *why = NULL;
  g_autoptr(GString) bytes = g_string_new(NULL);
  bool open = false;
  if (below == BELOW_NOTHING)
    return wrong(f, index + 1, "nothing may stand below \"%s\"", words[item->word].word);
  if (below == BELOW_EVENTS) {
    HarnessLine *event = harness_line_parse(text, &why);
    harness_line_free(event);
    if (!event) return wrong(f, index + 1, "%s", why);
    g_string_append(bytes, text);
  } else if (!unescape(text, bytes, &open) || (open && below == BELOW_ROWS)) {
    return wrong(f, index + 1, "a backslash stands before n, t, r, x and two digits, or another");
  }
  if (item->text) {
    g_string_append_len(item->text, bytes->str, (gssize)bytes->len);
    if (!open) g_string_append_c(item->text, '\n');
  }
  g_ptr_array_add(item->lines, g_strdup(bytes->str));
  return NULL;
}

static Error *begin_case(CaseFile *f, guint index)
{
  const char *name = f->lines[index] + strlen(CASE);
  for (guint i = 0; i < f->cases->len; i++)
    if (!strcmp(((const WrittenCase *)f->cases->pdata[i])->name, name))
      return wrong(f, index + 1, "there is a case \"%s\" before", name);
  WrittenCase *c = g_new0(WrittenCase, 1);
  c->name = g_strdup(name);
  c->line = c->last_line = index + 1;
  c->items = g_ptr_array_new_with_free_func(item_free);
  g_ptr_array_add(f->cases, c);
  return NULL;
}

static Error *add_to_case(CaseFile *f, guint index)
{
  WrittenCase *c = f->cases->len ? f->cases->pdata[f->cases->len - 1] : NULL;
  const char *line = f->lines[index];
  CaseItem *item = c && c->items->len ? c->items->pdata[c->items->len - 1] : NULL;
  if (!c) return wrong(f, index + 1, "before this there is no line \"case NAME\"");
  c->last_line = index + 1;
  if (!g_str_has_prefix(line, INDENT)) {
    if (*line == ' ') return wrong(f, index + 1, "an indented line begins with two blanks");
    CaseItem *fresh = NULL;
    Error *e = read_item(f, index, &fresh);
    if (fresh) g_ptr_array_add(c->items, fresh);
    return e;
  }
  if (!item) return wrong(f, index + 1, "this line is below nothing");
  item->n_lines = index + 2 - item->line;
  return read_below(f, index, item);
}

static Error *read_lines(CaseFile *f)
{
  Error *e = NULL;
  for (guint i = 0; f->lines[i] && !e; i++) {
    char *line = f->lines[i];
    bool named = g_str_has_prefix(line, CASE) && line[strlen(CASE)];
    if (*line && *line != '#') e = named ? begin_case(f, i) : add_to_case(f, i);
  }
  if (!e && !f->cases->len) e = wrong(f, 1, "there is no case in it");
  return e;
}

static void end_lines(CaseFile *f)
{
  for (guint i = 0; i < f->cases->len; i++) {
    const WrittenCase *c = f->cases->pdata[i];
    for (guint k = 0; k < c->items->len; k++)
      g_ptr_array_add(((CaseItem *)c->items->pdata[k])->lines, NULL);
  }
}

Error *case_file_read(const char *path, CaseFile **out)
{
  g_autofree char *text = NULL;
  g_autoptr(GError) why = NULL;
  gsize len;
  *out = NULL;
  if (!g_file_get_contents(path, &text, &len, &why)) {
    Error *e = error_new(EXIT_INPUT, "RUN-72", "the cases cannot be read");
    return error_why(e, "%s", why->message);
  }
  CaseFile *f = g_new0(CaseFile, 1);
  f->path = g_strdup(path);
  f->cases = g_ptr_array_new_with_free_func(case_free);
  g_autofree char *whole = len && text[len - 1] != '\n' ? g_strconcat(text, "\n", NULL) : NULL;
  f->lines = g_strsplit(whole ? whole : text, "\n", -1);
  Error *e = g_utf8_validate(text, (gssize)len, NULL) ? read_lines(f)
                                                      : wrong(f, 1, "the file is not UTF-8");
  end_lines(f);
  if (e)
    case_file_free(f);
  else
    *out = f;
  return e;
}

/* ----------------------------------------------------------------- changing */

GString *case_file_changed(const CaseFile *f, const CaseChange *changes, guint n)
{
  GString *out = g_string_new(NULL);
  guint next = 0, skipped = 0;
  for (guint i = 0; f->lines[i]; i++) {
    bool last = !f->lines[i + 1];
    for (; next < n && changes[next].line == i + 1; next++) {
      g_string_append(out, changes[next].text);
      skipped += changes[next].n_lines;
    }
    if (skipped)
      skipped--;
    else
      g_string_append_printf(out, "%s%s", f->lines[i], last ? "" : "\n");
  }
  return out;
}
