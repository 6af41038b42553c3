/* What is known of a lane: the more trusted origin of its rank wins, a base is given before or after it is used, tags are made.
 * And absolute times by the helper that modules have. */
/* SPDX-License-Identifier: MIT */
#include "model/lane-info.h"

#include "check.h"

static void test_rank(void)
{
  static const struct {
    const char *first, *then;
    int64_t rank; /* 1: the first, 2: the second */
  } rows[] = { { "file name", "metadata", 2 },    { "metadata", "file name", 1 },
               { "metadata", "metadata", 1 },     { "--rank-regex", "metadata", 1 },
               { "metadata", "--rank-regex", 2 }, { "first event", "file name", 2 },
               { "file name", "first event", 1 }, { "pattern", "--rank-regex", 1 },
               { "metadata", "folder", 2 },       { "--rank-regex", "folder", 1 } };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    LaneInfo l;
    lane_info_init(&l, 0, NULL);
    CHECK_INT(l.rank, -1);
    lane_info_set_rank(&l, 1, rows[i].first);
    lane_info_set_rank(&l, 2, rows[i].then);
    if (!CHECK_INT(l.rank, rows[i].rank)) CHECK_ROW(rows[i].first);
    CHECK_STR(l.rank_origin, rows[i].rank == 1 ? rows[i].first : rows[i].then);
    lane_info_clear(&l);
  }
}

/* As in a damaged trace. */
static void test_odd_ranks(void)
{
  LaneInfo l;
  lane_info_init(&l, 0, NULL);
  lane_info_set_rank(&l, INT64_MAX, "metadata");
  lane_info_set_rank(&l, (int64_t)LANE_MOST_RANK + 1, "metadata");
  lane_info_set_rank(&l, -7, "metadata");
  CHECK_INT(l.rank, -1);
  lane_info_set_rank(&l, LANE_MOST_RANK, "first event");
  CHECK_INT(l.rank, LANE_MOST_RANK);
  lane_info_clear(&l);
}

static void test_base(void)
{
  LaneInfo l;
  lane_info_init(&l, 0, NULL);
  CHECK(!lane_info_has_base(&l) && l.base_ns == MILL_NO_BASE);
  lane_info_set_base(&l, 0); /* 1970 is a date like any other */
  CHECK(lane_info_has_base(&l) && l.base_ns == 0 && !l.base_differs);
  lane_info_clear(&l);
  lane_info_init(&l, 0, NULL);
  l.base_fixed = true;
  lane_info_set_base(&l, 5);
  CHECK(lane_info_has_base(&l) && l.base_differs && l.final_base_ns == 5);
  CHECK_INT(l.base_ns, MILL_NO_BASE);
  lane_info_clear(&l);
}

static void test_tags(void)
{
  static const struct {
    const char *name, *wanted;
  } rows[] = { { "rank", "3" },      { "label", "x" }, { "input", "a lane" },
               { "file", "b.json" }, { "model", "m" }, { "other", NULL } };
  LaneInfo l;
  lane_info_init(&l, 0, "/a/b.json");
  l.name = g_strdup("a lane");
  g_free(l.label);
  l.label = g_strdup("x");
  lane_info_set_rank(&l, 3, "metadata");
  tags_set(l.tags, "model=m", TAG_FILE);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *made = NULL;
    CHECK_STR(lane_info_tag(&l, rows[i].name, &made), rows[i].wanted);
  }
  tags_set(l.tags, "rank=first", TAG_GIVEN); /* what somebody says goes before what is made */
  g_autofree char *made = NULL;
  CHECK_STR(lane_info_tag(&l, "rank", &made), "first");
  lane_info_clear(&l);
  lane_info_init(&l, 0, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    CHECK(lane_info_tag(&l, rows[i].name, &made) == NULL);
  lane_info_clear(&l);
}

/* Lanes 0, 1, 2 and 4 of ranks 9, 0, 9 and none; lane 3 only describes them. */
static void test_others_of_a_rank(void)
{
  static const struct {
    uint32_t lane;
    int64_t rank;
    const char *name, *wanted;
  } rows[] = { { 0, 9, "rank=", "2" },  { 2, 9, "rank=", "0" },  { 1, 0, "rank=", "" },
               { 1, 0, "rank=9", "0" }, { 0, 9, "rank=0", "1" }, { 4, -1, "rank=1000", "" },
               { 3, 0, "rank=", "1" },  { 0, 9, "rank=x", NULL } };
  static const RankOfLane of_lanes[] = { { -1, 4 }, { 0, 1 }, { 9, 0 }, { 9, 2 } };
  g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(RankOfLane));
  g_array_append_vals(ranks, of_lanes, G_N_ELEMENTS(of_lanes));
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    LaneInfo l;
    g_autofree char *made = NULL;
    lane_info_init(&l, rows[i].lane, NULL);
    lane_info_set_rank(&l, rows[i].rank, "metadata");
    CHECK(lane_info_tag(&l, rows[i].name, &made) == NULL); /* nobody has looked yet */
    l.ranks = ranks;
    if (!CHECK_STR(lane_info_tag(&l, rows[i].name, &made), rows[i].wanted)) CHECK_ROW(rows[i].name);
    lane_info_clear(&l);
  }
}

static void test_absolute_times(void)
{
  static const struct {
    int64_t base_ns, ts_ns, wanted;
    bool fits;
  } rows[] = {
    { 1000, 5, 1005, true },
    { 0, -5, -5, true },
    { -1000, 5, -995, true },
    { MILL_NO_BASE, 0, 0, false },
    { INT64_MAX, 0, INT64_MAX, true },
    { INT64_MAX, 1, 0, false },
    { INT64_MAX - 1, 1, INT64_MAX, true },
    { INT64_MIN + 1, -1, INT64_MIN, true },
    { INT64_MIN + 1, -2, 0, false },
    { -1, INT64_MIN, 0, false },
    { 1, INT64_MIN, INT64_MIN + 1, true },
    { -1, INT64_MAX, INT64_MAX - 1, true },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    MillLane lane = { .size = sizeof lane, .base_ns = rows[i].base_ns };
    int64_t got = 77;
    CHECK_INT(mill_abs_ts(&lane, rows[i].ts_ns, &got), rows[i].fits);
    CHECK_INT(got, rows[i].fits ? rows[i].wanted : 77);
  }
}

TEST_MAIN({ "ranks", test_rank }, { "odd ranks", test_odd_ranks }, { "bases", test_base },
          { "tags", test_tags }, { "others of a rank", test_others_of_a_rank },
          { "absolute times", test_absolute_times })
