/* Tags that tell configurations apart: lane-groups.c */
/* SPDX-License-Identifier: MIT */
#include "model/lane-groups.h"

#include "check.h"

enum { MOST = 6 };

typedef struct Row {
  const char *words;           /* of the option, with commas */
  const char *lanes[MOST + 1]; /* "PATH LABEL TAG=VALUE ...", where - is no label */
  const char *wanted;
} Row;

static void fill_lane(LaneInfo *lane, guint index, char **parts)
{
  lane_info_init(lane, index, parts[0]);
  if (strcmp(parts[1], "-")) {
    g_free(lane->label);
    lane->label = g_strdup(parts[1]);
  }
  for (char **tag = parts + 2; *tag; tag++) tags_set(lane->tags, *tag, TAG_FILE);
}

static char *by_of(const Row *row)
{
  LaneInfo lanes[MOST];
  char **parts[MOST];
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  g_auto(GStrv) split = g_strsplit(row->words, ",", -1);
  guint n = 0;
  for (char **word = split; *word; word++) g_ptr_array_add(words, *word);
  for (; row->lanes[n]; n++) {
    parts[n] = g_strsplit(row->lanes[n], " ", -1);
    fill_lane(&lanes[n], n, parts[n]);
    g_ptr_array_add(list, &lanes[n]);
  }
  g_autoptr(GPtrArray) by = lane_groups_by(words, list);
  g_ptr_array_add(by, NULL);
  char *text = g_strjoinv(",", (char **)by->pdata);
  for (guint i = 0; i < n; i++) {
    lane_info_clear(&lanes[i]);
    g_strfreev(parts[i]);
  }
  return text;
}

static void check(const Row *rows, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    g_autofree char *got = by_of(&rows[i]);
    CHECK_STR(got, rows[i].wanted);
  }
}

static void test_words(void)
{
  static const Row rows[] = {
    { "", { "/a.json -" }, "" },
    { "none", { "/a.json - x=1", "/b.json - x=2" }, "" },
    { "x,y,x", { "/a.json -" }, "x,y" },
    { "x,y,-x", { "/a.json -" }, "y" },
    { "-x,x", { "/a.json -" }, "" },
    { "auto", { "/a.json - x=1 y=1", "/b.json - x=2 y=1" }, "x" },
    { "auto,-x", { "/a.json - x=1 y=1", "/b.json - x=2 y=1 z=1" }, "z" },
    { "y,auto", { "/a.json - x=1", "/b.json - x=2" }, "y,x" },
  };
  check(rows, G_N_ELEMENTS(rows));
}

static void test_what_differs(void)
{
  static const Row rows[] = {
    { "auto", { "/a.json - x=1" }, "" },
    { "auto", { "/a.json - x=1", "/b.json - x=1" }, "" },
    { "auto", { "/a.json -", "/b.json - x=1" }, "x" },
    { "auto", { "/a.json - x=1 y=8", "/b.json - x=2 y=9" }, "x,y" },
    { "auto", { "/a.json - x=1 y=1", "/b.json - x=2 y=2" }, "x,y" },
    { "auto",
      { "/a.json new implementation=new x=1", "/b.json old implementation=old x=2" },
      "label,x" },
    { "auto", { "/a.json new", "/b.json -" }, "label" },
    /* Few values before many. */
    { "auto", { "/a.json - x=1 y=a", "/b.json - x=2 y=a", "/c.json - x=3 y=b" }, "y,x" },
    { "auto", { "/a.json a x=1 y=a", "/b.json b x=1 y=a", "/c.json c x=2 y=b" }, "label,x,y" },
    /* Off and on are two values, 0, 1, 2 count. */
    { "auto", { "/a.json - eplb=0", "/b.json - eplb=1" }, "eplb" },
    { "auto", { "/a.json - n=0", "/b.json - n=2", "/c.json - n=1" }, "" },
    { "auto", { "/a.json - n=0", "/b.json - n=1", "/c.json - n=2", "/d.json - n=2" }, "n" },
    { "auto", { "/a.json - n=1", "/b.json - n=2", "/c.json - n=3" }, "n" },
    { "auto", { "/a.json - n=-1", "/b.json - n=0", "/c.json - n=2" }, "n" },
    { "auto", { "/a.json - at=20251128-0101", "/b.json - at=20251128-0201" }, "" },
    { "auto", { "/a.json - at=2025-11-28T01:00:00Z", "/b.json - at=2025-11-29T01:00:00Z" }, "" },
    { "auto", { "/a.json - at=bench-1764291600", "/b.json - at=bench-1764291699" }, "" },
  };
  check(rows, G_N_ELEMENTS(rows));
}

