/* The scanner: vector code against byte loops and the JSON reader, on made-up and nasty bytes. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "check.h"

#include <stdlib.h>

/* The same file once more as byte loops, under other names. */
#ifdef SCAN_WIDE_CODE
#define WIDE_TOO
SCAN_WIDE_CODE static bool wide_same(const char *a, const char *b, size_t len)
{
  return scan_same_wide(a, b, len);
}

SCAN_WIDE_CODE static unsigned wide_plain_string(const char *p)
{
  return scan_plain_string_wide(p);
}

SCAN_WIDE_CODE static unsigned wide_digits16(const char *p, uint64_t *out)
{
  return scan_digits16_wide(p, out);
}

SCAN_WIDE_CODE static unsigned wide_decimal(const char *p) { return scan_decimal_wide(p); }

SCAN_WIDE_CODE static unsigned wide_thousandths(const char *p, uint64_t *out)
{
  return scan_thousandths_wide(p, out);
}
#endif

#undef BASE_SCAN_H
#undef SCAN_PAD
#undef SCAN_ODD_DEPTH
#undef SCAN_SSE2
#undef SCAN_WIDE
#undef SCAN_WIDE_CODE
#undef SCAN_NEON
#undef SCAN_KEY3
#define SCAN_PORTABLE
#define SCAN_ESCAPED PORTABLE_ESCAPED
#define SCAN_ODD PORTABLE_ODD
#define ScanContainer PortableContainer
#define scan_is_space portable_is_space
#define scan_space_long portable_space_long
#define scan_space portable_space
#define scan_is_hex portable_is_hex
#define scan_escapes portable_escapes
#define scan_string_bytes portable_string_bytes
#define scan_string portable_string
#define scan_text_valid portable_text_valid
#define scan_decimal portable_decimal
#define scan_same portable_same
#define scan_all_same portable_all_same
#define scan_plain_len portable_plain_len
#define scan_plain_string portable_plain_string
#define scan_digits16 portable_digits16
#define scan_three_digits portable_three_digits
#define scan_thousandths portable_thousandths
#define scan_wide_here portable_wide_here
#define scan_load64 portable_load64
#define scan_load24 portable_load24
#define scan_digits portable_digits
#define scan_digit_run portable_digit_run
#define scan_number portable_number
#define scan_scalar portable_scalar
#include "base/scan.c"
#undef ScanContainer
#undef SCAN_ESCAPED
#undef SCAN_ODD
#undef scan_space
#undef scan_string
#undef scan_digits
#undef scan_scalar
#undef scan_same
#undef scan_plain_string
#undef scan_digits16
#undef scan_thousandths
#undef scan_container
#undef scan_container_best
#undef scan_wide_here

extern const char *scan_container(const char *p, const char *end, bool *odd);
extern ScanContainer scan_container_best(void);
extern bool scan_wide_here(void);

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

/* A buffer with padding, at an odd address at times. */
typedef struct Padded {
  char *memory, *bytes;
  size_t len;
} Padded;

static Padded padded(const char *bytes, size_t len)
{
  size_t shift = pick(33);
  Padded b = { calloc(1, shift + len + SCAN_PAD + 1), NULL, len };
  b.bytes = b.memory + shift;
  memcpy(b.bytes, bytes, len);
  memset(b.bytes + len, 0xff, SCAN_PAD);
  return b;
}

/* All three ways of passing a container agree; the length passed, 0 when it does not end. */
static size_t container_len(const Padded *b, bool *out_odd)
{
  const ScanContainer ways[] = { scan_container_portable, scan_container, scan_container_best() };
  size_t first = 0;
  for (unsigned i = 0; i < 3; i++) {
    bool odd = false;
    const char *after = ways[i](b->bytes, b->bytes + b->len, &odd);
    size_t len = after ? (size_t)(after - b->bytes) : 0;
    if (i == 0) {
      first = len;
      *out_odd = odd;
      continue;
    }
    if (!CHECK_INT(len, first) || (len && !CHECK_INT(odd, *out_odd))) CHECK_ROW(b->bytes);
  }
  return first;
}

static void test_space(void)
{
  static const char blanks[] = " \n\r\t";
  for (unsigned n = 0; n < 100; n++) {
    char text[128];
    for (unsigned i = 0; i < n; i++) text[i] = blanks[pick(4)];
    for (int c = 0; c < 256; c++) {
      if (memchr(blanks, c, 4)) continue;
      text[n] = (char)c;
      Padded b = padded(text, n + 1);
      if (!CHECK_INT(scan_space(b.bytes) - b.bytes, n)) CHECK_ROW(b.bytes);
      CHECK_INT(portable_space(b.bytes) - b.bytes, n);
      free(b.memory);
    }
  }
}

