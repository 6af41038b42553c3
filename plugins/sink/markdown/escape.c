/* Texts of inputs as Markdown; see escape.h. */
/* SPDX-License-Identifier: MIT */
#include "escape.h"

#include <string.h>

#include "kit/sink/cell.h"

#define LONGEST 400 /* characters that are shown */

/* An underscore within a word means nothing. */
static bool in_word(const char *text, const char *at)
{
  return at > text && g_ascii_isalnum(at[-1]) && g_ascii_isalnum(at[1]);
}

/* A link that a reader would make of the bare text. */
static bool begins_link(const char *text, const char *at)
{
  if (*at == ':') return g_str_has_prefix(at, "://");
  return *at == '.' && at - text >= 3 && !g_ascii_strncasecmp(at - 3, "www", 3);
}

/* What would begin a list, a heading or a quote. */
static bool begins_block(const char *text, const char *at)
{
  if (at == text) return strchr("#+-=", *at) != NULL;
  if ((*at != '.' && *at != ')') || (at[1] && at[1] != ' ')) return false;
  for (const char *p = text; p < at; p++)
    if (!g_ascii_isdigit(*p)) return false;
  return true;
}

static void put_character(GString *out, const char *text, const char *at)
{
  bool odd = strchr("\\`*[]|~$", *at) || (*at == '_' && !in_word(text, at)) ||
             begins_link(text, at) || begins_block(text, at);
  switch (*at) {
  case '<': g_string_append(out, "&lt;"); break;
  case '>': g_string_append(out, "&gt;"); break;
  case '&': g_string_append(out, "&amp;"); break;
  default:
    if (odd) g_string_append_c(out, '\\');
    g_string_append_c(out, *at);
  }
}

void escape_text(GString *out, const char *text, size_t len)
{
  g_autoptr(GString) plain = g_string_new(NULL);
  cell_text(plain, text, len, LONGEST);
  g_strstrip(plain->str); /* blanks at the start of a line are code */
  for (const char *at = plain->str; *at; at++) put_character(out, plain->str, at);
}

void escape_string(GString *out, const char *text) { escape_text(out, text, strlen(text)); }

void escape_number(GString *out, const NumScale *scale, double v)
{
  g_autoptr(GString) number = g_string_new(NULL);
  num_scale_put(number, scale, v);
  const char *shown = number->str;
  bool small = *shown == '<' || *shown == '>';
  if (small) g_string_append(out, *shown == '<' ? "&lt;" : "&gt;");
  g_string_append(out, shown + small);
}
