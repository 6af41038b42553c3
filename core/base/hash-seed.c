/* The seed of this process; see hash-seed.h. */
/* SPDX-License-Identifier: MIT */
#include "base/hash-seed.h"

#include <glib.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/random.h>

MillSeed hash_seed;

MillSeed hash_seed_of_text(const char *text)
{
  MillSeed seed = *hash_seed_fixed();
  size_t len = strlen(text);
  seed.start = hash_bytes(&seed, text, len);
  seed.left = hash_bytes(&seed, text, len);
  seed.right = hash_bytes(&seed, text, len);
  return seed;
}

/* Of a kernel that gives no random bytes there are still the 16 that every program starts with. */
static MillSeed random_seed(void)
{
  MillSeed seed = { 0 };
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == sizeof seed) return seed;
  const char *bytes = (const char *)getauxval(AT_RANDOM);
  if (bytes) memcpy(&seed, bytes, 16);
  seed.right = hash_pair(hash_seed_fixed(), seed.start, seed.left);
  return seed;
}

__attribute__((constructor)) static void choose_seed(void)
{
  const char *text = secure_getenv(HASH_SEED_VARIABLE);
  hash_seed = text && *text ? hash_seed_of_text(text) : random_seed();
}

unsigned hash_text(const void *text)
{
  return (unsigned)hash_bytes(&hash_seed, text, strlen(text));
}

unsigned hash_int64(const void *number)
{
  int64_t value;
  memcpy(&value, number, sizeof value);
  return (unsigned)hash_pair(&hash_seed, (uint64_t)value, 0);
}

unsigned hash_gbytes(const void *bytes)
{
  gsize len;
  const char *p = g_bytes_get_data((GBytes *)bytes, &len);
  return (unsigned)hash_bytes(&hash_seed, p, len);
}
