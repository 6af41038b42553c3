/* The perfetto source: what the packets of a trace become, however cut. */
/* SPDX-License-Identifier: MIT */
#include "base/hash.h"
#include "perfetto-test.h"

/* ------------------------------------------------------------------ events */
/* The bytes of a whole trace by hand: a thread, a slice on it of 5 ns. */
static void test_bytes(void)
{
  static const char bytes[] = "\x0a\x0f"          /* a packet of 15 bytes */
                              "\x50\x07"          /* 10: sequence 7 */
                              "\xe2\x03\x0a"      /* 60: track descriptor of 10 bytes */
                              "\x08\x2a"          /* 1: uuid 42 */
                              "\x22\x06"          /* 4: thread of 6 bytes */
                              "\x08\x03\x10\x04"  /* pid 3, tid 4 */
                              "\x2a\x00"          /* 5: no name */
                              "\x0a\x0d"          /* a packet of 13 bytes */
                              "\x40\xe8\x07"      /* 8: time 1000 */
                              "\x5a\x08"          /* 11: event of 8 bytes */
                              "\x48\x01"          /* 9: begins */
                              "\x58\x2a"          /* 11: on 42 */
                              "\xba\x01\x01"      /* 23: name of one byte */
                              "a"                 /* */
                              "\x0a\x09"          /* a packet of 9 bytes */
                              "\x40\xed\x07"      /* 8: time 1005 */
                              "\x5a\x04"          /* 11: event of 4 bytes */
                              "\x48\x02\x58\x2a"; /* ends, on 42 */
  expect(g_string_new_len(bytes, sizeof bytes - 1), "B a ts=1000 p=3 t=4\nE  ts=1005 p=3 t=4\n");
}

static void test_names(void)
{
  GString *t = message();
  add_track(t, process_track(1, 10, "p \"q\""));
  add_track(t, thread_track(2, 10, 11, "t"));
  add_track(t, thread_track(2, 10, 11, "t")); /* told once */
  add_track(t, thread_track(2, 10, 11, "u"));
  add_track(t,
            put_sub(put_num(message(), 1, 3), 3, put_text(put_num(message(), 1, 12), 2, "/bin/x")));
  expect(
      t,
      "M process_name p=10 t=- repaired name=p \"q\" "
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":10,"
      "\"args\":{\"name\":\"p \\\"q\\\"\"}}\n"
      "M thread_name p=10 t=11 repaired name=t {\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":10,"
      "\"tid\":11,\"args\":{\"name\":\"t\"}}\n"
      "M thread_name p=10 t=11 repaired name=u {\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":10,"
      "\"tid\":11,\"args\":{\"name\":\"u\"}}\n"
      "M process_name p=12 t=- repaired name=/bin/x "
      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":12,"
      "\"args\":{\"name\":\"/bin/x\"}}\n");
}

static void test_rows(void)
{
  GString *t = message();
  add_track(t, process_track(1, 10, NULL));
  add_track(t, thread_track(2, 10, 11, NULL));
  add_track(t, plain_track(3, 1, "lane"));
  add_track(t, plain_track(4, 1, "lane"));
  add_track(t, plain_track(5, 2, "of a thread"));
  add_track(t, plain_track(6, 0, "lane"));
  add_track(t, plain_track(7, 8, "ring"));
  add_track(t, plain_track(8, 7, "ring"));
  for (unsigned track = 0; track < 10; track++)
    add_event(t, track, track_event(IS_INSTANT, track, "i"));
  expect(t, "i i ts=0 p=- t='track 0x0'\n"
            "i i ts=1 p=10 t='track 0x1'\n"
            "i i ts=2 p=10 t=11\n"
            "i i ts=3 p=10 t='lane'\n"
            "i i ts=4 p=10 t='lane 0x4'\n"
            "i i ts=5 p=10 t='of a thread'\n"
            "i i ts=6 p=- t='lane'\n"
            "i i ts=7 p=- t='ring'\n"
            "i i ts=8 p=- t='ring 0x8'\n"
            "i i ts=9 p=- t='track 0x9'\n"
            "note 16: 1\n");
}

