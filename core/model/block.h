/* Blocks of input bytes, shared by reference between batches and reused. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/window.h"
#include "model/origin.h"

#define BLOCK_PAD 64 /* bytes of 0xFF after the data, so that scanners may read ahead */

typedef struct BlockPool BlockPool;

/* From byte `at` of a block on, until the next place, stand the bytes of `origin` at `offset`. */
typedef struct BlockPlace {
  size_t at;
  const Origin *origin;
  uint64_t offset;
} BlockPlace;

typedef struct Block {
  char *bytes;    /* NULL: nobody has read them again so far */
  size_t max;     /* without the pad */
  Window *window; /* that the bytes are seen through; NULL: they are our own */
  BlockPool *pool;
  struct Block *next;
  _Atomic uint32_t refs;
  BlockPlace *places; /* in order of `at`; none: nobody can read its bytes again */
  uint32_t n_places, max_places;
} Block;

BlockPool *block_pool_new(size_t block_size);
void block_pool_free(BlockPool *p); /* all blocks must have come back */
Block *block_take(BlockPool *p, size_t at_least);
Block *block_of_window(BlockPool *p, Window *w); /* which it owns */
/* Bytes of the block have vanished from the file (see window.h): whoever asks must report it. */
bool block_take_torn(Block *b);
/* The same of blocks that nobody had asked when they came back. */
bool block_pool_torn(const BlockPool *p);
Block *block_ref(Block *b);
void block_unref(Block *b); /* NULL is fine */
void block_pad(Block *b, size_t len);
/* Places are added in order, before anybody else has the block.  No origin: nothing. */
void block_add_place(Block *b, size_t at, const Origin *origin, uint64_t offset);
/* A block of so many bytes that are only in their places, until block_read_again. */
Block *block_absent(BlockPool *p, size_t len);
Error *block_read_again(Block *b);
/* Where the byte `at` can be read again; no origin: nowhere. */
BlockPlace block_place(const Block *b, size_t at);

#endif
