/* A first pass for flows: packets of several writers are not in the order of time, but the direction of a flow is.
 *
 * It begins where the first event of a flow is met, and reads the file once more from its start.  What comes through
 * a pipe is read once: then the order of the file counts. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#include <stdlib.h>

#include "kit/read/input.h"

bool survey_add(Source *s, uint64_t id, bool is_end)
{
  FlowUse *all = array_grow(s->common, s->uses, s->n_uses, &s->max_uses, sizeof *all);
  if (!all) return false;
  s->uses = all;
  all[s->n_uses] = (FlowUse){ id, s->todo.ts_ns, s->n_uses, is_end };
  s->n_uses++;
  return true;
}

static int by_id_and_time(const void *a, const void *b)
{
  const FlowUse *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  if (x->ts_ns != y->ts_ns) return x->ts_ns < y->ts_ns ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* One for each use, in the order of the file. */
static bool assign_roles(Source *s, Source *survey)
{
  bool is_open = false;
  uint32_t nth = 0;
  s->roles = mill_new(s->common, MAX(survey->n_uses, 1u) * sizeof *s->roles);
  if (!s->roles) return false;
  s->n_roles = survey->n_uses;
  if (survey->n_uses) qsort(survey->uses, survey->n_uses, sizeof *survey->uses, by_id_and_time);
  for (uint32_t i = 0; i < survey->n_uses; i++) {
    const FlowUse *use = &survey->uses[i];
    bool is_first = i == 0 || use->id != survey->uses[i - 1].id;
    if (is_first) nth = 0;
    is_open = is_open && !is_first;
    s->roles[use->place] = (FlowRole){ flow_role(is_open, use->is_end), nth };
    nth += is_open && use->is_end;
    is_open = !use->is_end;
  }
  return true;
}

/* What cannot be read ends it: the pass that gives events says so. */
static bool read_all(Source *survey)
{
  int status = 1;
  while (status > 0) {
    if (survey->todo.event && !event_survey(survey)) return false;
    survey->n_names = 0;
    status = packets_next(survey);
  }
  return status != -MILL_LIMIT;
}

int survey_flows(Source *s)
{
  MillLane lane;
  const char *why = NULL;
  s->is_surveyed = true;
  if (s->is_survey || !input_can_read_again(s->common, &lane)) return 0;
  Source *survey = source_new(s->host);
  if (!survey) return -MILL_LIMIT;
  survey->is_survey = survey->is_surveyed = true;
  survey->symbols = s->symbols;
  bool entered = !s->host->enter(s->host, lane.path, &why), fine = true;
  if (entered) fine = read_all(survey) && assign_roles(s, survey);
  source_clear(survey);
  s->common->resize(s->common, survey, 0);
  if (!fine) return -MILL_LIMIT;
  uint64_t n_read = s->outer.n_before + s->outer.end;
  if (input_go_back(s->host, lane.path, n_read)) return 0;
  return mill_fail(s->common, MILL_BAD_INPUT, "the file changed while it was read",
                   "wait until nothing writes to it any more");
}
