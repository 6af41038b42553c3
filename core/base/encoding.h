/* Text in UTF-8, UTF-16 or Latin-1 becomes UTF-8, piece by piece. */
#ifndef BASE_ENCODING_H
#define BASE_ENCODING_H

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

/* From a byte order mark, or from where the zero bytes of ASCII text in UTF-16 stand; else UTF-8. */
Encoding encoding_guess(const char *bytes, size_t len, size_t *out_mark_len);

typedef struct Decoder { /* zero-initialised: the encoding is found from the first piece */
  Encoding encoding;
  bool multibyte;      /* UTF-8 beyond ASCII was seen */
  uint64_t n_replaced; /* what could not be read became U+FFFD */
} Decoder;

#define DECODER_GROWTH 3 /* bytes of output for one of input, at most */
/* Decodes from *io_p on, until the input or the room for output is used up; returns the bytes
 * written.  What stays before `end` then is the beginning of a character, or found no room.
 * UTF-8 becomes Latin-1 at the first byte that cannot be UTF-8, unless characters beyond ASCII came
 * before it: then that byte is replaced.  The first piece needs at least four bytes, unless at_end. */
size_t decoder_run(Decoder *d, const char **io_p, const char *end, bool at_end, char *out,
                   size_t max);

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
/* A TextRead with a TextReader as its user: decoded bytes; max is at least 64. */
int64_t text_reader_read(void *reader, char *buffer, size_t max);

#endif
