/* Messages and batches between the program and the process of a stage: whole ones, and what a process that went wrong
 * may leave instead of them. */
/* SPDX-License-Identifier: MIT */
#include "host/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "events.h"

/* -------------------------------------------------------------------- messages */

typedef struct Ends {
  int there, here;
} Ends;

/* Here it waits for a millisecond, and not at all. */
static Ends ends_open(void)
{
  int fds[2];
  struct timeval soon = { .tv_usec = 1000 };
  CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  CHECK_INT(setsockopt(fds[1], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon), 0);
  return (Ends){ fds[0], fds[1] };
}

static void ends_close(Ends *e)
{
  if (e->there >= 0) close(e->there);
  close(e->here);
}

static Summary text_of(size_t len)
{
  Summary s = { 0 };
  g_autofree char *text = g_strnfill(len, 'x');
  summary_put_text(&s, text, len);
  return s;
}

static void test_messages(void)
{
  static const size_t lens[] = { 0, 1, 4000, 4096, 70000 };
  for (size_t k = 0; k < G_N_ELEMENTS(lens); k++) {
    Ends e = ends_open();
    Summary sent = text_of(lens[k]), got;
    size_t len = 0;
    CHECK(wire_send(e.there, &sent));
    CHECK(sent.bytes == NULL);
    CHECK_INT(wire_receive(e.here, &got), WIRE_MESSAGE);
    CHECK(strspn(summary_get_text(&got, &len), "x") == lens[k]);
    CHECK_INT(len, lens[k]);
    CHECK(!summary_more(&got) && !got.broken);
    summary_clear(&got);
    ends_close(&e);
  }
}

static void test_nobody(void)
{
  Ends e = ends_open();
  Summary got, sent = text_of(3);
  CHECK_INT(wire_receive(e.here, &got), WIRE_NOTHING);
  close(e.there);
  e.there = -1;
  CHECK_INT(wire_receive(e.here, &got), WIRE_GONE);
  CHECK(!wire_send(e.here, &sent));
  CHECK(sent.bytes == NULL && got.bytes == NULL);
  ends_close(&e);
}

/* What stands on the wire: a length, then the message. */
static GByteArray *bytes_of(uint64_t len, size_t n)
{
  GByteArray *bytes = g_byte_array_new();
  g_byte_array_append(bytes, (const guint8 *)&len, sizeof len);
  for (size_t k = 0; k < n; k++) g_byte_array_append(bytes, (const guint8 *)"i", 1);
  return bytes;
}

static WireGot received(const GByteArray *bytes, size_t n, bool ends)
{
  Ends e = ends_open();
  Summary got;
  CHECK(n == 0 || send(e.there, bytes->data, n, 0) == (ssize_t)n);
  if (ends) {
    close(e.there);
    e.there = -1;
  }
  WireGot what = wire_receive(e.here, &got);
  CHECK(what == WIRE_MESSAGE || got.bytes == NULL);
  summary_clear(&got);
  ends_close(&e);
  return what;
}

static void test_cut_messages(void)
{
  g_autoptr(GByteArray) bytes = bytes_of(20, 20);
  for (size_t n = 0; n < bytes->len; n++)
    if (!CHECK_INT(received(bytes, n, true), WIRE_GONE)) CHECK_INT(n, -1);
  CHECK_INT(received(bytes, bytes->len, true), WIRE_MESSAGE);
}

/* Somebody who wrote a few bytes and does nothing any more. */
static void test_begun_messages(void)
{
  g_autoptr(GByteArray) bytes = bytes_of(20, 20);
  static const size_t ns[] = { 1, 7, 8, 9, 27 };
  for (size_t k = 0; k < G_N_ELEMENTS(ns); k++)
    CHECK_INT(received(bytes, ns[k], false), WIRE_GARBLED);
}

