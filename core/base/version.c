/* Versions; see version.h. */
/* SPDX-License-Identifier: MIT */
#include "base/version.h"

#include <glib.h>
#include <string.h>

/* The number at *io_at, which goes behind it and its dot; 0 where there is none. */
static guint64 next_number(const char **io_at)
{
  char *end;
  guint64 n = g_ascii_isdigit(**io_at) ? g_ascii_strtoull(*io_at, &end, 10) : 0;
  if (g_ascii_isdigit(**io_at)) *io_at = *end == '.' ? end + 1 : end;
  return n;
}

int version_compare(const char *a, const char *b)
{
  while (g_ascii_isdigit(*a) || g_ascii_isdigit(*b)) {
    guint64 x = next_number(&a), y = next_number(&b);
    if (x != y) return x < y ? -1 : 1;
  }
  if (!*a || !*b) return (*a == 0) - (*b == 0);
  return strcmp(a, b);
}

/* Behind "<", "<=", ">", ">=" or "=". */
static const char *behind_sign(const char *term)
{
  term += *term == '<' || *term == '>';
  return term + (*term == '=');
}

static bool is_version(const char *text)
{
  if (!g_ascii_isdigit(*text)) return false;
  size_t n = strspn(text, "0123456789.");
  return text[n - 1] != '.' && !strstr(text, "..") && (!text[n] || (text[n] == '-' && text[n + 1]));
}

bool version_is_range(const char *range)
{
  g_auto(GStrv) terms = g_strsplit(range, ",", -1);
  bool fine = terms[0] != NULL;
  for (char **t = terms; *t && fine; t++) fine = is_version(behind_sign(g_strstrip(*t)));
  return fine;
}

static bool fits_term(const char *version, const char *term)
{
  int order = version_compare(version, behind_sign(term));
  bool equal = *term != '<' && *term != '>';
  if (equal || term[1] == '=') return order == 0 || (!equal && (order < 0) == (*term == '<'));
  return order != 0 && (order < 0) == (*term == '<');
}

bool version_fits(const char *version, const char *range)
{
  g_auto(GStrv) terms = g_strsplit(range, ",", -1);
  bool fits = true;
  for (char **t = terms; *t && fits; t++) fits = fits_term(version, g_strstrip(*t));
  return fits;
}
