/* The parts of a ZIP in memory, whose sizes, sums and places must all be right. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_ZIP_PARTS_H
#define TESTS_UNIT_ZIP_PARTS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

static inline uint32_t zip_number(const char *bytes, unsigned n)
{
  uint32_t v = 0;
  while (n--) v = v << 8 | (uint8_t)bytes[n];
  return v;
}

static inline bool zip_inflate(const char *packed, uint32_t packed_len, char *text, uint32_t len)
{
  z_stream s = { .next_in = (Bytef *)(uintptr_t)packed, .avail_in = packed_len };
  s.next_out = (Bytef *)text;
  s.avail_out = len + 1;
  bool good = inflateInit2(&s, -15) == Z_OK && inflate(&s, Z_FINISH) == Z_STREAM_END;
  inflateEnd(&s);
  return good && s.total_out == len && !s.avail_in;
}

/* By its entry in the directory; NULL: something is wrong. */
static inline char *zip_part_at(const char *file, size_t len, const char *entry, size_t *out_len)
{
  uint32_t packed = zip_number(entry + 20, 4), size = zip_number(entry + 24, 4);
  uint32_t offset = zip_number(entry + 42, 4);
  if (offset + 30 > len || memcmp(file + offset, "PK\3\4", 4) != 0) return NULL;
  size_t from = offset + 30 + zip_number(file + offset + 26, 2) + zip_number(file + offset + 28, 2);
  if (from + packed + 16 > len || memcmp(file + from + packed, "PK\7\10", 4) != 0) return NULL;
  if (memcmp(file + from + packed + 4, entry + 16, 12) != 0) return NULL;
  char *text = g_malloc0(size + 1u);
  *out_len = size;
  if (zip_inflate(file + from, packed, text, size) &&
      crc32(0, (Bytef *)text, size) == zip_number(entry + 16, 4))
    return text;
  g_free(text);
  return NULL;
}

/* name -> text of all parts; NULL: something is wrong, also two of one name. */
static inline GHashTable *zip_parts(const char *file, size_t len)
{
  g_autoptr(GHashTable) parts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  const char *end = file + len - 22;
  if (len < 22 || memcmp(end, "PK\5\6", 4) != 0) return NULL;
  uint32_t n = zip_number(end + 10, 2), at = zip_number(end + 16, 4);
  for (; n; n--) {
    size_t size;
    if (at + 46 > len || memcmp(file + at, "PK\1\2", 4) != 0) return NULL;
    uint32_t name_len = zip_number(file + at + 28, 2);
    char *text = zip_part_at(file, len, file + at, &size);
    if (!text || !g_hash_table_insert(parts, g_strndup(file + at + 46, name_len), text))
      return NULL;
    at += 46 + name_len;
  }
  return file + at == end ? g_steal_pointer(&parts) : NULL;
}

#endif
