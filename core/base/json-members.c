/* JSON objects read into structs by tables of their members; see json-members.h. */
/* SPDX-License-Identifier: MIT */
#include "base/json-members.h"

#include <stdarg.h>
#include <string.h>

#include "base/figure.h"
#include "base/num.h"

void json_in_open(JsonIn *in, const char *text, size_t len, GStringChunk *texts)
{
  *in = (JsonIn){ .text = text ? text : "", .texts = texts, .scratch = g_string_new(NULL) };
  json_open(&in->cursor, in->text, len, true);
}

void json_in_close(JsonIn *in)
{
  g_string_free(in->scratch, TRUE);
  g_free(in->why);
}

bool json_in_fail(JsonIn *in, const char *where, const char *format, ...)
{
  va_list args;
  if (in->why) return false;
  va_start(args, format);
  in->why = g_strdup_vprintf(format, args);
  va_end(args);
  in->at = where ? where : in->token.start;
  return false;
}

/* ------------------------------------------------------------------ tokens */

/* False after what is no JSON. */
static bool step(JsonIn *in)
{
  if (json_next(&in->cursor, &in->token) != JSON_ERROR) return true;
  return json_in_fail(in, in->cursor.error_at, "%s", in->cursor.error);
}

bool json_in_next(JsonIn *in)
{
  return step(in) && in->token.kind != JSON_OBJECT_END && in->token.kind != JSON_ARRAY_END;
}

bool json_in_pass(JsonIn *in, JsonToken *out)
{
  const char *start = in->token.start;
  bool nested = in->token.kind == JSON_OBJECT || in->token.kind == JSON_ARRAY;
  uint32_t outer = in->cursor.depth - nested;
  JsonKind kind = in->token.kind;
  while (in->cursor.depth > outer)
    if (!step(in)) return false;
  if (out)
    *out = (JsonToken){ kind, start, nested ? (size_t)(in->cursor.pos - start) : in->token.len };
  return true;
}

/* The decoded text of the token at hand, in in->scratch. */
static bool decode(JsonIn *in)
{
  g_string_truncate(in->scratch, 0);
  if (!(json_decode(&in->token, in->scratch) & JSON_FIX_SURROGATE)) return true;
  return json_in_fail(in, NULL, "unpaired surrogate");
}

bool json_in_string(JsonIn *in, const char **out, size_t *out_len)
{
  if (in->token.kind != JSON_STRING) return json_in_fail(in, NULL, "this must be a text");
  if (!decode(in)) return false;
  if (in->scratch->len > UINT32_MAX) return json_in_fail(in, NULL, "this text is too long");
  *out = g_string_chunk_insert_len(in->texts, in->scratch->str, (gssize)in->scratch->len);
  *out_len = in->scratch->len;
  return true;
}

bool json_in_text(JsonIn *in, const char **out)
{
  size_t len = 0;
  if (!json_in_string(in, out, &len)) return false;
  return strlen(*out) == len || json_in_fail(in, NULL, "U+0000 is not allowed here");
}

bool json_in_document(JsonIn *in, JsonTake take, void *out)
{
  if (!step(in)) return false;
  if (in->token.kind == JSON_END) return json_in_fail(in, NULL, "the text is empty");
  return take(in, out) && step(in);
}

/* ----------------------------------------------------------------- members */

static bool take_large(JsonIn *in, uint64_t most, uint64_t *out)
{
  g_autofree char *text = g_strndup(in->token.start, in->token.len);
  bool good =
      in->token.kind == JSON_NUMBER && g_ascii_string_to_unsigned(text, 10, 0, most, out, NULL);
  return good || json_in_fail(in, NULL, "this must be a whole number from 0");
}

static bool take_number(JsonIn *in, int64_t *out)
{
  bool good = in->token.kind == JSON_NUMBER && num_int(in->token.start, in->token.len, out);
  return good || json_in_fail(in, NULL, "this must be a whole number");
}

