/* Decoding of text; see encoding.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/encoding.h"

#include <glib.h>
#include <string.h>

#define RAW_BYTES ((size_t)64 << 10)
#define GUESS_BYTES ((size_t)4 << 10)
#define REPLACEMENT 0xfffdu
#define MAX_GROWTH 3 /* bytes of output for one of input */

static bool starts_with(const char *bytes, size_t len, const char *mark, size_t mark_len)
{
  return len >= mark_len && memcmp(bytes, mark, mark_len) == 0;
}

/* ASCII in UTF-16 has a zero in every second byte, and none in the others. */
static Encoding guess_by_zeros(const char *bytes, size_t len)
{
  size_t n_zeros[2] = { 0, 0 };
  size_t n_pairs = MIN(len, GUESS_BYTES) / 2;
  if (n_pairs == 0 || !memchr(bytes, '\0', 2 * n_pairs)) return ENCODING_UTF8;
  for (size_t i = 0; i < 2 * n_pairs; i++) n_zeros[i % 2] += bytes[i] == '\0';
  if (2 * n_zeros[1] > n_pairs && 8 * n_zeros[0] <= n_zeros[1]) return ENCODING_UTF16_LE;
  if (2 * n_zeros[0] > n_pairs && 8 * n_zeros[1] <= n_zeros[0]) return ENCODING_UTF16_BE;
  return ENCODING_UTF8;
}

/* From a byte order mark, or from where the zero bytes of ASCII text in UTF-16 are; else UTF-8. */
static Encoding guess(const char *bytes, size_t len, size_t *out_mark_len)
{
  *out_mark_len = 3;
  if (starts_with(bytes, len, "\xef\xbb\xbf", 3)) return ENCODING_UTF8;
  *out_mark_len = 2;
  if (starts_with(bytes, len, "\xff\xfe", 2)) return ENCODING_UTF16_LE;
  if (starts_with(bytes, len, "\xfe\xff", 2)) return ENCODING_UTF16_BE;
  *out_mark_len = 0;
  return guess_by_zeros(bytes, len);
}

static size_t replace(Decoder *d, char *out)
{
  d->n_replaced++;
  return (size_t)g_unichar_to_utf8(REPLACEMENT, out);
}

enum { STEP = 16, BLOCK = 64 };
typedef signed char Bytes __attribute__((vector_size(STEP)));

