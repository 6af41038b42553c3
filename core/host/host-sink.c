/* The host table of sinks: members of documents, and where bytes go. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/instance.h"
#include "host/tables.h"

enum { WRITING = PHASE_BEGIN | PHASE_WRITE | PHASE_RESULTS };

static bool host_lane_member(const MillSinkHost *h, uint32_t lane, uint32_t index, bool *out_after,
                             MillValue *out_key, MillValue *out_json)
{
  Instance *i = instance_of_sink(h);
  if (!phase_allows(i, WRITING, "lane_member")) return false;
  return instance_member(i->env->lane(i->env->run, lane), index, out_after, out_key, out_json);
}

/* The call has failed; the status to return. */
static int fail_of(Instance *i, Error *e)
{
  int status = e->status;
  i->error = error_join(i->error, error_at(e, "sink \"%s\"", i->id));
  return -status;
}

static int host_output(const MillSinkHost *h, const char *name, const char *join, const void *bytes,
                       size_t len)
{
  Instance *i = instance_of_sink(h);
  if (!phase_allows(i, WRITING, "output")) return -MILL_STAGE_FAILED;
  const SinkEnv *env = &i->sink_env;
  Error *e = env->write(env->output, name, env->position, join, bytes, len);
  return e ? fail_of(i, e) : 0;
}

static const char *host_place(const MillSinkHost *h, const char *name)
{
  Instance *i = instance_of_sink(h);
  const char *path = NULL;
  if (!phase_allows(i, PHASE_RESULTS, "place")) return NULL;
  Error *e = i->sink_env.place(i->sink_env.output, name, &path);
  if (e) fail_of(i, e);
  return e ? NULL : path;
}

void host_sink_init(MillSinkHost *h, const MillHost *common)
{
  *h = (MillSinkHost){
    .size = sizeof *h,
    .common = common,
    .lane_member = host_lane_member,
    .output = host_output,
    .place = host_place,
  };
}
