/* The perfetto source: compressed packets, broken ones, broken files, and what is only counted. */
/* SPDX-License-Identifier: MIT */
#include <zlib.h>
#include <zstd.h>

#include "perfetto-test.h"

/* ------------------------------------------------------------- compression */
static GString *one_event(void)
{
  GString *t = message();
  add_event(t, 5, track_event(IS_INSTANT, 0, "in"));
  return t;
}

static GString *deflated(const GString *t)
{
  uLongf len = compressBound(t->len);
  g_autofree char *out = g_malloc(len);
  CHECK_INT(compress((Bytef *)out, &len, (const Bytef *)t->str, t->len), Z_OK);
  return put_bytes(message(), P_COMPRESSED, out, len);
}

static GString *zstd_packed(const GString *t)
{
  size_t max = ZSTD_compressBound(t->len);
  g_autofree char *out = g_malloc(max);
  return put_bytes(message(), 133, out, ZSTD_compress(out, max, t->str, t->len, 3));
}

#define IN "i in ts=5" ROW "\n"

static void test_compressed(void)
{
  GString *in = one_event(), *t = message();
  add_event(in, 6, track_event(IS_INSTANT, 0, "in2"));
  add_packet(t, deflated(in));
  add_packet(t, zstd_packed(in));
  add_event(t, 5, track_event(IS_INSTANT, 0, "in"));
  add_packet(t, deflated(in));
  g_string_free(in, TRUE);
  expect(t, IN "i in2 ts=6" ROW "\n" IN "i in2 ts=6" ROW "\n" IN IN "i in2 ts=6" ROW "\n");
}

/* Behind a good packet: the failure without --recover, and what there is with it. */
static void expect_bad(GString *packet, const char *why, const char *recovered)
{
  GString *t = one_event();
  add_packet(t, packet);
  add_event(t, 5, track_event(IS_INSTANT, 0, "in"));
  g_autofree char *wanted = g_strdup_printf("-3 fail %s\n", why);
  expect_recovered(t, recovered);
  expect(t, wanted);
}

#define INFLATE "6: compressed packets cannot be read | trace.json, byte 17 | "

static void test_bad_compression(void)
{
  GString *in = one_event();
  expect_bad(put_text(message(), P_COMPRESSED, "nothing"), INFLATE "incorrect header check",
             IN IN "note 11: 1\n");
  expect_bad(put_text(message(), 133, "nothing"), INFLATE "Unknown frame descriptor",
             IN IN "note 11: 1\n");
  GString *cut = deflated(in);
  cut->str[1]--; /* of the length */
  g_string_truncate(cut, cut->len - 1);
  cut->str[2]--;
  cut->str[1]++;
  expect_bad(cut, INFLATE "they end within compressed data", IN IN IN "note 11: 1\n");
  g_string_truncate(in, in->len - 1);
  expect_bad(deflated(in), INFLATE "the last one of them is cut off", IN IN "note 11: 1\n");
  g_string_assign(in, "x");
  expect_bad(deflated(in), INFLATE "their decompressed data is not a list of packets",
             IN IN "note 11: 1\n");
  g_string_truncate(in, 0);
  add_packet(in, deflated(in));
  expect_bad(deflated(in), INFLATE "they hold compressed packets themselves", IN IN "note 11: 1\n");
  g_string_free(in, TRUE);
}

/* ---------------------------------------------------------------- bad data */
#define BROKEN                                                                                 \
  "2: a packet cannot be read | trace.json, byte 17 | its fields do not end with it, or have " \
  "wrong types"

static void test_broken_packets(void)
{
  static const char *const rows[] = {
    "\x5a\x05\x48",     /* an event that is longer than its packet */
    "\x5a\x02\x48\x80", /* a number without an end */
    "\x40",             /* a field without a value */
    ("\x41"
     "12345678"),           /* a time in eight bytes */
    "\x58\x01",             /* an event that is a number */
    "\x5a\x03\x4a\x01x",    /* a type that is a text */
    "\x0b",                 /* a group */
    "\x07",                 /* no kind of value */
    "\x80\x80\x80\x80\x80", /* no field */
    "\x5a\x07\x22\x80\x80\x80\x80\x80\x01",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    GString *packet = g_string_new(rows[i]);
    expect_bad(packet, BROKEN, IN IN "note 11: 1\n");
  }
}

