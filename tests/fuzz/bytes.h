/* Choices and texts drawn from the bytes of a fuzz target's input. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct Bytes {
  const uint8_t *at, *end;
} Bytes;

/* Below n; 0 when the bytes have run out. */
static inline uint32_t bytes_pick(Bytes *b, uint32_t n)
{
  return b->at < b->end ? *b->at++ % n : 0;
}

static inline bool bytes_left(const Bytes *b) { return b->at < b->end; }

/* Small, large, and at the edges. */
static inline int64_t bytes_int(Bytes *b)
{
  static const int64_t edges[] = { INT64_MIN, INT64_MIN + 1, -1,        0,
                                   1,         1000,          INT64_MAX, INT64_MAX - 1 };
  int64_t v = 0;
  uint32_t kind = bytes_pick(b, 4);
  if (kind == 0) return edges[bytes_pick(b, G_N_ELEMENTS(edges))];
  size_t n = MIN(kind == 1 ? 1u : kind == 2 ? 4u : 8u, (size_t)(b->end - b->at));
  memcpy(&v, b->at, n);
  b->at += n;
  return v;
}

/* Finite, as the interface demands. */
static inline double bytes_real(Bytes *b)
{
  double v;
  int64_t bits = bytes_int(b);
  memcpy(&v, &bits, sizeof v);
  if (bytes_pick(b, 2)) v = (double)bits / 1000;
  return v - v == 0 ? v : 0.5;
}

/* Valid UTF-8, from `max` bytes at most; with NULs where `nuls`. */
static inline GString *bytes_text(Bytes *b, uint32_t max, bool nuls)
{
  size_t wanted = bytes_pick(b, max + 1), len = MIN(wanted, (size_t)(b->end - b->at));
  const char *p = (const char *)b->at, *end = p + len;
  GString *text = g_string_new(NULL);
  while (p < end) {
    gunichar c = *p ? g_utf8_get_char_validated(p, end - p) : nuls ? 0 : (gunichar)-1;
    bool valid = c < (gunichar)-2;
    g_string_append_unichar(text, valid ? c : 0xfffd);
    p += valid ? g_utf8_skip[(unsigned char)*p] : 1;
  }
  b->at += len;
  return text;
}

#endif
