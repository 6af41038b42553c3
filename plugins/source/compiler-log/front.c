/* What loggers write before a line: when, how grave, and by whom. */
/* SPDX-License-Identifier: MIT */
#include "compiler-log.h"

typedef struct Word {
  const char *text;
  size_t len;
} Word;

static size_t pass_blanks(const char *line, size_t len, size_t at)
{
  while (at < len && clog_is_blank(line[at])) at++;
  return at;
}

/* [2026-05-13 12:00:00] is one, with its blank. */
static Word word_at(const char *line, size_t len, size_t at)
{
  size_t end = at;
  const char *bracket = line[at] == '[' ? memchr(line + at, ']', len - at) : NULL;
  if (bracket) end = (size_t)(bracket - line);
  while (end < len && !clog_is_blank(line[end])) end++;
  return (Word){ line + at, end - at };
}

static size_t count_digits(const Word *w, size_t from)
{
  size_t n = 0;
  while (from + n < w->len && g_ascii_isdigit(w->text[from + n])) n++;
  return n;
}

/* I0513, which is 13 May and the gravity. */
static bool is_day_of_glog(const Word *w)
{
  return w->len == 5 && clog_is_one_of(w->text[0], "IWEFD") && count_digits(w, 1) == 4;
}

/* 12:00, 2026-05-13, 2026-05-13T12:00:00.5Z, 13/05/2026. */
static bool is_date_or_time(const Word *w)
{
  size_t n_breaks = 0, n_colons = 0;
  if (!g_ascii_isdigit(w->text[0])) return false;
  for (size_t i = 0; i < w->len; i++) {
    char c = w->text[i];
    if (!g_ascii_isdigit(c) && !clog_is_one_of(c, ":-/.,+TZ")) return false;
    n_colons += c == ':' && i + 1 < w->len;
    n_breaks += c == '-' || c == '/';
  }
  return n_colons || n_breaks == 2;
}

static bool is_stamp(const Word *w)
{
  return (w->text[0] == '[' && memchr(w->text, ']', w->len)) || is_day_of_glog(w) ||
         is_date_or_time(w);
}

/* Behind a stamp: the gravity, a process, or whoever wrote the line. */
static bool is_writer(const Word *w)
{
  static const char *const gravities[] = { "TRACE",   "DEBUG", "INFO",  "NOTICE",
                                           "WARNING", "WARN",  "ERROR", "FATAL" };
  char last = w->text[w->len - 1];
  if (last == ':' || last == ']' || last == '|' || count_digits(w, 0) == w->len) return true;
  for (size_t i = 0; i < G_N_ELEMENTS(gravities); i++)
    if (strlen(gravities[i]) == w->len && !g_ascii_strncasecmp(w->text, gravities[i], w->len))
      return true;
  return w->len == 1 && last == '-';
}

size_t clog_front(const char *line, size_t len)
{
  bool is_stamped = false;
  size_t at = pass_blanks(line, len, 0);
  while (at < len) {
    Word w = word_at(line, len, at);
    bool stamps = is_stamp(&w);
    if (!stamps && !(is_stamped && is_writer(&w))) break;
    is_stamped |= stamps;
    at = pass_blanks(line, len, at + w.len);
  }
  return at;
}
