/* Gzip members, one at a time, through isa-l where it is built in, else zlib: for stream-*.c. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_STREAM_GZIP_H
#define BASE_STREAM_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left to read and to fill; each step moves the pointers on. */
typedef struct GzipSpan {
  uint8_t *in;
  size_t in_len;
  uint8_t *out;
  size_t out_len;
} GzipSpan;

typedef enum {
  GZIP_MORE, /* needs input, or space for output */
  GZIP_MEMBER_END,
  GZIP_NOT_GZIP, /* no member starts here */
  GZIP_CORRUPT
} GzipStatus;

typedef struct GzipIn GzipIn;
GzipIn *gzip_in_new(void);
void gzip_in_free(GzipIn *g);
void gzip_in_start(GzipIn *g); /* before each member */
/* Makes what progress it can.  *out_why: static text with GZIP_NOT_GZIP and GZIP_CORRUPT. */
GzipStatus gzip_in_step(GzipIn *g, GzipSpan *span, const char **out_why);

typedef struct GzipOut GzipOut;
GzipOut *gzip_out_new(void);
void gzip_out_free(GzipOut *g);
void gzip_out_start(GzipOut *g); /* before each member; its header has neither time nor name */
/* `last`: this input ends the member.  *out_done: all input is taken; when last, the member is
 * complete. */
bool gzip_out_step(GzipOut *g, GzipSpan *span, bool last, bool *out_done);

#endif
