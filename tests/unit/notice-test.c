/* Counted notices: the first example in the order of lanes and events, whatever the order of counting. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "model/notice.h"

static const MillNotice rows[] = {
  MILL_WARNING(3, "{count} of {lane}: {what} ({missing})", NULL, NULL, NULL),
  MILL_INFO(7, "none", NULL, NULL, NULL),
};
static const Descriptor stage = { .tag = "TST", .code = "TST", .notices = rows, .n_notices = 2 };

static void add(Notices *n, uint32_t lane, uint64_t seq, int64_t value)
{
  MillEvent e = { .seq = seq };
  MillNamed named = { "what", mill_int(value) };
  notices_add(n, 0, lane, &e, &named, 1, NULL, NULL);
}

/* Results do not depend on the folders in which an input lies. */
static void test_places(void)
{
  static const struct {
    const char *path, *text, *wanted;
  } places[] = {
    { "a/b/x.json", "a/b/x.json:3:1", "x.json:3:1" },
    { "a/b/x.json", "a/b/x.json", "x.json" },
    { "a/b/x.json", "a/b/x.json, byte 9", "x.json, byte 9" },
    { "a/b/x.json", "a/b/x.jsonl", "a/b/x.jsonl" },
    { "a/b/x.json", "a/b", "a/b" },
    { "a/tree", "a/tree/run/card.yaml:1:2", "run/card.yaml:1:2" },
    { "./a/tree//", "./a/tree/run/card.yaml:1:2", "run/card.yaml:1:2" },
    { "a/tree/", "a/tree: none", "tree: none" },
    { "x.json", "x.json:3:1", "x.json:3:1" },
    { "", "x", "x" },
    { NULL, "/a/x", "/a/x" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
    Notices n;
    MillNamed named = { "what", mill_text(places[i].text, strlen(places[i].text)) };
    notices_init(&n, &stage);
    n.path = places[i].path;
    notices_add(&n, 0, 0, NULL, &named, 1, NULL, NULL);
    if (!CHECK_STR(n.counts[0].values[0], places[i].wanted)) CHECK_ROW(places[i].text);
    notices_clear(&n);
  }
}

static void test_find(void)
{
  CHECK_INT(notices_find(&stage, 3), 0);
  CHECK_INT(notices_find(&stage, 7), 1);
  CHECK_INT(notices_find(&stage, 1), -1);
  g_autofree char *code = notice_code(&stage, 0);
  CHECK_STR(code, "TST-03");
}

static void test_first_example(void)
{
  static const struct {
    uint32_t lane;
    uint64_t seq;
  } counted[] = { { 1, 5 }, { 1, 9 }, { 0, 8 }, { 0, 7 }, { 2, 0 } };
  Notices n;
  notices_init(&n, &stage);
  for (int i = 0; i < 5; i++) add(&n, counted[i].lane, counted[i].seq, i);
  CHECK_INT(n.counts[0].count, 5);
  CHECK_INT(n.counts[0].lane, 0);
  CHECK_INT(n.counts[0].seq, 7);
  CHECK_INT(n.counts[1].count, 0);
  g_autofree char *text = notice_render(&n.counts[0], rows[0].what, "one.json", NULL);
  CHECK(g_str_has_prefix(text, "5 of 3 inputs: 3 ("));
  notices_clear(&n);
}

/* A text that is about the example names it, though others were counted. */
static void test_where_the_first_is_named(void)
{
  Notices n;
  notices_init(&n, &stage);
  for (uint32_t lane = 0; lane < 3; lane++) add(&n, lane, 1, 0);
  g_autofree char *first =
      notice_render(&n.counts[0], "{count} runs, first in {lane}", "a.json", NULL);
  g_autofree char *of_one = notice_render(&n.counts[0], "{lane} has none", "a.json", NULL);
  g_autofree char *all = notice_render(&n.counts[0], "{count} row[|s] of {lane}", "a.json", NULL);
  CHECK_STR(first, "3 runs, first in a.json");
  CHECK_STR(of_one, "a.json has none");
  CHECK_STR(all, "3 rows of 3 inputs");
  notices_clear(&n);
}

static const char *file_name(const void *names, uint32_t lane)
{
  return ((const char *const *)names)[lane];
}

/* Three rows of b.csv, one of each other; of more than four inputs three are named. */
static void test_the_count_of_each_input(void)
{
  static const char *const files[] = { "a.csv", "b.csv", "c.csv", "d.csv", "e.csv" };
  static const uint32_t lanes[] = { 1, 0, 1, 2, 1 };
  Notices n;
  notices_init(&n, &stage);
  add(&n, 0, 1, 0);
  CHECK(notice_inputs(&n.counts[0], file_name, files) == NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(lanes); i++)
    if (lanes[i]) add(&n, lanes[i], i, 0);
  g_autofree char *inputs = notice_inputs(&n.counts[0], file_name, files);
  g_autofree char *text =
      notice_render(&n.counts[0], "{count} row[|s] of {lane} [is|are] bad", "a.csv", inputs);
  CHECK_STR(text, "5 rows of 3 inputs (1 of a.csv, 3 of b.csv, 1 of c.csv) are bad");
  for (uint32_t lane = 3; lane < 5; lane++) add(&n, lane, 1, 0);
  g_autofree char *many = notice_inputs(&n.counts[0], file_name, files);
  CHECK_STR(many, "5 inputs (1 of a.csv, 3 of b.csv, 1 of c.csv, ...)");
  notices_clear(&n);
}

/* Merging lanes in any order gives the same. */
static void test_merge(void)
{
  for (int order = 0; order < 2; order++) {
    Notices sum, parts[2];
    notices_init(&sum, &stage);
    for (uint32_t p = 0; p < 2; p++) {
      notices_init(&parts[p], &stage);
      add(&parts[p], p, 4, p ? 20 : 10);
    }
    notices_merge(&sum, &parts[order], 100);
    notices_merge(&sum, &parts[!order], 100);
    CHECK_INT(sum.counts[0].count, 2);
    CHECK_INT(sum.counts[0].lane, 0);
    CHECK_INT(sum.counts[0].seq, 104);
    CHECK_STR(sum.counts[0].values[0], "10");
    for (int p = 0; p < 2; p++) notices_clear(&parts[p]);
    notices_clear(&sum);
  }
}

static void check_render(uint64_t count, const char *text, const char *expected)
{
  char *names[] = { (char *)"runs", (char *)"place", (char *)"lines", (char *)"line", NULL };
  char *values[] = { (char *)"2", (char *)"x.json:1", (char *)"\na\x1b\nb", (char *)"a\nb", NULL };
  NoticeCount c = { .count = count, .names = names, .values = values };
  g_autofree char *got = notice_render(&c, text, "1", NULL);
  CHECK_STR(got, expected);
}

/* Words go by the number before them; the name of a lane is none, be it "1". */
static void test_one_or_many(void)
{
  check_render(1, "{count} run[|s] of {lane} [has|have] it", "1 run of 1 has it");
  check_render(1234, "{count} run[|s] of {lane} [has|have] it", "1,234 runs of 1 have it");
  check_render(1, "[it is|they are] left out", "it is left out");
  check_render(1, "{runs} run[|s], first {place}: [a|b]", "2 runs, first x.json:1: b");
  check_render(1, "in [0, 1] or [a|b", "in [0, 1] or [a|b");
  check_render(1, "set off|on for {count} run[|s]", "set off|on for 1 run");
  check_render(1, "of {line}: {lines}", "of a\\x0ab: \na\\x1b\nb");
  g_autofree char *pattern = notice_pattern("{count} entr[y|ies] [is|are] [0]");
  CHECK_STR(pattern, "{count} entries are [0]");
  CHECK(notice_pattern(NULL) == NULL);
}

TEST_MAIN({ "where the first is named", test_where_the_first_is_named },
          { "the count of each input", test_the_count_of_each_input }, { "places", test_places },
          { "one or many", test_one_or_many }, { "numbers and codes", test_find },
          { "the first example", test_first_example }, { "merged", test_merge })
