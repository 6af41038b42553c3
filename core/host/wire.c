/* Messages between the program and the process of a stage; see wire.h. */
/* SPDX-License-Identifier: MIT */
#include "host/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST_BYTES ((uint64_t)1 << 40)

/* ------------------------------------------------------------------ messages */

/* A length, then so many bytes: nearly always one call of the system on each side. */
enum { USUAL_BYTES = 4096 };
/* Times of the socket until a message that has begun does not go on: whoever writes one writes all of it. */
enum { MOST_WAITS = 200 };

static bool send_all(int fd, struct iovec *parts, size_t n)
{
  struct msghdr message = { .msg_iov = parts, .msg_iovlen = n };
  while (message.msg_iovlen) {
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    while (message.msg_iovlen && (size_t)sent >= message.msg_iov->iov_len) {
      sent -= (ssize_t)message.msg_iov->iov_len;
      message.msg_iov++;
      message.msg_iovlen--;
    }
    if (!message.msg_iovlen) break;
    message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + sent;
    message.msg_iov->iov_len -= (size_t)sent;
  }
  return true;
}

bool wire_send(int fd, Summary *message)
{
  uint64_t len = message->len;
  struct iovec parts[] = { { &len, sizeof len }, { message->bytes, message->len } };
  bool fine = send_all(fd, parts, 2);
  summary_clear(message);
  return fine;
}

static bool is_wait(int error_no) { return error_no == EAGAIN || error_no == EWOULDBLOCK; }

/* At least so many bytes into `to`, which has *io_got of them; of a message that has begun, or is to. */
static WireGot receive(int fd, char *to, size_t least, size_t most, bool has_begun, size_t *io_got)
{
  unsigned n_waits = 0;
  while (*io_got < least) {
    ssize_t n = recv(fd, to + *io_got, most - *io_got, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && is_wait(errno)) {
      if (!has_begun) return WIRE_NOTHING;
      if (n_waits++ == MOST_WAITS) return WIRE_GARBLED;
      continue;
    }
    if (n <= 0) return WIRE_GONE;
    *io_got += (size_t)n;
    has_begun = true;
    n_waits = 0;
  }
  return WIRE_MESSAGE;
}

/* Both sides take turns: after a message nothing follows until it is answered. */
WireGot wire_receive(int fd, Summary *out)
{
  char first[USUAL_BYTES];
  uint64_t len;
  size_t have = 0;
  *out = (Summary){ 0 };
  WireGot got = receive(fd, first, sizeof len, sizeof first, false, &have);
  if (got != WIRE_MESSAGE) return got;
  memcpy(&len, first, sizeof len);
  have -= sizeof len;
  if (len > MOST_BYTES || have > len || !(out->bytes = g_try_malloc(len + 1))) return WIRE_GARBLED;
  memcpy(out->bytes, first + sizeof len, have);
  out->len = out->max = len;
  got = receive(fd, (char *)out->bytes, len, len, true, &have);
  if (got != WIRE_MESSAGE) summary_clear(out);
  return got;
}

/* ---------------------------------------------------------------------- area */

/* It only grows: what one side has mapped stays there, whatever the other one does. */
bool wire_area_open(WireArea *a)
{
  *a = (WireArea){ .fd = memfd_create("batch", MFD_CLOEXEC | MFD_ALLOW_SEALING) };
  return a->fd >= 0 && !fcntl(a->fd, F_ADD_SEALS, F_SEAL_SHRINK);
}

void wire_area_close(WireArea *a)
{
  if (a->at) munmap(a->at, a->bytes);
  if (a->fd >= 0) close(a->fd);
  *a = (WireArea){ .fd = -1 };
}

static bool map_area(WireArea *a, size_t bytes)
{
  void *at = a->at ? mremap(a->at, a->bytes, bytes, MREMAP_MAYMOVE)
                   : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
  if (at == MAP_FAILED) return false;
  a->at = at;
  a->bytes = bytes;
  return true;
}

/* Room for what this side writes. */
static bool make_room(WireArea *a, uint64_t bytes)
{
  uint64_t wanted = bytes + bytes / 2;
  if (bytes <= a->bytes) return true;
  return wanted < MOST_BYTES && !ftruncate(a->fd, (off_t)wanted) && map_area(a, wanted);
}

/* The other side may have made it larger, and says so at its start. */
static bool follow(WireArea *a)
{
  struct stat st;
  if (a->at && *(const uint64_t *)(const void *)a->at == a->bytes) return true;
  if (fstat(a->fd, &st) || st.st_size <= 0) return false;
  return (size_t)st.st_size == a->bytes || map_area(a, (size_t)st.st_size);
}

