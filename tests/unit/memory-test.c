/* Memory that instances ask for: filled with zeros, counted, refused beyond the limit, freed when they close. */
/* SPDX-License-Identifier: MIT */
#include "host/memory.h"

#include "host-fixture.h"

static const MillStageOps ops = { .size = sizeof ops };
static const Descriptor stage = { .kind = MILL_KIND_STAGE,
                                  .name = "s",
                                  .version = "1",
                                  .tag = "TST",
                                  .code = "TST",
                                  .stage_ops = &ops };

static bool is_zero(const char *bytes, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++)
    if (bytes[i]) return false;
  return true;
}

/* What was there stays, what is new is zero, and the account follows. */
static void test_resize(void)
{
  static const size_t sizes[] = { 1, 100, 64, 5000, 1, 0, 300 };
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  const MillHost *h = &i->common;
  char *bytes = NULL;
  size_t had = 0;
  instance_enter(i, PHASE_PROCESS);
  for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
    bytes = h->resize(h, bytes, sizes[k]);
    CHECK_INT(bytes != NULL, sizes[k] > 0);
    CHECK_INT(f.budget.used_bytes, sizes[k] ? sizes[k] + MEMORY_AROUND : 0);
    if (bytes && had) CHECK_INT(bytes[0], 'x');
    if (sizes[k] > had) CHECK(is_zero(bytes, had, sizes[k]));
    if (bytes) memset(bytes, 'x', sizes[k]);
    had = sizes[k];
  }
  CHECK(instance_leave(i, "testing", 0) == NULL);
  instance_free(i);
  host_fixture_close(&f);
}

/* Three pieces, of which any is resized and freed: the others are not touched. */
static void test_pieces(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  char *pieces[3];
  instance_enter(i, PHASE_PROCESS);
  for (int k = 0; k < 3; k++) memset(pieces[k] = memory_resize(i, NULL, 10), 'a' + k, 10);
  pieces[1] = memory_resize(i, pieces[1], 100000);
  CHECK_INT(f.budget.used_bytes, 100020 + 3 * MEMORY_AROUND);
  CHECK(memory_resize(i, pieces[2], 0) == NULL);
  CHECK(memory_resize(i, NULL, 0) == NULL);
  CHECK_INT(f.budget.used_bytes, 100010 + 2 * MEMORY_AROUND);
  CHECK(pieces[0][9] == 'a' && pieces[1][9] == 'b' && pieces[1][10] == 0);
  CHECK(instance_leave(i, "testing", 0) == NULL);
  CHECK(instance_close(i) == NULL);
  CHECK_INT(f.budget.used_bytes, 0);
  CHECK_INT(f.budget.peak_bytes, 100020 + 3 * MEMORY_AROUND);
  instance_free(i);
  host_fixture_close(&f);
}

/* What does not fit is refused, what was there stays, and the instance has failed. */
static void test_refused(void)
{
  static const struct {
    size_t first, then;
    bool fits;
  } rows[] = { { 1 << 20, 0, true },
               { (1 << 20) + 1, 0, false },
               { 1 << 19, (1 << 20) - MEMORY_AROUND, true },
               { 1 << 19, (1 << 20) - MEMORY_AROUND + 1, false },
               { 1 << 19, (size_t)1 << 50, false },
               { 1 << 19, SIZE_MAX, false } };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    HostFixture f;
    host_fixture_open(&f, false);
    Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
    instance_enter(i, PHASE_OBSERVE);
    char *bytes = mill_new(&i->common, rows[k].first), *more = bytes;
    if (bytes && rows[k].then) more = i->common.resize(&i->common, bytes, rows[k].then);
    CHECK_INT(more != NULL, rows[k].fits);
    if (!more && bytes) CHECK_INT(f.budget.used_bytes, rows[k].first + MEMORY_AROUND);
    Error *e = instance_leave(i, "testing", more ? 0 : -MILL_LIMIT);
    if (rows[k].fits)
      CHECK(e == NULL);
    else
      fails_with(e, EXIT_LIMIT, "TST-00", "it needs more memory than there is");
    instance_free(i);
    host_fixture_close(&f);
  }
}

/* Shared by all: what another instance holds is not there any more. */
static void test_shared_limit(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *a = instance_new(&f.env, &f.lanes[0], &stage, "a"),
           *b = instance_new(&f.env, &f.lanes[1], &stage, "b");
  instance_enter(a, PHASE_PROCESS);
  instance_enter(b, PHASE_PROCESS);
  CHECK(memory_resize(a, NULL, 1 << 19) != NULL);
  CHECK(memory_resize(b, NULL, (1 << 19) + 1) == NULL);
  CHECK(memory_scratch(b, (1 << 19) + 1) == NULL);
  error_free(instance_leave(b, "testing", 0));
  error_free(instance_leave(a, "testing", 0));
  instance_free(a);
  instance_enter(b, PHASE_PROCESS);
  CHECK(memory_resize(b, NULL, (1 << 19) + 1) != NULL);
  CHECK(instance_leave(b, "testing", 0) == NULL);
  instance_free(b);
  host_fixture_close(&f);
}

/* Scratch is zero and counted, too, ends with the call, and an empty piece is one. */
static void test_scratch(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  for (int call = 0; call < 3; call++) {
    instance_enter(i, PHASE_PROCESS);
    char *bytes = i->common.scratch(&i->common, 1000);
    CHECK(bytes && is_zero(bytes, 0, 1000));
    CHECK(i->common.scratch(&i->common, 0) != NULL);
    memset(bytes, 'x', 1000);
    CHECK_STR(memory_scratch_text(i, "text"), "text");
    CHECK_INT(f.budget.used_bytes, 1005 + 3 * MEMORY_AROUND);
    CHECK(instance_leave(i, "testing", 0) == NULL);
    CHECK_INT(f.budget.used_bytes, 0);
  }
  instance_enter(i, PHASE_PROCESS);
  CHECK(i->common.scratch(&i->common, 1 << 19) != NULL);
  CHECK(i->common.scratch(&i->common, (1 << 19) + 1) == NULL); /* not beside the first */
  CHECK(i->common.scratch(&i->common, (size_t)1 << 50) == NULL);
  fails_with(instance_leave(i, "testing", -MILL_LIMIT), EXIT_LIMIT, "TST-00", "more memory");
  instance_free(i);
  host_fixture_close(&f);
}

TEST_MAIN({ "grown and shrunk", test_resize }, { "several pieces", test_pieces },
          { "beyond the limit", test_refused }, { "one limit for all", test_shared_limit },
          { "scratch", test_scratch })
