/* base/json: RFC 8259 by table, mending, decoding and quoting, skipping, places. */
/* SPDX-License-Identifier: MIT */
#include "base/json-write.h"
#include "base/json-value.h"
#include "check.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const valid_texts[] = { "{}",
                                           "[]",
                                           "\"\"",
                                           "0",
                                           "-0",
                                           "true",
                                           "false",
                                           "null",
                                           " \t\r\n1 \t\r\n",
                                           "[1,2 , 3]",
                                           "{\"a\":1,\"a\":2}",
                                           "{\"\":{}}",
                                           "[[[]],{}]",
                                           "10",
                                           "-12.5",
                                           "0.0",
                                           "1e5",
                                           "1E+5",
                                           "1e-05",
                                           "0e0",
                                           "1.5E3",
                                           "123456789012345678901234567890",
                                           "1e999",
                                           "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                                           "\"\\u0041\\u00e9\\uFFFF\"",
                                           "\"\\u0000\"",
                                           "\"\\ud83d\\ude00\"",
                                           "\"\\ud800\"",
                                           "\"\\udc00\"",
                                           "\"\\udc00\\ud800\"",
                                           "\"\x7f\"",
                                           "\"\xc2\x80\"",
                                           "\"\xe0\xa0\x80\"",
                                           "\"\xed\x9f\xbf\"",
                                           "\"\xee\x80\x80\"",
                                           "\"\xef\xbf\xbf\"",
                                           "\"\xf0\x90\x80\x80\"",
                                           "\"\xf4\x8f\xbf\xbf\"",
                                           "\"a long text without anything special in it\"" };

typedef struct BadRow {
  const char *text;
  int at; /* offset of the fault */
} BadRow;

static const BadRow bad_texts[] = {
  /* structure */
  { "", 0 },
  { " ", 1 },
  { "[", 1 },
  { "{", 1 },
  { "]", 0 },
  { "}", 0 },
  { ",", 0 },
  { ":", 0 },
  { "[1,]", 3 },
  { "[,1]", 1 },
  { "[1,,2]", 3 },
  { "[1 2]", 3 },
  { "[1}", 2 },
  { "{\"a\":1]", 6 },
  { "{\"a\":1,}", 7 },
  { "{,}", 1 },
  { "{\"a\"}", 4 },
  { "{\"a\" 1}", 5 },
  { "{\"a\":}", 5 },
  { "{\"a\":,}", 5 },
  { "{a:1}", 1 },
  { "{'a':1}", 1 },
  { "{1:1}", 1 },
  { "{\"a\":1 \"b\":2}", 7 },
  { "{\"a\":1", 6 },
  { "[1", 2 },
  { "[1,", 3 },
  { "1 2", 2 },
  { "[] x", 3 },
  { "{}}", 2 },
  { "[1] // c", 4 },
  { "/* c */ 1", 0 },
  { "\xef\xbb\xbf[]", 0 },
  { "\f1", 0 },
  { "\v1", 0 },
  { "\xc2\xa0"
    "1",
    0 },
  /* words */
  { "tru", 0 },
  { "True", 0 },
  { "nul", 0 },
  { "nulll", 4 },
  { "truefalse", 4 },
  { "NaN", 0 },
  { "Infinity", 0 },
  { "-Infinity", 1 },
  { "N/A", 0 },
  { "undefined", 0 },
  /* numbers */
  { "01", 0 },
  { "-01", 0 },
  { "00", 0 },
  { "+1", 0 },
  { ".5", 0 },
  { "-.5", 0 },
  { "1.", 0 },
  { "1.e3", 0 },
  { "1e", 2 },
  { "1e+", 3 },
  { "-", 1 },
  { "--1", 1 },
  { "1.2.3", 3 },
  { "0x10", 1 },
  { "1_0", 1 },
  { "1e5.2", 3 },
  { "-a", 1 },
  { "1a", 1 },
  /* strings */
  { "\"", 0 },
  { "\"abc", 0 },
  { "'a'", 0 },
  { "\"\\\"", 0 },
  { "\"\\x\"", 1 },
  { "\"\\u12g4\"", 1 },
  { "\"\\u12\"", 1 },
  { "\"\\U0041\"", 1 },
  { "\"\\'\"", 1 },
  { "\"\\0\"", 1 },
  { "\"a\tb\"", 2 },
  { "\"a\nb\"", 2 },
  { "\"\x01\"", 1 },
  { "\"\x1f\"", 1 },
  { "\"12345678\x1f\"", 9 },
  { "{\"a\nb\":1}", 3 },
  { "[\"\\\n\"]", 2 },
  /* UTF-8 */
  { "\"\x80\"", 1 },
  { "\"\xbf\"", 1 },
  { "\"\xc0\xaf\"", 1 },
  { "\"\xc1\xbf\"", 1 },
  { "\"\xe0\x80\xaf\"", 1 },
  { "\"\xe0\x9f\xbf\"", 1 },
  { "\"\xed\xa0\x80\"", 1 },
  { "\"\xed\xbf\xbf\"", 1 },
  { "\"\xf0\x80\x80\xaf\"", 1 },
  { "\"\xf4\x90\x80\x80\"", 1 },
  { "\"\xf5\x80\x80\x80\"", 1 },
  { "\"\xff\"", 1 },
  { "\"\xc3\"", 1 },
  { "\"\xe2\x82\"", 1 },
  { "\"\xf0\x9f\x98\"", 1 },
  { "\"ok\xc3(\"", 3 },
  { "\"\xc3", 1 }
};

