/* base/num: reading and writing of numbers at their borders. */
/* SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "check.h"

#include <float.h>
#include <math.h>

typedef struct ScanRow {
  const char *text;
  int decimals;
  int64_t value;
  unsigned flags;
  int n_read; /* 0: no number */
} ScanRow;

static const ScanRow scan_rows[] = { { "0", 3, 0, 0, 1 },
                                     { "-0", 3, 0, 0, 2 },
                                     { "1712345678901234.567", 3, 1712345678901234567, 0, 20 },
                                     { "12.5,", 3, 12500, 0, 4 },
                                     { "7}", 3, 7000, 0, 1 },
                                     { "123456789", 0, 123456789, 0, 9 },
                                     { "1234567812345678", 0, 1234567812345678, 0, 16 },
                                     { "1e3", 0, 1000, 0, 3 },
                                     { "1.5E+2x", 0, 150, 0, 6 },
                                     { "125e-2", 3, 1250, 0, 6 },
                                     { "0.0005", 3, 0, NUM_INEXACT, 6 },
                                     { "0.0015", 3, 2, NUM_INEXACT, 6 },
                                     { "0.0025", 3, 2, NUM_INEXACT, 6 },
                                     { "0.00250000000000000000000000001", 3, 3, NUM_INEXACT, 31 },
                                     { "0.0024999999999999999999999999", 3, 2, NUM_INEXACT, 30 },
                                     { "-2.5", 0, -2, NUM_INEXACT, 4 },
                                     { "-3.5", 0, -4, NUM_INEXACT, 4 },
                                     { "1.0000000000000000000000000", 3, 1000, 0, 27 },
                                     { "9223372036854775807", 0, INT64_MAX, 0, 19 },
                                     { "-9223372036854775808", 0, INT64_MIN, 0, 20 },
                                     { "9223372036854775808", 0, INT64_MAX, NUM_RANGE, 19 },
                                     { "-9223372036854775809", 0, INT64_MIN, NUM_RANGE, 20 },
                                     { "9223372036854776", 3, INT64_MAX, NUM_RANGE, 16 },
                                     { "100000000000000000000000000000", 0, INT64_MAX, NUM_RANGE,
                                       30 },
                                     { "1e99999999999999999999999", 0, INT64_MAX, NUM_RANGE, 25 },
                                     { "1e-99999999999999999999999", 0, 0, NUM_INEXACT, 26 },
                                     { "0e99999999999999999999999", 0, 0, 0, 25 },
                                     { "012", 0, 0, 0, 1 },
                                     { "1.", 0, 1, 0, 1 },
                                     { "1.x", 0, 1, 0, 1 },
                                     { "1e", 0, 1, 0, 1 },
                                     { "1e+", 0, 1, 0, 1 },
                                     { "12345678\"", 0, 12345678, 0, 8 },
                                     { "", 0, 0, 0, 0 },
                                     { "-", 0, 0, 0, 0 },
                                     { "+1", 0, 0, 0, 0 },
                                     { ".5", 0, 0, 0, 0 },
                                     { "-.5", 0, 0, 0, 0 },
                                     { "NaN", 0, 0, 0, 0 } };

static void test_scan(void)
{
  for (size_t i = 0; i < sizeof scan_rows / sizeof *scan_rows; i++) {
    const ScanRow *row = &scan_rows[i];
    int64_t value = 0;
    unsigned flags = 0;
    const char *end = row->text + strlen(row->text);
    const char *after = num_scan_scaled(row->text, end, row->decimals, &value, &flags);
    int n_read = after ? (int)(after - row->text) : 0;
    if (!CHECK_INT(n_read, row->n_read)) CHECK_ROW(row->text);
    if (!CHECK_INT(value, row->value)) CHECK_ROW(row->text);
    if (!CHECK_INT(flags, row->flags)) CHECK_ROW(row->text);
  }
}

