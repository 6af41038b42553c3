/* Small objects that are in memory as a whole: units, tags, errors. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "notices.h"
#include "source.h"

void last_members(Source *s, const JsonToken *object, const char *const *names, size_t n,
                  JsonToken *out)
{
  for (size_t left = members_last(object, names, n, out); left; left--) bench_duplicate(s);
}

/* ------------------------------------------------------------------- units */
const Unit *find_unit(Source *s, const char *name, const JsonToken *text)
{
  static const struct {
    const char *name;
    Unit unit;
  } units[] = {
    { "ms", { 6, 1, 1 } },
    { "milliseconds", { 6, 1, 1 } },
    { "s", { 9, 1000, 1 } },
    { "sec", { 9, 1000, 1 } },
    { "seconds", { 9, 1000, 1 } },
    { "us", { 3, 1, 1000 } },
    { "microseconds", { 3, 1, 1000 } },
    { "ns", { 0, 1, 1000000 } },
    { "nanoseconds", { 0, 1, 1000000 } },
  };
  for (size_t i = 0; text->kind == JSON_STRING && i < G_N_ELEMENTS(units); i++)
    if (json_is(text, units[i].name)) return &units[i].unit;
  g_autofree char *what = g_strdup_printf("\"%s\" needs a unit of time", name);
  g_autofree char *why = text->len
                             ? g_strdup_printf("found %.*s", (int)MIN(text->len, 32), text->start)
                             : g_strdup("it is missing");
  window_fault(&s->window, name, text->start, what, why);
  return NULL;
}

/* -------------------------------------------------------------------- tags */
static bool has_tag(const Run *r, const char *name)
{
  size_t len = strlen(name);
  for (guint i = 0; i < r->tags->len; i++) {
    const char *tag = r->tags->pdata[i];
    if (strncmp(tag, name, len) == 0 && tag[len] == '=') return true;
  }
  return false;
}

/* A number is one tag however it is written: 2.0 and 2 are one load. */
static void plain_number(GString *text)
{
  char buf[NUM_BUF];
  double v;
  bool is_plain = strspn(text->str, "0123456789") == text->len;
  if (is_plain || !num_real(text->str, text->len, &v)) return;
  bool whole = fabs(v) < 1e15 && v == floor(v);
  if (whole)
    num_format_int(buf, (int64_t)v);
  else
    num_format_real(buf, v);
  g_string_assign(text, buf);
}

void tag_value(Source *s, const char *tag, const JsonToken *t, bool replace)
{
  bool infinite = value_is(t, "Infinity"); /* a null for the tolerant tokeniser */
  if ((t->kind == JSON_NULL && !infinite) || t->kind == JSON_OBJECT || t->kind == JSON_ARRAY)
    return;
  if (!replace && has_tag(&s->run, tag)) return;
  g_string_truncate(s->scratch, 0);
  json_value_text(t, s->scratch);
  if (g_ascii_strcasecmp(s->scratch->str, "infinity") == 0) g_string_assign(s->scratch, "inf");
  if (t->kind == JSON_NUMBER || !strcmp(tag, "request_rate")) plain_number(s->scratch);
  if (s->scratch->len) run_tag(&s->run, tag, s->scratch->str, s->scratch->len);
}

/* Keys of one object, a bit each by their place in the table. */
typedef struct TagsOf {
  uint32_t seen, given; /* given: their tags are from this object */
} TagsOf;

static int index_of(const TagKey *keys, const JsonToken *key)
{
  for (int i = 0; keys[i].key; i++)
    if (json_is(key, keys[i].key)) return i;
  return -1;
}

/* The same key again: what it gave before does not count. */
static void see_key(Source *s, TagsOf *of, const TagKey *key, uint32_t bit)
{
  if (of->seen & bit) bench_duplicate(s);
  if (of->given & bit) run_drop_tag(&s->run, key->tag);
  of->seen |= bit;
  of->given &= ~bit;
}

static void give_tag(Source *s, TagsOf *of, const TagKey *key, uint32_t bit, const JsonToken *t)
{
  if (has_tag(&s->run, key->tag)) return;
  tag_value(s, key->tag, t, false);
  if (has_tag(&s->run, key->tag)) of->given |= bit;
}

/* The cursor's own depth bounds how far it looks: no recursion. */
void tag_members(Source *s, const JsonToken *object, const TagKey *keys, uint32_t depth)
{
  TagsOf objects[TAG_DEPTH + 1] = { 0 }, *of = NULL;
  int key = -1;
  JsonCursor c;
  JsonToken t;
  JsonKind kind;
  if (object->kind != JSON_OBJECT) return;
  json_open(&c, object->start, object->len, false);
  while ((kind = json_next(&c, &t)) != JSON_END && kind != JSON_ERROR) {
    if (kind == JSON_KEY) {
      key = c.depth <= depth ? index_of(keys, &t) : -1;
      of = key < 0 ? NULL : &objects[c.depth];
      if (of) see_key(s, of, &keys[key], 1u << key);
    } else if (kind == JSON_OBJECT) {
      if (c.depth <= depth) objects[c.depth] = (TagsOf){ 0, 0 };
      key = -1;
    } else if (kind != JSON_ARRAY) {
      if (key >= 0 && kind != JSON_ARRAY_END && kind != JSON_OBJECT_END)
        give_tag(s, of, &keys[key], 1u << key, &t);
      key = -1;
    }
  }
}

/* ------------------------------------------------------------------ errors */
static void error_parts(Source *s, const JsonToken *error)
{
  static const char *const names[] = { "type", "message", "code" };
  JsonToken found[3];
  last_members(s, error, names, 3, found);
  const JsonToken type = found[0], message = found[1], code = found[2];
  if (type.kind == JSON_STRING) json_value_text(&type, s->scratch);
  if (message.kind == JSON_STRING && message.len > 2) {
    if (s->scratch->len) g_string_append(s->scratch, ": ");
    json_value_text(&message, s->scratch);
  }
  if (s->scratch->len == 0 && code.kind != JSON_NULL) json_value_text(&code, s->scratch);
  if (s->scratch->len == 0) g_string_append(s->scratch, "error");
}

void error_text(Source *s, const JsonToken *error)
{
  g_string_truncate(s->scratch, 0);
  if (error->kind == JSON_OBJECT)
    error_parts(s, error);
  else if (error->kind != JSON_NULL && error->kind != JSON_FALSE)
    json_value_text(error, s->scratch);
}
