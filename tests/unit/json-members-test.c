/* Objects of a JSON text read by tables of their members. */
/* SPDX-License-Identifier: MIT */
#include "base/json-members.h"

#include "check.h"

typedef struct Sample {
  const char *text;
  uint32_t count, word;
  uint64_t large;
  int64_t number;
  bool flag;
  GString *items; /* of the list, and of the object */
} Sample;

static bool take_item(JsonIn *in, void *sample)
{
  const char *text;
  if (!json_in_text(in, &text)) return false;
  g_string_append_printf(((Sample *)sample)->items, "%s;", text);
  return true;
}

static bool take_list(JsonIn *in, void *sample) { return json_in_array(in, take_item, sample); }

static bool take_named(JsonIn *in, const char *name, void *sample)
{
  JsonToken whole;
  if (!json_in_pass(in, &whole)) return false;
  g_string_append_printf(((Sample *)sample)->items, "%s=%.*s;", name, (int)whole.len, whole.start);
  return true;
}

static bool take_each(JsonIn *in, void *sample) { return json_in_each(in, take_named, sample); }

static const JsonMember members[] = {
  JSON_FIELD(Sample, text, "text", TEXT, true),
  JSON_FIELD(Sample, count, "count", COUNT, false),
  JSON_FIELD(Sample, large, "large", LARGE, false),
  JSON_FIELD(Sample, number, "number", NUMBER, false),
  JSON_FIELD(Sample, flag, "flag", BOOL, false),
  JSON_WORD(Sample, word, "word", "none|one|two"),
  JSON_TAKE("list", false, take_list),
  JSON_TAKE("each", false, take_each),
};

static bool take_sample(JsonIn *in, void *sample)
{
  return json_in_object(in, members, G_N_ELEMENTS(members), sample);
}

/* Why the text is refused, at which byte; NULL: it is not. */
static char *read_sample(const char *text, Sample *out, size_t *out_at)
{
  GStringChunk *texts = g_string_chunk_new(64);
  JsonIn in;
  *out = (Sample){ .count = 7, .number = -7, .word = 7, .items = g_string_new(NULL) };
  json_in_open(&in, text, strlen(text), texts);
  char *why = json_in_document(&in, take_sample, out) ? NULL : g_strdup(in.why);
  *out_at = why ? (size_t)(in.at - text) : 0;
  out->text = out->text ? g_intern_string(out->text) : NULL;
  json_in_close(&in);
  g_string_chunk_free(texts);
  return why;
}

static void test_values(void)
{
  Sample s;
  size_t at;
  g_autofree char *why = read_sample(
      " {\"number\": -9223372036854775808, \"large\":18446744073709551615, \"new\": [{\"a\": "
      "[1]}], \"flag\":true,\n\"word\": \"two\", \"list\": [\"a\", \"\\u00e9\"], \"each\": "
      "{\"x\": {\"y\": [1, 2]}, \"z\": null}, \"text\": \"t\", \"count\": 4294967295} ",
      &s, &at);
  CHECK_STR(why, NULL);
  CHECK_STR(s.text, "t");
  CHECK_STR(s.items->str, "a;\xc3\xa9;x={\"y\": [1, 2]};z=null;");
  CHECK(s.count == UINT32_MAX && s.large == UINT64_MAX && s.number == INT64_MIN && s.flag &&
        s.word == 2);
  g_string_free(s.items, TRUE);
}

static void test_absent(void)
{
  Sample s;
  size_t at;
  g_autofree char *why =
      read_sample("{\"text\": \"\", \"count\": null, \"word\": null, \"number\": null}", &s, &at);
  CHECK_STR(why, NULL);
  CHECK(s.count == 7 && s.number == -7 && s.word == 7 && !s.flag && s.large == 0);
  g_string_free(s.items, TRUE);
}

static void test_refused(void)
{
  static const struct {
    const char *text, *why;
    size_t at;
  } rows[] = {
    { "", "expected a value", 0 },
    { "[]", "this must be an object", 0 },
    { "{}", "\"text\" is missing here", 0 },
    { "{\"text\":null}", "this must be a text", 8 },
    { "{\"text\":\"a\",\"text\":\"b\"}", "\"text\" is there twice", 12 },
    { "{\"text\":\"a\\u0000\"}", "U+0000 is not allowed here", 8 },
    { "{\"text\":\"\\udc00\"}", "unpaired surrogate", 8 },
    { "{\"text\":\"a\"} 1", "text after the value", 13 },
    { "{\"text\":\"a\"", "the text ends inside an object", 11 },
    { "{\"new\":[1,{\"a\":}]}", "expected a value", 15 },
    { "{\"count\":4294967296}", "this must be a whole number from 0", 9 },
    { "{\"count\":1.0}", "this must be a whole number from 0", 9 },
    { "{\"large\":-1}", "this must be a whole number from 0", 9 },
    { "{\"large\":18446744073709551616}", "this must be a whole number from 0", 9 },
    { "{\"number\":9223372036854775808}", "this must be a whole number", 10 },
    { "{\"flag\":1}", "this must be true or false", 8 },
    { "{\"word\":\"three\"}", "this must be one of none|one|two", 8 },
    { "{\"word\":2}", "this must be a word", 8 },
    { "{\"list\":{}}", "this must be a list", 8 },
    { "{\"list\":[\"a\",1]}", "this must be a text", 13 },
    { "{\"each\":[]}", "this must be an object", 8 },
    { "{\"each\":{\"a\\u0000\":1}}", "U+0000 is not allowed here", 9 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Sample s;
    size_t at;
    g_autofree char *why = read_sample(rows[i].text, &s, &at);
    bool good = CHECK_STR(why, rows[i].why) && CHECK_INT(at, rows[i].at);
    if (!good) CHECK_ROW(rows[i].text);
    g_string_free(s.items, TRUE);
  }
}

TEST_MAIN({ "values", test_values }, { "absent", test_absent }, { "refused", test_refused })