static void test_digits(void)
{
  for (unsigned n = 0; n <= 8; n++) {
    for (int c = 0; c < 256; c++) {
      char text[16] = "12345678";
      uint32_t got = 0, wanted = 0;
      bool digit = c >= '0' && c <= '9';
      if (digit && n < 8) continue;
      text[n] = (char)c;
      for (unsigned i = 0; i < n; i++) wanted = wanted * 10 + (unsigned)(text[i] - '0');
      CHECK_INT(scan_digits(text, &got), n);
      if (n) CHECK_INT(got, wanted);
    }
  }
  uint32_t got;
  CHECK_INT(scan_digits("00000000", &got), 8);
  CHECK_INT(got, 0);
  CHECK_INT(scan_digits("99999999", &got), 8);
  CHECK_INT(got, 99999999);
}

static void test_strings(void)
{
  static const char alphabet[] = "abcdefgh\"\\\\\\\n\x1f\x80\xff/u00";
  for (unsigned round = 0; round < 60000; round++) {
    char text[200];
    size_t len = 1 + pick(sizeof text - 1);
    unsigned plain = pick(3) ? 8 : sizeof alphabet - 1;
    for (size_t i = 0; i < len; i++)
      text[i] = alphabet[pick(pick(12) ? plain : sizeof alphabet - 1)];
    Padded b = padded(text, len);
    unsigned fast = 0, slow = 0;
    const char *x = scan_string(b.bytes, b.bytes + len, &fast);
    const char *y = portable_string(b.bytes, b.bytes + len, &slow);
    if (!CHECK(x == y) || (x && !CHECK_INT(fast, slow))) CHECK_ROW(b.bytes);
    free(b.memory);
  }
}

/* An even run of backslashes leaves the quote behind it alone, an odd one escapes it. */
static void test_backslash_runs(void)
{
  for (unsigned before = 0; before < 130; before++) {
    for (unsigned run = 0; run < 70; run++) {
      GString *text = g_string_new("{\"a\":\"");
      for (unsigned i = 0; i < before; i++) g_string_append_c(text, 'x');
      for (unsigned i = 0; i < run; i++) g_string_append_c(text, '\\');
      g_string_append(text, "\"}");
      size_t inner = text->len;
      g_string_append(text, " {{\"}");
      bool odd = false;
      Padded b = padded(text->str, text->len);
      size_t wanted = run % 2 ? text->len : inner;
      if (!CHECK_INT(container_len(&b, &odd), wanted)) CHECK_ROW(text->str);
      free(b.memory);
      g_string_free(text, TRUE);
    }
  }
}

/* ------------------------------------------------------ made-up JSON values */
static void add_blank(GString *out)
{
  static const char *const blanks[] = {
    "", "", "", " ", "\n", "\t \r\n", "                      "
  };
  g_string_append(out, blanks[pick(7)]);
}

static void add_string(GString *out, bool utf8)
{
  static const char *const parts[] = {
    "a", "kernel", "}", "{\"ph\":\"X\"", "]", "[", "\\\"", "\\\\", "\\n", "\\u00e9", ",",
    ":", "NaN",    "H", "\\\\\\\\\\\"",  " "
  };
  g_string_append_c(out, '"');
  for (unsigned n = pick(12); n; n--) {
    if (utf8 && pick(6) == 0) g_string_append(out, "\xc3\xa9");
    const char *part = parts[pick(16)];
    if (*part == '{') part = "{\\\"ph\\\":";
    g_string_append(out, part);
  }
  g_string_append_c(out, '"');
}

static void add_value(GString *out, unsigned depth, bool utf8);

static void add_container(GString *out, unsigned depth, bool utf8)
{
  bool object = pick(2);
  g_string_append_c(out, object ? '{' : '[');
  for (unsigned n = pick(5), i = 0; i < n; i++) {
    if (i) g_string_append_c(out, ',');
    add_blank(out);
    if (object) {
      add_string(out, utf8);
      add_blank(out);
      g_string_append_c(out, ':');
      add_blank(out);
    }
    add_value(out, depth + 1, utf8);
    add_blank(out);
  }
  g_string_append_c(out, object ? '}' : ']');
}

