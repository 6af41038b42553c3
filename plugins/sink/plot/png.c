/* PNG files; see png.h.  libpng tries every filter on every row, which takes longer than all of the drawing. */
#include "png.h"

#include <string.h>
#include <zlib.h>

enum { LEVEL = 3, FILTER_UP = 2 };

static void put_number(GByteArray *out, guint32 v)
{
  guint32 big = GUINT32_TO_BE(v);
  g_byte_array_append(out, (const guint8 *)&big, 4);
}

static void put_chunk(GByteArray *out, const char *kind, const guint8 *bytes, guint len)
{
  put_number(out, len);
  guint from = out->len;
  g_byte_array_append(out, (const guint8 *)kind, 4);
  if (len) g_byte_array_append(out, bytes, len);
  put_number(out, (guint32)crc32(0, out->data + from, len + 4));
}

/* A row as what differs from the row above it: most is equal. */
static void filter(guint8 *out, const guint32 *row, const guint32 *above, guint width)
{
  *out++ = FILTER_UP;
  for (guint i = 0; i < width; i++, out += 3) {
    guint32 a = row[i], b = above ? above[i] : 0;
    out[0] = (guint8)((a >> 16) - (b >> 16));
    out[1] = (guint8)((a >> 8) - (b >> 8));
    out[2] = (guint8)(a - b);
  }
}

static GByteArray *packed(const guint8 *pixels, guint width, guint height, guint stride)
{
  gsize row_len = 3 * (gsize)width + 1;
  g_autofree guint8 *raw = g_malloc(row_len * height);
  const guint32 *above = NULL;
  for (guint y = 0; y < height; y++) {
    const guint32 *row = (const guint32 *)(const void *)(pixels + (gsize)y * stride);
    filter(raw + y * row_len, row, above, width);
    above = row;
  }
  uLongf len = compressBound(row_len * height);
  GByteArray *out = g_byte_array_new();
  g_byte_array_set_size(out, (guint)len);
  compress2(out->data, &len, raw, row_len * height, LEVEL);
  g_byte_array_set_size(out, (guint)len);
  return out;
}

GByteArray *png_of(const guint8 *pixels, guint width, guint height, guint stride)
{
  static const guint8 magic[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  static const guint8 eight_bits_of_rgb[] = { 8, 2, 0, 0, 0 };
  g_autoptr(GByteArray) head = g_byte_array_new(), data = packed(pixels, width, height, stride);
  GByteArray *out = g_byte_array_sized_new(data->len + 64);
  put_number(head, width);
  put_number(head, height);
  g_byte_array_append(head, eight_bits_of_rgb, sizeof eight_bits_of_rgb);
  g_byte_array_append(out, magic, sizeof magic);
  put_chunk(out, "IHDR", head->data, head->len);
  put_chunk(out, "IDAT", data->data, data->len);
  put_chunk(out, "IEND", NULL, 0);
  return out;
}