/* The eight-digit steps and the byte loop must agree wherever the text ends. */
static void test_scan_widths(void)
{
  char text[64] = "", padded[64];
  int64_t wanted = 0;
  for (int n = 1; n <= 18; n++) {
    wanted = wanted * 10 + n % 10;
    snprintf(text, sizeof text, "%lld", (long long)wanted);
    snprintf(padded, sizeof padded, "%lld:;/- \xff\xff\xff\xff\xff\xff\xff\xff", (long long)wanted);
    int64_t exact = 0, inside = 0;
    CHECK(num_scan_scaled(text, text + n, 0, &exact, NULL) == text + n);
    CHECK(num_scan_scaled(padded, padded + sizeof padded, 0, &inside, NULL) == padded + n);
    CHECK_INT(exact, wanted);
    CHECK_INT(inside, wanted);
  }
}

typedef struct WholeRow {
  const char *text;
  bool ok;
  int64_t value;
} WholeRow;

static void check_whole(const WholeRow *rows, size_t n_rows,
                        bool (*read)(const char *, size_t, int64_t *))
{
  for (size_t i = 0; i < n_rows; i++) {
    int64_t value = 0;
    bool ok = read(rows[i].text, strlen(rows[i].text), &value);
    if (!CHECK(ok == rows[i].ok)) CHECK_ROW(rows[i].text);
    if (!CHECK_INT(value, rows[i].ok ? rows[i].value : 0)) CHECK_ROW(rows[i].text);
  }
}

static void test_int(void)
{
  static const WholeRow rows[] = { { "0", true, 0 },
                                   { "+12", true, 12 },
                                   { "-007", true, -7 },
                                   { "0x1F", true, 31 },
                                   { "-0x10", true, -16 },
                                   { "9223372036854775807", true, INT64_MAX },
                                   { "-9223372036854775808", true, INT64_MIN },
                                   { "9223372036854775808", false, 0 },
                                   { "0x8000000000000000", false, 0 },
                                   { "0x10000000000000000", false, 0 },
                                   { "0x", false, 0 },
                                   { "", false, 0 },
                                   { "-", false, 0 },
                                   { "1.0", false, 0 },
                                   { " 1", false, 0 },
                                   { "1 ", false, 0 },
                                   { "12a", false, 0 } };
  check_whole(rows, sizeof rows / sizeof *rows, num_int);
}

static void test_real(void)
{
  static const struct {
    const char *text;
    bool ok;
    double value;
  } rows[] = { { "0", true, 0 },
               { "-2.5", true, -2.5 },
               { "+.5", true, 0.5 },
               { "5.", true, 5 },
               { "1e3", true, 1000 },
               { "0.1", true, 0.1 },
               { "1e22", true, 1e22 },
               { "1e400", false, 0 },
               { "1e-400", true, 0 },
               { "5e-324", true, 5e-324 },
               { "1e", false, 0 },
               { "nan", false, 0 },
               { "inf", false, 0 },
               { "0x10", false, 0 },
               { "", false, 0 },
               { ".", false, 0 },
               { "1 ", false, 0 },
               { "1,5", false, 0 },
               { "-", false, 0 },
               { "2.2250738585072011e-308", true, 2.2250738585072011e-308 },
               { "123456789012345678901234567890", true, 123456789012345678901234567890.0 },
               { "9007199254740993", true, 9007199254740992.0 } };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double value = 0;
    bool ok = num_real(rows[i].text, strlen(rows[i].text), &value);
    if (!CHECK(ok == rows[i].ok)) CHECK_ROW(rows[i].text);
    if (rows[i].ok && !CHECK(value == rows[i].value)) CHECK_ROW(rows[i].text);
  }
}

/* Rounded once: not to a double first, and again when scaled. */
static void test_real_scaled(void)
{
  static const struct {
    const char *text;
    int decimals;
    double value;
  } rows[] = { { "239.809", 6, 239809000.0 },
               { "1.1", 3, 1100.0 },
               { "-0.0000001", 9, -100.0 },
               { "1.2345678", 3, 1234.5678 },
               { "5e2", -3, 0.5 },
               { "0.3333333333333333333333", 3, 333.3333333333333333333 },
               { "123456789012345678e-3", 9, 123456789012345678e6 },
               { "1e-300", 20, 1e-280 } };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double value = 0;
    bool ok = num_real_scaled(rows[i].text, strlen(rows[i].text), rows[i].decimals, &value);
    if (!CHECK(ok && value == rows[i].value)) CHECK_ROW(rows[i].text);
  }
}

