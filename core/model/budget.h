/* The memory that held events may take (--max-memory): one meter for all lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_BUDGET_H
#define MODEL_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What cannot give way to other memory, as held events do that can be spilled. */
typedef enum BudgetUse {
  USE_NAMES,
  USE_TRACKS,
  USE_MODULES, /* what they asked for */
  USE_RESULTS,
  USE_SUMMARIES,
  USE_KEPT,
  USE_EMITTED,
  USE_INPUTS,
  N_USES
} BudgetUse;

typedef struct Budget {
  uint64_t limit_bytes;
  _Atomic uint64_t used_bytes, peak_bytes;
  _Atomic uint64_t fixed_bytes; /* of them: what cannot give way */
  _Atomic uint64_t by_use[N_USES];
} Budget;

/* Half of what the machine or the control group has. */
uint64_t budget_default(void);
void budget_charge(Budget *b, uint64_t bytes);
void budget_release(Budget *b, uint64_t bytes);
/* What can be spilled gives way early, so that what must stay in memory fits. */
bool budget_is_tight(const Budget *b);
bool budget_exceeded(const Budget *b);

/* The same for what cannot give way.  What grows in small steps is charged in large ones: each call costs
 * about as much as a cache miss. */
void budget_take(Budget *b, BudgetUse use, uint64_t bytes);
void budget_give(Budget *b, BudgetUse use, uint64_t bytes);
/* Whether so much more of it still fits. */
bool budget_fits(const Budget *b, uint64_t more);
/* Results take so much of it that more of them go into a file. */
bool budget_has_many_results(const Budget *b);
/* It does not fit any more: who asks for more has failed. */
static inline bool budget_is_full(const Budget *b)
{
  return atomic_load_explicit(&((Budget *)b)->fixed_bytes, memory_order_relaxed) > b->limit_bytes;
}
/* The same for what reading a batch may add before anybody asks: only beyond this the call itself is refused. */
#define BUDGET_SLACK ((uint64_t)8 << 20)
static inline bool budget_is_overrun(const Budget *b)
{
  uint64_t fixed = atomic_load_explicit(&((Budget *)b)->fixed_bytes, memory_order_relaxed);
  return fixed > b->limit_bytes && fixed - b->limit_bytes > BUDGET_SLACK;
}
const char *budget_largest(const Budget *b); /* of its uses, as "the names of the events" */
char *budget_text(const Budget *b);          /* all that are worth a word; g_free */

#endif
