/* Instances: how a call ends, whatever it returned or left behind; phases, and what is asked outside of one. */
/* SPDX-License-Identifier: MIT */
#include "host/instance.h"

#include <pthread.h>

#include "host-fixture.h"
#include "host/phase.h"

/* An instance that does as its script says. */
typedef struct Scripted {
  const MillStageHost *host;
  uint32_t level;
  int status;
  const char *fail, *ask;
  bool closed;
} Scripted;
static Scripted scripted;

static int act(void *self)
{
  Scripted *t = self;
  const MillHost *common = t->host->common;
  if (t->ask && !strcmp(t->ask, "cells")) t->host->cells(t->host, 0, NULL, 0);
  if (t->ask && !strcmp(t->ask, "intern")) common->intern(common, "x", 1);
  if (t->ask && !strcmp(t->ask, "twice")) {
    t->host->put_int(t->host, 1);
    t->host->get_int(t->host);
  }
  if (t->fail) return mill_fail(common, (uint32_t)-t->status, t->fail, "help");
  return t->status;
}

static int open_stage(const MillStage *self, const MillStageHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  (void)self;
  (void)options;
  scripted.host = host;
  scripted.level = level;
  *out_instance = &scripted;
  return act(&scripted);
}

static void close_stage(void *self)
{
  ((Scripted *)self)->closed = true;
  act(self);
}

static const MillStageOps ops = { .size = sizeof ops, .open = open_stage, .close = close_stage };
static const Descriptor stage = { .kind = MILL_KIND_STAGE,
                                  .name = "s",
                                  .version = "1.2",
                                  .tag = "TST",
                                  .code = "TST",
                                  .stage_ops = &ops };

static void test_levels(void)
{
  HostFixture f;
  LaneInfo merged;
  host_fixture_open(&f, false);
  lane_info_init(&merged, 2, NULL);
  merged.merged = true;
  LaneInfo *const lanes[] = { &f.lanes[0], NULL, &merged };
  static const uint32_t levels[] = { MILL_LANE, MILL_RUN, MILL_MERGED };
  for (int k = 0; k < 3; k++) {
    scripted = (Scripted){ 0 };
    Instance *i = instance_new(&f.env, lanes[k], &stage, "s");
    CHECK(instance_open_stage(i, NULL) == NULL);
    CHECK_INT(scripted.level, levels[k]);
    CHECK(instance_current == NULL);
    CHECK(instance_close(i) == NULL && scripted.closed);
    scripted.closed = false;
    instance_free(i); /* it was closed */
    CHECK(!scripted.closed);
  }
  lane_info_clear(&merged);
  host_fixture_close(&f);
}

/* What a call returns, fails with or asks for, and the error that comes of it. */
static void test_endings(void)
{
  static const struct {
    Scripted scripted;
    bool verify;
    int status; /* 0: fine */
    const char *code, *text;
  } rows[] = {
    { { .status = 0 }, true, 0, NULL, NULL },
    { { .status = 1 }, false, 0, NULL, NULL },
    { { .status = 1 },
      true,
      EXIT_INTERNAL,
      "STG-70",
      "returned a positive status [positive-status]" },
    { { .status = -1 },
      false,
      EXIT_STAGE,
      "STG-10",
      "stage \"s\" failed without a reason (status -1)" },
    { { .status = -MILL_BAD_INPUT, .fail = "odd" }, false, EXIT_INPUT, "TST-00", "odd" },
    { { .status = -MILL_LIMIT, .fail = "full" }, false, EXIT_LIMIT, "TST-00", "full" },
    { { .status = -99, .fail = "why" }, false, EXIT_STAGE, "TST-00", "why" },
    { { .ask = "cells" },
      false,
      EXIT_INTERNAL,
      "STG-70",
      "stage \"s\" 1.2 asked for cells in decide, where" },
    { { .ask = "cells", .status = -1, .fail = "then" },
      false,
      EXIT_INTERNAL,
      "STG-70",
      "asked for cells" },
    { { .ask = "twice" }, false, EXIT_INTERNAL, "STG-70", "asked for put_int in decide" },
    { { .ask = "intern" }, true, 0, NULL, NULL },
  };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    HostFixture f;
    host_fixture_open(&f, rows[k].verify);
    Instance *i = instance_new(&f.env, &f.lanes[1], &stage, "s");
    scripted = rows[k].scripted;
    scripted.host = &i->host.stage;
    i->self = &scripted;
    Error *e = instance_call(i, PHASE_DECIDE, "deciding", act);
    bool ok = rows[k].status ? fails_with(e, rows[k].status, rows[k].code, rows[k].text)
                             : CHECK(e == NULL);
    if (!ok) printf(" (row %zu)", k);
    CHECK(instance_call(i, PHASE_DECIDE, "deciding", NULL) == NULL);
    scripted = (Scripted){ .host = &i->host.stage };
    instance_free(i);
    host_fixture_close(&f);
  }
}

