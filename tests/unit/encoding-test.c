/* Text in every encoding becomes UTF-8, however it is cut. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/encoding.h"
#include "check.h"

#include <glib.h>

typedef struct Input {
  const char *text;
  size_t len, pos, piece;
  bool fails;
} Input;

static int64_t read_piece(void *user, char *buffer, size_t max)
{
  Input *in = user;
  size_t n = MIN(MIN(in->piece, max), in->len - in->pos);
  if (in->fails && in->pos > 0) return -3;
  memcpy(buffer, in->text + in->pos, n);
  in->pos += n;
  return (int64_t)n;
}

static char *decode(const char *text, size_t len, size_t piece, size_t space, Decoder *out)
{
  Input in = { text, len, 0, piece, false };
  TextReader r;
  GString *all = g_string_new(NULL);
  char buffer[4096];
  int64_t n;
  text_reader_init(&r, read_piece, &in);
  while ((n = text_reader_read(&r, buffer, space)) > 0) g_string_append_len(all, buffer, n);
  CHECK_INT(n, 0);
  *out = r.decoder;
  text_reader_clear(&r);
  return g_string_free(all, FALSE);
}

typedef struct Row {
  const char *text;
  size_t len;
  const char *wanted;
  Encoding encoding;
  unsigned n_replaced;
} Row;
#define BYTES(text) text, sizeof(text) - 1

static const Row rows[] = {
  { BYTES(""), "", ENCODING_UNKNOWN, 0 },
  { BYTES("a"), "a", ENCODING_UTF8, 0 },
  { BYTES("plain text, no more"), "plain text, no more", ENCODING_UTF8, 0 },
  { BYTES("\xef\xbb\xbf"), "", ENCODING_UTF8, 0 },
  { BYTES("\xef\xbb\xbf"
          "a \xce\xbcs"),
    "a \xce\xbcs", ENCODING_UTF8, 0 },
  { BYTES("\xe2\x82\xac \xf0\x9f\x98\x80 end"), "\xe2\x82\xac \xf0\x9f\x98\x80 end", ENCODING_UTF8,
    0 },
  { BYTES("1 \xb5s, \xe9t\xe9"), "1 \xc2\xb5s, \xc3\xa9t\xc3\xa9", ENCODING_LATIN1, 0 },
  { BYTES("ends in \xce"), "ends in \xc3\x8e", ENCODING_LATIN1, 0 },
  { BYTES("\xce\xbc then \xb5s"), "\xce\xbc then \xef\xbf\xbds", ENCODING_UTF8, 1 },
  { BYTES("\xce\xbc cut \xe2\x82"), "\xce\xbc cut \xef\xbf\xbd\xef\xbf\xbd", ENCODING_UTF8, 2 },
  { BYTES("\xff\xfe"
          "a\0\xbc\x03"),
    "a\xce\xbc", ENCODING_UTF16_LE, 0 },
  { BYTES("\xfe\xff\0a\x03\xbc"), "a\xce\xbc", ENCODING_UTF16_BE, 0 },
  { BYTES("a\0b\0,\0\xbc\x03"), "ab,\xce\xbc", ENCODING_UTF16_LE, 0 },
  { BYTES("\0a\0b\0,\x03\xbc"), "ab,\xce\xbc", ENCODING_UTF16_BE, 0 },
  { BYTES("\xff\xfe\x3d\xd8\x00\xde!\0"), "\xf0\x9f\x98\x80!", ENCODING_UTF16_LE, 0 },
  { BYTES("\xff\xfe\x00\xde!\0\x3d\xd8"), "\xef\xbf\xbd!\xef\xbf\xbd", ENCODING_UTF16_LE, 2 },
  { BYTES("\xff\xfe"
          "a\0b"),
    "a\xef\xbf\xbd", ENCODING_UTF16_LE, 1 },
};

static void test_encodings(void)
{
  static const size_t cuts[][2] = { { 4096, 4096 }, { 1, 64 }, { 2, 67 }, { 3, 100 } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    for (size_t c = 0; c < G_N_ELEMENTS(cuts); c++) {
      Decoder d;
      g_autofree char *got = decode(rows[i].text, rows[i].len, cuts[c][0], cuts[c][1], &d);
      bool same = CHECK_STR(got, rows[i].wanted);
      same &= CHECK_INT(d.encoding, rows[i].encoding);
      same &= CHECK_INT(d.n_replaced, rows[i].n_replaced);
      if (!same) CHECK_ROW(rows[i].wanted);
    }
}

/* n times the text, in an encoding that iconv knows. */
static void round_trip(const char *text, unsigned n, const char *charset)
{
  GString *all = g_string_new(NULL);
  for (unsigned i = 0; i < n; i++) g_string_append(all, text);
  gsize len = 0;
  g_autofree char *bytes =
      g_convert(all->str, (gssize)all->len, charset, "UTF-8", NULL, &len, NULL);
  static const size_t pieces[] = { 4096, 777, 1 << 20 };
  for (size_t i = 0; CHECK(bytes != NULL) && i < G_N_ELEMENTS(pieces); i++) {
    Decoder d;
    g_autofree char *got = decode(bytes, len, pieces[i], 64 + i * 1000, &d);
    CHECK(strcmp(got, all->str) == 0);
    CHECK_INT(d.n_replaced, 0);
  }
  g_string_free(all, TRUE);
}

