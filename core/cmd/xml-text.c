/* Text of any origin in XML, as reports for CI are. */
/* SPDX-License-Identifier: MIT */
#include "cmd/xml-text.h"

#include <string.h>

#include "model/printable.h"

void xml_put_text(GString *out, const char *text)
{
  g_autoptr(GString) shown = g_string_new(NULL);
  printable_append(shown, text, strlen(text), "");
  for (const char *p = shown->str; *p; p = g_utf8_next_char(p)) {
    gunichar c = g_utf8_get_char(p);
    if (c == '&')
      g_string_append(out, "&amp;");
    else if (c == '<')
      g_string_append(out, "&lt;");
    else if (c == '>')
      g_string_append(out, "&gt;");
    else if (c == '"')
      g_string_append(out, "&quot;");
    else if ((c & 0xfffe) == 0xfffe) /* no characters, and not allowed */
      g_string_append_printf(out, "\\u%04x", c);
    else
      g_string_append_unichar(out, c);
  }
}

void xml_put_attribute(GString *out, const char *name, const char *text)
{
  g_string_append_printf(out, " %s=\"", name);
  xml_put_text(out, text);
  g_string_append_c(out, '"');
}
