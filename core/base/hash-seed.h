/* The seed of this process, and the functions of GHashTables that use it.  Not for modules, which
 * have no state of their own: their host has it. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_HASH_SEED_H
#define BASE_HASH_SEED_H

#include "base/hash.h"

#define HASH_SEED_VARIABLE "STAGEMILL_HASH_SEED"

/* There before main() begins.  Random, unless the environment has a text for it. */
extern MillSeed hash_seed;
MillSeed hash_seed_of_text(const char *text);

/* Instead of g_str_hash, g_int64_hash and g_bytes_hash. */
unsigned hash_text(const void *text);
unsigned hash_int64(const void *number);
unsigned hash_gbytes(const void *bytes);

#endif
