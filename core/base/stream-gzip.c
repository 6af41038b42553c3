/* Gzip members through isa-l or zlib; see stream-gzip.h. */
/* SPDX-License-Identifier: MIT */
#include "base/stream-gzip.h"

#include <glib.h>
#include <string.h>

#define MAX_STEP ((size_t)1 << 30) /* both libraries count in 32 bits */

#ifdef HAVE_ISAL

#include <isa-l/igzip_lib.h>

struct GzipIn {
  struct inflate_state state;
  /* Kept here because a header may arrive in pieces. */
  struct isal_gzip_header header;
  bool in_header;
};

GzipIn *gzip_in_new(void)
{
  GzipIn *g = g_new0(GzipIn, 1);
  isal_inflate_init(&g->state);
  return g;
}

void gzip_in_free(GzipIn *g) { g_free(g); }

void gzip_in_start(GzipIn *g)
{
  isal_inflate_reset(&g->state);
  isal_gzip_header_init(&g->header);
  g->state.crc_flag = ISAL_GZIP_NO_HDR_VER;
  g->in_header = true;
}

static GzipStatus refuse(int code, bool in_header, const char **out_why)
{
  switch (code) {
  case ISAL_INVALID_WRAPPER: *out_why = "no gzip header"; break;
  case ISAL_UNSUPPORTED_METHOD: *out_why = "unknown compression method"; break;
  case ISAL_INCORRECT_CHECKSUM:
    *out_why = in_header ? "wrong header checksum" : "wrong checksum";
    break;
  case ISAL_INVALID_BLOCK: *out_why = "invalid block"; break;
  case ISAL_INVALID_SYMBOL: *out_why = "invalid code"; break;
  case ISAL_INVALID_LOOKBACK: *out_why = "invalid distance"; break;
  default: *out_why = "invalid data"; break;
  }
  return code == ISAL_INVALID_WRAPPER ? GZIP_NOT_GZIP : GZIP_CORRUPT;
}

GzipStatus gzip_in_step(GzipIn *g, GzipSpan *span, const char **out_why)
{
  struct inflate_state *s = &g->state;
  size_t in_max = MIN(span->in_len, MAX_STEP), out_max = MIN(span->out_len, MAX_STEP);
  s->next_in = span->in;
  s->avail_in = (uint32_t)in_max;
  s->next_out = span->out;
  s->avail_out = (uint32_t)out_max;
  int code = ISAL_DECOMP_OK;
  if (g->in_header) {
    code = isal_read_gzip_header(s, &g->header);
    g->in_header = code != ISAL_DECOMP_OK;
  }
  if (!g->in_header) code = isal_inflate(s);
  span->in += in_max - s->avail_in;
  span->in_len -= in_max - s->avail_in;
  span->out += out_max - s->avail_out;
  span->out_len -= out_max - s->avail_out;
  if (code < 0) return refuse(code, g->in_header, out_why);
  return !g->in_header && s->block_state == ISAL_BLOCK_FINISH ? GZIP_MEMBER_END : GZIP_MORE;
}

struct GzipOut {
  struct isal_zstream stream;
};

GzipOut *gzip_out_new(void) { return g_new0(GzipOut, 1); }
void gzip_out_free(GzipOut *g) { g_free(g); }

/* Level 0 has fixed codes.  Those that higher levels make for each block differ now and then between runs over
 * the same bytes; see docs/decisions/0008. */
void gzip_out_start(GzipOut *g)
{
  memset(g, 0, sizeof *g);
  isal_deflate_init(&g->stream);
  g->stream.level = 0;
  g->stream.gzip_flag = IGZIP_GZIP;
  g->stream.flush = NO_FLUSH;
}

bool gzip_out_step(GzipOut *g, GzipSpan *span, bool last, bool *out_done)
{
  struct isal_zstream *s = &g->stream;
  size_t in_max = MIN(span->in_len, MAX_STEP), out_max = MIN(span->out_len, MAX_STEP);
  s->next_in = span->in;
  s->avail_in = (uint32_t)in_max;
  s->next_out = span->out;
  s->avail_out = (uint32_t)out_max;
  s->end_of_stream = last && in_max == span->in_len;
  int code = isal_deflate(s);
  span->in += in_max - s->avail_in;
  span->in_len -= in_max - s->avail_in;
  span->out += out_max - s->avail_out;
  span->out_len -= out_max - s->avail_out;
  /* Output may be waiting inside when the space was just enough. */
  *out_done = last ? s->internal_state.state == ZSTATE_END : span->in_len == 0 && span->out_len > 0;
  return code == COMP_OK;
}

#else

#include <zlib.h>

enum { GZIP_WRAPPED = 15 + 16, LEVEL = 4, MEMORY_LEVEL = 8 };

struct GzipIn {
  z_stream stream;
};

GzipIn *gzip_in_new(void)
{
  GzipIn *g = g_new0(GzipIn, 1);
  if (inflateInit2(&g->stream, GZIP_WRAPPED) != Z_OK) g_error("zlib: inflateInit2 failed");
  return g;
}

void gzip_in_free(GzipIn *g)
{
  if (!g) return;
  inflateEnd(&g->stream);
  g_free(g);
}

void gzip_in_start(GzipIn *g) { inflateReset(&g->stream); }

/* Moves the span on by what the library took and gave. */
static void advance(GzipSpan *span, const z_stream *s)
{
  size_t taken = (size_t)(s->next_in - span->in), given = (size_t)(s->next_out - span->out);
  span->in += taken;
  span->in_len -= taken;
  span->out += given;
  span->out_len -= given;
}

static void lend(z_stream *s, const GzipSpan *span)
{
  s->next_in = span->in;
  s->avail_in = (uInt)MIN(span->in_len, MAX_STEP);
  s->next_out = span->out;
  s->avail_out = (uInt)MIN(span->out_len, MAX_STEP);
}

GzipStatus gzip_in_step(GzipIn *g, GzipSpan *span, const char **out_why)
{
  z_stream *s = &g->stream;
  lend(s, span);
  int code = inflate(s, Z_NO_FLUSH);
  advance(span, s);
  if (code == Z_STREAM_END) return GZIP_MEMBER_END;
  if (code == Z_OK || code == Z_BUF_ERROR) return GZIP_MORE;
  *out_why = s->msg ? s->msg : "invalid data";
  return g_str_equal(*out_why, "incorrect header check") ? GZIP_NOT_GZIP : GZIP_CORRUPT;
}

struct GzipOut {
  z_stream stream;
};

GzipOut *gzip_out_new(void)
{
  GzipOut *g = g_new0(GzipOut, 1);
  int code =
      deflateInit2(&g->stream, LEVEL, Z_DEFLATED, GZIP_WRAPPED, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
  if (code != Z_OK) g_error("zlib: deflateInit2 failed");
  return g;
}

void gzip_out_free(GzipOut *g)
{
  if (!g) return;
  deflateEnd(&g->stream);
  g_free(g);
}

void gzip_out_start(GzipOut *g) { deflateReset(&g->stream); }

bool gzip_out_step(GzipOut *g, GzipSpan *span, bool last, bool *out_done)
{
  z_stream *s = &g->stream;
  lend(s, span);
  int code = deflate(s, last && s->avail_in == span->in_len ? Z_FINISH : Z_NO_FLUSH);
  advance(span, s);
  *out_done = last ? code == Z_STREAM_END : span->in_len == 0 && span->out_len > 0;
  return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;
}

#endif