/* ------------------------------------------------------------------- state */
static GString *interned(unsigned kind, unsigned iid, const char *text)
{
  return put_sub(message(), kind, put_text(put_num(message(), 1, iid), 2, text));
}

static GString *with_state(uint64_t time, unsigned flags, GString *event)
{
  return put_num(event_packet(time, event), P_FLAGS, flags);
}

static GString *numbered_event(unsigned name, unsigned category)
{
  return put_num(put_num(put_num(message(), 9, IS_INSTANT), 10, name), 3, category);
}

static void test_interned(void)
{
  GString *t = message(), *p = with_state(1, CLEARED, numbered_event(5, 6));
  GString *texts = interned(2, 5, "five");
  put_sub(texts, 1, put_text(put_num(message(), 1, 6), 2, "six"));
  add_packet(t, put_sub(p, P_INTERNED, texts));
  add_packet(t, with_state(2, NEEDS, numbered_event(5, 6)));
  add_packet(t, with_state(3, NEEDS, put_text(put_text(numbered_event(5, 6), 22, "x"), 22, "y")));
  add_packet(t, with_state(4, NEEDS, numbered_event(6, 5))); /* other kinds, other numbers */
  add_packet(t, with_state(5, CLEARED, numbered_event(5, 6)));
  expect(t, "i five cat=six ts=1 p=- t='track 0x0'\n"
            "i five cat=six ts=2 p=- t='track 0x0'\n"
            "i five cat=six,x,y ts=3 p=- t='track 0x0'\n"
            "i  ts=4 p=- t='track 0x0'\n"
            "i  ts=5 p=- t='track 0x0'\n"
            "note 18: 4\n");
}

static GString *of_sequence(unsigned sequence, uint64_t time, unsigned flags)
{
  GString *p = put_num(put_num(message(), P_TIME, time), P_SEQUENCE, sequence);
  return put_sub(put_num(p, P_FLAGS, flags), P_EVENT, track_event(IS_INSTANT, 0, "i"));
}

static void test_lost_state(void)
{
  GString *t = message();
  add_packet(t, of_sequence(1, 1, NEEDS)); /* never cleared */
  add_packet(t, of_sequence(1, 2, 0));
  add_packet(t, of_sequence(1, 3, CLEARED));
  add_packet(t, of_sequence(1, 4, NEEDS));
  add_packet(t, of_sequence(2, 5, NEEDS)); /* the state of another one */
  add_packet(t, put_num(of_sequence(1, 6, NEEDS), 42, 1));
  add_packet(t, of_sequence(1, 7, NEEDS));
  add_packet(t,
             put_num(of_sequence(1, 8, NEEDS), 41, 1)); /* the old way to say that it is cleared */
  expect(t, "i i ts=2 p=- t='track 0x0'\ni i ts=3 p=- t='track 0x0'\ni i ts=4 p=- t='track 0x0'\n"
            "i i ts=8 p=- t='track 0x0'\nnote 12: 4\nnote 13: 1\n");
}

static void test_defaults(void)
{
  GString *t = message(), *p = with_state(1, CLEARED, put_num(message(), 9, BEGINS));
  add_track(t, thread_track(7, 1, 2, NULL));
  add_packet(t, put_sub(p, P_DEFAULTS, put_sub(message(), 11, put_num(message(), 11, 7))));
  add_packet(t, with_state(2, NEEDS, put_num(message(), 9, ENDS)));
  add_packet(t, with_state(3, CLEARED, put_num(message(), 9, IS_INSTANT)));
  expect(t, "B  ts=1 p=1 t=2\nE  ts=2 p=1 t=2\ni  ts=3 p=- t='track 0x0'\n");
}

/* A thread that the sequence has by itself, as before there were tracks. */
static void test_old_threads(void)
{
  GString *t = message(), *p = event_packet(1, put_num(message(), 9, IS_INSTANT));
  add_packet(t, put_sub(p, 44, put_num(put_num(message(), 1, 5), 2, 6)));
  add_packet(t, event_packet(2, put_num(put_sub(message(), 6, message()), 9, BEGINS)));
  add_packet(t, event_packet(3, put_sub(message(), 6, message())));
  add_packet(t, event_packet(4, message()));
  add_packet(t, event_packet(5, put_num(message(), 9, 17)));
  expect(t, "i  ts=1 p=5 t=6\nB  ts=2 p=5 t=6\nnote 19: 1\nnote 20: 2\n");
}

