/* The memory that held events may take (--max-memory): one meter for all lanes. */
#ifndef MODEL_BUDGET_H
#define MODEL_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Budget {
  uint64_t limit_bytes;
  _Atomic uint64_t used_bytes, peak_bytes;
  _Atomic uint64_t module_bytes; /* of them: what modules asked for, which cannot give way */
} Budget;

/* Half of what the machine or the control group has. */
uint64_t budget_default(void);
void budget_charge(Budget *b, uint64_t bytes);
void budget_release(Budget *b, uint64_t bytes);
/* What can be spilled gives way early, so that what must stay in memory fits. */
bool budget_is_tight(const Budget *b);
bool budget_exceeded(const Budget *b);

#endif
