/* Stages that are gone, in a run that goes on without them; see lost.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/lost.h"

void lost_init(Run *run)
{
  pthread_mutex_init(&run->totals.lost_lock, NULL);
  run->totals.lost = g_new0(Error *, run->plan->n_stages + 1);
}

void lost_clear(Run *run)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++) error_free(run->totals.lost[s]);
  g_free(run->totals.lost);
  pthread_mutex_destroy(&run->totals.lost_lock);
}

/* Later stages see the events as they would without it. */
static bool is_missed(const Run *run, uint32_t stage)
{
  return !(run->plan->stages[stage].stage->flags & MILL_READ_ONLY);
}

/* One error says enough: it is the same in most lanes. */
Error *lost_set_aside(Run *run, uint32_t stage, Instance *i, Error *e)
{
  if (!e || e->kind != ERROR_LOST_STAGE || !run->options.keep_going || is_missed(run, stage))
    return e;
  i->lost = true;
  pthread_mutex_lock(&run->totals.lost_lock);
  if (run->totals.lost[stage])
    error_free(e);
  else
    run->totals.lost[stage] = e;
  pthread_mutex_unlock(&run->totals.lost_lock);
  return NULL;
}

bool lost_is(Run *run, uint32_t stage)
{
  pthread_mutex_lock(&run->totals.lost_lock);
  bool is_lost = run->totals.lost[stage] != NULL;
  pthread_mutex_unlock(&run->totals.lost_lock);
  return is_lost;
}

void lost_tell(Run *run)
{
  for (uint32_t s = 0; s < run->plan->n_stages; s++)
    if (run->totals.lost[s])
      g_ptr_array_add(run->aside.errors, g_steal_pointer(&run->totals.lost[s]));
}
