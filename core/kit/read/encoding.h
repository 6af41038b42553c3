/* Text in UTF-8, UTF-16 or Latin-1 becomes UTF-8, piece by piece. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_ENCODING_H
#define KIT_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  ENCODING_UNKNOWN,
  ENCODING_UTF8,
  ENCODING_UTF16_LE,
  ENCODING_UTF16_BE,
  ENCODING_LATIN1
} Encoding;

typedef struct Decoder { /* zero-initialised */
  Encoding encoding;     /* found from the first piece */
  bool multibyte;        /* UTF-8 beyond ASCII was seen */
  uint64_t n_replaced;   /* what could not be read became U+FFFD */
} Decoder;

/* Bytes into the buffer; 0 at the end; negative: failed. */
typedef int64_t (*TextRead)(void *user, char *buffer, size_t max);

typedef struct TextReader {
  TextRead read;
  void *user;
  Decoder decoder;
  char *raw;
  size_t pos, len;
  bool at_end;
} TextReader;

void text_reader_init(TextReader *r, TextRead read, void *user);
void text_reader_clear(TextReader *r);
/* A TextRead with a TextReader as its user: decoded bytes; max is at least 64.  UTF-8 becomes Latin-1
 * at the first byte that cannot be UTF-8, unless characters beyond ASCII came before it: then that
 * byte is replaced. */
int64_t text_reader_read(void *reader, char *buffer, size_t max);

#endif