/* ------------------------------------------------------------------- batches */

typedef struct Head { /* at the start of the area; what follows begins at multiples of ALIGNMENT */
  uint64_t area_bytes;
  uint32_t lane, n_events, n_attrs, n_fresh;
  uint64_t own_len, raw_from, raw_len;
  BatchEnd before;
  WireBatch with;
} Head;

enum { ALIGNMENT = 64 };

typedef struct Parts { /* where they begin */
  uint64_t events, attrs, own, raw, fresh, fresh_at, end;
} Parts;

static uint64_t after(uint64_t at, uint64_t n, size_t size)
{
  return (at + n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static Parts parts_of(const Head *h)
{
  Parts p = { .events = after(0, 1, sizeof *h) };
  p.attrs = after(p.events, h->n_events, sizeof(MillEvent));
  p.own = after(p.attrs, h->n_attrs, sizeof(MillAttr));
  p.raw = after(p.own, h->own_len, 1);
  p.fresh = after(p.raw, h->raw_len, 1);
  p.fresh_at = after(p.fresh, h->n_fresh, sizeof(MillEvent));
  p.end = after(p.fresh_at, h->n_fresh, sizeof(uint32_t));
  return p;
}

static void put(const WireArea *a, uint64_t at, const void *rows, size_t bytes)
{
  if (bytes) memcpy(a->at + at, rows, bytes);
}

typedef struct Range { /* of bytes; none where `to` is 0 */
  uint64_t from, to;
} Range;

static bool has_text(const MillAttr *a)
{
  uint32_t type = a->type & MILL_ATTR_TYPE;
  return type == MILL_TEXT || type == MILL_JSON;
}

/* Of texts as read. */
static Range text_range(const Batch *b)
{
  Range r = { UINT64_MAX, 0 };
  for (uint32_t k = 0; k < b->pub.n_attrs; k++) {
    const MillAttr *a = &b->pub.attrs[k];
    if (!has_text(a) || a->type & MILL_ATTR_OWN) continue;
    r.from = MIN(r.from, a->u.text.off);
    r.to = MAX(r.to, (uint64_t)a->u.text.off + a->u.text.len);
  }
  return r;
}

/* The bytes as read that the stage can look at: those of texts, and of events where it may keep some. */
static void raw_range(const Batch *b, bool with_raw, Head *h)
{
  Range r = text_range(b);
  for (uint32_t k = 0; k < b->pub.n_events && with_raw; k++) {
    const MillEvent *e = &b->pub.events[k];
    if (!e->raw_len || e->flags & MILL_FLAG_OWN_RAW) continue;
    r.from = MIN(r.from, e->raw_off);
    r.to = MAX(r.to, (uint64_t)e->raw_off + e->raw_len);
  }
  h->raw_from = r.to ? r.from : 0;
  h->raw_len = r.to ? r.to - r.from : 0;
}

bool wire_put_batch(WireArea *a, const Batch *b, const WireBatch *with, bool with_raw)
{
  const MillBatch *p = &b->pub;
  Head h = { .lane = p->lane,
             .n_events = p->n_events,
             .n_attrs = p->n_attrs,
             .own_len = b->own_len,
             .before = b->before,
             .with = *with };
  raw_range(b, with_raw, &h);
  Parts at = parts_of(&h);
  if (!make_room(a, at.end)) return false;
  h.area_bytes = a->bytes;
  put(a, 0, &h, sizeof h);
  put(a, at.events, p->events, h.n_events * sizeof(MillEvent));
  put(a, at.attrs, p->attrs, h.n_attrs * sizeof(MillAttr));
  put(a, at.own, p->own_, h.own_len);
  if (h.raw_len) put(a, at.raw, p->raw_ + h.raw_from, h.raw_len);
  return true;
}

bool wire_get_batch(WireArea *a, Batch *into, WireBatch *out_with)
{
  Head h;
  if (!follow(a)) return false;
  memcpy(&h, a->at, sizeof h);
  Parts at = parts_of(&h);
  batch_reset(into, h.lane);
  into->pub.events_ = (MillEvent *)(void *)(a->at + at.events);
  into->pub.n_events = into->pub.max_events = h.n_events;
  into->before = h.before;
  into->pub.raw_ = h.raw_len ? a->at + at.raw - h.raw_from : "";
  if (h.n_attrs)
    memcpy(batch_add_attrs(into, h.n_attrs), a->at + at.attrs, h.n_attrs * sizeof(MillAttr));
  if (h.own_len) batch_own_text(into, a->at + at.own, h.own_len);
  *out_with = h.with;
  return true;
}

bool wire_put_result(WireArea *a, const Batch *b, const WireBatch *with)
{
  const MillBatch *p = &b->pub;
  Head h = { .lane = p->lane,
             .n_events = p->n_events,
             .n_attrs = p->n_attrs,
             .n_fresh = b->n_fresh,
             .own_len = b->own_len,
             .before = b->before,
             .with = *with };
  Parts at = parts_of(&h);
  if (!make_room(a, at.end)) return false;
  h.area_bytes = a->bytes;
  put(a, 0, &h, sizeof h); /* events are where they were */
  put(a, at.attrs, p->attrs, h.n_attrs * sizeof(MillAttr));
  put(a, at.own, p->own_, h.own_len);
  put(a, at.fresh, b->fresh, h.n_fresh * sizeof(MillEvent));
  put(a, at.fresh_at, b->fresh_at, h.n_fresh * sizeof(uint32_t));
  return true;
}

/* Attributes of an event must be rows of the batch, and their texts in its bytes or in those that were sent. */
static bool attrs_fit(const Head *h, const MillEvent *events, uint32_t n)
{
  for (uint32_t k = 0; k < n; k++)
    if (events[k].n_attrs && (uint64_t)events[k].attrs + events[k].n_attrs > h->n_attrs)
      return false;
  return true;
}

static bool texts_fit(const Head *h, const MillAttr *attrs, const Batch *b)
{
  const Range own = { 0, h->own_len }, read = text_range(b);
  for (uint32_t k = 0; k < h->n_attrs; k++) {
    const MillAttr *a = &attrs[k];
    const Range *in = a->type & MILL_ATTR_OWN ? &own : &read;
    if (!has_text(a)) continue;
    if (a->u.text.off < in->from || (uint64_t)a->u.text.off + a->u.text.len > in->to) return false;
  }
  return true;
}

/* The bytes of an event are where they were read, or in what came with it. */
static bool raw_fits(const Head *h, const MillEvent *e, const MillEvent *was)
{
  if (was && !((e->flags ^ was->flags) & MILL_FLAG_OWN_RAW))
    return e->raw_off == was->raw_off && e->raw_len == was->raw_len;
  if (!e->raw_len) return true;
  return e->flags & MILL_FLAG_OWN_RAW && (uint64_t)e->raw_off + e->raw_len <= h->own_len;
}

static bool all_raw_fits(const Head *h, const MillEvent *events, uint32_t n, const MillEvent *was)
{
  for (uint32_t k = 0; k < n; k++)
    if (!raw_fits(h, &events[k], was ? &was[k] : NULL)) return false;
  return true;
}

static const char *check(const WireArea *a, const Head *h, const Parts *at, const Batch *b)
{
  if (h->n_events != b->pub.n_events || h->n_attrs < b->pub.n_attrs || h->own_len < b->own_len)
    return "changed the header of a batch";
  const MillEvent *events = (const void *)(a->at + at->events);
  const MillEvent *fresh = (const void *)(a->at + at->fresh);
  if (!attrs_fit(h, events, h->n_events) || !attrs_fit(h, fresh, h->n_fresh) ||
      !texts_fit(h, (const void *)(a->at + at->attrs), b))
    return "changed attributes by hand";
  if (!all_raw_fits(h, events, h->n_events, b->pub.events) ||
      !all_raw_fits(h, fresh, h->n_fresh, NULL))
    return "changed a field that belongs to the program";
  return NULL;
}

const char *wire_get_result(WireArea *a, Batch *b, WireBatch *out_with)
{
  Head h;
  if (!follow(a) || a->bytes < sizeof h) return "changed the memory of the program";
  memcpy(&h, a->at, sizeof h);
  if (h.own_len > UINT32_MAX || h.raw_len) return "changed the header of a batch";
  Parts at = parts_of(&h);
  if (at.end > a->bytes) return "changed the header of a batch";
  const char *wrong = check(a, &h, &at, b);
  if (wrong) return wrong;
  if (h.n_events) memcpy(b->pub.events_, a->at + at.events, h.n_events * sizeof(MillEvent));
  if (h.n_attrs > b->pub.n_attrs) batch_add_attrs(b, h.n_attrs - b->pub.n_attrs);
  if (h.n_attrs) memcpy(b->pub.attrs_, a->at + at.attrs, h.n_attrs * sizeof(MillAttr));
  if (h.own_len > b->own_len)
    batch_own_text(b, a->at + at.own + b->own_len, h.own_len - b->own_len);
  batch_take_fresh(b, (const void *)(a->at + at.fresh), (const void *)(a->at + at.fresh_at),
                   h.n_fresh);
  b->before = h.before;
  *out_with = h.with;
  return NULL;
}
