/* What lanes report, merged: in lane order, by groups of tags, without lanes that their source skipped. */
/* SPDX-License-Identifier: MIT */
#include "sched/fold.h"

#include "engine.h"

#define FOUR                                                                                  \
  {                                                                                           \
    { "a", "rank 0\ntag model=m\ntag size=8\ne x 1 1\n" },                                    \
        { "b", "rank 1\ntag model=n\ntag size=32\ne x 1 2\ne x 2 2\n" },                      \
        { "c", "rank 2\ntag model=m\ntag size=32\ne x 1 3\n" }, { "d", "rank 3\ne x 1 4\n" }, \
  }

static void check_groups(const char *by, const char *groups)
{
  g_autofree char *stages = g_strdup_printf("[{\"use\":\"tally\",\"with\":{\"by\":\"%s\"}}]", by);
  g_autofree char *results = g_strconcat(
      "lanes: rank,label,model,size,n,total\n  0,a,m,8,1,1\n  1,b,n,32,2,4\n  2,c,m,32,1,3\n  "
      "3,d,-,-,1,4\n",
      groups, NULL);
  const EngineCase c = { .inputs = FOUR, .stages = stages };
  engine_check_all(&c, NULL, results);
}

static void test_groups(void)
{
  check_groups("", "groups: n,lanes\n  5,abcd\ntotal [] = 12 ()\n");
  check_groups("model", "groups: model,n,lanes\n  -,1,d\n  m,2,ac\n  n,2,b\n"
                        "total [model=] = 4 ()\ntotal [model=m] = 4 ()\ntotal [model=n] = 4 ()\n");
  check_groups("size", "groups: size,n,lanes\n  -,1,d\n  8,1,a\n  32,3,bc\n"
                       "total [size=] = 4 ()\ntotal [size=8] = 1 ()\ntotal [size=32] = 7 ()\n");
  check_groups("model,size,model",
               "groups: model,size,n,lanes\n  -,-,1,d\n  m,8,1,a\n  m,32,1,c\n  n,32,2,b\n"
               "total [model=\nsize=] = 4 ()\ntotal [model=m\nsize=8] = 1 ()\ntotal "
               "[model=m\nsize=32] = 3 ()\n"
               "total [model=n\nsize=32] = 4 ()\n");
  /* That only some tags are there shows in empty cells; where none is, there are no groups. */
  check_groups("team,size", "groups: team,size,n,lanes\n  -,-,1,d\n  -,8,1,a\n  -,32,3,bc\n"
                            "total [team=\nsize=] = 4 ()\ntotal [team=\nsize=8] = 1 ()\ntotal "
                            "[team=\nsize=32] = 7 ()\n");
  check_groups("team,place", "groups: n,lanes\n  5,abcd\ntotal [] = 12 ()\n");
  check_groups("label", "groups: label,n,lanes\n  a,1,a\n  b,2,b\n  c,1,c\n  d,1,d\n"
                        "total [label=a] = 1 ()\ntotal [label=b] = 4 ()\ntotal [label=c] = 3 ()\n"
                        "total [label=d] = 4 ()\n");
}

static void test_skipped(void)
{
  const EngineCase c = { .inputs = { { "a", "rank 0\ne x 1 1\n" },
                                     { "b", "rank 1\nskipped\ne x 1 2\n" },
                                     { "c", "rank 2\ne x 1 4\n" } },
                         .stages = "[{\"use\":\"tally\"}]" };
  engine_check_all(&c, NULL,
                   "lanes: rank,label,n,total\n  0,a,1,1\n  1,b,1,2\n  2,c,1,4\n"
                   "groups: n,lanes\n  2,ac\ntotal [] = 5 ()\n");
  const EngineCase none = { .inputs = { { "a", "rank 0\nskipped\ne x 1 1\n" } },
                            .stages = "[{\"use\":\"tally\"}]" };
  engine_check_all(&none, NULL,
                   "lanes: rank,label,n,total\n  0,a,1,1\ngroups: n,lanes\n  0,\n"
                   "total [] = - (there are no events)\n");
}

/* Lanes that are done early wait for those before them. */
static void test_order(void)
{
  GString *slow = g_string_new("rank 0\n");
  for (int i = 0; i < 20000; i++) g_string_append_printf(slow, "e x %d 1\n", i);
  const EngineCase c = { .inputs = { { "a", slow->str },
                                     { "b", "rank 1\ne x 1 1\n" },
                                     { "c", "rank 2\ne x 1 1\n" },
                                     { "d", "rank 3\ne x 1 1\n" } },
                         .stages = "[{\"use\":\"tally\"}]",
                         .options = { .jobs = 4 } };
  engine_check(&c, NULL,
               "lanes: rank,label,n,total\n  0,a,20000,20000\n  1,b,1,1\n  2,c,1,1\n  3,d,1,1\n"
               "groups: n,lanes\n  20003,abcd\ntotal [] = 20003 ()\n");
  g_string_free(slow, TRUE);
}

TEST_MAIN({ "by tags", test_groups }, { "skipped lanes", test_skipped },
          { "in the order of lanes", test_order })
