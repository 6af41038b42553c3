/* The order of texts with numbers in them. */
/* SPDX-License-Identifier: MIT */
#include "base/natural.h"

#include <glib.h>
#include <string.h>

#include "check.h"

static int compare(const char *a, const char *b)
{
  int order = natural_compare(a, strlen(a), b, strlen(b));
  return (order > 0) - (order < 0);
}

/* Each is before all that follow it: the order is one, whatever pair is asked for. */
static void test_order(void)
{
  static const char *const texts[] = {
    "-3",
    "0.5",
    "1",
    "02",
    "2",
    "2.0",
    "16",
    "1e2",
    "",
    "a",
    "a-1",
    "a1",
    "a1.25",
    "a1.5",
    "a02",
    "a2",
    "a2.0",
    "a2b",
    "a10",
    "a10.01",
    "a10.1",
    "ab",
    "c8_r2",
    "c8_r16",
    "c16_r1",
    "rate2",
    "rate16",
    "v1.2.9",
    "v1.2.10",
    "v1.3.1",
    "v2",
    "x9999999999999999999999",
    "x10000000000000000000000",
    "\xc3\xa4",
  };
  for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
    for (size_t k = 0; k < G_N_ELEMENTS(texts); k++)
      if (!CHECK_INT(compare(texts[i], texts[k]), (i > k) - (i < k)))
        printf("\n    \"%s\" and \"%s\"", texts[i], texts[k]);
}

/* Bytes beyond the end are never looked at. */
static void test_lengths(void)
{
  CHECK(natural_compare("a12", 2, "a1", 2) == 0);
  CHECK(natural_compare("a1.5", 3, "a1.", 3) == 0);
  CHECK(natural_compare("a1.25.3", 5, "a1.5", 4) < 0);
  CHECK(natural_compare("a\0b1", 4, "a\0b2", 4) < 0);
}

TEST_MAIN({ "order", test_order }, { "lengths", test_lengths })
