/* Names cut to what people recognise. */
/* SPDX-License-Identifier: MIT */
#include "base/short-name.h"

#include <glib.h>

#include "check.h"

static const struct {
  const char *name;
  size_t most;
  const char *wanted;
} cases[] = {
  { "", 40, "" },
  { "ampere_sgemm_128x64_tn", 40, "ampere_sgemm_128x64_tn" },
  { "void at::native::add<float, 4>(float *, int)", 40, "at::native::add" },
  { "void (anonymous namespace)::copy<(int)4>(char)", 40, "(anonymous namespace)::copy" },
  { "bool operator<(A, B)", 40, "bool operator<" },
  { "a<b<c>, d(e)>::f<g>", 40, "a::f" },
  { "unclosed<a, b", 40, "unclosed" },
  { "<lambda(int)>", 40, "<lambda>" },
  { "0123456789abcdef", 10, "0123...def" },
  { "0123456789abcdef", 16, "0123456789abcdef" },
  { "0123456789abcdef<x>", 16, "0123456789abcdef" },
  /* No character is cut in two. */
  { "ääääääääää", 10, "ää...ä" },
};

static void test_cases(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    const size_t len = strlen(cases[i].name);
    g_autofree char *out = g_malloc(MAX(len, cases[i].most) + 1);
    const size_t n = short_name(out, cases[i].most, cases[i].name, len);
    if (!CHECK_STR(out, cases[i].wanted) || !CHECK_INT(n, strlen(out))) CHECK_ROW(cases[i].name);
  }
}

/* Whatever the name, it fits, and is text that can be shown. */
static void test_lengths(void)
{
  g_autofree char *name = g_strnfill(300, 'x');
  for (size_t i = 0; i + 1 < 300; i += 7) memcpy(name + i, "ö", 2);
  for (size_t len = 0; len <= 300; len++) {
    char out[512];
    const size_t most = 8 + len % 33;
    if (len && (name[len] & 0xc0) == 0x80) continue;
    const size_t n = short_name(out, most, name, len);
    CHECK(n <= most);
    CHECK(g_utf8_validate(out, (gssize)n, NULL));
  }
}

int main(void)
{
  static const CheckTest tests[] = { { "cases", test_cases }, { "lengths", test_lengths } };
  return check_main("short-name", tests, G_N_ELEMENTS(tests));
}