static void test_duration(void)
{
  static const WholeRow rows[] = { { "10ms", true, 10000000 },
                                   { "1.5 s", true, 1500000000 },
                                   { "250", true, 250 },
                                   { "3ns", true, 3 },
                                   { "2us", true, 2000 },
                                   { "2\xc2\xb5s", true, 2000 },
                                   { "2\xce\xbcs", true, 2000 },
                                   { "2min", true, 120000000000 },
                                   { "0.5 h", true, 1800000000000 },
                                   { "-1ms", true, -1000000 },
                                   { "", false, 0 },
                                   { "ms", false, 0 },
                                   { "5 ", false, 0 },
                                   { "5m", false, 0 },
                                   { "5 parsecs", false, 0 },
                                   { "9223372037s", false, 0 },
                                   { "3000000h", false, 0 },
                                   { "1s2", false, 0 } };
  check_whole(rows, sizeof rows / sizeof *rows, num_duration);
}

static void test_size(void)
{
  static const WholeRow rows[] = { { "0", true, 0 },
                                   { "17B", true, 17 },
                                   { "512K", true, 524288 },
                                   { "4GiB", true, 4294967296 },
                                   { "3MB", true, 3000000 },
                                   { "1.5 KiB", true, 1536 },
                                   { "2T", true, 2199023255552 },
                                   { "1kB", true, 1000 },
                                   { "8388607TiB", true, 9223370937343148032 },
                                   { "8388608TiB", false, 0 },
                                   { "-1", false, 0 },
                                   { "-0", false, 0 },
                                   { "", false, 0 },
                                   { "K", false, 0 },
                                   { "1Mb", false, 0 },
                                   { "9e30", false, 0 } };
  check_whole(rows, sizeof rows / sizeof *rows, num_size);
}

typedef struct FormatRow {
  int64_t value;
  const char *text;
} FormatRow;

static void check_format(const FormatRow *rows, size_t n_rows, size_t (*format)(char *, int64_t))
{
  char buf[NUM_BUF];
  for (size_t i = 0; i < n_rows; i++) {
    memset(buf, 'x', sizeof buf);
    if (!CHECK_INT(format(buf, rows[i].value), strlen(rows[i].text))) CHECK_ROW(rows[i].text);
    CHECK_STR(buf, rows[i].text);
  }
}

static void test_format_int(void)
{
  static const FormatRow rows[] = { { 0, "0" },
                                    { 9, "9" },
                                    { 10, "10" },
                                    { 99, "99" },
                                    { 100, "100" },
                                    { -1, "-1" },
                                    { 999999999999, "999999999999" },
                                    { 1000000000000, "1000000000000" },
                                    { INT64_MAX, "9223372036854775807" },
                                    { INT64_MIN, "-9223372036854775808" } };
  char buf[NUM_BUF];
  check_format(rows, sizeof rows / sizeof *rows, num_format_int);
  CHECK_INT(num_format_uint(buf, UINT64_MAX), 20);
  CHECK_STR(buf, "18446744073709551615");
}

static void test_format_us(void)
{
  static const FormatRow rows[] = { { 0, "0" },
                                    { 1, "0.001" },
                                    { 1000, "1" },
                                    { 1010, "1.010" },
                                    { -1, "-0.001" },
                                    { -1500, "-1.500" },
                                    { 1712345678901234567, "1712345678901234.567" },
                                    { INT64_MIN, "-9223372036854775.808" } };
  check_format(rows, sizeof rows / sizeof *rows, num_format_us);
}

