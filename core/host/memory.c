/* Memory that instances ask for: zeroed, counted against --max-memory, freed by the program. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/guard.h"
#include "base/memory-growth.h"
#include "base/num.h"
#include "host/memory.h"
#include "host/verify.h"

typedef struct Memory { /* before what the module gets */
  struct Memory *before, *after;
  size_t bytes;
  bool reached; /* of --verify: something points to it */
  max_align_t at[];
} Memory;

/* What it asked for, where that alone says it, and what the run has already. */
static char *reason(const Instance *i, size_t asked)
{
  char *held = budget_text(i->env->budget);
  if (asked < i->env->budget->limit_bytes / 20) return held;
  char size[NUM_BUF];
  num_format_size(size, asked);
  char *why = g_strdup_printf("it asks for %s%s%s", size, *held ? "; " : "", held);
  g_free(held);
  return why;
}

static int refuse_for(Instance *i, const char *what, size_t asked)
{
  if (i->error) return -MILL_LIMIT; /* there may be millions */
  g_autofree char *why = reason(i, asked);
  return i->common.fail(
      &i->common,
      &(MillFailure){
          .size = sizeof(MillFailure),
          .status = MILL_LIMIT,
          .line = __LINE__,
          .file = __FILE__,
          .what = what,
          .why = *why ? why : NULL,
          .help = "give more memory with --max-memory, or cut the input with --from and --to" });
}

int memory_refuse_for(Instance *i, const char *what) { return refuse_for(i, what, 0); }

#define TOO_MUCH "it needs more memory than there is"

int memory_refuse(Instance *i) { return refuse_for(i, TOO_MUCH, 0); }

static void *refuse(Instance *i, size_t asked)
{
  refuse_for(i, TOO_MUCH, asked);
  return NULL;
}

static bool fits(const Instance *i, size_t more) { return budget_fits(i->env->budget, more); }

/* With what the program needs around it. */
static void charge(const Instance *i, size_t bytes)
{
  budget_take(i->env->budget, USE_MODULES, bytes);
}

static void discharge(const Instance *i, size_t bytes)
{
  budget_give(i->env->budget, USE_MODULES, bytes);
}

static void unlink_memory(Instance *i, Memory *m)
{
  if (m->before)
    m->before->after = m->after;
  else
    i->memory = m->after;
  if (m->after) m->after->before = m->before;
}

static void link_memory(Instance *i, Memory *m)
{
  m->before = NULL;
  m->after = i->memory;
  if (m->after) m->after->before = m;
  i->memory = m;
}

/* Under --verify a byte too far is a crash, or found where the piece is freed. */
static void check_end(Instance *i, const Memory *m)
{
  const char *end = (const char *)m->at + m->bytes;
  for (size_t k = 0; k < guard_slack(sizeof *m + m->bytes); k++)
    if (end[k])
      verify_broken(i, "past-the-end", "wrote past the end of memory that it asked for", NULL);
}

static void discard(Instance *i, Memory *m)
{
  if (!i->env->verify) {
    g_free(m);
    return;
  }
  check_end(i, m);
  guard_free(m, sizeof *m + m->bytes);
}

static void release(Instance *i, Memory *m)
{
  unlink_memory(i, m);
  discharge(i, m->bytes + MEMORY_AROUND);
  discard(i, m);
}

/* Under --verify at another address each time. */
static Memory *move(Instance *i, Memory *m, size_t bytes)
{
  /* what is large and new is zero already, and takes no memory until it is used */
  if (!i->env->verify)
    return m ? g_try_realloc(m, sizeof *m + bytes) : g_try_malloc0(sizeof *m + bytes);
  Memory *moved = guard_new(sizeof *m + bytes);
  if (moved && m) memcpy(moved, m, sizeof *m + MIN(bytes, m->bytes));
  if (moved && m) discard(i, m);
  return moved;
}

