/* Fuzz target: what the process of an isolated stage sends or leaves in the memory of both.  The first byte says
 * which: bytes on the socket, or bytes that change what came back of a batch. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/wire.h"
#include "model/error.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 60000, TEXT = 12 }; /* bytes that a socket takes without a reader */

static const char raw[] = "as it was read";

static void as_message(const uint8_t *data, size_t size)
{
  int ends[2];
  Summary got;
  PROMISE(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  PROMISE(send(ends[0], data, size, 0) == (ssize_t)size);
  close(ends[0]);
  if (wire_receive(ends[1], &got) == WIRE_MESSAGE) {
    PROMISE(got.len + sizeof(uint64_t) == size);
    error_free(error_load(&got));
    while (summary_more(&got)) summary_get_text(&got, NULL);
    summary_clear(&got);
  }
  close(ends[1]);
}

static Batch *made(void)
{
  Batch *b = batch_new(2);
  batch_reset(b, 0);
  b->pub.raw_ = raw;
  for (int k = 0; k < 2; k++) {
    MillEvent *e = batch_add_event(b);
    *e = (MillEvent){ .kind = MILL_SLICE, .raw_len = sizeof raw - 1 };
    batch_add_attr(b, 1, mill_text("own", 3));
    batch_add_attr(b, 2, mill_int(0));
    b->pub.attrs_[b->pub.n_attrs - 1] =
        (MillAttr){ .key = 2, .type = MILL_TEXT, .u.text = { 0, TEXT } };
  }
  return b;
}

static void touch(const Batch *b)
{
  volatile uint64_t sum = 0;
  for (uint32_t k = 0; k < b->pub.n_events; k++) {
    const MillEvent *e = &b->pub.events[k];
    for (uint32_t n = 0; n < e->n_attrs; n++) sum += b->pub.attrs[e->attrs + n].key;
    for (uint32_t n = 0; n < e->raw_len; n++) sum += (uint8_t)batch_raw(&b->pub, e)[n];
  }
  for (uint32_t k = 0; k < b->pub.n_attrs; k++) {
    const MillAttr *a = &b->pub.attrs[k];
    uint32_t type = a->type & MILL_ATTR_TYPE;
    const char *bytes = a->type & MILL_ATTR_OWN ? b->pub.own_ : b->pub.raw_;
    if (type != MILL_TEXT && type != MILL_JSON) continue;
    for (uint32_t n = 0; n < a->u.text.len; n++) sum += (uint8_t)bytes[a->u.text.off + n];
  }
  (void)sum;
}

/* The first two bytes say where; all others are laid over what is there. */
static void as_area(const uint8_t *data, size_t size)
{
  WireArea here, there;
  WireBatch with = { 0 };
  if (size < 2) return;
  Batch *sent = made(), *seen = batch_new(1);
  MillEvent *own = seen->pub.events_;
  MillEvent fresh = { .kind = MILL_INSTANT, .dur_ns = -1 };
  PROMISE(wire_area_open(&here) && wire_put_batch(&here, sent, &with, true));
  there = (WireArea){ .fd = dup(here.fd) };
  PROMISE(wire_get_batch(&there, seen, &with));
  batch_emit(seen, 0, &fresh);
  PROMISE(wire_put_result(&there, seen, &with));
  size_t at = ((size_t)data[0] << 8 | data[1]) % there.bytes;
  for (size_t k = 2; k < size && at + k - 2 < there.bytes; k++)
    there.at[at + k - 2] = (char)(there.at[at + k - 2] ^ (char)data[k]);
  const char *wrong = wire_get_result(&here, sent, &with);
  PROMISE(!wrong || size > 2);
  if (!wrong) touch(sent);
  seen->pub.events_ = own;
  batch_free(seen);
  batch_free(sent);
  wire_area_close(&here);
  wire_area_close(&there);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1 || size > MOST) return 0;
  if (data[0] & 1)
    as_area(data + 1, size - 1);
  else
    as_message(data + 1, size - 1);
  return 0;
}
