/* The memory that held events may take (--max-memory): one meter for all lanes. */
/* SPDX-License-Identifier: MIT */
#include "model/budget.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"

/* The tightest memory.max on the way up from our control group; UINT64_MAX when there is none. */
static uint64_t cgroup_limit(void)
{
  g_autofree char *groups = NULL;
  uint64_t limit = UINT64_MAX;
  if (!g_file_get_contents("/proc/self/cgroup", &groups, NULL, NULL)) return limit;
  char *path = strstr(groups, "0::/");
  if (!path) return limit;
  path += 3;
  path[strcspn(path, "\n")] = '\0';
  for (;;) {
    g_autofree char *file = g_strconcat("/sys/fs/cgroup", path, "/memory.max", NULL);
    g_autofree char *text = NULL;
    int64_t bytes;
    if (g_file_get_contents(file, &text, NULL, NULL) &&
        num_int(g_strstrip(text), strlen(text), &bytes))
      limit = MIN(limit, (uint64_t)bytes);
    char *slash = strrchr(path, '/');
    if (!slash || !*path) return limit;
    *slash = '\0';
  }
}

uint64_t budget_default(void)
{
  uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  return MIN(machine, cgroup_limit()) / 2;
}

void budget_charge(Budget *b, uint64_t bytes)
{
  uint64_t now = atomic_fetch_add(&b->used_bytes, bytes) + bytes;
  uint64_t peak = atomic_load(&b->peak_bytes);
  while (now > peak && !atomic_compare_exchange_weak(&b->peak_bytes, &peak, now)) continue;
}

void budget_release(Budget *b, uint64_t bytes) { atomic_fetch_sub(&b->used_bytes, bytes); }

bool budget_is_tight(const Budget *b)
{
  return atomic_load(&b->used_bytes) > b->limit_bytes - b->limit_bytes / 4;
}

bool budget_exceeded(const Budget *b) { return atomic_load(&b->used_bytes) > b->limit_bytes; }

/* ------------------------------------------------------- what cannot give way */

void budget_take(Budget *b, BudgetUse use, uint64_t bytes)
{
  atomic_fetch_add(&b->fixed_bytes, bytes);
  atomic_fetch_add(&b->by_use[use], bytes);
  budget_charge(b, bytes);
}

void budget_give(Budget *b, BudgetUse use, uint64_t bytes)
{
  atomic_fetch_sub(&b->fixed_bytes, bytes);
  atomic_fetch_sub(&b->by_use[use], bytes);
  budget_release(b, bytes);
}

bool budget_has_many_results(const Budget *b)
{
  return atomic_load(&b->by_use[USE_RESULTS]) > b->limit_bytes / 4;
}

bool budget_fits(const Budget *b, uint64_t more)
{
  return more <= b->limit_bytes && atomic_load(&b->fixed_bytes) <= b->limit_bytes - more;
}

static const char *const use_names[N_USES] = {
  [USE_NAMES] = "the names of the events",
  [USE_TRACKS] = "the processes and threads of the events",
  [USE_MODULES] = "the working memory of stages, sources and sinks",
  [USE_RESULTS] = "the rows and values of the results",
  [USE_SUMMARIES] = "the summaries of the inputs",
  [USE_KEPT] = "the events that stages keep",
  [USE_EMITTED] = "the events that a stage emits at once",
  [USE_INPUTS] = "the list of the inputs",
};

static BudgetUse largest(const Budget *b)
{
  BudgetUse most = USE_NAMES;
  for (BudgetUse u = USE_NAMES; u < N_USES; u++)
    if (atomic_load(&b->by_use[u]) > atomic_load(&b->by_use[most])) most = u;
  return most;
}

const char *budget_largest(const Budget *b) { return use_names[largest(b)]; }

char *budget_text(const Budget *b)
{
  GString *text = g_string_new(NULL);
  char size[NUM_BUF];
  for (BudgetUse u = USE_NAMES; u < N_USES; u++) {
    uint64_t bytes = atomic_load(&b->by_use[u]);
    if (bytes < b->limit_bytes / 20 || !bytes) continue;
    num_format_size(size, bytes);
    g_string_append_printf(text, "%s%s: %s", text->len ? ", " : "", use_names[u], size);
  }
  return g_string_free(text, FALSE);
}
