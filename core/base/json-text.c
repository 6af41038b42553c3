/* Strings and numbers inside JSON, piece by piece; see json-parts.h, and json.h. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <string.h>

#include "base/json-parts.h"
#include "base/num-digits.h"
#include "base/text-put.h"
#include "base/utf8.h"

enum { REPLACEMENT = 0xfffd };

static inline unsigned char byte_at(const char *p) { return (unsigned char)*p; }

static inline bool is_plain(unsigned char c)
{
  return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

const char *json_plain_run(const char *p, const char *end)
{
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
  for (; end - p >= 8; p += 8) {
    uint64_t x;
    memcpy(&x, p, 8);
    uint64_t quote = x ^ ones * '"', backslash = x ^ ones * '\\';
    /* The lowest flag of each term is exact: borrows only reach bytes above it. */
    uint64_t stop = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
                    ((x - ones * 0x20) & ~x) | x;
    stop &= high;
    if (stop) return p + (__builtin_ctzll(stop) >> 3);
  }
#endif
  while (p < end && is_plain(byte_at(p))) p++;
  return p;
}

JsonPiece json_utf8(const char *p, const char *end)
{
  uint32_t code;
  const char *next = utf8_char(p, end, &code);
  bool bad = code == UTF8_BAD;
  return (JsonPiece){ next, bad ? REPLACEMENT : code, bad ? JSON_FIX_UTF8 : 0 };
}

/* The value of "\uXXXX" at p, or -1. */
static int32_t unicode_escape(const char *p, const char *end)
{
  uint64_t code;
  if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return -1;
  return digits_scan(p + 2, p + 6, 16, 0xffff, &code) == p + 6 ? (int32_t)code : -1;
}

static bool is_high_surrogate(int32_t code) { return code >= 0xd800 && code <= 0xdbff; }

static bool is_low_surrogate(int32_t code) { return code >= 0xdc00 && code <= 0xdfff; }

static JsonPiece escape(const char *p, const char *end)
{
  static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  const char *letter = end - p >= 2 && p[1] ? strchr(letters, p[1]) : NULL;
  if (letter) return (JsonPiece){ p + 2, byte_at(&meant[letter - letters]), 0 };

  int32_t code = unicode_escape(p, end);
  if (code < 0) return (JsonPiece){ p + 1, '\\', JSON_FIX_ESCAPE };
  if (is_high_surrogate(code)) {
    int32_t low = unicode_escape(p + 6, end);
    uint32_t pair = 0x10000u + (((uint32_t)code & 0x3ff) << 10 | ((uint32_t)low & 0x3ff));
    if (is_low_surrogate(low)) return (JsonPiece){ p + 12, pair, 0 };
  }
  if (is_high_surrogate(code) || is_low_surrogate(code))
    return (JsonPiece){ p + 6, REPLACEMENT, JSON_FIX_SURROGATE };
  return (JsonPiece){ p + 6, (uint32_t)code, 0 };
}

JsonPiece json_piece(const char *p, const char *end)
{
  unsigned char c = byte_at(p);
  if (c == '\\') return escape(p, end);
  if (c >= 0x80) return json_utf8(p, end);
  return (JsonPiece){ p + 1, c, c < 0x20 ? JSON_FIX_CONTROL : 0 };
}

static const char *pass_digits(const char *p, const char *end, size_t *out_n)
{
  const char *first = p;
  while (p < end && g_ascii_isdigit(*p)) p++;
  *out_n = (size_t)(p - first);
  return p;
}

static void read_exponent(JsonNumber *n, const char *p, const char *end)
{
  size_t n_digits;
  n->exponent = p++;
  if (p < end && (*p == '-' || *p == '+')) p++;
  n->next = pass_digits(p, end, &n_digits);
  n->n_exponent = (size_t)(n->next - n->exponent);
  if (n_digits == 0) n->error = "a digit must follow in the exponent";
}