static void test_format_count(void)
{
  static const FormatRow rows[] = { { 0, "0" },
                                    { 999, "999" },
                                    { 1000, "1,000" },
                                    { 1482113, "1,482,113" },
                                    { -100000, "-100,000" },
                                    { INT64_MIN, "-9,223,372,036,854,775,808" } };
  check_format(rows, sizeof rows / sizeof *rows, num_format_count);
}

static void test_format_duration(void)
{
  static const FormatRow rows[] = { { 0, "0 ns" },
                                    { 410, "410 ns" },
                                    { 1000, "1.000 us" },
                                    { 1234567, "1.235 ms" },
                                    { 999999, "999.999 us" },
                                    { 999999500, "1.000 s" },
                                    { 999999499, "999.999 ms" },
                                    { 12481000000, "12.481 s" },
                                    { 120000000000, "2 min 00 s" },
                                    { 7199499999999, "119 min 59 s" },
                                    { 7200000000000, "2 h 00 min" },
                                    { -1500, "-1.500 us" },
                                    { INT64_MIN, "-2562047 h 47 min" } };
  check_format(rows, sizeof rows / sizeof *rows, num_format_duration);
}

static size_t format_size(char *buf, int64_t v) { return num_format_size(buf, (uint64_t)v); }

static void test_format_size(void)
{
  static const FormatRow rows[] = {
    { 0, "0 B" },           { 1023, "1023 B" },        { 1024, "1.0 KiB" },
    { 1048575, "1.0 MiB" }, { 1048524, "1023.9 KiB" }, { 43201331, "41.2 MiB" },
    { -1, "16.0 EiB" }
  };
  check_format(rows, sizeof rows / sizeof *rows, format_size);
}

static void test_format_real(void)
{
  static const struct {
    double value;
    const char *text;
  } rows[] = { { 0, "0.0" },
               { -0.0, "-0.0" },
               { 42, "42.0" },
               { 0.1, "0.1" },
               { 1e16, "1e+16" },
               { 1e15, "1000000000000000.0" },
               { 1e-5, "1e-05" },
               { 0.0001, "0.0001" },
               { 1.0 / 3, "0.3333333333333333" },
               { 123456.789, "123456.789" },
               { -1.5e300, "-1.5e+300" },
               { 9007199254740993.0, "9007199254740992.0" },
               { DBL_MAX, "1.7976931348623157e+308" },
               { DBL_MIN, "2.2250738585072014e-308" },
               { 5e-324, "5e-324" },
               { 0x1p-44, "5.684341886080802e-14" },
               { 0.007, "0.007" },
               { 0.001, "0.001" },
               { 99.99, "99.99" },
               { 0.123456, "0.123456" },
               { 0.1234567, "0.1234567" },
               { 999999999.000001, "999999999.000001" },
               { 1234567890.123456, "1234567890.123456" },
               { 0x1p-1022, "2.2250738585072014e-308" },
               { 0x1p-807, "1.1716381358559617e-243" },
               { NAN, "null" },
               { INFINITY, "null" } };
  char buf[NUM_BUF];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t length = num_format_real(buf, rows[i].value);
    if (!CHECK_INT(length, strlen(buf))) CHECK_ROW(rows[i].text);
    CHECK_STR(buf, rows[i].text);
  }
}

static void test_real_round_trip(void)
{
  char buf[NUM_BUF];
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 20000; i++) {
    double value, again = 0;
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    size_t len = num_format_real(buf, value);
    bool same = num_real(buf, len, &again) && again == value;
    if (!same && !CHECK(same)) CHECK_ROW(buf);
  }
}

TEST_MAIN({ "scan scaled", test_scan }, { "scan at all widths", test_scan_widths },
          { "int", test_int }, { "real", test_real }, { "real scaled", test_real_scaled },
          { "duration", test_duration }, { "size", test_size }, { "format int", test_format_int },
          { "format us", test_format_us }, { "format count", test_format_count },
          { "format duration", test_format_duration }, { "format size", test_format_size },
          { "format real", test_format_real }, { "reals read back", test_real_round_trip })
