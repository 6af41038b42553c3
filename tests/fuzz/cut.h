/* For fuzz targets: where an input is cut, drawn from the input itself, so that it is the same each time. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_CUT_H
#define FUZZ_CUT_H

#include <stddef.h>
#include <stdint.h>

/* Each cut costs another call of the code under test: a few of them in each of many inputs find
 * more than all of them in a few inputs. */
enum { FUZZ_CUTS = 4 };

/* Looks at some hundred bytes: a change elsewhere leaves the cuts where they are. */
static inline uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
  uint64_t hash = 0xcbf29ce484222325u ^ size;
  for (size_t i = 0; i < size; i += 1 + size / 256) hash = (hash ^ data[i]) * 0x100000001b3u;
  return hash ^ hash >> 29;
}

/* The size of pieces for readers that have one; eight or so of long inputs. */
static inline size_t fuzz_piece(uint64_t hash, size_t len)
{
  return 1 + len / 16 + (size_t)(hash >> 33) % (1 + len / 8);
}

/* Places from 1 to `len`, in order. */
static inline void fuzz_cuts(uint64_t hash, size_t len, size_t out_cuts[FUZZ_CUTS])
{
  for (size_t n = 0; n < FUZZ_CUTS; n++) {
    hash = hash * 6364136223846793005u + 1442695040888963407u;
    size_t cut = len ? 1 + (size_t)(hash >> 33) % len : 0, i = n;
    for (; i > 0 && out_cuts[i - 1] > cut; i--) out_cuts[i] = out_cuts[i - 1];
    out_cuts[i] = cut;
  }
}

#endif
