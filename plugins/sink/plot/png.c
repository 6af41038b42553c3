/* PNG files; see png.h.  libpng tries every filter on every row, which takes longer than all of the drawing. */
/* SPDX-License-Identifier: MIT */
#include "png.h"

#include <string.h>
#include <zlib.h>

enum { LEVEL = 4, FILTER_UP = 2 }; /* above it files are a hundredth smaller */

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

/* What differs from the row above it: mostly nothing. */
static void filter(guint8 *out, const guint32 *row, const guint32 *above, guint width)
{
  *out++ = FILTER_UP;
  if (above && !memcmp(row, above, width * sizeof *row)) {
    memset(out, 0, 3 * (gsize)width);
    return;
  }
  for (guint i = 0; i < width; i++, out += 3) {
    guint32 a = row[i], b = above ? above[i] : 0;
    out[0] = (guint8)((a >> 16) - (b >> 16));
    out[1] = (guint8)((a >> 8) - (b >> 8));
    out[2] = (guint8)(a - b);
  }
}

static void pack(z_stream *z, int flush, GByteArray *out)
{
  guint8 piece[16384];
  do {
    z->next_out = piece;
    z->avail_out = sizeof piece;
    deflate(z, flush);
    g_byte_array_append(out, piece, (guint)(sizeof piece - z->avail_out));
  } while (!z->avail_out);
}

/* Row by row: in memory there is the picture, and no second time as bytes. */
static GByteArray *packed(const guint8 *pixels, guint width, guint height, guint stride)
{
  z_stream z = { .next_in = NULL };
  GByteArray *out = g_byte_array_new();
  g_autofree guint8 *line = g_malloc(3 * (gsize)width + 1);
  const guint32 *above = NULL;
  if (deflateInit(&z, LEVEL) != Z_OK) g_error("deflate: %s", z.msg ? z.msg : "no memory");
  for (guint y = 0; y < height; y++) {
    const guint32 *row = (const guint32 *)(const void *)(pixels + (gsize)y * stride);
    filter(line, row, above, width);
    z.next_in = line;
    z.avail_in = 3 * width + 1;
    pack(&z, Z_NO_FLUSH, out);
    above = row;
  }
  pack(&z, Z_FINISH, out);
  deflateEnd(&z);
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
