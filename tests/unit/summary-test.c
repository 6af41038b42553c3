/* Summaries: what was put comes back in order; anything else is seen as broken. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "model/summary.h"

static void test_round(void)
{
  static const int64_t ints[] = { 0, 1, -1, INT64_MAX, INT64_MIN };
  static const double reals[] = { 0.0, -0.0, 0.1, 1e308, -5e-324 };
  Summary s = { 0 };
  size_t len;
  for (int i = 0; i < 5; i++) {
    summary_put_int(&s, ints[i]);
    summary_put_real(&s, reals[i]);
    summary_put_text(&s, "a\0b", (size_t)i % 4);
  }
  for (int pass = 0; pass < 2; pass++, summary_rewind(&s)) {
    for (int i = 0; i < 5; i++) {
      CHECK(summary_more(&s));
      CHECK(summary_get_int(&s) == ints[i]);
      double r = summary_get_real(&s);
      CHECK(!memcmp(&r, &reals[i], sizeof r));
      const char *text = summary_get_text(&s, &len);
      CHECK(len == (size_t)i % 4 && !memcmp(text, "a\0b", len) && text[len] == '\0');
    }
    CHECK(!summary_more(&s) && !s.broken);
  }
  summary_clear(&s);
}

static void test_broken(void)
{
  Summary s = { 0 };
  size_t len = 9;
  CHECK(!summary_more(&s));
  CHECK_INT(summary_get_int(&s), 0);
  CHECK(s.broken);
  summary_clear(&s);
  s = (Summary){ 0 };
  summary_put_text(&s, "four", 4);
  for (int as = 0; as < 2; as++) {
    summary_rewind(&s);
    s.broken = false;
    CHECK(as ? summary_get_int(&s) == 0 : summary_get_real(&s) == 0.0);
    CHECK(s.broken && !summary_more(&s));
    CHECK_STR(summary_get_text(&s, &len), "");
    CHECK_INT(len, 0);
  }
  s.broken = false;
  summary_rewind(&s);
  s.len -= 2; /* cut off */
  CHECK_STR(summary_get_text(&s, &len), "");
  CHECK(s.broken);
  summary_clear(&s);
}

/* A count is believed only when as many items of that size can follow. */
static void test_count(void)
{
  static const struct {
    int64_t said;
    size_t min_bytes, wanted;
    bool broken;
  } rows[] = {
    { 3, 2, 3, false },        { 0, 2, 0, false },        { 3, 0, 3, false },
    { 4, 2, 0, true },         { 3, 3, 0, true },         { -1, 1, 0, true },
    { INT64_MAX, 1, 0, true }, { INT64_MIN, 0, 0, true }, { 1, SIZE_MAX, 0, true },
    { 6, 1, 6, false },        { 7, 1, 0, true },
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    Summary s = { 0 };
    summary_put_int(&s, rows[i].said);
    for (int k = 0; k < 3; k++) summary_put_int(&s, k); /* two bytes each */
    CHECK_INT(summary_get_count(&s, rows[i].min_bytes), rows[i].wanted);
    if (!CHECK_INT(s.broken, rows[i].broken)) printf(" (row %zu)", i);
    if (!s.broken) CHECK(summary_get_int(&s) == 0 && summary_more(&s));
    summary_clear(&s);
  }
  Summary text = { 0 };
  summary_put_text(&text, "3", 1);
  CHECK(summary_get_count(&text, 1) == 0 && text.broken);
  summary_clear(&text);
}

TEST_MAIN({ "put and get", test_round }, { "read wrongly", test_broken }, { "counts", test_count })