/* In close hardly anything may be asked, and between calls nothing. */
static void test_outside(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  scripted = (Scripted){ .host = &i->host.stage, .ask = "intern" };
  i->self = &scripted;
  fails_with(instance_close(i), EXIT_INTERNAL, "STG-70", "asked for intern in close");
  CHECK_INT(scripted.host->common->intern(scripted.host->common, "x", 1), 0);
  CHECK_INT(symbols_count(f.env.symbols), 1);
  instance_enter(i, PHASE_DECIDE);
  fails_with(instance_leave(i, "testing", 0), EXIT_INTERNAL, "STG-70",
             "asked for intern in no call at all");
  instance_free(i);
  host_fixture_close(&f);
}

static void *ask_elsewhere(void *common)
{
  ((const MillHost *)common)->intern(common, "x", 1);
  return NULL;
}

/* Another thread is found out only under --verify. */
static void test_thread(void)
{
  for (int verify = 0; verify < 2; verify++) {
    HostFixture f;
    pthread_t thread;
    host_fixture_open(&f, verify);
    Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
    instance_enter(i, PHASE_DECIDE);
    CHECK(!pthread_create(&thread, NULL, ask_elsewhere, &i->common) && !pthread_join(thread, NULL));
    Error *e = instance_leave(i, "testing", 0);
    if (verify)
      fails_with(e, EXIT_INTERNAL, "STG-70", "[wrong-thread]");
    else
      CHECK(e == NULL);
    instance_free(i);
    host_fixture_close(&f);
  }
}

static int put_two(void *self)
{
  const MillStageHost *h = ((Scripted *)self)->host;
  h->put_int(h, 5);
  h->put_text(h, "a", 1);
  return 0;
}

/* "i": an integer, "t": a text, in this order. */
static int get_as_scripted(void *self)
{
  const Scripted *t = self;
  const MillStageHost *h = t->host;
  for (const char *p = t->ask; *p; p++) {
    if (*p == 'i') h->get_int(h);
    if (*p == 't') h->get_text(h, NULL);
  }
  return 0;
}

/* Read in another order it is wrong; what is left is so only under --verify.  Each reading begins at the start. */
static void test_summaries(void)
{
  static const struct {
    const char *order;
    bool verify;
    const char *fault; /* NULL: fine */
  } rows[] = { { "it", true, NULL },
               { "i", false, NULL },
               { "", false, NULL },
               { "i", true, "reads less of its summary than it wrote" },
               { "ti", false, "in another order than it wrote it" },
               { "iti", false, "in another order than it wrote it" },
               { "ii", true, "in another order than it wrote it" } };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    HostFixture f;
    Summary s = { 0 };
    host_fixture_open(&f, rows[k].verify);
    Instance *i = instance_new(&f.env, NULL, &stage, "s");
    scripted = (Scripted){ .host = &i->host.stage };
    i->self = &scripted;
    CHECK(instance_save(i, put_two, &s) == NULL);
    for (int again = 0; again < 2; again++) {
      scripted.ask = rows[k].order;
      Error *e = instance_load(i, PHASE_MERGE, "merging", get_as_scripted, &s);
      bool ok =
          rows[k].fault ? fails_with(e, EXIT_STAGE, "STG-11", rows[k].fault) : CHECK(e == NULL);
      if (!ok) CHECK_ROW(rows[k].order);
    }
    CHECK(instance_load(i, PHASE_MERGE, "merging", NULL, &s) == NULL);
    scripted.ask = NULL;
    summary_clear(&s);
    instance_free(i);
    host_fixture_close(&f);
  }
}

TEST_MAIN({ "levels", test_levels }, { "how calls end", test_endings },
          { "in close, and in no call", test_outside }, { "another thread", test_thread },
          { "summaries", test_summaries })