/* ------------------------------------------------------------------- times */
static GString *snapshot(unsigned a, uint64_t a_time, unsigned b, uint64_t b_time)
{
  return put_sub(put_sub(message(), 1, clock_reading(a, a_time)), 1, clock_reading(b, b_time));
}

static void add_snapshot(GString *trace, unsigned sequence, GString *readings)
{
  add_packet(trace, put_sub(put_num(message(), P_SEQUENCE, sequence), P_SNAPSHOT, readings));
}

static GString *timed(unsigned sequence, unsigned clock, uint64_t time)
{
  GString *p = put_num(put_num(message(), P_TIME, time), P_SEQUENCE, sequence);
  return put_sub(put_num(p, P_CLOCK, clock), P_EVENT, track_event(IS_INSTANT, 0, NULL));
}

#define AT(ns) "i  ts=" #ns " p=- t='track 0x0'\n"

static void test_clocks(void)
{
  GString *t = message();
  add_packet(t, timed(1, 3, 100)); /* nobody knows it yet */
  add_snapshot(t, 1, snapshot(3, 100, 6, 1000));
  add_snapshot(t, 1, snapshot(3, 200, 6, 1101)); /* one nanosecond apart since */
  add_packet(t, timed(1, 3, 99));
  add_packet(t, timed(1, 3, 199));
  add_packet(t, timed(1, 3, 200));
  add_packet(t, timed(2, 3, 300));            /* known to all */
  add_packet(t, timed(1, 6, 300));            /* the trace's own */
  add_snapshot(t, 1, snapshot(3, 300, 1, 5)); /* by way of 3 */
  add_packet(t, timed(1, 1, 7));
  add_packet(t, timed(1, 6, (uint64_t)1 << 63));
  expect(t, AT(999) AT(1099) AT(1101) AT(1201) AT(300) AT(1203) "note 14: 2\nbase_ns=-1196;");
}

static void test_own_clocks(void)
{
  GString *t = message(), *reading = clock_reading(64, 10);
  put_num(put_num(reading, 3, 1), 4, 1000); /* counts on, in microseconds */
  add_snapshot(t, 1, put_sub(put_sub(message(), 1, reading), 1, clock_reading(6, 70000)));
  add_packet(t, timed(1, 64, 0));
  add_packet(t, timed(1, 64, 2));
  add_packet(t, timed(1, 64, 3));
  add_packet(t, timed(2, 64, 3)); /* another writer has none */
  add_packet(t, timed(1, 64, UINT64_MAX / 1000));
  expect(t, AT(70000) AT(72000) AT(75000) "note 14: 2\n");
}

static void test_primary_clock(void)
{
  GString *t = message();
  add_snapshot(t, 1, put_num(snapshot(3, 100, 6, 1000), 2, 3));
  add_packet(t, timed(1, 6, 1007));
  add_packet(t, event_packet(9, track_event(IS_INSTANT, 0, NULL)));
  add_packet(t, put_sub(message(), P_EVENT, put_num(track_event(IS_INSTANT, 0, NULL), 16, 4)));
  add_packet(t, put_sub(message(), P_EVENT, track_event(IS_INSTANT, 0, NULL)));
  expect(t, AT(107) AT(9) AT(4000) "note 14: 1\n");
}

static void test_large_readings(void)
{
  GString *t = message();
  add_snapshot(t, 1, snapshot(3, UINT64_MAX, 6, 5));
  expect(t, "note 15: 1\n");
}

/* From the first bytes; then it is not told again. */
static void test_base(void)
{
  GString *t = message();
  add_snapshot(t, 1, snapshot(1, 1700000000000000000u, 6, 500));
  g_autofree char *got = whole_run(t, (How){ 100, 10, false, true });
  CHECK_STR(got, "dialect=perfetto;base_ns=1699999999999999500;");
  g_string_free(t, TRUE);
}

/* ---------------------------------------------------------------- counters */
static GString *counter(uint64_t uuid, uint64_t parent, const char *name, GString *about)
{
  GString *t = put_num(put_num(message(), 1, uuid), 5, parent);
  if (name) put_text(t, 2, name);
  return put_sub(t, 8, about);
}

