/* Sets of facts. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "plan/facts.h"

static char *text_of(const Facts *f)
{
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  for (guint i = 0; i < f->len; i++) g_ptr_array_add(list, f->pdata[i]);
  g_ptr_array_add(list, NULL);
  return g_strjoinv(",", (char **)list->pdata);
}

static void check_text(const Facts *f, const char *wanted)
{
  g_autofree char *got = text_of(f);
  CHECK_STR(got, wanted);
}

static void test_sets(void)
{
  static const char *const more[] = { "slices", "nested", "slices", NULL };
  g_autoptr(GPtrArray) f = facts_new();
  check_text(f, "");
  facts_add_list(f, more);
  facts_add(f, "order.lane");
  facts_add_list(f, NULL);
  check_text(f, "nested,order.lane,slices");
  g_autoptr(GPtrArray) other = facts_copy(f);
  facts_remove(other, "nested");
  facts_remove(other, "absent");
  facts_add(other, "clock.wall");
  check_text(f, "nested,order.lane,slices");
  facts_intersect(f, other);
  check_text(f, "order.lane,slices");
  CHECK(facts_has(f, "slices") && !facts_has(f, "slice") && !facts_has(f, "slices2"));
  facts_remove_list(f, more);
  check_text(f, "order.lane");
}

static void test_missing(void)
{
  static const char *const needs[] = { "order.lane", "order.run", "slices", "nested", NULL };
  g_autoptr(GPtrArray) f = facts_new();
  CHECK_STR(facts_first_missing(f, needs), "slices");
  facts_add(f, "slices");
  CHECK_STR(facts_first_missing(f, needs), "nested");
  facts_add(f, "nested");
  CHECK(facts_first_missing(f, needs) == NULL);
  CHECK(facts_first_missing(f, NULL) == NULL);
  CHECK(fact_in_list(needs, "order.run") && !fact_in_list(needs, "order") &&
        !fact_in_list(NULL, "slices"));
}

TEST_MAIN({ "adding, removing, intersecting", test_sets }, { "what is missing", test_missing })
