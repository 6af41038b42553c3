/* The SQL of `query`; see query-text.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/query-text.h"

#include <string.h>

#include "cmd/event-tables.h"

static bool in_name(char c) { return g_ascii_isalnum(c) || c == '_' || c & 0x80; }

/* The end of what is in quotes: one that is doubled is in it. */
static const char *end_of_quoted(const char *at)
{
  char quote = *at++;
  for (; *at; at++)
    if (*at == quote && *++at != quote) return at;
  return at;
}

/* What stands here is no name: a text, a name in quotes, a comment, a mark; and where it ends. */
static const char *end_of_other(const char *at)
{
  if (strchr("'\"`", *at)) return end_of_quoted(at);
  if (g_str_has_prefix(at, "--")) return at + strcspn(at, "\n");
  if (!g_str_has_prefix(at, "/*")) return at + 1;
  const char *end = strstr(at + 2, "*/");
  return end ? end + 2 : at + strlen(at);
}

static const char *end_of_name(const char *at)
{
  while (in_name(*at)) at++;
  return at;
}

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

/* After the word arg: the text in brackets, as it is meant, and where all of it ends; NULL: there is none. */
static char *argument(const char *at, const char **out_end)
{
  at = skip_blanks(at);
  if (*at != '(') return NULL;
  const char *from = skip_blanks(at + 1);
  if (*from != '\'') return NULL;
  const char *to = end_of_quoted(from), *close = skip_blanks(to);
  if (*close != ')') return NULL;
  g_autofree char *quoted = g_strndup(from + 1, (gsize)(to - from - 2));
  g_auto(GStrv) parts = g_strsplit(quoted, "''", -1);
  *out_end = close + 1;
  return g_strjoinv("'", parts);
}

static void add_once(GPtrArray *names, const char *name)
{
  for (guint i = 0; i < names->len; i++)
    if (!g_ascii_strcasecmp(names->pdata[i], name)) return;
  g_ptr_array_add(names, g_strdup(name));
}

/* "arg:NAME", and blanks where that is shorter than what it stands for. */
static void put_column(GString *out, const char *name, size_t len)
{
  gsize before = out->len;
  g_string_append(out, "\"" EVENT_ARG);
  for (; *name; name++) {
    if (*name == '"') g_string_append_c(out, '"');
    g_string_append_c(out, *name);
  }
  g_string_append_c(out, '"');
  while (out->len - before < len) g_string_append_c(out, ' ');
}

static bool is_word(const char *at, const char *end, const char *word)
{
  return (size_t)(end - at) == strlen(word) && !g_ascii_strncasecmp(at, word, (gsize)(end - at));
}

char *query_text_args(const char *text, GPtrArray *names)
{
  GString *out = g_string_new(NULL);
  for (const char *at = text, *end; *at; at = end) {
    bool name = in_name(*at);
    end = name ? end_of_name(at) : end_of_other(at);
    const char *close;
    g_autofree char *arg = name && is_word(at, end, "arg") ? argument(end, &close) : NULL;
    if (arg) {
      add_once(names, arg);
      put_column(out, arg, (size_t)(close - at));
      end = close;
    } else {
      g_string_append_len(out, at, end - at);
    }
  }
  return g_string_free(out, FALSE);
}

/* What stands between the quotes, as a text of SQL. */
static void put_arg(GString *out, const char *name, gssize len)
{
  g_string_append(out, "arg('");
  for (gssize i = 0; i < len; i++) {
    if (name[i] == '"' && i + 1 < len && name[i + 1] == '"') i++;
    if (name[i] == '\'') g_string_append_c(out, '\'');
    g_string_append_c(out, name[i]);
  }
  g_string_append(out, "')");
}

/* SQLite calls a column by its name, and anything else as it is written. */
char *query_text_shown(const char *name)
{
  static const char mark[] = "\"" EVENT_ARG;
  GString *out = g_string_new(NULL);
  if (g_str_has_prefix(name, EVENT_ARG)) {
    put_arg(out, name + strlen(EVENT_ARG), (gssize)strlen(name + strlen(EVENT_ARG)));
    return g_string_free(out, FALSE);
  }
  for (const char *at = name, *end; *at; at = end) {
    end = *at == '"' ? end_of_quoted(at) : at + 1;
    if (!g_str_has_prefix(at, mark)) {
      g_string_append_len(out, at, end - at);
      continue;
    }
    put_arg(out, at + strlen(mark), end - at - (gssize)sizeof mark);
    while (*end == ' ') end++;
  }
  return g_string_free(out, FALSE);
}

bool query_text_has_word(const char *text, const char *word)
{
  for (const char *at = text, *end; *at; at = end) {
    bool name = in_name(*at);
    end = name ? end_of_name(at) : end_of_other(at);
    if (name && is_word(at, end, word)) return true;
  }
  return false;
}
