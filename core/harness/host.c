/* A host on its own: an instance that is always inside of a call in which everything may be asked. */
/* SPDX-License-Identifier: MIT */
#include "harness-internal.h"

static const LaneInfo *the_lane(void *lane, uint32_t index) { return index ? NULL : lane; }
static uint32_t one_lane(void *lane) { return (void)lane, 1; }
static bool never(void *lane) { return (void)lane, false; }
static MillReadRows no_reads(void *lane)
{
  (void)lane;
  return (MillReadRows){ .stride = sizeof(MillRead) };
}
static bool move_base(void *run, LaneInfo *lane, int64_t base_ns)
{
  (void)run;
  lane->base_ns = base_ns;
  return true;
}

static LaneInfo *make_lane(void)
{
  LaneInfo *lane = g_new(LaneInfo, 1);
  lane_info_init(lane, 0, NULL);
  lane->name = g_strdup("lane0.json");
  lane->rank = 0;
  return lane;
}

static HostEnv *make_env(LaneInfo *lane)
{
  static Budget budget = { .limit_bytes = UINT64_MAX };
  HostEnv *env = g_new(HostEnv, 1);
  *env = (HostEnv){ .symbols = symbols_new(),
                    .budget = &budget,
                    .batches = batch_pool_new(1),
                    .with_raw = true,
                    .run = lane,
                    .lane = the_lane,
                    .n_lanes = one_lane,
                    .cancelled = never,
                    .wanted = no_reads,
                    .move_base = move_base,
                    .planned = never };
  return env;
}

const MillStageHost *harness_host(void)
{
  static const MillStageOps ops = { .size = sizeof ops };
  static const Descriptor none = {
    .kind = MILL_KIND_STAGE, .name = "none", .tag = "NONE", .code = "NONE", .stage_ops = &ops
  };
  static Summary shared;
  static Instance *instance;
  if (instance) return &instance->host.stage;
  LaneInfo *lane = make_lane();
  instance = instance_new(make_env(lane), lane, &none, none.name);
  instance->summary = &shared;
  instance->phase = PHASE_ANY;
  return &instance->host.stage;
}