static GString *value(uint64_t track, int64_t number)
{
  return put_num(track_event(IS_COUNTER, track, NULL), 30, (uint64_t)number);
}

static void test_counters(void)
{
  GString *t = message();
  add_track(t, process_track(1, 10, NULL));
  add_track(t, thread_track(2, 10, 11, NULL));
  add_track(t, counter(3, 1, "memory", put_num(put_num(message(), 3, 3), 4, 1024)));
  add_track(t, counter(4, 1, "memory", put_text(message(), 6, "pages")));
  add_track(t, counter(5, 2, NULL, put_num(message(), 1, 1)));
  add_track(t, counter(6, 0, "all", message()));
  add_event(t, 1, value(3, 2));
  add_event(t, 2, value(4, -2));
  add_event(t, 3, value(5, 7));
  add_event(t, 4, put_real(track_event(IS_COUNTER, 6, NULL), 44, 0.25));
  add_event(t, 5, put_real(track_event(IS_COUNTER, 3, NULL), 44, 0.5));
  add_event(t, 6, value(3, INT64_MAX));
  add_event(t, 7, value(2, 1));                      /* no counter */
  add_event(t, 8, track_event(IS_COUNTER, 3, NULL)); /* no value */
  add_event(t, 9, track_event(BEGINS, 3, "x"));      /* no place for slices */
  add_event(t, 9, put_word(track_event(IS_COUNTER, 6, NULL), 44, 0x7ff0000000000000u));
  expect(t, "C memory ts=1 p=10 t=- bytes=2048\n"
            "C memory 0x4 ts=2 p=10 t=- pages=-2\n"
            "C thread_time ts=3 p=10 t=11 ns=7\n"
            "C all ts=4 p=- t=- value=0.25\n"
            "C memory ts=5 p=10 t=- bytes=512.0\n"
            "C memory ts=6 p=10 t=- bytes=9.44473296573929e+21\n"
            "note 17: 4\n");
}

static void test_incremental_counters(void)
{
  GString *t = message();
  add_track(t, counter(3, 0, "sum", put_num(put_num(message(), 5, 1), 4, 10)));
  add_event(t, 1, value(3, 5));
  add_event(t, 2, value(3, -2));
  add_packet(t, with_state(3, CLEARED, value(3, 1)));
  add_packet(t, put_num(event_packet(4, value(3, 1)), P_SEQUENCE, 2)); /* of another writer */
  add_event(t, 5, value(3, INT64_MAX));
  expect(t,
         "C sum ts=1 p=- t=- value=50\nC sum ts=2 p=- t=- value=30\nC sum ts=3 p=- t=- value=10\n"
         "note 17: 2\n");
}

static void test_extra_counters(void)
{
  GString *t = message(), *e = track_event(BEGINS, 0, "a"), *defaults = message();
  add_track(t, counter(3, 0, "n", message()));
  add_track(t, counter(4, 0, "r", message()));
  put_num(put_num(e, 31, 3), 12, 7);
  put_num(e, 12, 8); /* a value without a track */
  put_real(put_num(put_num(e, 45, 4), 45, 4), 46, 1.5);
  add_event(t, 1, e);
  put_num(put_num(put_num(defaults, 31, 4), 31, 3), 45, 3);
  GString *p = event_packet(2, put_num(put_num(track_event(ENDS, 0, NULL), 12, 1), 12, 2));
  add_packet(t, put_sub(p, P_DEFAULTS, put_sub(message(), 11, defaults)));
  add_event(t, 3, put_real(value(3, 9), 46, 0.5)); /* the event itself may be one */
  expect(t, "B a ts=1 p=- t='track 0x0'\nC n ts=1 p=- t=- value=7\nC r ts=1 p=- t=- value=1.5\n"
            "E  ts=2 p=- t='track 0x0'\nC r ts=2 p=- t=- value=1\nC n ts=2 p=- t=- value=2\n"
            "C n ts=3 p=- t=- value=9\nC n ts=3 p=- t=- value=0.5\nnote 17: 1\n");
}