static void add_value(GString *out, unsigned depth, bool utf8)
{
  static const char *const scalars[] = { "0",    "-1",    "12345.678", "1e5",
                                         "true", "false", "null",      "-0.5E-3" };
  switch (pick(depth < 6 ? 4 : 2)) {
  case 0: g_string_append(out, scalars[pick(8)]); break;
  case 1: add_string(out, utf8); break;
  default: add_container(out, depth, utf8);
  }
}

static void test_against_reader(void)
{
  for (unsigned round = 0; round < 20000; round++) {
    GString *text = g_string_new(NULL);
    bool utf8 = pick(4) == 0, odd = false;
    add_container(text, 0, utf8);
    size_t len = text->len;
    JsonCursor r;
    JsonToken token;
    json_open(&r, text->str, len, true);
    json_skip(&r, &token);
    if (!CHECK_INT(token.len, len)) CHECK_ROW(text->str);
    g_string_append(text, pick(2) ? ",{\"ph\":\"X\"}" : "]}\"N");
    Padded b = padded(text->str, text->len);
    if (!CHECK_INT(container_len(&b, &odd), len) || !CHECK(!odd)) CHECK_ROW(text->str);
    free(b.memory);
    b = padded(text->str, pick((uint32_t)len));
    CHECK_INT(container_len(&b, &odd), 0);
    free(b.memory);
    g_string_free(text, TRUE);
  }
}

static unsigned depth_of(const char *text, size_t len)
{
  JsonCursor r;
  JsonToken token;
  unsigned deepest = 0;
  json_open(&r, text, len, false);
  while (json_next(&r, &token) > JSON_ERROR) deepest = MAX(deepest, r.depth);
  return deepest;
}

/* What is passed is odd just when the reader, too, would refuse it. */
static bool should_be_odd(const char *text, size_t len)
{
  return !json_check(text, len, NULL, NULL) || depth_of(text, len) > SCAN_ODD_DEPTH;
}

static void check_oddness(const char *text, size_t len)
{
  bool odd = false;
  Padded b = padded(text, len);
  size_t passed = container_len(&b, &odd);
  if (passed && !CHECK_INT(odd, should_be_odd(b.bytes, passed))) CHECK_ROW(b.bytes);
  free(b.memory);
}

/* Bytes changed, taken out and put in at random. */
static void test_broken(void)
{
  static const char poison[] = "\"\\{}[]N\n\x80\x01\x0c\x1a,,::  01-.eEtna";
  for (unsigned round = 0; round < 60000; round++) {
    GString *text = g_string_new(NULL);
    add_container(text, 0, false);
    for (unsigned n = pick(4); n; n--) {
      gssize at = (gssize)pick((uint32_t)text->len);
      char c = poison[pick(sizeof poison - 1)];
      if (pick(2))
        text->str[at] = c;
      else if (pick(2))
        g_string_insert_c(text, at, c);
      else if (text->len > 2)
        g_string_erase(text, at, 1);
    }
    text->str[0] = pick(2) ? '{' : '[';
    check_oddness(text->str, text->len);
    g_string_free(text, TRUE);
  }
}

/* Every order of a few tokens, at every place of a block. */
static void test_orders(void)
{
  static const char *const tokens[] = { "\"a\"", "{", "}", "[", "]",    ",",
                                        ":",     "1", "0", "-", "true", " " };
  enum { N = G_N_ELEMENTS(tokens), LENGTH = 4 };
  for (unsigned order = 0; order < N * N * N * N; order++) {
    for (unsigned object = 0; object < 2; object++) {
      GString *text = g_string_new(object ? "{" : "[");
      for (unsigned n = pick(70); n; n--) g_string_append_c(text, ' ');
      for (unsigned n = 0, rest = order; n < LENGTH; n++, rest /= N)
        g_string_append(text, tokens[rest % N]);
      g_string_append(text, object ? "}" : "]");
      check_oddness(text->str, text->len);
      g_string_free(text, TRUE);
    }
  }
}

