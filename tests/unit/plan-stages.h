/* Stages that do nothing, with needs and promises of every kind: what plans are made of in tests. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_PLAN_STAGES_H
#define TESTS_UNIT_PLAN_STAGES_H

#include <stagemill/stage.h>

static int no_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                   const void *options, void **out)
{
  return (void)self, (void)host, (void)level, (void)options, *out = NULL, 0;
}

static int no_process(void *instance, MillBatch *batch)
{
  return instance == NULL && batch == NULL;
}

static int no_observe(void *instance, const MillBatch *batch)
{
  return instance == NULL && batch == NULL;
}

static int no_state(void *instance) { return instance == NULL; }

static const MillStageOps once = { .size = sizeof(MillStageOps),
                                   .open = no_open,
                                   .process = no_process };
static const MillStageOps twice = {
  .size = sizeof(MillStageOps), .open = no_open, .observe = no_observe, .process = no_process
};
static const MillStageOps over_all = { .size = sizeof(MillStageOps),
                                       .open = no_open,
                                       .observe = no_observe,
                                       .process = no_process,
                                       .save_observed = no_state,
                                       .merge_observed = no_state };

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_FACTS .flags = 0

/* Each row is STAGE(name, tag, scope, ops, members): a test makes of it what it needs. */
#define PLAN_STAGES(STAGE)                                                                  \
  STAGE("filter", "FA", MILL_SCOPE_EVENT, once, NO_FACTS),                                  \
      STAGE("pair", "FB", MILL_SCOPE_LANE, once, .provides = LIST("slices"),                \
            .spoils = LIST("order.lane")),                                                  \
      STAGE("sort", "FC", MILL_SCOPE_LANE, once, .needs = LIST("order.lane")),              \
      STAGE("overlap", "FD", MILL_SCOPE_LANE, twice, .needs = LIST("order.lane", "slices"), \
            .spoils = LIST("order.lane")),                                                  \
      STAGE("unwrap", "FE", MILL_SCOPE_LANE, twice, .needs = LIST("clock.cycles")),         \
      STAGE("sync", "FF", MILL_SCOPE_RUN, over_all, .provides = LIST("clock.shared"),       \
            .spoils = LIST("order.run")),                                                   \
      STAGE("flow", "FG", MILL_SCOPE_WHOLE, once, .needs = LIST("order.lane"),              \
            .spoils = LIST("order.lane", "order.run")),                                     \
      STAGE("stats", "FH", MILL_SCOPE_LANE, once, .flags = MILL_READ_ONLY)

#endif