void *memory_resize(Instance *i, void *old, size_t bytes)
{
  Memory *m = old ? (Memory *)((char *)old - offsetof(Memory, at)) : NULL;
  size_t had = m ? m->bytes : 0;
  if (!bytes) {
    if (m) release(i, m);
    return NULL;
  }
  if (bytes > had && !fits(i, bytes - had)) return refuse(i, bytes - had);
  if (m) unlink_memory(i, m);
  Memory *moved = move(i, m, bytes);
  if (!moved) {
    if (m) link_memory(i, m);
    return refuse(i, bytes - had);
  }
  if (!i->env->verify) memory_growth_look(moved, sizeof *moved + bytes);
  if (bytes > had) {
    if (m) memset((char *)moved->at + had, 0, bytes - had);
    charge(i, bytes - had + (old ? 0 : MEMORY_AROUND));
  } else {
    discharge(i, had - bytes);
  }
  moved->bytes = bytes;
  link_memory(i, moved);
  return moved->at;
}

void *memory_scratch(Instance *i, size_t bytes)
{
  Memory *m = NULL;
  if (fits(i, bytes))
    m = i->env->verify ? guard_new(sizeof *m + bytes) : g_try_malloc0(sizeof *m + bytes);
  if (!m) return refuse(i, bytes);
  charge(i, bytes + MEMORY_AROUND);
  m->bytes = bytes;
  m->after = i->scratch;
  i->scratch = m;
  return m->at;
}

char *memory_scratch_text(Instance *i, const char *text)
{
  size_t len = strlen(text) + 1;
  char *copy = memory_scratch(i, len);
  return copy ? memcpy(copy, text, len) : (char *)"";
}

void memory_end_call(Instance *i)
{
  while (i->scratch) {
    Memory *m = i->scratch;
    i->scratch = m->after;
    discharge(i, m->bytes + MEMORY_AROUND);
    discard(i, m);
  }
}

void memory_free_all(Instance *i)
{
  memory_end_call(i);
  while (i->memory) release(i, i->memory);
}

/* ------------------------------------------------------------------- leaks */

static gint by_address(gconstpointer a, gconstpointer b)
{
  const Memory *x = *(Memory *const *)a, *y = *(Memory *const *)b;
  return (x > y) - (x < y);
}

/* The piece that the address is in or at the end of; NULL: none. */
static Memory *piece_at(const GPtrArray *pieces, uintptr_t address)
{
  guint from = 0, to = pieces->len;
  while (from < to) {
    guint middle = from + (to - from) / 2;
    Memory *m = pieces->pdata[middle];
    uintptr_t start = (uintptr_t)m->at;
    if (address < start)
      to = middle;
    else if (address - start > m->bytes)
      from = middle + 1;
    else
      return m;
  }
  return NULL;
}

static void reach(const GPtrArray *pieces, GPtrArray *todo, uintptr_t address)
{
  Memory *m = piece_at(pieces, address);
  if (!m || m->reached) return;
  m->reached = true;
  g_ptr_array_add(todo, m);
}

/* Whatever looks like an address of a piece may be one. */
static void reach_from(const GPtrArray *pieces, GPtrArray *todo, const Memory *m)
{
  const uintptr_t *words = (const void *)m->at;
  for (size_t k = 0; k < m->bytes / sizeof *words; k++) reach(pieces, todo, words[k]);
}

void memory_find_lost(Instance *i)
{
  g_autoptr(GPtrArray) pieces = g_ptr_array_new(), todo = g_ptr_array_new();
  for (Memory *m = i->memory; m; m = m->after) {
    m->reached = false;
    g_ptr_array_add(pieces, m);
  }
  g_ptr_array_sort(pieces, by_address);
  reach(pieces, todo, (uintptr_t)i->self);
  bool known = todo->len > 0; /* else its pieces are found by ways of its own */
  while (todo->len) reach_from(pieces, todo, g_ptr_array_steal_index_fast(todo, todo->len - 1));
  for (Memory *m = i->memory; m && !known; m = m->after) m->reached = true;
}

size_t memory_lost(const Instance *i, size_t *out_bytes)
{
  size_t n = 0;
  *out_bytes = 0;
  for (const Memory *m = i->memory; m; m = m->after) {
    if (m->reached) continue;
    n++;
    *out_bytes += m->bytes;
  }
  return n;
}
