/* Cells of a sheet, as XML; see xml.h. */
/* SPDX-License-Identifier: MIT */
#include "xml.h"

#include <string.h>

#include "base/num.h"
#include "kit/sink/result.h"

#define EXACT_LIMIT (INT64_C(1) << 53)
#define ELLIPSIS "\xe2\x80\xa6"

void xml_column_name(uint32_t column, char name[4])
{
  char letters[4];
  size_t n = 0;
  for (uint32_t rest = column + 1; rest; rest = (rest - 1) / 26)
    letters[n++] = (char)('A' + (rest - 1) % 26);
  for (size_t i = 0; i < n; i++) name[i] = letters[n - 1 - i];
  name[n] = 0;
}

/* ------------------------------------------------------------------- texts */

/* An escape as put_escape writes it, which would be read as that character. */
static bool like_escape(const char *at, const char *end)
{
  if (end - at < 7 || at[0] != '_' || at[1] != 'x' || at[6] != '_') return false;
  for (int i = 2; i < 6; i++)
    if (!g_ascii_isxdigit(at[i])) return false;
  return true;
}

static void put_escape(GString *out, unsigned char c) { g_string_append_printf(out, "_x%04X_", c); }

/* U+FFFE and U+FFFF, which XML does not have. */
static bool is_no_character(const char *at, const char *end)
{
  return end - at >= 3 && !memcmp(at, "\xef\xbf", 2) && (unsigned char)at[2] >= 0xbe;
}

static void put_special(GString *out, const char *at, const char *end)
{
  unsigned char c = (unsigned char)*at;
  switch (c) {
  case '<': g_string_append(out, "&lt;"); break;
  case '>': g_string_append(out, "&gt;"); break;
  case '&': g_string_append(out, "&amp;"); break;
  case '"': g_string_append(out, "&quot;"); break;
  case '\t':
  case '\n': g_string_append_c(out, (char)c); break;
  case '_':
    if (like_escape(at, end))
      put_escape(out, c);
    else
      g_string_append_c(out, '_');
    break;
  default: put_escape(out, c);
  }
}

static bool is_special(unsigned char c) { return c < 0x20 || strchr("<>&\"_", c); }

/* Valid UTF-8 without NULs. */
static void put_characters(GString *out, const char *text, size_t len)
{
  const char *end = text + len, *from = text;
  for (const char *at = text; at < end; at++) {
    unsigned char c = (unsigned char)*at;
    bool odd = c == 0xef && is_no_character(at, end);
    if (!odd && (c >= 0x80 || !is_special(c))) continue;
    g_string_append_len(out, from, at - from);
    if (odd)
      g_string_append(out, "\xef\xbf\xbd");
    else
      put_special(out, at, end);
    at += odd ? 2 : 0;
    from = at + 1;
  }
  g_string_append_len(out, from, end - from);
}

void xml_put_attribute(GString *out, const char *text) { put_characters(out, text, strlen(text)); }

/* ------------------------------------------------------------------- cells */

static void put_start(GString *out, const CellPlace *at, const char *type)
{
  char name[4], row[NUM_BUF];
  xml_column_name(at->column, name);
  g_string_append(out, "<c r=\"");
  g_string_append(out, name);
  g_string_append_len(out, row, (gssize)num_format_uint(row, at->row));
  if (at->style) g_string_append_printf(out, "\" s=\"%u", at->style);
  if (type) g_string_append_printf(out, "\" t=\"%s", type);
  g_string_append(out, "\">");
}

bool xml_put_text(GString *out, const CellPlace *at, const char *text, size_t len)
{
  g_autofree char *mended = NULL;
  text = result_valid(text, &len, &mended);
  bool whole = result_cut(text, len, CELL_MAX_UNITS) == len;
  put_start(out, at, "inlineStr");
  g_string_append(out, "<is><t xml:space=\"preserve\">");
  put_characters(out, text, whole ? len : result_cut(text, len, CELL_MAX_UNITS - 1));
  g_string_append(out, whole ? "</t></is></c>" : ELLIPSIS "</t></is></c>");
  return !whole;
}

static void put_number(GString *out, const CellPlace *at, const char *number, size_t len)
{
  put_start(out, at, NULL);
  g_string_append(out, "<v>");
  g_string_append_len(out, number, (gssize)len);
  g_string_append(out, "</v></c>");
}

void xml_put_int(GString *out, const CellPlace *at, int64_t v)
{
  char number[NUM_BUF];
  size_t len = num_format_int(number, v);
  if (v > EXACT_LIMIT || v < -EXACT_LIMIT)
    xml_put_text(out, at, number, len);
  else
    put_number(out, at, number, len);
}

void xml_put_real(GString *out, const CellPlace *at, double v)
{
  char number[NUM_BUF];
  put_number(out, at, number, num_format_real(number, v));
}

void xml_put_bool(GString *out, const CellPlace *at, bool v)
{
  put_start(out, at, "b");
  g_string_append(out, v ? "<v>1</v></c>" : "<v>0</v></c>");
}