static void test_paths(void)
{
  static const Row rows[] = {
    /* A folder each: what its name says is there as a tag, or it is all that there is. */
    { "auto", { "/s/c8/r.json - run=c8 x=8", "/s/c16/r.json - run=c16 x=16" }, "x" },
    { "auto", { "/s/c8/r.json - run=c8", "/s/c16/r.json - run=c16" }, "run" },
    { "auto", { "/s/8/r.json - run=8 x=8", "/s/16/r.json - run=16 x=16" }, "x" },
    { "auto",
      { "/s/c8/0.json - run=c8", "/s/c8/1.json - run=c8", "/s/c9/0.json - run=c9" },
      "run" },
    /* Runs of one rate in several folders: configurations, or repetitions. */
    { "auto",
      { "/s/tp2/a.json - run=tp2 x=1", "/s/tp2/b.json - run=tp2 x=2", "/s/tp4/a.json - run=tp4 x=1",
        "/s/tp4/b.json - run=tp4 x=2" },
      "run,x" },
    { "auto",
      { "/s/rep0/a.json - run=rep0 x=1", "/s/rep0/b.json - run=rep0 x=2",
        "/s/rep1/a.json - run=rep1 x=1", "/s/rep1/b.json - run=rep1 x=2" },
      "x" },
    { "auto", { "/s/rep0/a.json - run=rep0", "/s/rep1/a.json - run=rep1" }, "" },
    { "auto",
      { "/s/20251128-01/a.json - run=20251128-01", "/s/20251128-02/a.json - run=20251128-02" },
      "" },
    /* The file, with or without what stands after the dot. */
    { "auto", { "/s/r.json - id=r x=1", "/s/q.json - id=q x=2" }, "x" },
    { "auto", { "/s/r.json - id=r.json x=1", "/s/q.json - id=q.json x=2" }, "x" },
    { "auto", { "/s/r.json - id=/other/r x=1", "/s/q.json - id=/other/q x=2" }, "x" },
    { "auto",
      { "/s/rest/r.json - id=re x=1", "/s/rest/q.json - id=st x=2" },
      "id,x" }, /* no whole names */
  };
  check(rows, G_N_ELEMENTS(rows));
}

/* A side input says something about the others, and an input without results is none. */
static void test_lanes_that_do_not_count(void)
{
  LaneInfo lanes[3];
  g_autoptr(GPtrArray) list = g_ptr_array_new(), words = g_ptr_array_new();
  g_ptr_array_add(words, (gpointer) "auto");
  for (guint i = 0; i < G_N_ELEMENTS(lanes); i++) {
    g_autofree char *tag = g_strdup_printf("x=%u", 8 << i);
    lane_info_init(&lanes[i], i, "/a.json");
    tags_set(lanes[i].tags, tag, TAG_FILE);
    g_ptr_array_add(list, &lanes[i]);
  }
  lanes[1].skipped = lanes[2].side = true;
  g_autoptr(GPtrArray) by = lane_groups_by(words, list);
  CHECK_INT(by->len, 0);
  CHECK(lane_groups_need_lanes(words) && !lane_groups_is_tag("auto"));
  for (guint i = 0; i < G_N_ELEMENTS(lanes); i++) lane_info_clear(&lanes[i]);
}

TEST_MAIN({ "words", test_words }, { "what differs", test_what_differs }, { "paths", test_paths },
          { "lanes that do not count", test_lanes_that_do_not_count }, )
