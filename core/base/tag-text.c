/* Names and values as lines of one text; see tag-text.h. */
/* SPDX-License-Identifier: MIT */
#include "base/tag-text.h"

static void add_escaped(GString *text, const char *part, bool name)
{
  for (const char *p = part; *p; p++) {
    bool special = *p == '\\' || *p == '\n' || (name && *p == '=');
    if (special) g_string_append_c(text, '\\');
    g_string_append_c(text, *p == '\n' ? 'n' : *p);
  }
}

void tag_text_add(GString *text, const char *name, const char *value)
{
  if (text->len) g_string_append_c(text, '\n');
  add_escaped(text, name, true);
  g_string_append_c(text, '=');
  add_escaped(text, value, false);
}

/* Up to `end` or the end of the line. */
static char *take(const char **at, char end)
{
  GString *part = g_string_new(NULL);
  const char *p = *at;
  for (; *p && *p != end && *p != '\n'; p++) {
    if (*p != '\\' || !p[1])
      g_string_append_c(part, *p);
    else
      g_string_append_c(part, *++p == 'n' ? '\n' : *p);
  }
  *at = p;
  return g_string_free(part, FALSE);
}

bool tag_text_next(const char **at, char **out_name, char **out_value)
{
  if (!**at) return false;
  *out_name = take(at, '=');
  if (**at == '=') (*at)++;
  *out_value = take(at, '\n');
  if (**at) (*at)++;
  return true;
}
