/* Shapes of the chrome-json source: an event reads the same whatever events came before it. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fuzz/source-host.c"
#include "source-dump.h"

static const MillRead reads[] = {
  { .name = "size", .kinds = MILL_KIND(MILL_SLICE), .as = MILL_AS_INT },
  { .name = "why", .kinds = MILL_KIND(MILL_SLICE), .as = MILL_AS_TEXT },
};

static uint64_t made_seed = 1;

static uint32_t pick(uint32_t n)
{
  made_seed = made_seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(made_seed >> 33) % n;
}

typedef struct Outcome {
  GString *events; /* a line each */
  uint64_t notes[64];
} Outcome;

static void read_document(const char *text, size_t block_size, uint32_t max_events, bool strict,
                          Outcome *out)
{
  SourceHost *h = source_host_new(text, strlen(text));
  Dump d = { h, out->events, false };
  h->reads = reads;
  h->n_reads = G_N_ELEMENTS(reads);
  h->is_strict = strict;
  SourceRun run = { block_size, max_events, 0, false, dump_batch, &d };
  if (!CHECK_INT(source_run(h, &run), 0)) CHECK_ROW(text);
  for (unsigned i = 0; i < 64; i++) out->notes[i] += h->notes[i];
  source_host_free(h);
}

/* All at once, and each event in a document of its own, where none came before it. */
static void compare(GPtrArray *events, bool strict)
{
  static const size_t block_sizes[] = { 1 << 20, 700, 90 };
  Outcome alone = { g_string_new(NULL), { 0 } };
  GString *document = g_string_new("[");
  for (guint i = 0; i < events->len; i++) {
    g_autofree char *one = g_strdup_printf("[%s]", (const char *)events->pdata[i]);
    read_document(one, 1 << 20, 16, strict, &alone);
    g_string_append(document, i ? ",\n  " : "");
    g_string_append(document, events->pdata[i]);
  }
  g_string_append_c(document, ']');
  for (unsigned i = 0; i < G_N_ELEMENTS(block_sizes); i++) {
    Outcome all = { g_string_new(NULL), { 0 } };
    read_document(document->str, block_sizes[i], 1 + pick(1024), strict, &all);
    if (!CHECK_STR(all.events->str, alone.events->str)) CHECK_ROW(document->str);
    for (unsigned k = 0; k < 64; k++) CHECK_INT(all.notes[k], alone.notes[k]);
    g_string_free(all.events, TRUE);
  }
  g_string_free(document, TRUE);
  g_string_free(alone.events, TRUE);
}

static const char *any(const char *const *texts, uint32_t n) { return texts[pick(n)]; }
#define ANY(...)                            \
  any((const char *const[]){ __VA_ARGS__ }, \
      (uint32_t)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *const)))

/* `odd`: one value in so many is unusual. */
static const char *value_of(char key, uint32_t odd)
{
  bool usual = pick(odd) > 0;
  switch (key) {
  case 'h': return usual ? ANY("\"X\"", "\"i\"", "\"s\"") : ANY("null", "5", "\"\"", "\"f\"");
  case 'c':
    return usual ? ANY("\"a\"", "\"b c\"") : ANY("\"\\u0061\"", "null", "\"\xc3\xa9\"", "7");
  case 'p': return usual ? ANY("1", "20", "300") : ANY("\"gpu\"", "-1", "null", "1.5", "1e2");
  case 't': return usual ? ANY("7", "4000", "4431") : ANY("\"s 7\"", "12345678901234567", "true");
  case 's':
    return usual ? ANY("1.5", "265895519689.047", "12.25", "7", "1712195495519689.047")
                 : ANY("\"8.5\"", "1e3", "-3", "null", "1.23456", "12345678901234567890", "\"x\"");
  case 'd': return usual ? ANY("0", "12.125", "4.5", "68000.000") : ANY("-1", "\"2\"", "null");
  case 'n':
    return usual ? ANY("\"op\"", "\"aten::mm\"",
                       "\"a name of more than forty-eight bytes, let us say fifty\"",
                       "\"a name of more than forty-eight bytes, let us say sixty\"")
                 : ANY("\"a\\nb\"", "\"\\ud800\"", "\"\"", "null", "\"\xc3\xa9\"",
                       "\"C:\\\\runs \\\"x\\\" and of a length that matters here 1\"",
                       "\"C:\\\\runs \\\"x\\\" and of a length that matters here 2\"",
                       "\"a name that does not even fit into the sixty-four bytes of a step\"");
  case 'i': return usual ? ANY("1", "77", "123456") : ANY("\"0x1f\"", "\"abc\"", "-4", "null");
  case 'b': return usual ? "\"e\"" : ANY("\"x\"", "null");
  case 'a':
    return usual ? ANY("{\"size\": 5, \"why\": \"x\"}", "{}", "{\"other\": [1, {\"a\": \"}\"}]}")
                 : ANY("null", "{\"size\": \"5\", \"size\": 6}", "{\"why\": \"a\\tb\"}", "{ }");
  default:
    return usual ? ANY("\"t\"", "1", "true")
                 : ANY("[1, 2]", "{\"x\": 1}", "\"a longer text here\"");
  }
}

