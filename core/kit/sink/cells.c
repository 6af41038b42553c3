/* Cells of written CSV files; see cells.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/sink/cells.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text-put.h"
#include "kit/sink/result.h"

/* Leading white space does not stop a spreadsheet from seeing a formula. */
static bool like_formula(const char *text, size_t len)
{
  if (len && (*text == '\t' || *text == '\r' || *text == '\n')) return true;
  size_t i = 0;
  while (i < len && text[i] == ' ') i++;
  return i < len && memchr("=+-@", text[i], 4);
}

/* True: letters, digits and the like alone, so that nothing is to be looked at. */
static bool is_plain(const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (!g_ascii_isalnum(text[i]) && text[i] != '_' && text[i] != '.') return false;
  return true;
}

static void put_valid(GString *out, const char *text, size_t len)
{
  bool formula = like_formula(text, len),
       quoted = formula || (len && (*text == ' ' || text[len - 1] == ' '));
  for (size_t i = 0; i < len && !quoted; i++)
    quoted = text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n';
  if (!quoted) {
    text_put(out, text, len);
    return;
  }
  g_string_append_c(out, '"');
  if (formula) g_string_append_c(out, '\'');
  for (const char *quote; len && (quote = memchr(text, '"', len));) {
    size_t before = (size_t)(quote - text) + 1;
    g_string_append_len(out, text, (gssize)before);
    g_string_append_c(out, '"');
    text += before;
    len -= before;
  }
  g_string_append_len(out, text, (gssize)len);
  g_string_append_c(out, '"');
}

/* Names of files may hold any bytes. */
void cells_put_text(GString *out, const char *text, size_t len)
{
  g_autofree char *mended = NULL;
  if (is_plain(text, len)) {
    text_put(out, text, len);
    return;
  }
  text = result_valid(text, &len, &mended);
  put_valid(out, text, len);
}

void cells_put(GString *out, const MillHost *common, const MillValue *v)
{
  char buf[NUM_BUF];
  size_t len;
  const char *text = result_text(common, v, &len);
  if (text) cells_put_text(out, text, len);
  switch (v->type) {
  case MILL_INT: text_put(out, buf, num_format_int(buf, v->u.i)); break;
  case MILL_REAL:
    if (isfinite(v->u.r)) text_put(out, buf, num_format_real(buf, v->u.r));
    break;
  case MILL_BOOL: g_string_append(out, v->u.i ? "true" : "false"); break;
  default: break;
  }
}