static void test_absurd_lengths(void)
{
  static const struct {
    uint64_t len;
    size_t n;
  } rows[] = { { UINT64_MAX, 0 },      { UINT64_MAX, 8 }, { (uint64_t)1 << 63, 100 },
               { (UINT64_C(1) << 40) + 1, 100 }, { 3, 4 },          { 0, 1 },
               { 100, 4000 } };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    g_autoptr(GByteArray) bytes = bytes_of(rows[k].len, rows[k].n);
    if (!CHECK_INT(received(bytes, bytes->len, false), WIRE_GARBLED)) CHECK_INT(k, -1);
  }
}

/* --------------------------------------------------------------------- batches */

static const char raw_text[] = "{\"a\":\"from the file\"}";
enum { TEXT_AT = 6, TEXT_LEN = 13 };

static Batch *made(void)
{
  Batch *b = batch_new(8);
  batch_reset(b, 3);
  b->pub.raw_ = raw_text;
  for (uint64_t k = 0; k < 3; k++) {
    MillEvent *e = batch_append(b, event_at((int64_t)k * 10, 1, k));
    e->raw_len = sizeof raw_text - 1;
    batch_add_attr(b, 1, mill_int((int64_t)k));
    batch_add_attr(b, 2, mill_text("own", 3));
    batch_add_attr(b, 3, mill_int(0));
    MillAttr *last = &b->pub.attrs_[b->pub.n_attrs - 1];
    last->type = MILL_TEXT;
    last->u.text.off = TEXT_AT;
    last->u.text.len = TEXT_LEN;
  }
  return b;
}

typedef struct Sides { /* of one area: two maps of it */
  WireArea here, there;
  Batch *sent, *seen;
  MillEvent *own; /* of `seen`, whose events lie in the area */
} Sides;

static Sides sides_open(void)
{
  Sides s = { .sent = made(), .seen = batch_new(1) };
  const WireBatch with = { 3 };
  WireBatch came = { 0 };
  CHECK(wire_area_open(&s.here));
  CHECK(wire_put_batch(&s.here, s.sent, &with, true));
  s.there = (WireArea){ .fd = dup(s.here.fd) };
  s.own = s.seen->pub.events_;
  CHECK(wire_get_batch(&s.there, s.seen, &came));
  CHECK_INT(came.next_seq, 3);
  return s;
}

static void sides_close(Sides *s)
{
  s->seen->pub.events_ = s->own;
  s->seen->pub.raw_ = s->sent->pub.raw_ = "";
  batch_free(s->seen);
  batch_free(s->sent);
  wire_area_close(&s->here);
  wire_area_close(&s->there);
}

static bool text_is(const Batch *b, uint32_t attr, const char *text)
{
  const MillAttr *a = &b->pub.attrs[attr];
  const char *bytes = a->type & MILL_ATTR_OWN ? b->pub.own_ : b->pub.raw_;
  return a->u.text.len == strlen(text) && !memcmp(bytes + a->u.text.off, text, a->u.text.len);
}

static void test_there_and_back(void)
{
  Sides s = sides_open();
  WireBatch with = { 9 };
  CHECK_INT(s.seen->pub.lane, 3);
  CHECK_INT(s.seen->pub.n_events, 3);
  CHECK(text_is(s.seen, 1, "own") && text_is(s.seen, 2, "from the file"));
  CHECK(!memcmp(batch_raw(&s.seen->pub, &s.seen->pub.events[1]), raw_text, sizeof raw_text - 1));
  MillEvent fresh = event_at(5, 2, 0);
  mill_set_ts(&s.seen->pub.events_[1], 77);
  batch_set_attr(s.seen, &s.seen->pub.events_[0], 4, mill_text("made there", 10));
  batch_emit(s.seen, 1, &fresh);
  CHECK(wire_put_result(&s.there, s.seen, &with));
  CHECK_STR(wire_get_result(&s.here, s.sent, &with), NULL);
  CHECK_INT(with.next_seq, 9);
  CHECK_INT(s.sent->pub.events[1].ts_ns, 77);
  CHECK_INT(s.sent->n_fresh, 1);
  const MillEvent *changed = &s.sent->pub.events[0];
  CHECK_INT(changed->n_attrs, 4);
  CHECK(text_is(s.sent, changed->attrs + 1, "own") && text_is(s.sent, changed->attrs + 2, "from the file"));
  CHECK(text_is(s.sent, changed->attrs + 3, "made there"));
  sides_close(&s);
}

