/* The JSON reader: strict by RFC 8259 or tolerant, without recursion; see json.h. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <string.h>

#include "base/json-parts.h"

enum {
  VALUE,   /* a value must follow: at the start, or after a key */
  FIRST,   /* after an opening bracket */
  ELEMENT, /* after a comma */
  AFTER,   /* after a value in an object or array */
  DONE,
  FAILED
};

static const char ENDS_IN_OBJECT[] = "the text ends inside an object";
static const char ENDS_IN_ARRAY[] = "the text ends inside an array";

void json_open(JsonCursor *r, const char *text, size_t len, bool strict)
{
  memset(r, 0, sizeof *r);
  r->pos = text ? text : "";
  r->end = r->pos + len;
  r->strict = strict;
}

static JsonKind fail(JsonCursor *r, JsonToken *out, const char *at, const char *why)
{
  r->state = FAILED;
  r->error = why;
  r->error_at = at;
  *out = (JsonToken){ JSON_ERROR, at, 0 };
  return JSON_ERROR;
}

static JsonKind give(JsonCursor *r, JsonToken *out, JsonKind kind, const char *after)
{
  *out = (JsonToken){ kind, r->pos, (size_t)(after - r->pos) };
  r->pos = after;
  r->state = r->depth ? AFTER : DONE;
  return kind;
}

static inline void skip_blanks(JsonCursor *r)
{
  const char *p = r->pos;
  while (p < r->end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) p++;
  r->pos = p;
}

static inline bool in_object(const JsonCursor *r)
{
  uint32_t level = r->depth - 1;
  return r->depth && (r->stack[level / 8] >> level % 8 & 1);
}

static inline bool at_char(const JsonCursor *r, char c) { return r->pos < r->end && *r->pos == c; }

static JsonKind open_container(JsonCursor *r, JsonToken *out, JsonKind kind)
{
  if (r->depth == JSON_MAX_DEPTH) return fail(r, out, r->pos, "nested too deeply");
  uint8_t bit = (uint8_t)(1u << r->depth % 8);
  if (kind == JSON_OBJECT)
    r->stack[r->depth / 8] |= bit;
  else
    r->stack[r->depth / 8] &= (uint8_t)~bit;
  r->depth++;
  give(r, out, kind, r->pos + 1);
  r->state = FIRST;
  return kind;
}

static JsonKind close_container(JsonCursor *r, JsonToken *out)
{
  JsonKind kind = in_object(r) ? JSON_OBJECT_END : JSON_ARRAY_END;
  r->depth--;
  return give(r, out, kind, r->pos + 1);
}

static const char *why_not_strict(unsigned fix)
{
  if (fix & JSON_FIX_CONTROL) return "a control character in a string must be escaped";
  if (fix & JSON_FIX_ESCAPE) return "no such escape in JSON";
  if (fix & JSON_FIX_UTF8) return "invalid UTF-8";
  return NULL; /* an unpaired surrogate has valid syntax */
}

/* The closing quote of the string at r->pos; NULL after fail(). */
static const char *find_string_end(JsonCursor *r, JsonToken *out)
{
  const char *p = r->pos + 1;
  for (;;) {
    p = json_plain_run(p, r->end);
    if (p == r->end) break;
    if (*p == '"') return p;
    JsonPiece piece = json_piece(p, r->end);
    const char *why = r->strict ? why_not_strict(piece.fix) : NULL;
    if (why) {
      fail(r, out, p, why);
      return NULL;
    }
    r->fixes |= piece.fix;
    p = piece.next;
  }
  fail(r, out, r->pos, "the string does not end");
  return NULL;
}

static JsonKind read_string(JsonCursor *r, JsonToken *out)
{
  const char *quote = find_string_end(r, out);
  return quote ? give(r, out, JSON_STRING, quote + 1) : JSON_ERROR;
}

static JsonKind read_key(JsonCursor *r, JsonToken *out)
{
  if (r->pos == r->end) return fail(r, out, r->pos, ENDS_IN_OBJECT);
  if (*r->pos != '"') return fail(r, out, r->pos, "expected a key in double quotes");
  const char *quote = find_string_end(r, out);
  if (!quote) return JSON_ERROR;
  give(r, out, JSON_KEY, quote + 1);
  skip_blanks(r);
  if (!at_char(r, ':')) return fail(r, out, r->pos, "expected a colon after the key");
  r->pos++;
  r->state = VALUE;
  return JSON_KEY;
}

static inline bool is_word_char(char c) { return g_ascii_isalnum(c) || c == '_'; }

/* After one of the words that stand for "no number", or NULL. */
static const char *pass_no_number(const char *p, const char *end)
{
  static const char *const words[] = { "NaN", "Infinity", "Inf", "N/A" };
  if (p < end && (*p == '-' || *p == '+')) p++;
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    size_t len = strlen(words[i]);
    if ((size_t)(end - p) < len || g_ascii_strncasecmp(p, words[i], len) != 0) continue;
    if (p + len == end || !is_word_char(p[len])) return p + len;
  }
  return NULL;
}

static const char *why_bad_number(const JsonCursor *r, const JsonNumber *n)
{
  if (*r->pos == '+') return "a number must not start with a plus";
  if (n->n_whole == 0) return "a digit must come before the point";
  if (n->n_whole > 1 && *n->whole == '0') return "a number must not start with a zero";
  return "a digit must follow the point";
}