static void test_check_valid(void)
{
  for (size_t i = 0; i < COUNT(valid_texts); i++) {
    const char *text = valid_texts[i];
    if (!CHECK(json_check(text, strlen(text), NULL, NULL))) CHECK_ROW(text);
  }
}

static void test_check_bad(void)
{
  for (size_t i = 0; i < COUNT(bad_texts); i++) {
    const BadRow *row = &bad_texts[i];
    const char *at = row->text + 1000, *why = NULL;
    if (!CHECK(!json_check(row->text, strlen(row->text), &at, &why))) CHECK_ROW(row->text);
    if (!CHECK_INT(at - row->text, row->at)) CHECK_ROW(row->text);
    if (!CHECK(why && *why)) CHECK_ROW(row->text);
  }
}

static void test_embedded_nul(void)
{
  CHECK(!json_check("1\0", 2, NULL, NULL));
  CHECK(!json_check("\"\0\"", 3, NULL, NULL));
  CHECK(!json_check("\"\\\0\"", 4, NULL, NULL));
  CHECK(!json_check("\0", 1, NULL, NULL));
  CHECK(!json_check(NULL, 0, NULL, NULL));
}

/* Every shorter piece of a valid text is invalid, and none is read beyond its end. */
static void test_truncated(void)
{
  const char text[] = "{\"a\":[1.5e+3,true,null,\"\\u00e9\\n\xc3\xa9\"],\"b\":{\"c\":false}}";
  size_t len = strlen(text);
  CHECK(json_check(text, len, NULL, NULL));
  for (size_t n = 0; n < len; n++) {
    g_autofree char *piece = g_memdup2(text, n);
    if (!CHECK(!json_check(piece, n, NULL, NULL))) CHECK_ROW(text + n);
  }
}

static char *nested(size_t depth, bool objects)
{
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < depth; i++) g_string_append(text, objects ? "{\"a\":" : "[");
  g_string_append(text, "1");
  for (size_t i = 0; i < depth; i++) g_string_append_c(text, objects ? '}' : ']');
  return g_string_free(text, FALSE);
}

static void test_depth(void)
{
  for (int objects = 0; objects < 2; objects++) {
    g_autofree char *deepest = nested(JSON_MAX_DEPTH, objects);
    g_autofree char *deeper = nested(JSON_MAX_DEPTH + 1, objects);
    g_autoptr(GString) out = g_string_new(NULL);
    const char *at, *why = "";
    CHECK(json_check(deepest, strlen(deepest), NULL, NULL));
    CHECK(!json_check(deeper, strlen(deeper), &at, &why));
    CHECK_STR(why, "nested too deeply");
    CHECK(!json_repair(deeper, strlen(deeper), out, NULL));
    JsonDoc *doc = json_doc_parse(deepest, strlen(deepest), NULL, NULL);
    CHECK(doc != NULL);
    json_doc_free(doc);
  }
}

typedef struct MendRow {
  const char *text, *mended; /* NULL: cannot be */
  unsigned fixes;
} MendRow;