static const char *key_of(char key)
{
  static const char keys[] = "hcptsdniba", *const names[] = { "ph",  "cat",  "pid", "tid", "ts",
                                                              "dur", "name", "id",  "bp",  "args" };
  const char *at = strchr(keys, key);
  return at ? names[at - keys] : key == 'x' ? "scope" : "tts";
}

static char *made_up_event(const char *members, uint32_t odd)
{
  bool compact = pick(8) == 0;
  GString *out = g_string_new("{");
  for (const char *m = members; *m; m++)
    g_string_append_printf(out, "%s\"%s\":%s%s",
                           m == members ? ""
                           : compact    ? ","
                                        : ",\n    ",
                           key_of(*m), compact ? "" : " ", value_of(*m, odd));
  g_string_append(out, "}");
  return g_string_free(out, FALSE);
}

static void test_shapes(void)
{
  for (unsigned round = 0; round < 60; round++) {
    g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < 100; i++)
      g_ptr_array_add(events,
                      made_up_event(ANY("hcnptsda", "hcxnptsa", "nhcptsdia", "ahcnptsd", "hiptscnb",
                                        "npthcxys", "hnsd", "ss", "hcnptsdp", "nn", ""),
                                    round % 3 ? 12 : 1000));
    compare(events, false);
  }
}

static void test_strict(void)
{
  g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(g_free);
  for (unsigned i = 0; i < 300; i++)
    g_ptr_array_add(events, made_up_event(ANY("hcnptsda", "hiptscnb", "npthcxys"), 20));
  compare(events, true);
}

/* More rows, categories and orders of members than the tree of shapes holds, then a few again. */
static void test_too_many(void)
{
  g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(g_free);
  for (unsigned i = 0; i < 6000; i++) {
    char members[] = "hcnptsdx";
    for (unsigned k = 7; k && i % 4000 > 1500; k--) {
      unsigned with = pick(k + 1);
      char moved = members[k];
      members[k] = members[with];
      members[with] = moved;
    }
    GString *e = g_string_new("{");
    for (const char *m = members; *m; m++) {
      g_string_append_printf(e, "%s\"%s\": ", m == members ? "" : ", ", key_of(*m));
      if (*m == 'p' || *m == 't')
        g_string_append_printf(e, "%u", pick(i < 200 ? 2 : 40));
      else if (*m == 'c' && i > 700)
        g_string_append_printf(e, "\"c%u\"", pick(40));
      else
        g_string_append(e, value_of(*m, 1000));
    }
    g_string_append_c(e, '}');
    g_ptr_array_add(events, g_string_free(e, FALSE));
  }
  compare(events, false);
}

/* What surrounds a stretch of known text is not part of it: the same text goes on otherwise. */
static void test_near_misses(void)
{
  static const char *const rows[] = {
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":23,\"ts\":5,\"dur\":1}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5.125,\"dur\":1.0005}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":05,\"dur\":01.125}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":01.125}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":0.125}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5.1250,\"dur\":1.125e1}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1,\"ts\":6}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1,}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":  5,\"dur\":1}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":5 ,\"dur\":1 }",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":999999999999.999,\"dur\":1234567890123.999}",
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"\\u0074s\":5,\"dur\":1}",
  };
  g_autoptr(GPtrArray) events = g_ptr_array_new();
  for (unsigned i = 0; i < 400; i++)
    g_ptr_array_add(events, (gpointer)(uintptr_t)rows[pick(i < 20 ? 2 : G_N_ELEMENTS(rows))]);
  compare(events, false);
}

/* The last byte of a stretch counts too: a broken event fails behind sound ones. */
static void test_broken(void)
{
  static const char *const rows[] = { "{\"ph\":\"X\",\"ts\";5,\"dur\":1}",
                                      "{\"ph\":\"X\",\"ts\":5;\"dur\":1}",
                                      "{\"ph\":\"X\",\"ts\":5,\"dur\":1]",
                                      "{\"ph\":\"X\",\"ts\":5,\"dur\":1" };
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "[{\"ph\":\"X\",\"ts\":5,\"dur\":1},{\"ph\":\"X\",\"ts\":5,\"dur\":1},%s]", rows[i]);
    SourceHost *h = source_host_new(text, strlen(text));
    SourceRun run = { 1 << 20, 16, 0, false, NULL, NULL };
    if (!CHECK(source_run(h, &run) < 0)) CHECK_ROW(text);
    source_host_free(h);
  }
}

TEST_MAIN({ "shapes", test_shapes }, { "strict", test_strict }, { "too many", test_too_many },
          { "near misses", test_near_misses }, { "broken", test_broken })