static JsonKind read_number(JsonCursor *r, JsonToken *out)
{
  JsonNumber n = json_number(r->pos, r->end);
  if (n.error) return fail(r, out, n.next, n.error);
  if (n.fix && r->strict) return fail(r, out, r->pos, why_bad_number(r, &n));
  r->fixes |= n.fix;
  return give(r, out, JSON_NUMBER, n.next);
}

static JsonKind read_word(JsonCursor *r, JsonToken *out, JsonKind kind, const char *word)
{
  size_t len = strlen(word);
  bool found = (size_t)(r->end - r->pos) >= len && memcmp(r->pos, word, len) == 0;
  if (!found) return fail(r, out, r->pos, "expected a value");
  return give(r, out, kind, r->pos + len);
}

static JsonKind read_scalar(JsonCursor *r, JsonToken *out)
{
  const char *after = r->strict ? NULL : pass_no_number(r->pos, r->end);
  if (after) {
    r->fixes |= JSON_FIX_NAN;
    return give(r, out, JSON_NULL, after);
  }
  switch (*r->pos) {
  case 't': return read_word(r, out, JSON_TRUE, "true");
  case 'f': return read_word(r, out, JSON_FALSE, "false");
  case 'n': return read_word(r, out, JSON_NULL, "null");
  case '+':
  case '-':
  case '.': return read_number(r, out);
  default: return fail(r, out, r->pos, "expected a value");
  }
}

static JsonKind read_value(JsonCursor *r, JsonToken *out)
{
  if (r->pos == r->end)
    return fail(r, out, r->pos, r->depth ? "the text ends too early" : "expected a value");
  char c = *r->pos;
  if (c == '"') return read_string(r, out);
  if (g_ascii_isdigit(c)) return read_number(r, out);
  if (c == '{') return open_container(r, out, JSON_OBJECT);
  if (c == '[') return open_container(r, out, JSON_ARRAY);
  if (r->end - r->pos >= 3 && memcmp(r->pos, "\xef\xbb\xbf", 3) == 0)
    return fail(r, out, r->pos, "JSON must not start with a byte order mark");
  return read_scalar(r, out);
}

/* After a value in an object or array: its end or the next comma. */
static JsonKind read_separator(JsonCursor *r, JsonToken *out)
{
  bool object = in_object(r);
  if (at_char(r, object ? '}' : ']')) return close_container(r, out);
  if (r->pos == r->end) return fail(r, out, r->pos, object ? ENDS_IN_OBJECT : ENDS_IN_ARRAY);
  if (*r->pos != ',')
    return fail(r, out, r->pos, object ? "expected a comma or }" : "expected a comma or ]");
  r->pos++;
  r->state = ELEMENT;
  skip_blanks(r);
  return JSON_END;
}

/* Where a member or element may start: an end, a key, or (JSON_END) a value follows. */
static JsonKind read_element_start(JsonCursor *r, JsonToken *out)
{
  bool object = in_object(r);
  while (!r->strict && at_char(r, ',')) {
    r->fixes |= JSON_FIX_COMMA;
    r->pos++;
    skip_blanks(r);
  }
  if (at_char(r, object ? '}' : ']')) {
    if (r->state == ELEMENT && r->strict) return fail(r, out, r->pos, "a comma before the end");
    if (r->state == ELEMENT) r->fixes |= JSON_FIX_COMMA;
    return close_container(r, out);
  }
  return object ? read_key(r, out) : JSON_END;
}

JsonKind json_next(JsonCursor *r, JsonToken *out)
{
  if (r->state == FAILED) return fail(r, out, r->error_at, r->error);
  skip_blanks(r);
  if (r->state == DONE) {
    if (r->pos < r->end) return fail(r, out, r->pos, "text after the value");
    *out = (JsonToken){ JSON_END, r->pos, 0 };
    return JSON_END;
  }
  JsonKind kind = JSON_END;
  if (r->state == AFTER) kind = read_separator(r, out);
  if (kind == JSON_END && r->state != VALUE) kind = read_element_start(r, out);
  return kind == JSON_END ? read_value(r, out) : kind;
}

JsonKind json_skip(JsonCursor *r, JsonToken *out)
{
  JsonKind kind = json_next(r, out);
  if (kind != JSON_OBJECT && kind != JSON_ARRAY) return kind;
  const char *start = out->start;
  uint32_t outer = r->depth - 1;
  while (r->depth > outer)
    if (json_next(r, out) == JSON_ERROR) return JSON_ERROR;
  *out = (JsonToken){ kind, start, (size_t)(r->pos - start) };
  return kind;
}

bool json_check(const char *text, size_t len, const char **out_at, const char **out_why)
{
  JsonCursor r;
  JsonToken token;
  JsonKind kind;
  json_open(&r, text, len, true);
  do kind = json_next(&r, &token);
  while (kind != JSON_END && kind != JSON_ERROR);
  if (kind == JSON_END) return true;
  if (out_at) *out_at = r.error_at;
  if (out_why) *out_why = r.error;
  return false;
}

JsonPlace json_place(const char *text, size_t offset)
{
  return json_place_after((JsonPlace){ 1, 1 }, text, offset);
}

JsonPlace json_place_after(JsonPlace place, const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '\n') {
      place.line++;
      place.column = 1;
    } else if ((c & 0xc0) != 0x80) {
      place.column++;
    }
  }
  return place;
}