static inline bool any_byte(Bytes x)
{
  uint64_t halves[2];
  memcpy(halves, &x, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

static bool is_continuation(char c) { return (c & 0xc0) == 0x80; }
static bool is_lead_of_two(char c) { return (unsigned char)c >= 0xc2 && (unsigned char)c < 0xe0; }

/* Where at p something else is than characters of one and two bytes: when a continuation byte
 * follows each lead byte of two, and no other one, such a byte, or another one beyond ASCII, is
 * wrong.  One byte more is read. */
static inline Bytes not_short(const char *p, Bytes *io_beyond_ascii)
{
  const signed char first_lead = (signed char)0xc0, lead = (signed char)0xc2;
  const signed char after_leads = (signed char)0xe0;
  Bytes x, next;
  memcpy(&x, p, STEP);
  memcpy(&next, p + 1, STEP);
  Bytes is_lead = (x >= lead) & (x < after_leads);
  Bytes is_high = x < 0;
  *io_beyond_ascii |= is_high;
  return (is_lead ^ (next < first_lead)) | (is_high ^ (is_lead | (x < first_lead)));
}

/* BLOCK bytes at a time, as long as all characters have one or two bytes. */
static const char *skip_short(Decoder *d, const char *p, const char *end)
{
  const char *from = p;
  if (p == end || is_continuation(*p)) return p;
  for (; end - p > BLOCK; p += BLOCK) {
    Bytes wrong = { 0 }, beyond_ascii = { 0 };
    for (int i = 0; i < BLOCK; i += STEP) wrong |= not_short(p + i, &beyond_ascii);
    if (any_byte(wrong)) break;
    d->multibyte |= any_byte(beyond_ascii);
  }
  return p > from && is_lead_of_two(p[-1]) ? p - 1 : p;
}

/* A zero byte ends a character for GLib, too. */
static bool is_cut(const char *p, const char *end) { return g_utf8_next_char(p) > end; }

/* After the last whole character of valid UTF-8; *out_cut: what follows may be cut by `end`. */
static const char *skip_utf8(Decoder *d, const char *p, const char *end, bool *out_cut)
{
  *out_cut = false;
  while (p < end) {
    p = skip_short(d, p, end);
    for (const char *limit = end - p > BLOCK ? p + BLOCK : end; p < limit;) {
      gunichar c = *p & 0x80 ? g_utf8_get_char_validated(p, end - p) : 0;
      if (c == (gunichar)-2) *out_cut = is_cut(p, end);
      if (c >= (gunichar)-2) return p;
      d->multibyte |= c != 0;
      p = g_utf8_next_char(p);
    }
  }
  return p;
}

static size_t decode_latin1(const char **io_p, const char *end, char *out, size_t max)
{
  const char *p = *io_p;
  size_t n = 0;
  for (; p < end && max - n >= 2; p++) n += (size_t)g_unichar_to_utf8((unsigned char)*p, out + n);
  *io_p = p;
  return n;
}

static size_t decode_utf8(Decoder *d, const char **io_p, const char *end, bool at_end, char *out,
                          size_t max)
{
  size_t n = 0;
  while (*io_p < end && max - n >= MAX_GROWTH && d->encoding == ENCODING_UTF8) {
    bool cut, short_of_space = (size_t)(end - *io_p) > max - n;
    const char *limit = short_of_space ? *io_p + (max - n) : end;
    const char *after = skip_utf8(d, *io_p, limit, &cut);
    size_t len = (size_t)(after - *io_p);
    memcpy(out + n, *io_p, len);
    n += len;
    *io_p = after;
    if (after == limit || (cut && (short_of_space || !at_end))) return n;
    if (!d->multibyte) {
      d->encoding = ENCODING_LATIN1;
      return n + decode_latin1(io_p, end, out + n, max - n);
    }
    if (max - n < MAX_GROWTH) return n;
    n += replace(d, out + n);
    ++*io_p;
  }
  return n;
}

static gunichar unit_at(const char *p, bool big)
{
  unsigned char first = (unsigned char)p[0], second = (unsigned char)p[1];
  return big ? (gunichar)first << 8 | second : (gunichar)second << 8 | first;
}

static bool is_low_half(gunichar unit) { return unit >= 0xdc00 && unit < 0xe000; }
static bool is_high_half(gunichar unit) { return unit >= 0xd800 && unit < 0xdc00; }

static size_t decode_utf16(Decoder *d, const char **io_p, const char *end, bool at_end, char *out,
                           size_t max)
{
  bool big = d->encoding == ENCODING_UTF16_BE;
  const char *p = *io_p;
  size_t n = 0;
  while (end - p >= 2 && max - n >= 4) {
    gunichar unit = unit_at(p, big);
    if (is_high_half(unit) && end - p < 4 && !at_end) break;
    p += 2;
    if (is_high_half(unit) && end - p >= 2 && is_low_half(unit_at(p, big))) {
      unit = 0x10000 + ((unit - 0xd800) << 10) + (unit_at(p, big) - 0xdc00);
      p += 2;
    }
    bool half = is_high_half(unit) || is_low_half(unit);
    n += half ? replace(d, out + n) : (size_t)g_unichar_to_utf8(unit, out + n);
  }
  if (end - p == 1 && at_end && max - n >= 4) {
    n += replace(d, out + n);
    p++;
  }
  *io_p = p;
  return n;
}

/* Decodes from *io_p on, until the input or the space for output is used up; returns the bytes
 * written.  What stays before `end` then is the beginning of a character, or did not fit.  The
 * first piece needs at least four bytes, unless at_end. */
static size_t decode(Decoder *d, const char **io_p, const char *end, bool at_end, char *out,
                     size_t max)
{
  if (d->encoding == ENCODING_UNKNOWN) {
    size_t mark_len;
    d->encoding = guess(*io_p, (size_t)(end - *io_p), &mark_len);
    *io_p += mark_len;
  }
  if (d->encoding == ENCODING_UTF8) return decode_utf8(d, io_p, end, at_end, out, max);
  if (d->encoding == ENCODING_LATIN1) return decode_latin1(io_p, end, out, max);
  return decode_utf16(d, io_p, end, at_end, out, max);
}

/* ----------------------------------------------------------------- reader */
void text_reader_init(TextReader *r, TextRead read, void *user)
{
  *r = (TextReader){ .read = read, .user = user, .raw = g_malloc(RAW_BYTES) };
}

void text_reader_clear(TextReader *r) { g_clear_pointer(&r->raw, g_free); }

/* After what is left.  Pipes may give a byte at a time: the guess needs a piece of some length. */
static int64_t refill(TextReader *r)
{
  size_t wanted = r->decoder.encoding == ENCODING_UNKNOWN ? GUESS_BYTES : 1;
  size_t left = r->len - r->pos, got = 0;
  memmove(r->raw, r->raw + r->pos, left);
  r->pos = 0;
  r->len = left;
  while (got < wanted && !r->at_end) {
    int64_t n = r->read(r->user, r->raw + r->len, RAW_BYTES - r->len);
    if (n < 0) return n;
    r->at_end = n == 0;
    r->len += (size_t)n;
    got += (size_t)n;
  }
  return 0;
}

static int64_t decode_raw(TextReader *r, char *buffer, size_t max)
{
  const char *p = r->raw + r->pos, *end = r->raw + r->len;
  size_t n = p < end ? decode(&r->decoder, &p, end, r->at_end, buffer, max) : 0;
  r->pos = (size_t)(p - r->raw);
  return (int64_t)n;
}

/* UTF-8 is left where it is read to; what is none, or cut, goes to the decoder.  0: nothing else was
 * there. */
static int64_t read_in_place(TextReader *r, char *buffer, size_t max)
{
  bool cut;
  int64_t n = r->read(r->user, buffer, MIN(max, RAW_BYTES));
  if (n < 0) return n;
  r->at_end = n == 0;
  const char *after = skip_utf8(&r->decoder, buffer, buffer + n, &cut);
  r->pos = 0;
  r->len = (size_t)(buffer + n - after);
  memcpy(r->raw, after, r->len);
  return after - buffer;
}

int64_t text_reader_read(void *reader, char *buffer, size_t max)
{
  TextReader *r = reader;
  for (;;) {
    bool empty = r->pos == r->len;
    if (empty && r->at_end) return 0;
    bool in_place = empty && r->decoder.encoding == ENCODING_UTF8;
    int64_t n = in_place ? read_in_place(r, buffer, max) : decode_raw(r, buffer, max);
    if (n != 0) return n;
    int64_t status = in_place || r->at_end ? 0 : refill(r);
    if (status < 0) return status;
  }
}