static bool take_word(JsonIn *in, const char *words, uint32_t *out)
{
  if (in->token.kind != JSON_STRING) return json_in_fail(in, NULL, "this must be a word");
  if (!decode(in)) return false;
  int word =
      strlen(in->scratch->str) == in->scratch->len ? figure_word(words, in->scratch->str) : -1;
  if (word < 0) return json_in_fail(in, NULL, "this must be one of %s", words);
  *out = (uint32_t)word;
  return true;
}

static bool take_bool(JsonIn *in, bool *out)
{
  *out = in->token.kind == JSON_TRUE;
  return *out || in->token.kind == JSON_FALSE ||
         json_in_fail(in, NULL, "this must be true or false");
}

static bool take_count(JsonIn *in, uint32_t *out)
{
  uint64_t count;
  if (!take_large(in, UINT32_MAX, &count)) return false;
  *out = (uint32_t)count;
  return true;
}

static bool take_member(JsonIn *in, const JsonMember *m, void *out)
{
  void *field = (char *)out + m->offset;
  bool null = in->token.kind == JSON_NULL && !m->needed;
  if (null && m->type != JSON_MEMBER_OTHER) return true;
  switch (m->type) {
  case JSON_MEMBER_TEXT: return json_in_text(in, field);
  case JSON_MEMBER_COUNT: return take_count(in, field);
  case JSON_MEMBER_LARGE: return take_large(in, UINT64_MAX, field);
  case JSON_MEMBER_NUMBER: return take_number(in, field);
  case JSON_MEMBER_BOOL: return take_bool(in, field);
  case JSON_MEMBER_WORD: return take_word(in, m->words, field);
  default: return m->take(in, out);
  }
}

/* ----------------------------------------------------------------- nesting */

/* Members come in the order of their table, mostly. */
static size_t find_member(const JsonMember *members, size_t n, size_t first, const GString *name)
{
  if (strlen(name->str) != name->len) return n;
  for (size_t i = 0; i < n; i++) {
    size_t at = (first + i) % n;
    if (!strcmp(members[at].name, name->str)) return at;
  }
  return n;
}

bool json_in_object(JsonIn *in, const JsonMember *members, size_t n, void *out)
{
  uint64_t seen = 0;
  size_t next = 0;
  const char *start = in->token.start;
  g_assert(n <= JSON_MEMBERS_MAX);
  if (in->token.kind != JSON_OBJECT) return json_in_fail(in, NULL, "this must be an object");
  while (json_in_next(in)) {
    if (!decode(in)) return false;
    size_t i = find_member(members, n, next, in->scratch);
    if (i < n && seen >> i & 1)
      return json_in_fail(in, NULL, "\"%s\" is there twice", members[i].name);
    if (!step(in)) return false;
    if (!(i < n ? take_member(in, &members[i], out) : json_in_pass(in, NULL))) return false;
    if (i < n) seen |= 1ull << i;
    next = i < n ? i + 1 : next;
  }
  for (size_t i = 0; i < n && !in->why; i++)
    if (members[i].needed && !(seen >> i & 1))
      json_in_fail(in, start, "\"%s\" is missing here", members[i].name);
  return !in->why;
}

bool json_in_each(JsonIn *in, JsonTakeNamed each, void *out)
{
  if (in->token.kind != JSON_OBJECT) return json_in_fail(in, NULL, "this must be an object");
  while (json_in_next(in)) {
    if (!decode(in)) return false;
    if (strlen(in->scratch->str) != in->scratch->len)
      return json_in_fail(in, NULL, "U+0000 is not allowed here");
    g_autofree char *name = g_strdup(in->scratch->str);
    if (!step(in) || !each(in, name, out)) return false;
  }
  return !in->why;
}

bool json_in_array(JsonIn *in, JsonTake each, void *out)
{
  if (in->token.kind != JSON_ARRAY) return json_in_fail(in, NULL, "this must be a list");
  while (json_in_next(in))
    if (!each(in, out)) return false;
  return !in->why;
}