/* ------------------------------------------------------------------- flows */
static void test_flows(void)
{
  GString *t = message();
  add_event(t, 10, put_word(put_word(track_event(BEGINS, 0, "a"), 47, 7), 47, UINT64_C(1) << 40));
  add_event(t, 11, put_word(track_event(ENDS, 0, NULL), 47, 7)); /* still of the slice that ends */
  add_event(t, 12, put_word(track_event(BEGINS, 0, "b"), 48, 7));
  add_event(t, 13, put_word(track_event(ENDS, 0, NULL), 48, 7)); /* it has ended */
  add_event(t, 14,
            put_num(track_event(IS_INSTANT, 0, NULL), 36, 7)); /* begins anew, in the old field */
  add_event(t, 9, put_num(track_event(IS_INSTANT, 0, NULL), 42, 7)); /* back in time */
  /* A number that is used again is not shown again. */
  unsigned long long again = hash_pair(hash_seed_fixed(), 7, 1);
  g_autofree char *wanted = g_strdup_printf(
      "B a ts=10" ROW "\ns flow cat=perfetto ts=10" ROW " hex=7\n"
      "s flow cat=perfetto ts=10" ROW " hex=1099511627776\n"
      "t flow cat=perfetto ts=11" ROW " hex=7\nE  ts=11" ROW "\n"
      "B b ts=12" ROW "\nf flow cat=perfetto ts=12" ROW " hex=7 bind\nE  ts=13" ROW "\n"
      "i  ts=14" ROW "\ns flow cat=perfetto ts=14" ROW " hex=%lld\n"
      "i  ts=9" ROW "\nf flow cat=perfetto ts=9" ROW " hex=%lld bind\nnote 21: 1\nnote 22: 1\n",
      (long long)again, (long long)again);
  CHECK(again != 7);
  expect(t, wanted);
}

/* ------------------------------------------------------------- annotations */
static GString *named(const char *name) { return put_text(message(), 10, name); }

static GString *annotated(GString *annotation)
{
  return put_sub(track_event(IS_INSTANT, 0, NULL), 4, annotation);
}

static void expect_attr(GString *annotation, const char *wanted)
{
  GString *t = message();
  g_autofree char *line = g_strdup_printf("i  ts=0" ROW "%s\n", wanted);
  add_event(t, 0, annotated(annotation));
  expect(t, line);
}

static void test_values(void)
{
  expect_attr(put_num(named("a"), 2, 1), " a=true");
  expect_attr(put_num(named("a"), 3, 5), " a=5");
  expect_attr(put_num(named("a"), 3, UINT64_MAX), " a=`18446744073709551615`");
  expect_attr(put_num(named("a"), 4, (uint64_t)-5), " a=-5");
  expect_attr(put_real(named("a"), 5, 2.5), " a=2.5");
  expect_attr(put_word(named("a"), 5, 0x7ff8000000000000u), " a='NaN'");
  expect_attr(put_word(named("a"), 5, 0xfff0000000000000u), " a='-Infinity'");
  expect_attr(put_text(named("a"), 6, "t"), " a='t'");
  expect_attr(put_num(named("a"), 7, 255), " a='0xff'");
  expect_attr(put_text(named("a"), 9, "{\"x\": [1]}"), " a=`{\"x\": [1]}`");
  expect_attr(put_text(named("a"), 9, "{x"), " a='{x'");
  expect_attr(named("a"), "");
}

static GString *one(unsigned field, GString *inner, GString *outer)
{
  return put_sub(outer, field, inner);
}

static void test_nested(void)
{
  GString *list = named("a");
  put_sub(list, 12, put_num(message(), 4, 1));
  put_sub(list, 12, put_text(message(), 6, "\""));
  put_sub(list, 12, message());
  expect_attr(list, " a=`[1,\"\\\"\",null]`");
  GString *inner = put_sub(named("i"), 11, put_real(named("r"), 5, 0.5));
  GString *object = put_sub(put_sub(named("a"), 11, inner), 11, put_num(named("b"), 2, 0));
  expect_attr(object, " a=`{\"i\":{\"r\":0.5},\"b\":false}`");
  GString *old =
      put_text(put_text(put_num(message(), 1, 1), 2, "k"), 2, "l"); /* Nested: an object */
  put_sub(put_sub(old, 3, put_num(message(), 5, 3)), 3,
          put_sub(put_num(message(), 1, 2), 4, message()));
  expect_attr(one(8, old, named("a")), " a=`{\"k\":3,\"l\":[null]}`");
}

