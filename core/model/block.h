/* Blocks of input bytes, shared by reference between batches and reused. */
#ifndef MODEL_BLOCK_H
#define MODEL_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/window.h"

#define BLOCK_PAD 64 /* bytes of 0xFF after the data, so that scanners may read ahead */

typedef struct BlockPool BlockPool;
typedef struct Block {
  char *bytes;
  size_t max;     /* without the pad */
  Window *window; /* that the bytes are seen through; NULL: they are our own */
  BlockPool *pool;
  struct Block *next;
  _Atomic uint32_t refs;
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

#endif
