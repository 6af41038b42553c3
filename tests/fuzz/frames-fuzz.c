/* Fuzz target: any bytes as a compressed file give the same text, and end the same way, however they are read. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/stream.h"
#include "saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXT = 4 << 20 }; /* a few bytes can stand for many */

typedef struct Text {
  GByteArray *bytes;
  char *why; /* NULL: it ended well, or is longer */
} Text;

static Text read_text(size_t step, size_t peek)
{
  Text t = { g_byte_array_new(), NULL };
  Reader *r = reader_open(path, &t.why);
  g_autofree uint8_t *piece = g_malloc(step);
  const char *first;
  int64_t n = 0;
  if (!r) return t;
  if (peek) PROMISE(reader_peek_more(r, peek, &first) <= MAX(peek, 64u << 10));
  while (t.bytes->len < MAX_TEXT && (n = reader_read(r, piece, step)) > 0)
    g_byte_array_append(t.bytes, piece, (guint)n);
  if (n < 0) t.why = g_strdup(reader_why(r));
  PROMISE(n >= 0 || t.why);
  reader_close(r);
  return t;
}

static void text_clear(Text *t)
{
  g_byte_array_unref(t->bytes);
  g_free(t->why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1 || size > 1u << 20) return 0;
  save(data + 1, size - 1);
  Text whole = read_text(1 << 16, 0), cut = read_text(1u + data[0], 100000);
  guint len = MIN(whole.bytes->len, cut.bytes->len);
  bool all = whole.bytes->len < MAX_TEXT && cut.bytes->len < MAX_TEXT;
  PROMISE(!len || !memcmp(whole.bytes->data, cut.bytes->data, len));
  if (all) PROMISE(whole.bytes->len == cut.bytes->len && !whole.why == !cut.why);
  text_clear(&whole);
  text_clear(&cut);
  return 0;
}
