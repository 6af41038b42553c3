/* JSON rewritten as valid JSON: what the tolerant reader accepts; see json.h. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <string.h>

#include "base/json-parts.h"

static void repair_piece(GString *out, const char *p, const JsonPiece *piece)
{
  if (piece->fix == 0)
    g_string_append_len(out, p, piece->next - p);
  else if (piece->fix == JSON_FIX_CONTROL)
    g_string_append_printf(out, "\\u%04x", (unsigned)piece->code);
  else if (piece->fix == JSON_FIX_ESCAPE)
    g_string_append(out, "\\\\");
  else
    g_string_append(out, "\xef\xbf\xbd");
}

static void decode_and_quote(GString *out, const JsonToken *t)
{
  g_autoptr(GString) text = g_string_new(NULL);
  json_decode(t, text);
  json_quote(out, text->str, text->len);
}

static void repair_string(GString *out, const JsonToken *t)
{
  const char *p = t->start + 1, *end = t->start + t->len - 1;
  g_string_append_c(out, '"');
  while (p < end) {
    const char *stop = json_plain_run(p, end);
    g_string_append_len(out, p, stop - p);
    if (stop == end) break;
    JsonPiece piece = json_piece(stop, end);
    repair_piece(out, stop, &piece);
    p = piece.next;
  }
  g_string_append_c(out, '"');
}

static void repair_number(GString *out, const JsonToken *t)
{
  JsonNumber n = json_number(t->start, t->start + t->len);
  if (n.fix == 0) {
    g_string_append_len(out, t->start, (gssize)t->len);
    return;
  }
  while (n.n_whole > 1 && *n.whole == '0') {
    n.whole++;
    n.n_whole--;
  }
  if (n.negative) g_string_append_c(out, '-');
  g_string_append_len(out, n.n_whole ? n.whole : "0", (gssize)MAX(n.n_whole, 1));
  if (n.n_fraction) {
    g_string_append_c(out, '.');
    g_string_append_len(out, n.fraction, (gssize)n.n_fraction);
  }
  g_string_append_len(out, n.exponent ? n.exponent : "", (gssize)n.n_exponent);
}

typedef void (*PutString)(GString *out, const JsonToken *t);

static void put_token(GString *out, const JsonToken *t, PutString put_string)
{
  switch (t->kind) {
  case JSON_KEY:
    put_string(out, t);
    g_string_append_c(out, ':');
    break;
  case JSON_STRING: put_string(out, t); break;
  case JSON_NUMBER: repair_number(out, t); break;
  case JSON_NULL: g_string_append(out, "null"); break;
  default: g_string_append_len(out, t->start, (gssize)t->len);
  }
}

static bool rewrite(const char *text, size_t len, PutString put_string, GString *out,
                    unsigned *out_fixes)
{
  JsonCursor r;
  JsonToken token;
  size_t before = out->len;
  bool comma = false; /* comes before the next key or value */
  json_open(&r, text, len, false);
  for (;;) {
    JsonKind kind = json_next(&r, &token);
    if (kind == JSON_END) break;
    if (kind == JSON_ERROR) {
      g_string_truncate(out, before);
      return false;
    }
    bool closes = kind == JSON_OBJECT_END || kind == JSON_ARRAY_END;
    if (comma && !closes) g_string_append_c(out, ',');
    put_token(out, &token, put_string);
    comma = kind != JSON_KEY && kind != JSON_OBJECT && kind != JSON_ARRAY;
  }
  if (out_fixes) *out_fixes = r.fixes;
  return true;
}

bool json_repair(const char *text, size_t len, GString *out, unsigned *out_fixes)
{
  return rewrite(text, len, repair_string, out, out_fixes);
}

bool json_one_way(const char *text, size_t len, GString *out)
{
  return rewrite(text, len, decode_and_quote, out, NULL);
}
