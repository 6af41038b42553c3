/* base/num-digits: runs of digits and where they stop, eight at once, and integers as text. */
/* SPDX-License-Identifier: MIT */
#include "base/num-digits.h"
#include "check.h"

static void test_scan(void)
{
  static const struct {
    const char *text;
    uint64_t most, value;
    unsigned base;
    int used; /* -1: more than `most` */
  } rows[] = {
    { "", 9, 0, 10, 0 },
    { "x1", 9, 0, 10, 0 },
    { "007x", 9, 7, 10, 3 },
    { "9", 9, 9, 10, 1 },
    { "10", 9, 0, 10, -1 },
    { "12ab", 99, 12, 10, 2 },
    { "12ab", 0xffff, 0x12ab, 16, 4 },
    { "FfG", 255, 255, 16, 2 },
    { "@`/:", 255, 0, 16, 0 },
    { "1012", 255, 5, 2, 3 },
    { "1778", 255, 127, 8, 3 },
    { "18446744073709551615", UINT64_MAX, UINT64_MAX, 10, 20 },
    { "18446744073709551616", UINT64_MAX, 0, 10, -1 },
    { "99999999999999999999", UINT64_MAX, 0, 10, -1 },
    { "ffffffffffffffff", UINT64_MAX, UINT64_MAX, 16, 16 },
    { "10000000000000000", UINT64_MAX, 0, 16, -1 },
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *text = rows[i].text;
    uint64_t value = 0;
    const char *after = digits_scan(text, text + strlen(text), rows[i].base, rows[i].most, &value);
    bool ok = CHECK_INT(after ? after - text : -1, rows[i].used);
    if (!CHECK(value == rows[i].value) || !ok) CHECK_ROW(text);
  }
}

static void test_end(void)
{
  static const char text[] = "123456";
  uint64_t value = 0;
  CHECK(digits_scan(text, text + 3, 10, 1000, &value) == text + 3);
  CHECK_INT(value, 123);
}

/* The first byte is the lowest, as on a machine that stores it so. */
static uint64_t less_zero(const char *eight)
{
  uint64_t v = 0;
  for (int i = 7; i >= 0; i--) v = v << 8 | (unsigned char)eight[i];
  return v ^ UINT64_C(0x3030303030303030);
}

static void test_eight(void)
{
  CHECK(digits_stop8(less_zero("01234567")) == 0);
  CHECK(digits_stop8(less_zero("99999999")) == 0);
  CHECK(digits_stop8(less_zero("/2345678")) == UINT64_C(0x80));
  CHECK(digits_stop8(less_zero("123:567\xff")) == UINT64_C(0x8000000080000000));
  CHECK_INT(digits_value8(less_zero("00000000")), 0);
  CHECK_INT(digits_value8(less_zero("12345678")), 12345678);
  CHECK_INT(digits_value8(less_zero("99999999")), 99999999);
}

static void test_write(void)
{
  static const struct {
    int64_t value;
    const char *wanted;
  } rows[] = { { 0, "0" },
               { 9, "9" },
               { 10, "10" },
               { -10, "-10" },
               { 123456789, "123456789" },
               { INT64_MAX, "9223372036854775807" },
               { INT64_MIN, "-9223372036854775808" } };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[DIGITS_MAX + 1];
    text[digits_write(text, rows[i].value)] = '\0';
    CHECK_STR(text, rows[i].wanted);
  }
}

TEST_MAIN({ "stops at the end of a run, and above a limit", test_scan },
          { "stops at the end of the text", test_end }, { "reads eight at once", test_eight },
          { "writes integers", test_write })