static void test_interned_annotations(void)
{
  GString *t = message(), *texts = interned(3, 1, "key");
  put_sub(texts, 29, put_text(put_num(message(), 1, 2), 2, "text"));
  GString *p = event_packet(1, annotated(put_num(put_num(message(), 1, 1), 17, 2)));
  add_packet(t, put_sub(p, P_INTERNED, texts));
  GString *list = put_sub(put_num(message(), 1, 1), 12, put_num(message(), 17, 2));
  add_event(t, 2, annotated(list));
  add_event(t, 3, annotated(put_num(put_num(message(), 1, 9), 4, 2))); /* a name that is missing */
  add_event(t, 4, annotated(put_num(message(), 4, 2)));                /* no name at all */
  expect(t, "i  ts=1" ROW " key=text\ni  ts=2" ROW " key=`[\"text\"]`\ni  ts=3" ROW "\ni  ts=4" ROW
            "\n"
            "note 18: 1\nnote 24: 1\n");
}

static GString *deep(unsigned levels)
{
  GString *a = put_num(message(), 4, 1);
  while (levels--) a = put_sub(message(), 12, a);
  return put_text(a, 10, "a");
}

/* Each level is copied into the next one, which thread sanitizers make slow. */
#ifdef __SANITIZE_THREAD__
#define DEEP 5000
#else
#define DEEP 100000
#endif

static void test_deep(void)
{
  expect_attr(deep(15), " a=`[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]`");
  GString *t = message();
  add_event(t, 0, annotated(deep(16)));
  add_event(t, 1, annotated(deep(DEEP)));
  add_event(t, 2, annotated(put_text(named("b"), 12, "\xff"))); /* no message */
  expect(t, "i  ts=0" ROW " a=`[[[[[[[[[[[[[[[[null]]]]]]]]]]]]]]]]`\n"
            "i  ts=1" ROW " a=`[[[[[[[[[[[[[[[[null]]]]]]]]]]]]]]]]`\n"
            "i  ts=2" ROW " b=`[null]`\nnote 24: 3\n");
}

static void test_texts(void)
{
  GString *t = message();
  add_event(t, 0, track_event(IS_INSTANT, 0, "a\xff"));
  add_event(t, 1, annotated(put_bytes(named("k"), 6, "x\0y", 3)));
  expect(t, "i a\xef\xbf\xbd ts=0" ROW "\ni  ts=1" ROW " k='x\xef\xbf\xbdy'\nnote 23: 2\n");
}

static void test_many_annotations(void)
{
  GString *t = message(), *e = track_event(IS_INSTANT, 0, NULL);
  for (int i = 0; i < 65537; i++) put_sub(e, 4, put_num(named("a"), 4, 1));
  add_event(t, 0, e);
  g_autofree char *got = whole_run(t, (How){ 1 << 20, 8, false, false });
  CHECK(g_str_has_suffix(got, " a=1\nnote 25: 1\n"));
  unsigned n = 0;
  for (const char *p = got; (p = strstr(p, " a=1")); p++) n++;
  CHECK_INT(n, 65535);
  g_string_free(t, TRUE);
}

TEST_MAIN({ "bytes", test_bytes }, { "names", test_names }, { "rows", test_rows },
          { "interned", test_interned }, { "lost state", test_lost_state },
          { "defaults", test_defaults }, { "old threads", test_old_threads },
          { "clocks", test_clocks }, { "own clocks", test_own_clocks },
          { "primary clock", test_primary_clock }, { "base", test_base },
          { "large readings", test_large_readings }, { "counters", test_counters },
          { "incremental counters", test_incremental_counters },
          { "extra counters", test_extra_counters }, { "flows", test_flows },
          { "values", test_values }, { "nested", test_nested },
          { "interned annotations", test_interned_annotations }, { "deep", test_deep },
          { "texts", test_texts }, { "many annotations", test_many_annotations })
