/* Output buffer, number text, random numbers and option numbers shared by the trace generators. */
/* SPDX-License-Identifier: MIT */
#ifndef GEN_OUT_H
#define GEN_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The buffer is flushed at OUT_FLUSH; whatever is written between two calls of out_room must
   fit in OUT_ROOM bytes, so that the put_ functions need no checks. */
enum { OUT_FLUSH = 1 << 20, OUT_ROOM = 1 << 16 };

typedef struct {
  int fd; /* -1: only count */
  size_t used;
  uint64_t flushed_bytes;
  const char *name;
  char *text;
} Out;

void out_open(Out *out, const char *path); /* "-" is standard output, NULL only counts */
void out_flush(Out *out);
uint64_t out_close(Out *out); /* returns the bytes written in all */

/* The path with {rank} replaced; ends the program if several ranks would share one file. */
char *rank_path(const char *pattern, int rank, int n_ranks);
/* The same with any mark. */
char *numbered_path(const char *pattern, const char *mark, int number, int n);

_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

int64_t option_count(const char *option, const char *text, int64_t least, int64_t most);
int64_t option_size(const char *option, const char *text);  /* 64K, 100M, 6G: powers of 1024 */
int64_t option_milli(const char *option, const char *text); /* decimal number, in thousandths */
int option_word(const char *option, const char *text, const char *const *words);

static inline void out_room(Out *out)
{
  if (out->used >= OUT_FLUSH) out_flush(out);
}

static inline void put_bytes(Out *out, const char *bytes, size_t length)
{
  memcpy(out->text + out->used, bytes, length);
  out->used += length;
}

static inline void put(Out *out, const char *text) { put_bytes(out, text, strlen(text)); }

static inline void put_char(Out *out, char c) { out->text[out->used++] = c; }

static inline void put_u64(Out *out, uint64_t value)
{
  char digits[20];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + value % 10);
  while (value /= 10);
  put_bytes(out, digits + at, sizeof digits - at);
}

static inline void put_i64(Out *out, int64_t value)
{
  if (value < 0) put_char(out, '-');
  put_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static inline void put_hex(Out *out, uint64_t value)
{
  char digits[16];
  size_t at = sizeof digits;
  do digits[--at] = "0123456789abcdef"[value & 15];
  while (value >>= 4);
  put(out, "0x");
  put_bytes(out, digits + at, sizeof digits - at);
}

/* Thousandths with three decimals: nanoseconds as microseconds. */
static inline void put_milli(Out *out, int64_t milli)
{
  uint64_t size = milli < 0 ? 0 - (uint64_t)milli : (uint64_t)milli;
  unsigned rest = (unsigned)(size % 1000);
  char decimals[4] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                       (char)('0' + rest % 10) };
  if (milli < 0) put_char(out, '-');
  put_u64(out, size / 1000);
  put_bytes(out, decimals, 4);
}

/* splitmix64: a stream of numbers from any seed, the same on every machine. */
typedef struct {
  uint64_t state;
} Random;

static inline uint64_t mix64(uint64_t x)
{
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static inline uint64_t hash3(uint64_t a, uint64_t b, uint64_t c)
{
  return mix64(mix64(mix64(a + 0x9e3779b97f4a7c15u) + b) + c);
}

static inline uint64_t random_next(Random *random)
{
  random->state += 0x9e3779b97f4a7c15u;
  return mix64(random->state);
}

/* 0 <= result < n for n up to 2^32 */
static inline uint32_t random_below(Random *random, uint32_t n)
{
  return (uint32_t)(((random_next(random) >> 32) * n) >> 32);
}

#endif
