/* An executor for tests: each lane runs in a process of its own, and what comes of it comes back as bytes.
 *
 * What no other process could do for a run stays in threads: whole scope, sinks that write events, inputs that can be
 * read only once, and those whose lanes follow each other. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/found.h"
#include "sched/executor.h"
#include "sched/lane-bytes.h"
#include "sched/lane.h"
#include "sched/lanes.h"

typedef struct Child {
  pid_t pid;
  int to, from;
} Child;

static GHashTable *children; /* Child *, by Lane * */

/* The first number of a message to a child. */
enum { GO_ON, SAVE_OBSERVED, LOAD_DECISION, DECIDE };

static void die(const char *what)
{
  fprintf(stderr, "fork executor: %s: %s\n", what, strerror(errno));
  _exit(EXIT_INTERNAL);
}

/* ---------------------------------------------------------------- messages */

static void write_all(int fd, const void *bytes, size_t len)
{
  for (const char *p = bytes; len;) {
    ssize_t n = write(fd, p, len);
    if (n < 0 && errno != EINTR) die("write");
    if (n > 0) p += n, len -= (size_t)n;
  }
}

/* False: the other side is gone. */
static bool read_all(int fd, void *bytes, size_t len)
{
  for (char *p = bytes; len;) {
    ssize_t n = read(fd, p, len);
    if (!n) return false;
    if (n < 0 && errno != EINTR) die("read");
    if (n > 0) p += n, len -= (size_t)n;
  }
  return true;
}

static void send(int fd, Summary *message)
{
  uint64_t len = message->len;
  write_all(fd, &len, sizeof len);
  write_all(fd, message->bytes, len);
  summary_clear(message);
}

static bool receive(int fd, Summary *out)
{
  uint64_t len;
  *out = (Summary){ 0 };
  if (!read_all(fd, &len, sizeof len)) return false;
  out->bytes = g_malloc(len + 1);
  out->len = out->max = len;
  return read_all(fd, out->bytes, len);
}

/* --------------------------------------------------------------- the child */

static void answer(int to, Run *run, Lane *lane, Error *e)
{
  Summary message = { 0 };
  if (!e && !lane->at_barrier) e = input_check_unchanged(lane->input);
  summary_put_int(&message, lane->input->follows);
  summary_put_int(&message, lane->at_barrier);
  summary_put_int(&message, lane->next_segment);
  error_save(e, &message);
  lane_bytes_save(run, lane, &message);
  found_forget(lane->input); /* the parent has it */
  send(to, &message);
  error_free(e);
}

/* What the parent asks of a lane that waits; false: go on. */
static bool serve(int from, int to, Run *run, Lane *lane)
{
  Summary asked, saved = { 0 }, message = { 0 };
  Error *e = NULL;
  if (!receive(from, &asked)) _exit(0); /* the run is over */
  int64_t what = summary_get_int(&asked);
  uint32_t number = (uint32_t)summary_get_int(&asked);
  if (what == GO_ON) {
    lane->at_barrier = false;
    lane->next_segment = number;
    return false;
  }
  if (what == SAVE_OBSERVED) e = executor_threads.save_observed(run, lane, number, &saved);
  if (what == DECIDE) e = executor_threads.decide(run, lane, number);
  if (what == LOAD_DECISION) {
    size_t len;
    const char *bytes = summary_get_text(&asked, &len);
    summary_set_bytes(&saved, bytes, len, NULL);
    e = executor_threads.load_decision(run, lane, number, &saved);
  }
  error_save(e, &message);
  summary_put_text(&message, saved.len ? (const char *)saved.bytes : "", saved.len);
  send(to, &message);
  return true;
}

static void run_child(int from, int to, Run *run, Lane *lane)
{
  run->pools.spill = spill_new(output_temp(run->out.output)); /* the parent's is one file for all of them */
  for (;;) {
    Error *e = executor_run_lane(run, lane);
    answer(to, run, lane, e);
    if (e || !lane->at_barrier) _exit(0);
    while (serve(from, to, run, lane)) continue;
  }
}

/* -------------------------------------------------------------- the parent */

static void forget(gpointer data)
{
  Child *c = data;
  close(c->to);
  close(c->from);
  while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) continue;
  g_free(c);
}

static Child *child_of(const Lane *lane)
{
  return children ? g_hash_table_lookup(children, lane) : NULL;
}

