/* Threads with a second stack for signal handlers; see thread.h. */
/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

/* Pages that nobody touches cost nothing; a handler may remove folders within folders. */
#define STACK_BYTES (512u << 10)

typedef struct Start {
  void *(*work)(void *data);
  void *data;
  void *stack; /* for signals */
} Start;

static void *new_stack(void)
{
  void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  return stack == MAP_FAILED ? NULL : stack;
}

static bool use_stack(void *stack)
{
  return !sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = STACK_BYTES }, NULL);
}

void *signal_stack_begin(void)
{
  stack_t before;
  if (sigaltstack(NULL, &before) || !(before.ss_flags & SS_DISABLE)) return NULL;
  void *stack = new_stack();
  if (!stack || use_stack(stack)) return stack;
  munmap(stack, STACK_BYTES);
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
  use_stack(start.stack);
  void *result = start.work(start.data);
  signal_stack_end(start.stack);
  return result;
}

/* What ends the program from outside is for the first thread: its handler never runs beside that thread. */
static void block_endings(sigset_t *out_before)
{
  static const int endings[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM };
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) sigaddset(&set, endings[i]);
  pthread_sigmask(SIG_BLOCK, &set, out_before);
}

int thread_start(pthread_t *out, void *(*work)(void *data), void *data)
{
  sigset_t before;
  void *stack = new_stack();
  if (!stack) return ENOMEM;
  Start *start = g_new(Start, 1);
  *start = (Start){ work, data, stack };
  block_endings(&before);
  int why = pthread_create(out, NULL, work_on_two_stacks, start);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!why) return 0;
  munmap(stack, STACK_BYTES);
  g_free(start);
  return why;
}
