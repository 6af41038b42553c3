/* The host of the harness is the program's own, see run/host.c: here is as much of a run as that
 * asks for, and nothing where it asks for what only sources, sinks and users have. */
#include "host/guard.h"
#include "input/input.h"
#include "sched/lane.h"
#include "model/log.h"
#include "model/pool.h"
#include "model/tags.h"

#include "harness-internal.h"

void harness_run_init(Run *run, GPtrArray *lanes)
{
  *run = (Run){ .symbols = symbols_new(),
                .batches = batch_pool_new(1),
                .budget.limit_bytes = UINT64_MAX,
                .options.verify = true,
                .lanes = lanes,
                .want_raw = true };
}

void harness_run_clear(Run *run)
{
  symbols_free(run->symbols);
  batch_pool_free(run->batches);
}

const MillHost *harness_host(void)
{
  static const MillStage none = { .size = sizeof none };
  static Run run;
  static Instance *instance;
  static Summary both;
  if (instance) return &instance->host;
  harness_run_init(&run, g_ptr_array_new());
  instance = instance_new(&run, NULL, &none, "none");
  instance->tracks = tracks_new();
  instance->summary = &both;
  return &instance->host;
}

/* ---- what a stage has no part in */

void host_init_edges(MillHost *host) { (void)host; }

void host_init_files(MillHost *host) { (void)host; }

bool run_cancelled(const Run *run)
{
  (void)run;
  return false;
}

const char *lane_path(const Lane *lane)
{
  (void)lane;
  return NULL;
}

const char *lane_tag(const Lane *lane, const char *name, char **out_made)
{
  (void)out_made;
  return lane->tags ? tags_get(lane->tags, name) : NULL;
}

Reader *input_reader(Input *input)
{
  (void)input;
  return NULL;
}

const char *reader_why(const Reader *reader)
{
  (void)reader;
  return NULL;
}

bool log_enabled(uint32_t level, const char *tag)
{
  (void)level;
  (void)tag;
  return false;
}

void log_text(uint32_t level, const char *tag, const char *text)
{
  (void)level;
  (void)tag;
  (void)text;
}