JsonNumber json_number(const char *p, const char *end)
{
  JsonNumber n = { .negative = p < end && *p == '-' };
  if (p < end && *p == '+') n.fix = JSON_FIX_NUMBER;
  if (p < end && (*p == '-' || *p == '+')) p++;

  n.whole = p;
  p = pass_digits(p, end, &n.n_whole);
  if (n.n_whole == 0 || (n.n_whole > 1 && *n.whole == '0')) n.fix = JSON_FIX_NUMBER;
  if (p < end && *p == '.') {
    n.fraction = p + 1;
    p = pass_digits(p + 1, end, &n.n_fraction);
    if (n.n_fraction == 0) n.fix = JSON_FIX_NUMBER;
  }
  n.next = p;
  if (n.n_whole + n.n_fraction == 0)
    n.error = "a digit must follow";
  else if (p < end && (*p | 0x20) == 'e')
    read_exponent(&n, p, end);
  return n;
}

static void put_code(GString *out, uint32_t code)
{
  char bytes[6];
  g_string_append_len(out, bytes, g_unichar_to_utf8(code, bytes));
}

unsigned json_decode(const JsonToken *t, GString *out)
{
  if (t->len < 2) return 0;
  const char *p = t->start + 1, *end = t->start + t->len - 1;
  unsigned fixes = 0;
  while (p < end) {
    const char *stop = json_plain_run(p, end);
    g_string_append_len(out, p, stop - p);
    if (stop == end) break;
    JsonPiece piece = json_piece(stop, end);
    put_code(out, piece.code);
    fixes |= piece.fix;
    p = piece.next;
  }
  return fixes;
}

bool json_is(const JsonToken *t, const char *word)
{
  size_t len = strlen(word);
  bool is_text = t->len >= 2 && (t->kind == JSON_STRING || t->kind == JSON_KEY);
  if (!is_text) return false;
  if (t->len == len + 2 && memcmp(t->start + 1, word, len) == 0) return true;
  if (!memchr(t->start + 1, '\\', t->len - 2)) return false;
  g_autoptr(GString) text = g_string_new(NULL);
  json_decode(t, text);
  return text->len == len && memcmp(text->str, word, len) == 0;
}

bool json_word(const JsonToken *t, char *out, size_t size)
{
  g_autoptr(GString) text = g_string_new(NULL);
  json_decode(t, text);
  bool fits = text->len < size && strlen(text->str) == text->len;
  g_strlcpy(out, fits ? text->str : "", size);
  return fits;
}

static void quote_ascii(GString *out, char c)
{
  static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  const char *found = c ? strchr(special, c) : NULL;
  if (!found) {
    g_string_append_printf(out, "\\u%04x", (unsigned)(unsigned char)c);
    return;
  }
  g_string_append_c(out, '\\');
  g_string_append_c(out, letters[found - special]);
}

void json_quote(GString *out, const char *text, size_t len)
{
  const char *p = text, *end = text + len;
  g_string_append_c(out, '"');
  while (p < end) {
    const char *stop = json_plain_run(p, end);
    text_put(out, p, (size_t)(stop - p));
    p = stop;
    if (p == end) break;
    if (byte_at(p) < 0x80) {
      quote_ascii(out, *p++);
      continue;
    }
    JsonPiece piece = json_utf8(p, end);
    put_code(out, piece.code);
    p = piece.next;
  }
  g_string_append_c(out, '"');
}

/* The character that an escape such as \\u0041 stands for, when it is plain in a text; else 0. */
static char plain_escape(const char *p)
{
  int high = g_ascii_xdigit_value(p[4]), low = g_ascii_xdigit_value(p[5]);
  if (memcmp(p, "\\u00", 4) || high < 2 || low < 0) return 0;
  char c = (char)(high << 4 | low);
  return high < 8 && c != '"' && c != '\\' && c != 0x7f ? c : 0;
}

/* A backslash that is escaped itself begins nothing. */
size_t json_unescape_plain(char *text, size_t len)
{
  size_t to = 0;
  if (!len || !memmem(text, len, "\\u00", 4)) return len;
  for (size_t i = 0; i < len;) {
    const char *escape = memchr(text + i, '\\', len - i);
    size_t at = escape ? (size_t)(escape - text) : len;
    char plain = at + 6 <= len ? plain_escape(text + at) : 0;
    size_t end = plain ? at : MIN(at + 2, len);
    memmove(text + to, text + i, end - i);
    to += end - i;
    if (plain) text[to++] = plain;
    i = plain ? at + 6 : end;
  }
  return to;
}