static Child *start(Run *run, Lane *lane)
{
  int down[2], up[2];
  if (pipe(down) || pipe(up)) die("pipe");
  fflush(NULL);
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (!pid) {
    close(down[1]);
    close(up[0]);
    run_child(down[0], up[1], run, lane);
  }
  close(down[0]);
  close(up[1]);
  Child *c = g_new(Child, 1);
  *c = (Child){ pid, down[1], up[0] };
  if (!children) children = g_hash_table_new_full(NULL, NULL, NULL, forget);
  g_hash_table_insert(children, lane, c);
  return c;
}

static Error *lost(const Lane *lane)
{
  return error_new(EXIT_INTERNAL, "RUN-71", "the process of %s ended without an answer",
                   lane->info->name);
}

static void order(const Child *c, int64_t what, uint32_t number, const Summary *bytes)
{
  Summary message = { 0 };
  summary_put_int(&message, what);
  summary_put_int(&message, number);
  summary_put_text(&message, bytes && bytes->len ? (const char *)bytes->bytes : "",
                   bytes ? bytes->len : 0);
  send(c->to, &message);
}

static Error *ask(const Lane *lane, int64_t what, uint32_t stage, const Summary *bytes,
                  Summary *out)
{
  const Child *c = child_of(lane);
  Summary message;
  size_t len;
  order(c, what, stage, bytes);
  if (!receive(c->from, &message)) return lost(lane);
  Error *e = error_load(&message);
  const char *saved = summary_get_text(&message, &len);
  if (out) summary_set_bytes(out, saved, len, NULL);
  summary_clear(&message);
  return e;
}

/* Its message, once it waits or has ended.  False: another lane follows in its input, which this executor leaves to
 * threads. */
static bool hear(Run *run, Lane *lane, Error **out)
{
  Summary message;
  if (!receive(child_of(lane)->from, &message)) {
    *out = lost(lane);
    return true;
  }
  bool follows = summary_get_int(&message) != 0;
  lane->at_barrier = summary_get_int(&message) != 0;
  guint segment = (guint)summary_get_int(&message);
  if (lane->at_barrier) lane->next_segment = segment;
  *out = error_load(&message);
  if (*out || !follows) *out = error_join(*out, lane_bytes_load(run, lane, &message));
  summary_clear(&message);
  return !follows || *out;
}

static void run_there(Run *run, Lane *lane)
{
  Error *e = NULL;
  Child *c = child_of(lane);
  if (run_cancelled(run)) return;
  if (c)
    order(c, GO_ON, lane->next_segment, NULL);
  else
    start(run, lane);
  bool answered = hear(run, lane, &e);
  if (!answered || e || !lane->at_barrier) g_hash_table_remove(children, lane);
  if (!answered) e = executor_run_lane(run, lane);
  executor_lane_ran(run, lane, e);
}

static bool can_leave(const Run *run, const Lane *lane)
{
  const Input *in = lane->input;
  if (child_of(lane)) return true;
  if (!in || in->instance || in->reader || in->n_lanes > 1 || lane->class->ends_in_merge) return false;
  return !sinks_write_events(run->out.sinks) && !run->options.dump_after &&
         !run->options.keep_outcomes && !lane->next_segment;
}

static void run_lanes(Run *run, const GPtrArray *lanes)
{
  g_autoptr(GPtrArray) here = g_ptr_array_new(), there = g_ptr_array_new();
  for (guint i = 0; i < lanes->len; i++)
    g_ptr_array_add(can_leave(run, lanes->pdata[i]) ? there : here, lanes->pdata[i]);
  for (guint i = 0; i < there->len; i++) run_there(run, there->pdata[i]);
  executor_threads.run(run, here);
}

static Error *save_observed(Run *run, Lane *lane, uint32_t stage, Summary *out)
{
  if (!child_of(lane)) return executor_threads.save_observed(run, lane, stage, out);
  return ask(lane, SAVE_OBSERVED, stage, NULL, out);
}

static Error *load_decision(Run *run, Lane *lane, uint32_t stage, Summary *decision)
{
  if (!child_of(lane)) return executor_threads.load_decision(run, lane, stage, decision);
  return ask(lane, LOAD_DECISION, stage, decision, NULL);
}

static Error *decide(Run *run, Lane *lane, uint32_t stage)
{
  if (!child_of(lane)) return executor_threads.decide(run, lane, stage);
  return ask(lane, DECIDE, stage, NULL, NULL);
}

static const Executor executor_fork = {
  .run = run_lanes, .save_observed = save_observed, .load_decision = load_decision, .decide = decide
};

const Executor *executor_of_program(void) { return &executor_fork; }
