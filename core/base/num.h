/* Numbers and text, without locale: integers, exact decimal times, shortest doubles, human units. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUM_BUF 40 /* enough for every num_format_* */

enum {
  NUM_INEXACT = 1, /* more decimals than the scale holds: rounded half to even */
  NUM_RANGE = 2
}; /* beyond int64: clipped to its ends */

/* Reads a JSON number at p (p < end) and scales it by 10^decimals into an
 * integer: decimals 3 turns microseconds into nanoseconds, exactly.  Accepts
 * exponents.  Returns the first byte after it, NULL if none starts here. */
const char *num_scan_scaled(const char *p, const char *end, int decimals, int64_t *out,
                            unsigned *out_flags);

/* Whole texts: false unless all of it is the number.  num_int also takes 0x hex, and a sign. */
bool num_int(const char *text, size_t len, int64_t *out);
bool num_real(const char *text, size_t len, double *out); /* finite only */
/* Times 10^decimals, rounded once. */
bool num_real_scaled(const char *text, size_t len, int decimals, double *out);
/* "10ms" "1.5 s" "250"(ns); ns us µs ms s min h */
bool num_duration(const char *text, size_t len, int64_t *out_ns);
/* "4GiB" "512K" "3MB"; K M G T are binary, kB MB GB TB decimal */
bool num_size(const char *text, size_t len, int64_t *out_bytes);

/* Each writes at most NUM_BUF bytes with a NUL and returns the length. */
size_t num_format_int(char *buf, int64_t v);
size_t num_format_uint(char *buf, uint64_t v);
/* Microseconds: whole as integer, else three decimals. */
size_t num_format_us(char *buf, int64_t ns);
/* The shortest text that reads back the same, Python's repr: 42.0 1e+16; NaN and infinities: null. */
size_t num_format_real(char *buf, double v);
size_t num_format_count(char *buf, int64_t v);     /* 1,482,113 */
size_t num_format_duration(char *buf, int64_t ns); /* for people: 1.235 ms */
size_t num_format_size(char *buf, uint64_t bytes); /* for people: 41.2 MiB */

#endif