static void test_broken_framing(void)
{
  GString *t = one_event();
  put_num(t, 2, 1);
  expect_recovered(t, IN "note 10: 1\n");
  expect(t,
         "-3 fail 4: there are bytes where a packet should begin | trace.json, byte 17 | a packet "
         "begins with the byte 0x0a, and its length\n");
  t = put_varint(g_string_append_c(one_event(), '\n'), (64u << 20) + 1);
  expect_recovered(t, IN "note 10: 1\n");
  expect(t,
         "-3 fail 3: a packet is too long | trace.json, byte 17 | a packet says that it is longer "
         "than 64 MiB\n");
  t = g_string_append(one_event(), "\n\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  expect_recovered(t, IN "note 10: 1\n");
  expect(t,
         "-3 fail 4: there are bytes where a packet should begin | trace.json, byte 17 | a packet "
         "begins with the byte 0x0a, and its length\n");
}

#define CUT "-3 fail 1: the trace ends within a packet | trace.json, byte "

static void test_cuts(void)
{
  GString *whole = one_event();
  add_event(whole, 5, track_event(IS_INSTANT, 0, "in"));
  for (size_t len = 1; len < whole->len; len++) {
    GString *t = g_string_new_len(whole->str, (gssize)len);
    const char *fails = len < 17 ? CUT "0 | the input ends within a packet\n"
                                 : CUT "17 | the input ends within a packet\n";
    expect_recovered(t, len < 17 ? fails : len == 17 ? IN : IN "note 10: 1\n");
    expect(t, len == 17 ? IN : fails);
  }
  g_string_free(whole, TRUE);
  expect(message(), "-3 fail 5: the trace has no packets | trace.json, byte 0 | \n");
}

static void test_others(void)
{
  static const unsigned fields[] = { 1, 2, 7, 37, 52, 39, 5, 500, 33, 36, 9, 1 };
  GString *t = message();
  for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
    add_packet(t, put_text(put_num(message(), 3, 0), fields[i], "x"));
  expect(t, "note 30: 2\nnote 31: 2\nnote 32: 1\nnote 33: 1\nnote 34: 1\nnote 35: 1\nnote 36: 1\n"
            "note 37: 1\n");
}

static void test_refused_memory(void)
{
  g_autoptr(GString) t = one_event();
  SourceHost *h = source_host_new(t->str, t->len);
  SourceRun run = { 100, 10, 0, false, NULL, NULL };
  h->memory.refuses = true;
  CHECK_INT(source_run(h, &run), -MILL_LIMIT);
  source_host_free(h);
}

/* ------------------------------------------------------------------- probe */
static int probe(const char *bytes, size_t len, const char *name)
{
  const MillSource *source = source_under_test();
  return source->ops->probe(source, bytes, len, name);
}

static void test_probe(void)
{
  static const char *const others[] = {
    "",
    "\n",
    "\n\n",
    "\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    "\n{\"traceEvents\": []}",
    "\n[\n]\n",
    ("\n{\n  \"schemaVersion\": 1, \"traceEvents\": [ {\"ph\": \"X\", \"name\": "
     "\"aaaaaaaaaaaaaaaaaaaaaaaa\"} ] }"),
    "\nTime (%),Total Time (ns),Instances\n1,2,3\n",
    "\n\x02\x08\x01",
    "{}",
    "\n\x03\x40\x01\x41",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
    if (!CHECK_INT(probe(others[i], strlen(others[i]), "a.json"), 0)) CHECK_ROW(others[i]);
  g_autoptr(GString) t = one_event();
  add_event(t, 5, track_event(IS_INSTANT, 0, "in"));
  for (size_t len = 5; len <= t->len; len++)
    if (!CHECK_INT(probe(t->str, len, "x"), 90)) CHECK_ROW(t->str);
  CHECK_INT(probe("\n\x05xxxxx", 7, "a.pftrace"), 40);
  CHECK_INT(probe("x", 1, "a.pftrace"), 0);
}

TEST_MAIN({ "compressed", test_compressed }, { "bad compression", test_bad_compression },
          { "broken packets", test_broken_packets }, { "broken framing", test_broken_framing },
          { "cuts", test_cuts }, { "others", test_others },
          { "refused memory", test_refused_memory }, { "probe", test_probe })