/* More than the area held: it grows there, and is found again here. */
static void test_growth(void)
{
  Sides s = sides_open();
  WireBatch with = { 3 };
  size_t before = s.here.bytes;
  g_autofree char *text = g_strnfill(1 << 20, 'x');
  for (int k = 0; k < 3; k++)
    batch_set_attr(s.seen, &s.seen->pub.events_[k], 4, mill_text(text, 1 << 20));
  CHECK(wire_put_result(&s.there, s.seen, &with));
  CHECK_STR(wire_get_result(&s.here, s.sent, &with), NULL);
  CHECK(s.here.bytes > before + (3 << 20));
  CHECK(text_is(s.sent, s.sent->pub.n_attrs - 1, text));
  sides_close(&s);
}

/* What is mapped must not vanish: to touch it would be a crash of the program. */
static void test_no_shrinking(void)
{
  Sides s = sides_open();
  CHECK_INT(ftruncate(s.there.fd, 1), -1);
  CHECK_INT(errno, EPERM);
  CHECK_INT(fcntl(s.there.fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
  sides_close(&s);
}

/* ------------------------------------------------- what a process may do by hand */

static void lies_about_attributes(Batch *b) { b->pub.events_[1].attrs = 1u << 30; }
static void lies_about_their_number(Batch *b) { b->pub.events_[1].n_attrs = 500; }
static void moves_raw_bytes(Batch *b) { b->pub.events_[1].raw_off = 7; }
static void lengthens_raw_bytes(Batch *b) { b->pub.events_[1].raw_len = UINT32_MAX; }
static void lengthens_own_text(Batch *b) { b->pub.attrs_[1].u.text.len = UINT32_MAX; }
static void moves_own_text(Batch *b) { b->pub.attrs_[1].u.text.off = UINT32_MAX; }
static void lengthens_read_text(Batch *b) { b->pub.attrs_[2].u.text.len = UINT32_MAX; }
static void moves_read_text(Batch *b) { b->pub.attrs_[2].u.text.off = 0; }
static void makes_read_text(Batch *b) { b->pub.attrs_[0].type = MILL_JSON; b->pub.attrs_[0].u.i = -1; }
static void removes_events(Batch *b) { b->pub.n_events--; }
static void adds_events(Batch *b) { b->pub.n_events += 1000; }
static void removes_attributes(Batch *b) { b->pub.n_attrs--; }
static void removes_bytes(Batch *b) { b->own_len--; }
static void own_raw_of_nothing(Batch *b)
{
  b->pub.events_[1].flags |= MILL_FLAG_OWN_RAW;
  b->pub.events_[1].raw_off = 1 << 20;
}
static void fresh_with_attributes(Batch *b)
{
  MillEvent e = event_at(1, 1, 1);
  batch_emit(b, 0, &e);
  b->fresh[0].n_attrs = 3;
  b->fresh[0].attrs = UINT32_MAX;
}
static void fresh_with_raw(Batch *b)
{
  MillEvent e = event_at(1, 1, 1);
  batch_emit(b, 0, &e);
  b->fresh[0].raw_len = 100;
}

#define HEADER "changed the header of a batch"
#define BY_HAND "changed attributes by hand"
#define FIELD "changed a field that belongs to the program"
static const struct {
  const char *name;
  void (*lie)(Batch *b);
  const char *says;
} lies[] = {
#define LIE(name, says) { #name, name, says }
  LIE(lies_about_attributes, BY_HAND),
  LIE(lies_about_their_number, BY_HAND),
  LIE(moves_raw_bytes, FIELD),
  LIE(lengthens_raw_bytes, FIELD),
  LIE(lengthens_own_text, BY_HAND),
  LIE(moves_own_text, BY_HAND),
  LIE(lengthens_read_text, BY_HAND),
  LIE(moves_read_text, BY_HAND),
  LIE(makes_read_text, BY_HAND),
  LIE(removes_events, HEADER),
  LIE(adds_events, HEADER),
  LIE(removes_attributes, HEADER),
  LIE(removes_bytes, HEADER),
  LIE(own_raw_of_nothing, FIELD),
  LIE(fresh_with_attributes, BY_HAND),
  LIE(fresh_with_raw, FIELD),
};

/* Nothing of it is used. */
static void test_lies(void)
{
  for (size_t k = 0; k < G_N_ELEMENTS(lies); k++) {
    Sides s = sides_open();
    Batch *as_sent = made();
    WireBatch with = { 3 };
    lies[k].lie(s.seen);
    CHECK(wire_put_result(&s.there, s.seen, &with));
    bool fine = CHECK_STR(wire_get_result(&s.here, s.sent, &with), lies[k].says);
    fine = fine && CHECK_INT(s.sent->pub.n_attrs, as_sent->pub.n_attrs);
    fine = fine && CHECK(!memcmp(s.sent->pub.events, as_sent->pub.events, 3 * sizeof(MillEvent)));
    if (!fine) CHECK_ROW(lies[k].name);
    as_sent->pub.raw_ = "";
    batch_free(as_sent);
    sides_close(&s);
  }
}

/* All that the batch points to lies in it. */
static bool is_sound(const Batch *b)
{
  for (uint32_t k = 0; k < b->pub.n_events; k++) {
    const MillEvent *e = &b->pub.events[k];
    if (e->n_attrs && (uint64_t)e->attrs + e->n_attrs > b->pub.n_attrs) return false;
    uint64_t max = e->flags & MILL_FLAG_OWN_RAW ? b->own_len : sizeof raw_text - 1;
    if (e->raw_len && (uint64_t)e->raw_off + e->raw_len > max) return false;
  }
  for (uint32_t k = 0; k < b->pub.n_attrs; k++) {
    const MillAttr *a = &b->pub.attrs[k];
    uint32_t type = a->type & MILL_ATTR_TYPE;
    uint64_t max = a->type & MILL_ATTR_OWN ? b->own_len : sizeof raw_text - 1;
    if ((type == MILL_TEXT || type == MILL_JSON) && (uint64_t)a->u.text.off + a->u.text.len > max)
      return false;
  }
  return true;
}

static void check_change(size_t at, uint64_t value, size_t width)
{
  Sides s = sides_open();
  WireBatch with = { 3 };
  CHECK(wire_put_result(&s.there, s.seen, &with));
  memcpy(s.there.at + at, &value, width);
  wire_get_result(&s.here, s.sent, &with);
  if (!CHECK(is_sound(s.sent))) CHECK_INT(at, -1);
  sides_close(&s);
}

/* Any byte of the area, and any number of its head, may be anything. */
static void test_changed_bytes(void)
{
  static const uint64_t absurd[] = { 0, 1, UINT32_MAX, UINT64_MAX, UINT64_MAX - 63,
                                     UINT64_MAX / sizeof(MillEvent) + 1, INT64_MAX };
  Sides s = sides_open();
  size_t n = MIN(s.here.bytes, 1200);
  sides_close(&s);
  for (size_t at = 0; at < n; at++) check_change(at, 0xff, 1);
  for (size_t at = 0; at < 128; at += 4)
    for (size_t k = 0; k < G_N_ELEMENTS(absurd); k++) {
      check_change(at, absurd[k], 4);
      check_change(at, absurd[k], 8);
    }
}

TEST_MAIN({ "messages", test_messages }, { "nobody is there", test_nobody },
          { "cut messages", test_cut_messages }, { "begun messages", test_begun_messages },
          { "absurd lengths", test_absurd_lengths }, { "there and back", test_there_and_back },
          { "growth", test_growth }, { "no shrinking", test_no_shrinking }, { "lies", test_lies },
          { "changed bytes", test_changed_bytes })
