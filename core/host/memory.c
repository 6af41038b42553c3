/* Memory that instances ask for: zeroed, counted against --max-memory, freed by the program. */
#include <string.h>

#include "base/memory-growth.h"
#include "host/memory.h"

typedef struct Memory { /* before what the module gets */
  struct Memory *before, *after;
  size_t bytes;
  max_align_t at[];
} Memory;

int memory_refuse_for(Instance *i, const char *what)
{
  if (i->error) return -MILL_LIMIT; /* there may be millions */
  g_autofree char *why = budget_text(i->env->budget);
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

int memory_refuse(Instance *i)
{
  return memory_refuse_for(i, "it needs more memory than there is");
}

static void *refuse(Instance *i)
{
  memory_refuse(i);
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

static void release(Instance *i, Memory *m)
{
  unlink_memory(i, m);
  discharge(i, m->bytes + MEMORY_AROUND);
  g_free(m);
}

void *memory_resize(Instance *i, void *old, size_t bytes)
{
  Memory *m = old ? (Memory *)((char *)old - offsetof(Memory, at)) : NULL;
  size_t had = m ? m->bytes : 0;
  if (!bytes) {
    if (m) release(i, m);
    return NULL;
  }
  if (bytes > had && !fits(i, bytes - had)) return refuse(i);
  if (m) unlink_memory(i, m);
  Memory *moved = g_try_realloc(m, sizeof *m + bytes);
  if (!moved) {
    if (m) link_memory(i, m);
    return refuse(i);
  }
  memory_growth_look(moved, sizeof *moved + bytes);
  if (bytes > had) {
    memset((char *)moved->at + had, 0, bytes - had);
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
  Memory *m = fits(i, bytes) ? g_try_malloc0(sizeof *m + bytes) : NULL;
  if (!m) return refuse(i);
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
    g_free(m);
  }
}

void memory_free_all(Instance *i)
{
  memory_end_call(i);
  while (i->memory) release(i, i->memory);
}
