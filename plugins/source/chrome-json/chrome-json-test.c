/* The chrome-json source: what documents, odd events and broken bytes become, however cut. */
/* SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "made-up-trace-test.h"
#include "chrome-json-test.h"

static void expect(const char *text, const char *wanted) { expect_run(text, NULL, 0, "", wanted); }

/* ------------------------------------------------------------------ events */
typedef struct Row {
  const char *text, *wanted;
} Row;

static void test_events(void)
{
  static const Row rows[] = {
    { "[]", "" },
    { " [ \n ] \n", "" },
    { "\xef\xbb\xbf[]", "" },
    { "[{}]", "?  p=- t=-\n" },
    { "[{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"c\",\"ts\":1.5,\"dur\":2,\"pid\":1,\"tid\":2}]",
      "X a cat=c ts=1500 dur=2000 p=1 t=2\n" },
    { "[ { \"ph\" : \"X\" , \"name\" : \"a\" , \"ts\" : 10 , \"dur\" : 0.001 , \"pid\" : -1 , "
      "\"tid\" : 9223372036854775807 } ]",
      "X a ts=10000 dur=1 p=-1 t=9223372036854775807\n" },
    { "[{\"name\":\"a\\u0062\\n\",\"ph\":\"i\",\"pid\":\"Spans\",\"tid\":\"\",\"ts\":0}]",
      "i ab\n ts=0 p='Spans' t=''\n" },
    { "[{\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":\"x\"}}]",
      "M process_name p=- t=-\n" },
    { "[{\"args\":{\"a\":1},\"ph\":\"s\",\"id\":7,\"pid\":1,\"tid\":18446744073709551615,\"ts\":-3."
      "25}]",
      "s  ts=-3250 p=1 t='18446744073709551615' int=7\n" },
    { "[{\"ph\":\"f\",\"id\":\"0x1f\",\"bp\":\"e\",\"ts\":1},{\"ph\":\"f\",\"id\":\"0x1F\",\"ts\":"
      "1},"
      "{\"ph\":\"f\",\"id\":\"abc\",\"bp\":\"x\",\"ts\":1}]",
      "f  ts=1000 p=- t=- hex=31 bind\nf  ts=1000 p=- t=- hash\nf  ts=1000 p=- t=- hash\n" },
    { "[{\"ph\":\"s\",\"id\":-12345678901},{\"ph\":\"s\",\"id\":1.5},{\"ph\":\"s\",\"id\":null,"
      "\"id2\":{\"local\":\"0x1\"}}]",
      "s  p=- t=- int=-12345678901\ns  p=- t=- hash\ns  p=- t=-\n" },
    { "[{\"ph\":\"Z\",\"ts\":1},{\"ph\":\"XX\",\"ts\":1},{\"ph\":5,\"ts\":1}]",
      "?  ts=1000 p=- t=-\n?  ts=1000 p=- t=-\n?  ts=1000 p=- t=-\n" },
    { "[{\"ph\":\"B\"},{\"ph\":\"E\"},{\"ph\":\"C\"},{\"ph\":\"b\"},{\"ph\":\"n\"},{\"ph\":\"e\"},{"
      "\"ph\":\"t\"},"
      "{\"ph\":\"P\"},{\"ph\":\"D\"},{\"ph\":\"S\"},{\"ph\":\"R\"}]",
      "B  p=- t=-\nE  p=- t=-\nC  p=- t=-\nb  p=- t=-\nn  p=- t=-\ne  p=- t=-\nt  p=- t=-\nP  p=- "
      "t=-\nO  p=- t=-\n"
      "b  p=- t=-\ni  p=- t=-\n" },
    { "[{\"ph\":\"X\",\"pid\":null,\"tid\":1.0,\"name\":12,\"cat\":null,\"ts\":null}]",
      "X 12 p=- t=1\n" },
    { "[{\"ph\":\"X\",\"name\":\"\xc3\xa9\",\"ts\":1}]", "X \xc3\xa9 ts=1000 p=- t=-\n" },
    { "[{\"ph\":\"X\",\"x\":\"}{][\\\"\\\\\",\"y\":[[{}],{\"a\":\"\\\\\"}],\"ts\":1}]",
      "X  ts=1000 p=- t=-\n" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) expect(rows[i].text, rows[i].wanted);
}

static void test_times(void)
{
  static const Row rows[] = {
    { "1661203462598738", "ts=1661203462598738000" },
    { "1712195495519689.047", "ts=1712195495519689047" },
    { "1419117003011.565", "ts=1419117003011565" },
    { "0.1", "ts=100" },
    { "0.125", "ts=125" },
    { "999999999999.999", "ts=999999999999999" },
    { "12.1250", "ts=12125" },
    { "12.1255", "ts=12126 inexact note 37: 1" },
    { "12.125e1", "ts=121250" },
    { "0", "ts=0" },
    { "12345678", "ts=12345678000" },
    { "123456789", "ts=123456789000" },
    { "-0.001", "ts=-1" },
    { "1e3", "ts=1000000" },
    { "1.5E-2", "ts=15" },
    { "2.0005", "ts=2000 inexact note 37: 1" },
    { "2.0015", "ts=2002 inexact note 37: 1" },
    { "2.500000", "ts=2500" },
    { "4611686018427387.903", "ts=4611686018427387903" },
    { "4611686018427387.904", "note 36: 1" },
    { "-4611686018427387.903", "ts=-4611686018427387903" },
    { "-99999999999999999999", "note 36: 1" },
    { "9007199254740993", "note 36: 1" },
    { "\"12.5\"", "ts=12500 note 33: 1" },
    { "\"soon\"", "note 34: 1" },
    { "\"\"", "note 34: 1" },
    { "true", "note 34: 1" },
    { "[1]", "note 34: 1" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("[{\"ts\":%s}]", rows[i].text);
    g_auto(GStrv) parts = g_strsplit(rows[i].wanted, " ", -1);
    GString *wanted = g_string_new("? ");
    const char *note = strstr(rows[i].wanted, "note");
    if (g_str_has_prefix(parts[0], "ts=")) g_string_append_printf(wanted, " %s", parts[0]);
    g_string_append(wanted, " p=- t=-");
    if (strstr(rows[i].wanted, "inexact")) g_string_append(wanted, " inexact");
    g_string_append_c(wanted, '\n');
    if (note) g_string_append_printf(wanted, "%s\n", note);
    expect(text, wanted->str);
    g_string_free(wanted, TRUE);
  }
  expect("[{\"dur\":-1}]", "?  p=- t=-\nnote 35: 1\n");
  expect("[{\"dur\":1e300}]", "?  dur=4611686018427387904 p=- t=-\nnote 36: 1\n");
}

/* -------------------------------------------------------------- attributes */
static void test_attributes(void)
{
  static const MillRead all[] = { { "*", MILL_AS_ANY, 0 } };
  static const MillRead some[] = { { "n", MILL_AS_INT, MILL_KIND(MILL_SLICE) },
                                   { "r", MILL_AS_REAL, 0 },
                                   { "t", MILL_AS_TEXT, 0 },
                                   { "a b", MILL_AS_ANY, 0 } };
  expect_run("[{\"ph\":\"X\",\"args\":{\"a\":1,\"b\":-2.5,\"c\":\"t\",\"d\":true,\"e\":null,\"f\":["
             "1,[2]],\"g\":{},"
             "\"h\":\"a\\tb\",\"i\":1e400,\"j\":9223372036854775808}}]",
             all, 1, "",
             "X  p=- t=- a=1 b=-2.5 c='t' d=true f=`[1,[2]]` g=`{}` h='a\tb' i=`1e400` "
             "j=9.223372036854776e+18\n");
  expect_run("[{\"ph\":\"X\",\"args\":{\"n\":\"0x10\",\"r\":3,\"t\":5,\"a b\":[1,2],\"z\":1}},"
             "{\"ph\":\"i\",\"args\":{\"n\":1,\"r\":\"2.5\",\"t\":false}},"
             "{\"ph\":\"X\",\"attr\":{\"n\":[1,\"2\",3.0],\"r\":[],\"t\":[1]}},"
             "{\"ph\":\"X\",\"args\":{\"n\":\"x\",\"r\":[1,[2]],\"\\u006e\":2.5}}]",
             some, 4, "",
             "X  p=- t=- n=16 r=3.0 t='5' a b=`[1,2]`\n"
             "i  p=- t=- r=2.5 t='false'\n"
             "X  p=- t=- n=1 n=2 n=3 t=`[1]`\n"
             "X  p=- t=- r=`[1,[2]]` n=2.5\nnote 27: 1\n");
  expect_run(
      "[{\"ph\":\"X\",\"args\":{}},{\"ph\":\"X\",\"args\":null},{\"ph\":\"X\",\"args\":[1]}]", all,
      1, "", "X  p=- t=-\nX  p=- t=-\nX  p=- t=-\n");
}

/* The same events come when a batch has space for few attributes. */
static void test_attribute_space(void)
{
  static const MillRead all[] = { { "*", MILL_AS_ANY, 0 } };
  GString *text = g_string_new("[");
  for (unsigned i = 0; i < 50; i++)
    g_string_append_printf(text, "%s{\"ph\":\"X\",\"args\":{\"a\":%u,\"b\":[],\"c\":\"x\"}}",
                           i ? "," : "", i);
  g_string_append_c(text, ']');
  char *got[2];
  for (unsigned i = 0; i < 2; i++) {
    SourceHost *h = source_host_new(text->str, text->len);
    Dump d = { h, g_string_new(NULL), false };
    h->reads = all;
    h->n_reads = 1;
    SourceRun run = { 4096, 100, i ? 7 : 0, false, dump_batch, &d };
    CHECK_INT(source_run(h, &run), 0);
    got[i] = g_string_free(d.out, FALSE);
    source_host_free(h);
  }
  CHECK_STR(got[1], got[0]);
  g_free(got[0]);
  g_free(got[1]);
  SourceHost *h = source_host_new(text->str, text->len);
  h->reads = all;
  h->n_reads = 1;
  SourceRun run = { 4096, 100, 2, false, NULL, NULL };
  CHECK_INT(source_run(h, &run), -MILL_LIMIT);
  source_host_free(h);
  g_string_free(text, TRUE);
}

/* --------------------------------------------------------------- documents */
static void test_documents(void)
{
  static const Row rows[] = {
    { "{\"traceEvents\":[]}", "" },
    { "{\"a\":1,\"b\":[{\"ph\":\"X\"}],\"traceEvents\":[{\"ph\":\"X\"}],\"c\":\"d\",\"traceName\":"
      "null}",
      "X  p=- t=-\n<a=1\n<b=[{\"ph\":\"X\"}]\n>c=\"d\"\n>traceName=null\n" },
    { "{\"x\\u0079\":1 , \"traceEvents\" : [ {\"ph\":\"i\"} , {\"ph\":\"i\"} ] }\n",
      "i  p=- t=-\ni  p=- t=-\n<xy=1\n" },
    { "{\"traceEvents\":[{\"ph\":\"X\"}],\"traceEvents\":[{\"ph\":\"i\"}]}",
      "X  p=- t=-\ni  p=- t=-\nnote 39: 1\n" },
    { "{\"a\":\"x\ty\",\"traceEvents\":[]}", "<a=\"x\\u0009y\"\nnote 20: 1\n" },
    { "{\"traceEvents\":[],}", "note 28: 1\n" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) expect(rows[i].text, rows[i].wanted);
}

static void test_repairs(void)
{
  static const Row rows[] = {
    { "[{\"ph\":\"X\",\"name\":\"a\tb\"}]",
      "X a\tb p=- t=- repaired {\"ph\":\"X\",\"name\":\"a\\u0009b\"}\nnote 20: 1\n" },
    { "[{\"ph\":\"X\",\"name\":\"C:\\q\"}]",
      "X C:\\q p=- t=- repaired {\"ph\":\"X\",\"name\":\"C:\\\\q\"}\nnote 21: 1\n" },
    { "[{\"ph\":\"X\",\"args\":{\"a\":\"\xff\"}}]",
      "X  p=- t=- repaired {\"ph\":\"X\",\"args\":{\"a\":\"\xef\xbf\xbd\"}}\nnote 22: 1\n" },
    { "[{\"ph\":\"X\",\"args\":{\"a\":NaN,\"b\":-Infinity}}]",
      "X  p=- t=- repaired {\"ph\":\"X\",\"args\":{\"a\":null,\"b\":null}}\nnote 23: 1\n" },
    { "[{\"ph\":\"X\",\"x\":nan,\"args\":{\"a\":[inf,-nan]}}]",
      "X  p=- t=- repaired {\"ph\":\"X\",\"x\":null,\"args\":{\"a\":[null,null]}}\nnote 23: 1\n" },
    { "[{\"ph\":\"X\",\"args\":{\"a\":\"\\u00g0\"}}]",
      "X  p=- t=- repaired {\"ph\":\"X\",\"args\":{\"a\":\"\\\\u00g0\"}}\nnote 21: 1\n" },
    { "[{\"ph\":\"X\",\"name\":\"\\ud83d!\"}]", "X \xef\xbf\xbd! p=- t=-\nnote 26: 1\n" },
    { "[{\"ph\":\"X\",}]", "X  p=- t=- repaired {\"ph\":\"X\"}\nnote 24: 1\n" },
    { "[{\"ph\":\"X\",\"ts\":007}]",
      "X  ts=7000 p=- t=- repaired {\"ph\":\"X\",\"ts\":7}\nnote 25: 1\n" },
    { "[{\"ph\":\"X\",\"ts\":01.125}]",
      "X  ts=1125 p=- t=- repaired {\"ph\":\"X\",\"ts\":1.125}\nnote 25: 1\n" },
    { "[{\"ph\":\"X\",\"ph\":\"i\",\"ts\":1,\"ts\":2}]", "i  ts=2000 p=- t=-\nnote 27: 1\n" },
    { "[{\"\\u0070h\":\"X\",\"na\\u006de\":\"a\"}]", "X a p=- t=-\n" },
    { "[{\"ph\":\"X\"},]", "X  p=- t=-\nnote 28: 1\n" },
    { "[{\"ph\":\"X\"},,{\"ph\":\"i\"}]", "X  p=- t=-\ni  p=- t=-\nnote 28: 1\n" },
    { "[{\"ph\":\"X\"}\n{\"ph\":\"i\"}]", "X  p=- t=-\ni  p=- t=-\nnote 28: 1\n" },
    { "[{\"ph\":\"X\"}", "X  p=- t=-\nnote 29: 1\n" },
    { "[{\"ph\":\"X\"},\n", "X  p=- t=-\nnote 29: 1\n" },
    { "{\"traceEvents\":[{\"ph\":\"X\"}", "X  p=- t=-\nnote 29: 1\n" },
    { "{\"traceEvents\":[{\"ph\":\"X\"}],\"a\":[1]", "X  p=- t=-\n>a=[1]\nnote 29: 1\n" },
    { "[{\"ph\":\"X\"},null,3,\"x\",[{}]]", "X  p=- t=-\nnote 30: 4\n" },
    { "[{\"ph\":\"X\"}] [{\"ph\":\"X\"}]", "X  p=- t=-\nnote 31: 1\n" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) expect(rows[i].text, rows[i].wanted);
}

static void test_failures(void)
{
  static const Row rows[] = {
    { "", "fail 1: trace.json is empty |  | \n" },
    { " \n", "fail 1: trace.json is empty |  | \n" },
    { "\x7f"
      "ELF",
      "fail 2: trace.json is not JSON |  | it begins with neither { nor [\n" },
    { "{}", "fail 3: trace.json has no traceEvents |  | the object ends without them\n" },
    { "{\"a\":1}", "fail 3: trace.json has no traceEvents |  | the object ends without them\n" },
    { "[{\"ph\":\"X\"},{\"ph\":", "fail 4: trace.json ends inside an event | after 1 complete "
                                  "events, 18 B into the uncompressed text | the profiler was "
                                  "probably killed while writing\n" },
    { "[", "fail 4: trace.json ends inside the document | after 0 complete events, 1 B into the "
           "uncompressed text | the profiler was probably killed while writing\n" },
    { "[{\"ph\":\"X\"}],3", "X  p=- t=-\nnote 31: 1\n" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) expect(rows[i].text, rows[i].wanted);
  expect_run("[{\"ph\":\"X\"},{\"ph\":", NULL, 0, "r", "X  p=- t=-\nnote 32: 1\n");
  expect_run("{\"traceEvents\":[{\"ph\":\"X\"}],\"a\":[", NULL, 0, "r", "X  p=- t=-\nnote 32: 1\n");
}

static void test_malformed(void)
{
  static const char *const rows[] = {
    "[{\"ph\":\"X\",\"a\":[}]}]",
    "[{\"ph\" \"X\"}]",
    "[{\"ph\":\"X\" \"a\":1}]",
    "[{ph:1}]",
    "[{\"a\":bad}]",
    "[{\"pid\":0x\":1,\"b\":\"}]",
    "[{\"pid\":12x}]",
    "[}]",
    "[:]",
    "{\"traceEvents\":3}",
    "{\"traceEvents\" []}",
    "{traceEvents:[]}",
    "{\"a\":[1}],\"traceEvents\":[]}",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *got = whole_run(rows[i], strlen(rows[i]), NULL, 0, "", 1 << 20, 100);
    if (!CHECK(strstr(got, "fail ") != NULL)) CHECK_ROW(rows[i]);
  }
  GString *deep = g_string_new("[{\"a\":");
  for (unsigned i = 0; i < 1100; i++) g_string_append_c(deep, '[');
  for (unsigned i = 0; i < 1100; i++) g_string_append_c(deep, ']');
  g_string_append(deep, "}]");
  g_autofree char *got = whole_run(deep->str, deep->len, NULL, 0, "", 1 << 20, 100);
  CHECK(g_str_has_prefix(got, "fail 5:"));
  g_string_free(deep, TRUE);
}

static void test_strict(void)
{
  static const char *const good[] = {
    "[]",
    "{\"a\":[1,\"\xc3\xa9\"],\"traceEvents\":[{\"ph\":\"X\",\"args\":{\"a\":[{},-1.5e3]}}],\"z\":"
    "null}",
  };
  static const char *const bad[] = {
    "[{\"ph\":\"X\",\"name\":\"a\tb\"}]",
    "[{\"a\":[}]}]",
    "[{\"a\":01}]",
    "[{\"ph\":\"X\"},]",
    "[{\"ph\":\"X\"}",
    "[{\"ph\":\"X\"}{}]",
    "[{}]x",
    "{\"a\":NaN,\"traceEvents\":[]}",
    "[{\"args\":{\"a\":\"\xff\"}}]",
    "[{\"a\":tru}]",
    "{\"traceEvents\":[],\"traceEvents\":[]}",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
    g_autofree char *got = whole_run(good[i], strlen(good[i]), NULL, 0, "s", 1 << 20, 100);
    if (!CHECK(!strstr(got, "fail "))) CHECK_ROW(got);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autofree char *got = whole_run(bad[i], strlen(bad[i]), NULL, 0, "s", 1 << 20, 100);
    if (!CHECK(strstr(got, "fail 7:") != NULL)) CHECK_ROW(bad[i]);
  }
}

/* ------------------------------------------------------- probe and describe */
static void test_probe(void)
{
  static const struct {
    const char *text;
    int low, high;
  } rows[] = {
    { "{\"schemaVersion\":1,\"traceEvents\":[", 100, 100 },
    { " \n[{\"ph\":\"X\"", 50, 100 },
    { "[{\"ph\":\"X\"},", 90, 90 },
    { "{\"schemaVersion\":1,\"deviceProperties\":[", 60, 90 },
    { "[]", 1, 30 },
    { "{\"stages\":[{\"use\":\"x\"}]}", 0, 0 },
    { "[1,2]", 0, 0 },
    { "[{\"a\":1}]", 0, 0 },
    { "kernel,ts\n", 0, 0 },
    { "", 0, 0 },
  };
  const MillSourceOps *ops = source_under_test()->ops;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    int got = ops->probe(source_under_test(), rows[i].text, strlen(rows[i].text), "x.json");
    if (!CHECK(got >= rows[i].low && got <= rows[i].high)) CHECK_ROW(rows[i].text);
  }
}

static void test_describe(void)
{
  static const Row rows[] = {
    { "[]", "dialect=generic; " },
    { "{\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3},\"baseTimeNanoseconds\":17,"
      "\"traceEvents\":[]}",
      "rank=3;base_ns=17;base_ns=17;rank=3;dialect=kineto; "
      "device-work;launches;annotations;trace.kineto;" },
    { "{\"traceEvents\":[{\"cat\":\"cpu_op\"}],\"distributedInfo\":{\"rank\":\"4\"}}",
      "rank=4;dialect=kineto; device-work;launches;annotations;trace.kineto;" },
    { "[{\"ph\":\"X\",\"args\":{\"TS1\":\"1\"}}]", "dialect=aiu; clock.cycles;" },
    { "{\"deviceProperties\":[{}],\"traceEvents\":[{\"args\":{\"cycles_ts\":[1,2,3,4,5]}}]}",
      "dialect=kineto; device-work;launches;annotations;clock.cycles;trace.kineto;" },
    { "{\"traceEvents\":[{\"attr\":{\"TS1\":1}}],\"deviceProperties\":[{}]}",
      "dialect=kineto; device-work;launches;annotations;clock.cycles;trace.kineto;" },
    { "{\"deviceProperties\":[{}],\"traceEvents\":[{\"attr\":{}}]}",
      "dialect=kineto; device-work;launches;annotations;trace.kineto;" },
    { "[{\"ph\":\"X\",\"attr\":{}}]", "dialect=aiu; clock.cycles;" },
    { "{\"traceEvents\":[{\"args\":{\"TS1\":1}}],\"otherData\":{\"a\":[],\"Application\":"
      "\"Acelyzer: x\"}}",
      "dialect=aiu;skipped=1; clock.cycles;" },
    { "{\"otherData\":{\"Application\":\"The Acelyzer\"},\"traceEvents\":[]}",
      "dialect=generic;skipped=1; " },
    { "{\"otherData\":{\"Application\":[\"Acelyzer\"],\"by\":\"Acelyzer\"},\"traceEvents\":[]}",
      "dialect=generic; " },
    { "[{\"ph\":\"X\",\"name\":\"\\\"TS1\\\":\"}]", "dialect=generic; " },
  };
  const MillSource *source = source_under_test();
  const MillSourceOps *ops = source->ops;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    static const int64_t no_options[8];
    SourceHost *h = source_host_new(rows[i].text, strlen(rows[i].text));
    void *instance;
    CHECK_INT(ops->open(source, &h->source, no_options, &instance), 0);
    CHECK_INT(ops->describe(instance), 0);
    g_autofree char *got = g_strdup_printf("%s %s", h->described->str, h->facts->str);
    if (!CHECK_STR(got, rows[i].wanted)) CHECK_ROW(rows[i].text);
    ops->close(instance);
    source_host_free(h);
  }
}

/* Rank and base after the events are described when they are reached. */
static void test_late_keys(void)
{
  const char *text =
      "{\"traceEvents\":[{}],\"baseTimeNanoseconds\":5,\"distributedInfo\":{\"rank\":2}}";
  SourceHost *h = source_host_new(text, strlen(text));
  SourceRun run = { 16, 10, 0, false, NULL, NULL };
  CHECK_INT(source_run(h, &run), 0);
  CHECK_STR(h->described->str, "base_ns=5;rank=2;");
  source_host_free(h);
}

/* ------------------------------------------------- made-up traces, and forks */
static void plain_batch(void *user, const MillBatch *b)
{
  Dump *d = user;
  for (uint32_t i = 0; i < b->n_events; i++) {
    const MillEvent *e = &b->events[i];
    g_string_append_printf(d->out, "%lld %lld %s\n", (long long)e->ts_ns, (long long)e->dur_ns,
                           source_symbol(d->host, e->name));
  }
}

static void test_against_reader(void)
{
  for (unsigned round = 0; round < 300; round++) {
    g_autofree char *text = made_up_trace(1 + pick(60));
    g_autofree char *wanted = oracle(text);
    SourceHost *h = source_host_new(text, strlen(text));
    Dump d = { h, g_string_new(NULL), false };
    SourceRun run = { 1 + pick(700), 1 + pick(20), 0, false, plain_batch, &d };
    CHECK_INT(source_run(h, &run), 0);
    if (!CHECK_STR(d.out->str, wanted)) CHECK_ROW(text);
    g_string_free(d.out, TRUE);
    source_host_free(h);
  }
}

/* Parses bytes pos to stop with a fork and returns where it ended. */
typedef struct Part {
  GString *out;
  size_t begin, reached;
  int status;
} Part;

static Part fork_part(SourceHost *h, void *parent, const char *bytes, size_t len, size_t pos,
                      size_t stop, bool raw)
{
  const MillSourceOps *ops = source_under_test()->ops;
  Part part = { g_string_new(NULL), pos, pos, 0 };
  Dump d = { h, part.out, raw };
  MillEvent events[5];
  MillAttr attrs[8];
  MillBatch batch = { .size = sizeof batch,
                      .events = events,
                      .max_events = 5,
                      .attrs = attrs,
                      .max_attrs = 8,
                      .raw_ = bytes };
  MillBlock block = { .bytes = bytes, .len = len, .pos = pos, .stop = stop, .at_end = true };
  void *fork;
  CHECK_INT(ops->fork(parent, &h->source, &fork), 0);
  do {
    batch.n_events = 0;
    part.status = ops->parse(fork, &block, &batch);
    dump_batch(&d, &batch);
  } while (part.status == MILL_PARSE_FULL);
  part.reached = block.pos;
  ops->close(fork);
  return part;
}

/* What events lack is told, also of events whose shape was learnt; a slice without a start has no length. */
static void test_lacks(void)
{
  static const struct {
    const char *event, *wanted;
    unsigned note;
  } rows[] = {
    { "{\"ph\":\"X\",\"name\":\"a\",\"dur\":2}", "X a p=- t=-\n", 43 },
    { "{\"ph\":\"X\",\"name\":\"a\",\"ts\":null,\"dur\":2}", "X a p=- t=-\n", 43 },
    { "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1}", "X a ts=1000 p=- t=-\n", 44 },
    { "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":null}", "X a ts=1000 p=- t=-\n", 44 },
    { "{\"name\":\"a\",\"ts\":1,\"dur\":2}", "? a ts=1000 dur=2000 p=- t=-\n", 45 },
    { "{\"ph\":\"\",\"name\":\"a\",\"ts\":1}", "? a ts=1000 p=- t=-\n", 45 },
    { "{\"ph\":\"Z\",\"name\":\"a\",\"ts\":1}", "? a ts=1000 p=- t=-\n", 45 },
    { "{\"ph\":\"v\",\"name\":\"a\",\"ts\":1}", "? a ts=1000 p=- t=-\n", 0 },
    { "{\"ph\":\"\\u0058\",\"name\":\"a\",\"ts\":1,\"dur\":2}", "X a ts=1000 dur=2000 p=- t=-\n",
      0 },
    { "{\"ph\":\"X\",\"cat\":\"foo,kernel\",\"name\":\"a\",\"ts\":1,\"dur\":2}",
      "X a cat=kernel ts=1000 dur=2000 p=- t=-\n", 46 },
    { "{\"ph\":\"X\",\"cat\":\"foo,bar\",\"name\":\"a\",\"ts\":1,\"dur\":2}",
      "X a cat=foo,bar ts=1000 dur=2000 p=- t=-\n", 0 },
  };
  enum { N = 40 };
  for (unsigned r = 0; r < MILL_COUNT(rows); r++) {
    g_autoptr(GString) text = g_string_new("["), wanted = g_string_new(NULL);
    for (unsigned i = 0; i < N; i++) {
      g_string_append_printf(text, "%s%s", i ? "," : "", rows[r].event);
      g_string_append(wanted, rows[r].wanted);
    }
    g_string_append_c(text, ']');
    if (rows[r].note) g_string_append_printf(wanted, "note %u: %u\n", rows[r].note, (unsigned)N);
    expect_run(text->str, NULL, 0, "l", wanted->str);
  }
}

/* In order, as a host does it: a part counts only if the one before ended where it began. */
static char *run_in_parts(const char *text, size_t chunk)
{
  const MillSourceOps *ops = source_under_test()->ops;
  static const int64_t no_options[8];
  size_t len = strlen(text);
  SourceHost *h = source_host_new(text, len);
  g_autofree char *bytes = source_block(text, len);
  Dump d = { h, g_string_new(NULL), true };
  MillEvent event;
  MillBatch batch = { .size = sizeof batch, .events = &event, .max_events = 1, .raw_ = bytes };
  MillBlock block = { .bytes = bytes, .len = len, .stop = len, .at_end = true };
  void *instance;
  ops->open(source_under_test(), &h->source, no_options, &instance);
  ops->start(instance);
  ops->parse(instance, &block, &batch);
  dump_batch(&d, &batch);
  while (ops->in_events(instance) && block.pos < len) {
    size_t start = block.pos / chunk * chunk + chunk, stop = MIN(start + chunk, len);
    Part first = fork_part(h, instance, bytes, len, block.pos, MIN(start, len), true);
    g_string_append(d.out, first.out->str);
    block.pos = first.reached;
    g_string_free(first.out, TRUE);
    if (first.status != MILL_PARSE_STOP) break;
    int64_t guess = start < len ? ops->sync(bytes + start, len - start) : -1;
    if (guess < 0 || start + (size_t)guess >= stop) continue;
    Part second = fork_part(h, instance, bytes, len, start + (size_t)guess, stop, true);
    bool proven = second.begin == block.pos && second.status == MILL_PARSE_STOP;
    if (proven) {
      g_string_append(d.out, second.out->str);
      block.pos = second.reached;
    }
    g_string_free(second.out, TRUE);
  }
  int status;
  do {
    batch.n_events = 0;
    status = ops->parse(instance, &block, &batch);
    dump_batch(&d, &batch);
  } while (status == MILL_PARSE_FULL);
  CHECK_INT(status, MILL_PARSE_DONE);
  g_string_append(d.out, h->members->str);
  for (unsigned i = 0; i < LACKS_FIRST; i++)
    if (!CHECK_INT(h->notes[i], 0)) CHECK_ROW(text);
  ops->close(instance);
  source_host_free(h);
  return g_string_free(d.out, FALSE);
}

static void test_forks(void)
{
  for (unsigned round = 0; round < 300; round++) {
    g_autofree char *text = made_up_trace(2 + pick(60));
    g_autofree char *wanted = whole_run(text, strlen(text), NULL, 0, "w", 1 << 20, 100);
    g_autofree char *got = run_in_parts(text, 50 + pick(1500));
    if (!CHECK_STR(got, wanted)) CHECK_ROW(text);
  }
}

static void test_refused_memory(void)
{
  static const int64_t no_options[8];
  const MillSource *source = source_under_test();
  SourceHost *h = source_host_new("[", 1);
  void *instance = NULL, *fork = NULL;
  CHECK_INT(source->ops->open(source, &h->source, no_options, &instance), 0);
  h->memory.refuses = true;
  CHECK_INT(source->ops->fork(instance, &h->source, &fork), -MILL_LIMIT);
  CHECK(fork == NULL);
  source->ops->close(instance);
  CHECK_INT(source->ops->open(source, &h->source, no_options, &fork), -MILL_LIMIT);
  CHECK(fork == NULL);
  source_host_free(h);
}

static void test_sync(void)
{
  static const struct {
    const char *text;
    int64_t at;
  } rows[] = {
    { "1},{\"ph\":", 3 },
    { "} , \n {  \"ts\":1", 6 },
    { "{\"ph\":\"X\"}", -1 },
    { "},{\"xyz\":1}", -1 },
    { "},{", -1 },
    { "},{\"", -1 },
    { "", -1 },
    { "\\\"},{\\\"ph\\\"},{\"ph\"", 13 },
  };
  const MillSourceOps *ops = source_under_test()->ops;
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (!CHECK_INT(ops->sync(rows[i].text, strlen(rows[i].text)), rows[i].at))
      CHECK_ROW(rows[i].text);
}

/* Every notice can be explained, and each has a number of its own. */
static void test_notices(void)
{
  const MillNoticeRows notices = source_under_test()->notices;
  for (uint32_t i = 0; i < notices.n; i++) {
    const MillNotice *n = &notices.at[i];
    if (!CHECK(n->number && n->what && n->explain && strlen(n->explain) > 120)) CHECK_ROW(n->what);
    for (uint32_t j = 0; j < i; j++) CHECK(n->number != notices.at[j].number);
  }
}

TEST_MAIN({ "events", test_events }, { "times", test_times }, { "attributes", test_attributes },
          { "space for attributes", test_attribute_space }, { "documents", test_documents },
          { "repairs", test_repairs }, { "failures", test_failures },
          { "malformed", test_malformed }, { "strict", test_strict }, { "probe", test_probe },
          { "describe", test_describe }, { "late keys", test_late_keys },
          { "against the reader", test_against_reader }, { "what events lack", test_lacks },
          { "forks", test_forks }, { "refused memory", test_refused_memory }, { "sync", test_sync },
          { "notices", test_notices })
