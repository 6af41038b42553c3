/* Packets that were compressed into one: their bytes, piece by piece, so that memory does not depend on what they say. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <zlib.h>
#include <zstd.h>

#define WINDOW_LOG_MAX 23 /* 8 MiB, which writers stay below without being asked for more */

struct Inflater {
  const MillHost *common;
  z_stream zlib;
  ZSTD_DStream *zstd;
  ZSTD_inBuffer in;
  const char *why;
  bool is_zstd, has_zlib, at_end;
};

static void *zlib_take(void *user, unsigned n, unsigned size)
{
  const MillHost *common = user;
  return common->resize(common, NULL, (size_t)n * size);
}

static void zlib_give_back(void *user, void *pointer)
{
  const MillHost *common = user;
  common->resize(common, pointer, 0);
}

Inflater *inflater_new(const MillHost *common)
{
  Inflater *z = mill_new(common, sizeof *z);
  if (z) z->common = common;
  return z;
}

void inflater_free(Inflater *z)
{
  if (!z) return;
  if (z->has_zlib) inflateEnd(&z->zlib);
  ZSTD_freeDStream(z->zstd);
  z->common->resize(z->common, z, 0);
}

const char *inflater_why(const Inflater *z) { return z->why; }

static int64_t fail(Inflater *z, const char *why)
{
  z->why = why;
  return -1;
}

static void start_zlib(Inflater *z, const uint8_t *bytes, size_t len)
{
  if (!z->has_zlib) {
    z->zlib =
        (z_stream){ .zalloc = zlib_take, .zfree = zlib_give_back, .opaque = (void *)z->common };
    z->has_zlib = inflateInit(&z->zlib) == Z_OK;
  }
  if (!z->has_zlib) return;
  inflateReset(&z->zlib);
  z->zlib.next_in = (Bytef *)bytes;
  z->zlib.avail_in = (uInt)len; /* at most PACKET_MAX */
}

static void start_zstd(Inflater *z, const uint8_t *bytes, size_t len)
{
  if (!z->zstd) z->zstd = ZSTD_createDStream();
  if (!z->zstd) return;
  ZSTD_initDStream(z->zstd);
  ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
  z->in = (ZSTD_inBuffer){ bytes, len, 0 };
}

void inflater_start(Inflater *z, const uint8_t *bytes, size_t len, bool is_zstd)
{
  z->is_zstd = is_zstd;
  z->at_end = false;
  z->why = NULL;
  if (is_zstd)
    start_zstd(z, bytes, len);
  else
    start_zlib(z, bytes, len);
}

static int64_t read_zlib(Inflater *z, void *buffer, size_t max)
{
  if (!z->has_zlib) return fail(z, "there is no memory to inflate them");
  z->zlib.next_out = buffer;
  z->zlib.avail_out = (uInt)MIN(max, 1u << 30);
  uInt room = z->zlib.avail_out;
  int status = inflate(&z->zlib, Z_NO_FLUSH);
  z->at_end = status == Z_STREAM_END;
  int64_t n = room - z->zlib.avail_out;
  if (n > 0 || z->at_end) return n;
  if (status == Z_OK || status == Z_BUF_ERROR) return fail(z, "they end within compressed data");
  return fail(z, z->zlib.msg ? z->zlib.msg : "they are not compressed with zlib");
}

static int64_t read_zstd(Inflater *z, void *buffer, size_t max)
{
  if (!z->zstd) return fail(z, "there is no memory to decompress them");
  ZSTD_outBuffer out = { buffer, max, 0 };
  while (out.pos == 0 && !z->at_end) {
    size_t before = z->in.pos, left = ZSTD_decompressStream(z->zstd, &out, &z->in);
    if (ZSTD_isError(left)) return fail(z, ZSTD_getErrorName(left));
    z->at_end = left == 0 && z->in.pos == z->in.size;
    if (out.pos == 0 && z->in.pos == before && !z->at_end)
      return fail(z, "they end within compressed data");
  }
  return (int64_t)out.pos;
}

int64_t inflater_read(void *inflater, void *buffer, size_t max)
{
  Inflater *z = inflater;
  if (z->at_end || !max) return 0;
  return z->is_zstd ? read_zstd(z, buffer, max) : read_zlib(z, buffer, max);
}