static const MendRow mend_rows[] = {
  { " { \"a\" : [ 1 , 2 ] , \"b\" : { } } ", "{\"a\":[1,2],\"b\":{}}", 0 },
  { "[true,false,null,\"x\",-1.50e3]", "[true,false,null,\"x\",-1.50e3]", 0 },
  { "\"\\u00e9\\/\"", "\"\\u00e9\\/\"", 0 },
  { "\"a\tb\nc\"", "\"a\\u0009b\\u000ac\"", JSON_FIX_CONTROL },
  { "{\"k\x01\":1}", "{\"k\\u0001\":1}", JSON_FIX_CONTROL },
  { "\"C:\\dir\\x\"", "\"C:\\\\dir\\\\x\"", JSON_FIX_ESCAPE },
  { "\"\\u12g4\"", "\"\\\\u12g4\"", JSON_FIX_ESCAPE },
  { "\"a\xff"
    "b\"",
    "\"a\xef\xbf\xbd"
    "b\"",
    JSON_FIX_UTF8 },
  { "\"\xe2\x82\"", "\"\xef\xbf\xbd\"", JSON_FIX_UTF8 },
  { "\"\xed\xa0\x80\"", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", JSON_FIX_UTF8 },
  { "[NaN,Infinity,-Infinity,N/A]", "[null,null,null,null]", JSON_FIX_NAN },
  { "[nan,-inf,+Inf]", "[null,null,null]", JSON_FIX_NAN },
  { "[1,]", "[1]", JSON_FIX_COMMA },
  { "[1,,2]", "[1,2]", JSON_FIX_COMMA },
  { "{\"a\":1,,\"b\":2,}", "{\"a\":1,\"b\":2}", JSON_FIX_COMMA },
  { "[,]", "[]", JSON_FIX_COMMA },
  { "[01,-007,00,0010.50e-02]", "[1,-7,0,10.50e-02]", JSON_FIX_NUMBER },
  { "[+1,.5,-.5,5.,1.e3,+.5e1]", "[1,0.5,-0.5,5,1e3,0.5e1]", JSON_FIX_NUMBER },
  { "\"\\ud800x\"", "\"\xef\xbf\xbdx\"", JSON_FIX_SURROGATE },
  { "\"\\udc00\\ud83d\\ude00\"", "\"\xef\xbf\xbd\\ud83d\\ude00\"", JSON_FIX_SURROGATE },
  { "[01,NaN,]", "[1,null]", JSON_FIX_NUMBER | JSON_FIX_NAN | JSON_FIX_COMMA },
  { "", NULL, 0 },
  { "[1", NULL, 0 },
  { "[1 2]", NULL, 0 },
  { "{\"a\" 1}", NULL, 0 },
  { "[1}", NULL, 0 },
  { "\"C:\\\"", NULL, 0 },
  { "1e", NULL, 0 },
  { "-", NULL, 0 },
  { ".", NULL, 0 },
  { "+", NULL, 0 },
  { "True", NULL, 0 },
  { "NaNs", NULL, 0 },
  { "1 2", NULL, 0 },
  { "{a:1}", NULL, 0 },
  { "{\"a\":}", NULL, 0 }
};

static void test_mend(void)
{
  for (size_t i = 0; i < COUNT(mend_rows); i++) {
    const MendRow *row = &mend_rows[i];
    g_autoptr(GString) out = g_string_new(">");
    g_autofree char *wanted = g_strconcat(">", row->mended, NULL);
    unsigned fixes = 0;
    bool done = json_repair(row->text, strlen(row->text), out, &fixes);
    if (!CHECK(done == (row->mended != NULL))) CHECK_ROW(row->text);
    if (!CHECK_INT(fixes, row->fixes)) CHECK_ROW(row->text);
    CHECK_STR(out->str, wanted);
  }
}

static void test_decode(void)
{
  static const struct {
    const char *token, *text;
    unsigned fixes;
  } rows[] = { { "\"\"", "", 0 },
               { "\"plain \xc3\xa9\"", "plain \xc3\xa9", 0 },
               { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 0 },
               { "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", 0 },
               { "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80", 0 },
               { "\"\\ud83d\\u0041\"",
                 "\xef\xbf\xbd"
                 "A",
                 JSON_FIX_SURROGATE },
               { "\"\\q\"", "\\q", JSON_FIX_ESCAPE },
               { "\"\t\"", "\t", JSON_FIX_CONTROL },
               { "\"\xf0\x9f\x98x\"", "\xef\xbf\xbdx", JSON_FIX_UTF8 } };
  for (size_t i = 0; i < COUNT(rows); i++) {
    JsonToken token = { JSON_STRING, rows[i].token, strlen(rows[i].token) };
    g_autoptr(GString) out = g_string_new(NULL);
    if (!CHECK_INT(json_decode(&token, out), rows[i].fixes)) CHECK_ROW(rows[i].token);
    CHECK_STR(out->str, rows[i].text);
  }
  JsonToken zero = { JSON_STRING, "\"a\\u0000b\"", 10 };
  g_autoptr(GString) out = g_string_new(NULL);
  json_decode(&zero, out);
  CHECK(out->len == 3 && memcmp(out->str, "a\0b", 3) == 0);
}

static JsonToken string_token(const char *text)
{
  return (JsonToken){ JSON_STRING, text, strlen(text) };
}

static void test_words(void)
{
  static const struct {
    const char *token, *word;
    bool is;
  } rows[] = { { "\"step\"", "step", true },
               { "\"st\\u0065p\"", "step", true },
               { "\"\\u0073\\u0074\\u0065\\u0070\"", "step", true },
               { "\"step\"", "ste", false },
               { "\"st\\\\u0065p\"", "step", false },
               { "\"st\\u0000\"", "st", false },
               { "\"\"", "", true } };
  for (size_t i = 0; i < COUNT(rows); i++) {
    JsonToken token = string_token(rows[i].token);
    if (!CHECK(json_is(&token, rows[i].word) == rows[i].is)) CHECK_ROW(rows[i].token);
  }
  const JsonToken absent = { JSON_NULL, "\"step\"", 0 }, number = { JSON_NUMBER, "123456", 6 };
  CHECK(!json_is(&absent, "step") && !json_is(&number, "2345"));
  char word[5];
  JsonToken fits = string_token("\"p\\u00399\""), longer = string_token("\"p99.9\"");
  CHECK(json_word(&fits, word, sizeof word));
  CHECK_STR(word, "p99");
  CHECK(!json_word(&longer, word, sizeof word));
  CHECK_STR(word, "");
}

static void test_one_way(void)
{
  static const struct {
    const char *text, *same;
  } rows[] = { { "[ \"\\u0061\\u00e9\" , {\"\\u006b\": 1}]", "[\"a\xc3\xa9\",{\"k\":1}]" },
               { "[\"\\u0022\\/\\u005c\"]", "[\"\\\"/\\\\\"]" } };
  for (size_t i = 0; i < COUNT(rows); i++) {
    g_autoptr(GString) out = g_string_new(NULL);
    CHECK(json_one_way(rows[i].text, strlen(rows[i].text), out));
    CHECK_STR(out->str, rows[i].same);
  }
  char text[] = "\"\\u0070h\\u005c\\u0022\\\\u0041\\u00e9\"";
  size_t len = json_unescape_plain(text, strlen(text));
  text[len] = 0;
  CHECK_STR(text, "\"ph\\u005c\\u0022\\\\u0041\\u00e9\"");
}

static void test_quote(void)
{
  static const struct {
    const char *text;
    size_t len;
    const char *quoted;
  } rows[] = { { "", 0, "\"\"" },
               { "a \"b\" \\ /", 9, "\"a \\\"b\\\" \\\\ /\"" },
               { "\b\f\n\r\t\x01\x1f\x7f", 8, "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"" },
               { "a\0b", 3, "\"a\\u0000b\"" },
               { "\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\"" },
               { "\xc3", 1, "\"\xef\xbf\xbd\"" },
               { "0123456789\n", 11, "\"0123456789\\n\"" } };
  for (size_t i = 0; i < COUNT(rows); i++) {
    g_autoptr(GString) out = g_string_new(NULL);
    json_quote(out, rows[i].text, rows[i].len);
    CHECK_STR(out->str, rows[i].quoted);
  }
}

static void check_token(const JsonToken *t, JsonKind kind, const char *text)
{
  g_autofree char *got = g_strndup(t->start, t->len);
  CHECK_INT(t->kind, kind);
  CHECK_STR(got, text);
}

static void test_tokens(void)
{
  static const struct {
    JsonKind kind;
    const char *text;
  } wanted[] = { { JSON_OBJECT, "{" },      { JSON_KEY, "\"a\\n\"" }, { JSON_ARRAY, "[" },
                 { JSON_NUMBER, "-1.5e3" }, { JSON_TRUE, "true" },    { JSON_FALSE, "false" },
                 { JSON_NULL, "null" },     { JSON_STRING, "\"s\"" }, { JSON_ARRAY_END, "]" },
                 { JSON_KEY, "\"b\"" },     { JSON_OBJECT, "{" },     { JSON_OBJECT_END, "}" },
                 { JSON_OBJECT_END, "}" },  { JSON_END, "" },         { JSON_END, "" } };
  const char text[] = "{\"a\\n\" : [-1.5e3, true,false,null ,\"s\"],\"b\":{ }} ";
  JsonCursor r;
  JsonToken t;
  json_open(&r, text, strlen(text), true);
  for (size_t i = 0; i < COUNT(wanted); i++) {
    CHECK_INT(json_next(&r, &t), wanted[i].kind);
    check_token(&t, wanted[i].kind, wanted[i].text);
  }
}

/* A reader stops right after a complete value; the next call looks at what follows. */
static void test_stops_after_value(void)
{
  const char text[] = "{\"a\":1},{";
  JsonCursor r;
  JsonToken t;
  json_open(&r, text, strlen(text), true);
  CHECK_INT(json_skip(&r, &t), JSON_OBJECT);
  CHECK(r.pos == text + 7);
  CHECK_INT(json_next(&r, &t), JSON_ERROR);
  CHECK_INT(json_next(&r, &t), JSON_ERROR);
  CHECK(r.error_at == text + 7);
}

static void test_skip(void)
{
  const char text[] = "{\"a\":[1,{\"b\":[]}],\"c\":\"d\",\"e\":[ 1, [2] ]}";
  JsonCursor r;
  JsonToken t;
  json_open(&r, text, strlen(text), true);
  CHECK_INT(json_next(&r, &t), JSON_OBJECT);
  CHECK_INT(json_next(&r, &t), JSON_KEY);
  CHECK_INT(json_skip(&r, &t), JSON_ARRAY);
  check_token(&t, JSON_ARRAY, "[1,{\"b\":[]}]");
  CHECK_INT(json_next(&r, &t), JSON_KEY);
  CHECK_INT(json_skip(&r, &t), JSON_STRING);
  check_token(&t, JSON_STRING, "\"d\"");
  CHECK_INT(json_next(&r, &t), JSON_KEY);
  CHECK_INT(json_next(&r, &t), JSON_ARRAY);
  CHECK_INT(json_skip(&r, &t), JSON_NUMBER);
  CHECK_INT(json_skip(&r, &t), JSON_ARRAY);
  check_token(&t, JSON_ARRAY, "[2]");
  CHECK_INT(json_skip(&r, &t), JSON_ARRAY_END);
  CHECK_INT(json_next(&r, &t), JSON_OBJECT_END);
  CHECK_INT(json_next(&r, &t), JSON_END);
}

static void test_place(void)
{
  const char text[] = "a\xc3\xa9"
                      "b\nc\r\n\xf0\x9f\x98\x80"
                      "d";
  static const struct {
    size_t offset;
    uint32_t line, column;
  } rows[] = { { 0, 1, 1 }, { 1, 1, 2 }, { 3, 1, 3 }, { 4, 1, 4 },
               { 5, 2, 1 }, { 8, 3, 1 }, { 12, 3, 2 } };
  for (size_t i = 0; i < COUNT(rows); i++) {
    JsonPlace place = json_place(text, rows[i].offset);
    CHECK_INT(place.line, rows[i].line);
    CHECK_INT(place.column, rows[i].column);
  }
}

/* Far into a text, whatever was asked for before. */
static void test_far_places(void)
{
  enum { ITEMS = 4000, LINE = 7 };
  g_autoptr(GString) text = g_string_new("[");
  for (int i = 0; i < ITEMS; i++)
    g_string_append_printf(text, "%s\"\xc3\xa9\"%s", i ? "," : "",
                           i % LINE == LINE - 1 ? "\n" : "");
  g_string_append_c(text, ']');
  JsonDoc *doc = json_doc_parse(text->str, text->len, NULL, NULL);
  for (int k = 0; k < ITEMS; k++) {
    char pointer[16];
    int i = k * 1009 % ITEMS; /* each once, far from the one before */
    snprintf(pointer, sizeof pointer, "/%d", i);
    JsonPlace place = json_doc_place(doc, pointer);
    CHECK_INT(place.line, 1 + i / LINE);
    CHECK_INT(place.column, 2 + i % LINE * 4);
  }
  json_doc_free(doc);
}

static void test_doc(void)
{
  const char text[] = "{\n"
                      "  \"name\": \"caf\\u00e9\",\n"
                      "  \"stages\": [\n"
                      "    {\"x/y~\": 1, \"b\": 2.5},\n"
                      "    -3\n"
                      "  ],\n"
                      "  \"big\": 123456789012345678901234567890, \"no\": null, \"yes\": true\n"
                      "}";
  static const struct {
    const char *pointer;
    uint32_t line, column;
  } rows[] = { { "", 1, 1 },
               { "/name", 2, 11 },
               { "/name#key", 2, 3 },
               { "/stages", 3, 13 },
               { "/stages/0", 4, 5 },
               { "/stages/0/x~1y~0", 4, 14 },
               { "/stages/0/b#key", 4, 17 },
               { "/stages/1", 5, 5 },
               { "/yes", 7, 61 },
               /* what is missing has the place of what is around it */
               { "/stages/2", 3, 13 },
               { "/stages/0/none#key", 4, 5 },
               { "/none", 1, 1 },
               { "/name/x", 2, 11 } };
  JsonDoc *doc = json_doc_parse(text, strlen(text), NULL, NULL);
  if (!CHECK(doc != NULL)) return;
  for (size_t i = 0; i < COUNT(rows); i++) {
    JsonPlace place = json_doc_place(doc, rows[i].pointer);
    if (!CHECK_INT(place.line, rows[i].line)) CHECK_ROW(rows[i].pointer);
    if (!CHECK_INT(place.column, rows[i].column)) CHECK_ROW(rows[i].pointer);
  }
  const JsonValue *root = json_doc_root(doc), *big = json_member(root, "big");
  CHECK_STR(json_text(json_member(root, "name")), "caf\xc3\xa9");
  CHECK_INT(json_item(json_member(root, "stages"), 1)->whole, -3);
  CHECK(!big->is_whole && big->real == 123456789012345678901234567890.0);
  CHECK(json_holds(json_member(root, "no"), JSON_NULL));
  CHECK(json_holds(json_member(root, "yes"), JSON_TRUE));
  CHECK(json_member(root, "none") == NULL && json_member(big, "x") == NULL);
  json_doc_free(doc);
}

static void test_doc_refuses(void)
{
  static const struct {
    const char *text;
    uint32_t line, column;
    const char *why;
  } rows[] = { { "{\"a\":1,\n \"a\":2}", 2, 2, "this key is duplicated in the object" },
               { "{\"a\":1, \"\\u0061\":2}", 1, 9, "this key is duplicated in the object" },
               { "[1,\n 01]", 2, 2, "a number must not start with a zero" },
               { "[1e400]", 1, 2, "the number is out of range" },
               { "[\"\\u0000\"]", 1, 2, "U+0000 is not allowed" },
               { "[\"\\ud800\"]", 1, 2, "unpaired surrogate" },
               { "[\n", 2, 1, "the text ends too early" },
               { "{\"a\":1\n", 2, 1, "the text ends inside an object" },
               { "[1,]", 1, 4, "a comma before the end" },
               { "\xef\xbb\xbf{}", 1, 1, "JSON must not start with a byte order mark" } };
  for (size_t i = 0; i < COUNT(rows); i++) {
    JsonPlace place = { 0, 0 };
    g_autofree char *why = NULL;
    JsonDoc *doc = json_doc_parse(rows[i].text, strlen(rows[i].text), &place, &why);
    CHECK(doc == NULL);
    CHECK_STR(why, rows[i].why);
    if (!CHECK_INT(place.line, rows[i].line)) CHECK_ROW(rows[i].text);
    if (!CHECK_INT(place.column, rows[i].column)) CHECK_ROW(rows[i].text);
    json_doc_free(doc);
  }
}

/* One document with every kind of value, and what is empty. */
static void write_all(JsonWriter *w)
{
  static const char *const texts[] = { "x", "y", NULL };
  json_put_open(w, NULL, '{');
  json_put_text(w, "te\"xt", "a,[\\\" :{");
  json_put_text(w, "none", NULL);
  json_put_int(w, "int", INT64_MIN);
  json_put_uint(w, "uint", UINT64_MAX);
  json_put_open(w, "empty", '{');
  json_put_close(w);
  json_put_open(w, "list", '[');
  json_put_bool(w, NULL, true);
  json_put_list(w, NULL, texts);
  json_put_list(w, NULL, NULL);
  json_put_raw(w, NULL, "{\"r\" :1} ", 9);
  json_put_close(w);
  json_put_string(w, "last", "cut off", 3);
  json_put_end(w);
}

static void test_layouts(void)
{
  static const char *const wanted[] = {
    [JSON_LINES] = "{\n  \"te\\\"xt\": \"a,[\\\\\\\" :{\",\n  \"none\": null,\n"
                   "  \"int\": -9223372036854775808,\n  \"uint\": 18446744073709551615,\n"
                   "  \"empty\": {},\n  \"list\": [\n    true,\n    [\n      \"x\",\n      \"y\"\n"
                   "    ],\n    [],\n    {\"r\" :1} \n  ],\n  \"last\": \"cut\"\n}\n",
    [JSON_SPACED] = "{\"te\\\"xt\": \"a,[\\\\\\\" :{\", \"none\": null, "
                    "\"int\": -9223372036854775808, \"uint\": 18446744073709551615, "
                    "\"empty\": {}, \"list\": [true, [\"x\", \"y\"], [], {\"r\" :1} ], "
                    "\"last\": \"cut\"}\n",
    [JSON_COMPACT] = "{\"te\\\"xt\":\"a,[\\\\\\\" :{\", \"none\":null, "
                     "\"int\":-9223372036854775808, \"uint\":18446744073709551615, "
                     "\"empty\":{}, \"list\":[true, [\"x\", \"y\"], [], {\"r\" :1} ], "
                     "\"last\":\"cut\"}\n",
    [JSON_DENSE] = "{\"te\\\"xt\":\"a,[\\\\\\\" :{\",\"none\":null,"
                   "\"int\":-9223372036854775808,\"uint\":18446744073709551615,"
                   "\"empty\":{},\"list\":[true,[\"x\",\"y\"],[],{\"r\" :1} ],"
                   "\"last\":\"cut\"}\n",
  };
  for (size_t i = 0; i < COUNT(wanted); i++) {
    g_autoptr(GString) text = g_string_new(NULL);
    JsonWriter w = { .text = text, .layout = (JsonLayout)i };
    write_all(&w);
    CHECK_STR(text->str, wanted[i]);
  }
}

/* Some lists over lines, their items on one; documents follow each other without a comma, and the
 * text may be taken away in between. */
static void test_some_lines(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  JsonWriter w = { .text = text, .layout = JSON_SPACED };
  json_put_lines(&w, NULL, '{');
  json_put_lines(&w, "rows", '[');
  json_put_open(&w, NULL, '[');
  json_put_int(&w, NULL, 1);
  CHECK_STR(text->str, "{\n  \"rows\": [\n    [1");
  g_string_truncate(text, 0);
  json_put_int(&w, NULL, 2);
  json_put_close(&w);
  json_put_close(&w);
  json_put_lines(&w, "none", '[');
  json_put_close(&w);
  json_put_end(&w);
  json_put_open(&w, NULL, '{');
  json_put_end(&w);
  CHECK_STR(text->str, ", 2]\n  ],\n  \"none\": []\n}\n{}\n");
}

static void test_put_real(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  JsonWriter w = { .text = text, .layout = JSON_COMPACT };
  json_put_open(&w, NULL, '[');
  json_put_real(&w, NULL, 42);
  json_put_real(&w, NULL, 1e16);
  json_put_real(&w, NULL, INFINITY);
  json_put_real(&w, NULL, NAN);
  json_put_close(&w);
  CHECK_STR(text->str, "[42.0, 1e+16, null, null]");
}

TEST_MAIN({ "valid texts", test_check_valid }, { "bad texts", test_check_bad },
          { "embedded NUL", test_embedded_nul }, { "truncated", test_truncated },
          { "depth", test_depth }, { "mend", test_mend }, { "decode", test_decode },
          { "quote", test_quote }, { "words", test_words }, { "one way", test_one_way },
          { "tokens", test_tokens }, { "stops after a value", test_stops_after_value },
          { "skip", test_skip }, { "place", test_place }, { "far places", test_far_places },
          { "document", test_doc }, { "document refuses", test_doc_refuses },
          { "layouts", test_layouts }, { "some lines", test_some_lines },
          { "put a real", test_put_real })