static void test_long_texts(void)
{
  round_trip("12.5 \xc2\xb5s, a kernel\r\n", 30000, "ISO-8859-1");
  round_trip("12.5 \xce\xbcs, \xf0\x9f\x98\x80 \xe2\x82\xac\n", 30000, "UTF-8");
  round_trip("12.5 \xce\xbcs, 9 \xc2\xb5s, all of two bytes at most\r\n", 30000, "UTF-8");
  round_trip("12.5 \xce\xbcs, \xf0\x9f\x98\x80 kernel\n", 30000, "UTF-16LE");
  round_trip("12.5 \xce\xbcs, \xf0\x9f\x98\x80 kernel\n", 30000, "UTF-16BE");
}

/* A wrong byte at each place of a text that is checked many bytes at once. */
static void test_each_place(void)
{
  static const char *const wrong[] = { "\x80", "\xbf",     "\xc1\xbf", "\xc2",
                                       "\xdf", "\xe2\x80", "\xff" };
  for (size_t at = 0; at < 150; at++)
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
      Decoder d;
      GString *text = g_string_new("\xce\xbc"), *wanted = g_string_new("\xce\xbc");
      for (size_t n = 0; n < 200; n++) {
        const char *c = n % 3 ? "a" : "\xc2\xb5";
        g_string_append(text, c);
        g_string_append(wanted, c);
        if (n != at) continue;
        g_string_append_printf(text, "%s;", wrong[i]);
        for (size_t k = 0; k < strlen(wrong[i]); k++) g_string_append(wanted, "\xef\xbf\xbd");
        g_string_append_c(wanted, ';');
      }
      g_autofree char *got = decode(text->str, text->len, 4096, 4096, &d);
      CHECK_STR(got, wanted->str);
      CHECK_INT(d.n_replaced, (int)strlen(wrong[i]));
      g_string_free(text, TRUE);
      g_string_free(wanted, TRUE);
    }
}

/* In a binary file a lead byte may stand before a zero: it is wrong, and no character that goes on in the next piece. */
static void test_zero_after_a_lead_byte(void)
{
  Decoder d;
  g_autofree char *rest = g_strnfill(500, 'a');
  GString *text = g_string_new("\xce\xbc");
  g_string_append_len(text, "\xc2\0", 2);
  g_string_append(text, rest);
  g_autofree char *got = decode(text->str, text->len, 4096, 64, &d);
  CHECK_STR(got, "\xce\xbc\xef\xbf\xbd");
  CHECK_STR(got + strlen(got) + 1, rest);
  CHECK_INT(d.n_replaced, 1);
  g_string_free(text, TRUE);
}

static void test_failure(void)
{
  Input in = { "abc", 3, 0, 3, true };
  TextReader r;
  char buffer[64];
  text_reader_init(&r, read_piece, &in);
  CHECK_INT(text_reader_read(&r, buffer, sizeof buffer), -3);
  text_reader_clear(&r);
}

TEST_MAIN({ "every encoding, however cut", test_encodings }, { "long texts", test_long_texts },
          { "a wrong byte at each place", test_each_place },
          { "a zero after a lead byte", test_zero_after_a_lead_byte },
          { "a reader that fails", test_failure })
