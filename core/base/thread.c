/* Threads with a second stack for signal handlers; see thread.h. */
#include "base/thread.h"

#include <glib.h>
#include <signal.h>
#include <sys/mman.h>

/* Pages that nobody touches cost nothing; a handler may remove folders within folders. */
#define STACK_BYTES (512u << 10)

typedef struct Start {
  void *(*work)(void *data);
  void *data;
} Start;

void *signal_stack_begin(void)
{
  stack_t before, own = { .ss_size = STACK_BYTES };
  if (sigaltstack(NULL, &before) || !(before.ss_flags & SS_DISABLE)) return NULL;
  own.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (own.ss_sp == MAP_FAILED) return NULL;
  if (!sigaltstack(&own, NULL)) return own.ss_sp;
  munmap(own.ss_sp, STACK_BYTES);
  return NULL;
}

void signal_stack_end(void *stack)
{
  stack_t none = { .ss_flags = SS_DISABLE };
  if (stack && !sigaltstack(&none, NULL)) munmap(stack, STACK_BYTES);
}

static void *work_on_two_stacks(void *data)
{
  Start start = *(Start *)data;
  g_free(data);
  void *stack = signal_stack_begin();
  void *result = start.work(start.data);
  signal_stack_end(stack);
  return result;
}

int thread_start(pthread_t *out, void *(*work)(void *data), void *data)
{
  Start *start = g_new(Start, 1);
  *start = (Start){ work, data };
  int why = pthread_create(out, NULL, work_on_two_stacks, start);
  if (why) g_free(start);
  return why;
}
