/* Whether two runs of a case gave the same, and what differs first. */
/* SPDX-License-Identifier: MIT */
#include "harness-internal.h"

static char *first_difference(const char *a, const char *b)
{
  g_auto(GStrv) x = g_strsplit(a, "\n", -1);
  g_auto(GStrv) y = g_strsplit(b, "\n", -1);
  guint i = 0;
  while (x[i] && y[i] && g_str_equal(x[i], y[i])) i++;
  return g_strdup_printf("\"%s\" against \"%s\"", x[i] ? x[i] : "(end)", y[i] ? y[i] : "(end)");
}

void harness_compare_texts(const char *text, const char *reference, const char *what,
                           GPtrArray *broken)
{
  if (g_str_equal(text, reference)) return;
  g_autofree char *difference = first_difference(reference, text);
  g_ptr_array_add(broken, g_strdup_printf("%s changes the result: %s", what, difference));
}
