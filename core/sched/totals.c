/* What the lanes add up to; see totals.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/totals.h"

#include "sched/fold.h"
#include "sched/lost.h"

void totals_init(Run *run)
{
  Totals *t = &run->totals;
  pthread_mutex_init(&t->fold_lock, NULL);
  t->counters = g_new0(Counters, run->plan->n_stages + 1);
  t->notices = g_new0(Notices, run->plan->n_stages + 1);
  for (uint32_t s = 0; s < run->plan->n_stages; s++)
    notices_init(&t->notices[s], run->plan->stages[s].stage);
  lost_init(run);
  t->folds = folds_new(run);
}

void totals_clear(Run *run)
{
  Totals *t = &run->totals;
  if (!t->folds) return;
  folds_free(run);
  lost_clear(run);
  for (uint32_t s = 0; s < run->plan->n_stages; s++) notices_clear(&t->notices[s]);
  g_free(t->notices);
  g_free(t->counters);
  pthread_mutex_destroy(&t->fold_lock);
}
