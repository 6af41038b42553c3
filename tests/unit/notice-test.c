/* Counted notices: the first example in the order of lanes and events, whatever the order of counting. */
#include "check.h"
#include "model/notice.h"

static const MillNotice rows[] = {
  { .size = sizeof(MillNotice),
    .number = 3,
    .level = MILL_LEVEL_WARNING,
    .what = "{count} of {lane}: {what} ({missing})" },
  { .size = sizeof(MillNotice), .number = 7, .level = MILL_LEVEL_INFO, .what = "none" },
};
static const MillStage stage = {
  .size = sizeof(MillStage), .tag = "TST", .notices = rows, .n_notices = 2
};

static void add(Notices *n, uint32_t lane, uint64_t seq, int64_t value)
{
  MillEvent e = { .seq = seq };
  MillNamed named = { "what", mill_int(value) };
  notices_add(n, 0, lane, &e, &named, 1, NULL, NULL);
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
  g_autofree char *text = notice_render(&n.counts[0], rows[0].what, "one.json");
  CHECK(g_str_has_prefix(text, "5 of one.json: 3 ("));
  notices_clear(&n);
}

/* Folding lanes in any order gives the same. */
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

TEST_MAIN({ "numbers and codes", test_find }, { "the first example", test_first_example },
          { "merged", test_merge })