static void test_odd(void)
{
  static const struct {
    const char *text;
    bool odd;
  } rows[] = {
    { "{}", false },
    { "{\"a\":\"x\ty\"}", true },
    { "{\"a\":\n\t1}", false },
    { "{\"a\":\"\xc3\xa9\"}", false },
    { "{\"a\":\"\xc3\"}", true },
    { "{\"a\":\"\xed\xa0\x80\"}", true },
    { "{\"a\":\xc3\xa9}", true },
    { "{\"a\":\"\xc3\xa9\x01\"}", true },
    { "{\"a\":NaN}", true },
    { "{\"a\":-Infinity}", true },
    { "{\"a\":nan}", true },
    { "{\"a\":-inf}", true },
    { "{\"a\":[true,false,null,1.5E+3]}", false },
    { "{\"a\":\"NaN nan inf\"}", false },
    { "{\"a\":\"I\\\"N\"}", false },
    { "{\"a\":[1,2}}", true },
    { "[{\"a\":1]}", true },
    { "{\"a\":[}]", true },
    { "{\"a\":1,}", true },
    { "{\"a\":tru}", true },
    { "{\"a\":01}", true },
    { "{a:1}", true },
    { "{\"a\" 1}", true },
    { "{\"a\":1 2}", true },
    { "{\"a\":\"b\":1}", true },
    { "{\"a\":\f1}", true },
    { "{\"a\":1.}", true },
    { "{\"a\":\"\x7f\"}", false },
    { "{\"a\":\"\\q\"}", true },
    { "{\"a\":\"\\\\q\\\"\\/\\b\\f\\n\\r\\t\\u00eF\"}", false },
    { "{\"a\":\"\\u00g0\"}", true },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Padded b = padded(rows[i].text, strlen(rows[i].text));
    bool odd = false;
    size_t len = container_len(&b, &odd);
    if (!CHECK_INT(len, b.len) || !CHECK_INT(odd, rows[i].odd)) CHECK_ROW(rows[i].text);
    free(b.memory);
  }
}

static void test_depth(void)
{
  static const struct {
    unsigned depth;
    bool odd;
  } rows[] = { { 1, false }, { 60, false }, { 61, true }, { 5000, true } };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    unsigned n = rows[i].depth;
    char *text = malloc(2 * n);
    bool odd = false;
    memset(text, '[', n);
    memset(text + n, ']', n);
    Padded b = padded(text, 2 * n);
    CHECK_INT(container_len(&b, &odd), 2 * n);
    CHECK_INT(odd, rows[i].odd);
    free(b.memory);
    free(text);
  }
}

/* Bytes at once, in every way this machine has. */
static void test_wide(void)
{
  for (unsigned round = 0; round < 20000; round++) {
    char text[2 * SCAN_WIDE], other[2 * SCAN_WIDE];
    unsigned common = pick(30) + 1;
    for (unsigned i = 0; i < sizeof text; i++) {
      text[i] = pick(common) ? (char)('a' + pick(20)) : "\"\"\\ \n\x1f\x7f\x80\xff"[pick(9)];
      other[i] = pick(2 * common) ? text[i] : (char)pick(256);
    }
    unsigned at = pick(SCAN_WIDE), len = pick(SCAN_WIDE + 1);
    const char *a = text + at, *b = other + at;
    bool same = memcmp(a, b, len) == 0;
    unsigned plain = portable_plain_string(a);
    CHECK(portable_same(a, b, len) == same);
    CHECK(scan_same(a, b, len) == same);
    CHECK_INT(scan_plain_string(a), plain);
    unsigned stop = 0;
    while (stop < SCAN_WIDE && (signed char)a[stop] >= 0x20 && !strchr("\"\\", a[stop])) stop++;
    CHECK_INT(plain, stop == SCAN_WIDE ? SCAN_WIDE : a[stop] == '"' ? stop : SCAN_NOT_PLAIN);
#ifdef WIDE_TOO
    if (!scan_wide_here()) continue;
    CHECK(wide_same(a, b, len) == same);
    CHECK_INT(wide_plain_string(a), plain);
#endif
  }
}

static void check_length_of_decimal(const char *text)
{
  const char *after = *text == '-' || is_digit(*text) ? scan_number(text) : NULL;
  unsigned wanted = after ? (unsigned)(after - text) : 0;
  CHECK_INT(scan_decimal(text), wanted);
#ifdef WIDE_TOO
  unsigned len = scan_wide_here() ? wide_decimal(text) : 0;
  bool plain = wanted && !memchr(text, 'e', wanted) && !memchr(text, 'E', wanted);
  /* It may stop before an exponent, where no number ends. */
  if (len && plain && !CHECK_INT(len, wanted)) CHECK_ROW(text);
  if (len && !plain && !CHECK((text[len] | 0x20) == 'e')) CHECK_ROW(text);
  if (plain && wanted < 15 && !CHECK(len)) CHECK_ROW(text);
#endif
}

