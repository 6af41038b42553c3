/* Results of critical-path: kinds of time, steps, and the share of the host. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/clip.h"
#include "kit/state/ranked.h"
#include "kit/text/fail.h"
#include "path.h"

static const char *const bound_names[N_BOUNDS] = {
  [BOUND_CPU] = "cpu",
  [BOUND_COMPUTE] = "gpu_compute",
  [BOUND_COMMUNICATION] = "gpu_communication",
  [BOUND_LAUNCH] = "kernel_launch",
  [BOUND_NEIGHBOUR] = "kernel_kernel",
  [BOUND_SYNC] = "sync",
  [BOUND_LOADING] = "data_loading",
};

static int report_bound(const Path *p, int bound)
{
  if (p->events[bound] == 0) return 0;
  const PathRow row = {
    .bound = bound_names[bound],
    .events = p->events[bound],
    .time_ns = p->time_ns[bound],
    .share = percent_of(p->time_ns[bound], p->total_ns),
  };
  return mill_row(p->host, TABLE_PATH, &row);
}

static int report_step(const Path *p, size_t i)
{
  const PathStep *step = &p->graph.path[i];
  const Item *item = &p->graph.items[step->item];
  const char *side = item->flags & ITEM_DEVICE ? "device" : "host";
  const EventRow row = {
    .order = (int64_t)i + 1,
    .name = item->name,
    .side = side,
    .bound = bound_names[step->bound],
    .time_ns = step->time_ns,
  };
  return mill_row(p->host, TABLE_EVENTS, &row);
}

int path_report(void *instance)
{
  const Path *p = instance;
  int status = 0;
  for (int i = 0; i < N_BOUNDS && status == 0; i++) status = report_bound(p, i);
  for (size_t i = 0; i < p->graph.n_path && i < (size_t)p->options.most_events && status == 0; i++)
    status = report_step(p, i);
  return status;
}

static int no_region(const Path *p)
{
  return fail_input(p->common, NOTICE_NOWHERE,
                    "no trace has the slice that critical-path.within and instance ask for", NULL,
                    "set within to a part of a name of user_annotation or cpu_op");
}

int path_report_run(void *instance)
{
  const Path *p = instance;
  if (p->lanes > 0 && p->lanes_without == p->lanes) return no_region(p);
  if (p->total_ns == 0)
    return p->host->no_metric(p->host, METRIC_CPU, NULL, "no path has a duration");
  int64_t host_ns = add_clipped(p->time_ns[BOUND_CPU], p->time_ns[BOUND_LOADING]);
  return p->host->metric(p->host, METRIC_CPU, NULL, mill_real(percent_of(host_ns, p->total_ns)), 1);
}