static void check_decimal(const char *text)
{
  uint64_t got = 0, wanted = 0;
  unsigned n = portable_digits16(text, &wanted);
  uint64_t whole = 0;
  for (unsigned i = 0; i < n; i++) whole = whole * 10 + (unsigned)(text[i] - '0');
  CHECK_INT(n, MIN(strspn(text, "0123456789"), 16));
  CHECK(wanted == whole || !n);
  if (!CHECK_INT(scan_digits16(text, &got), n) || (n && !CHECK(got == whole))) CHECK_ROW(text);
#ifdef WIDE_TOO
  if (scan_wide_here() && (!CHECK_INT(wide_digits16(text, &got), n) || !CHECK(got == whole)))
    CHECK_ROW(text);
#endif
  bool fits = n >= 1 && n <= 12 && text[n] == '.' && strspn(text + n + 1, "0123456789") >= 3;
  wanted = fits
               ? whole * 1000 + (uint64_t)atoi((char[]){ text[n + 1], text[n + 2], text[n + 3], 0 })
               : 0;
  bool ends = !fits || !is_digit(text[n + 4]);
  unsigned len = scan_thousandths(text, &got);
  if (ends && (!CHECK_INT(len, fits ? n + 4 : 0) || (len && !CHECK(got == wanted))))
    CHECK_ROW(text);
#ifdef WIDE_TOO
  if (!scan_wide_here()) return;
  len = wide_thousandths(text, &got);
  if (ends && (!CHECK_INT(len, fits ? n + 4 : 0) || (len && !CHECK(got == wanted))))
    CHECK_ROW(text);
#endif
}

static void test_decimals(void)
{
  static const char *const fixed[] = { "",
                                       ".125",
                                       "1.125",
                                       "12.5",
                                       "1.25,",
                                       "123456789012.999}",
                                       "1234567890123.125",
                                       "9999999999999999",
                                       "0.000",
                                       "1,125",
                                       "99999999999999999999",
                                       "000000000001.001",
                                       "1.12a" };
  for (unsigned i = 0; i < 2000 + sizeof fixed / sizeof *fixed; i++) {
    char text[SCAN_PAD + 40] = "";
    unsigned len = 0;
    if (i < sizeof fixed / sizeof *fixed)
      strcpy(text, fixed[i]);
    else
      for (unsigned k = pick(20); len < k; len++)
        text[len] = pick(12) ? (char)('0' + pick(10)) : ".,e}"[pick(4)];
    check_decimal(text);
    check_length_of_decimal(text);
  }
}

/* At every place of a vector, and cut anywhere: the bytes of characters, and what is nearly some. */
static void test_utf8(void)
{
  static const char *const parts[] = { "a",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       "\x80",
                                       "\xc1\xbf",
                                       "\xe0\x9f\xbf",
                                       "\xed\xa0\x80",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf4\x90\x80\x80",
                                       "\xf5\x80\x80\x80",
                                       "\xff" };
  enum { RIGHT = 8, ALL = 16 };
  for (unsigned round = 0; round < 40000; round++) {
    char text[160] = "";
    size_t len = 0, most = 64 + pick(80);
    unsigned wrong = pick(3) ? RIGHT : ALL;
    while (len < most) {
      const char *part = parts[pick(pick(20) ? RIGHT : wrong)];
      memcpy(text + len, part, strlen(part));
      len += strlen(part);
    }
    if (pick(2)) len -= pick(4);
    if (pick(8) == 0) text[pick((uint32_t)len)] = (char)pick(256);
    for (size_t i = 0; i < len; i++)
      if (!text[i]) text[i] = ' '; /* which GLib refuses */
    bool wanted = g_utf8_validate_len(text, len, NULL);
    bool valid = utf8_valid(text, len), wide = valid;
#ifdef WIDE_TOO
    if (scan_wide_here()) wide = utf8_valid_wide(text, len);
#endif
    if (!CHECK_INT(valid, wanted) || !CHECK_INT(wide, wanted)) CHECK_ROW(text);
  }
}

TEST_MAIN({ "UTF-8", test_utf8 }, { "white space", test_space }, { "digits", test_digits },
          { "strings", test_strings }, { "backslash runs", test_backslash_runs },
          { "against the reader", test_against_reader }, { "broken bytes", test_broken },
          { "orders of tokens", test_orders }, { "odd bytes", test_odd }, { "depth", test_depth },
          { "wide", test_wide }, { "decimals", test_decimals })
