/* Stages in processes of their own: the program's side; see isolate.h. */
#include "host/isolate.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/isolate-talk.h"
#include "host/placed.h"
#include "host/slots.h"

enum {
  LOOK_MS = 50,     /* until the next look at a process that does not answer */
  GRACE_LOOKS = 20, /* that it has when the run is to stop */
  WALL_FACTOR = 10, /* a call may take so much longer than its processor time, on a busy machine */
  MOST = 1024,      /* more processes are not killed at once: they end with the program */
};

typedef struct Remote {
  IsolateLink link;
  pid_t pid;                    /* 0: it has ended */
  uint32_t n_symbols, n_tracks; /* that it knows of */
  uint64_t memory_bytes;        /* that it has, beyond what the program had */
  int64_t started_ns, cpu_ns;   /* of the call; the second from the first look on, before that -1 */
  unsigned n_waiting;           /* batches in the areas that it has not seen */
  BatchCall waiting_call;       /* that they are for */
  unsigned n_looks;             /* since the run was to stop */
  const char *doing;
} Remote;

static _Atomic pid_t running[MOST];

static void list(pid_t pid)
{
  for (size_t k = 0; k < MOST; k++) {
    pid_t none = 0;
    if (atomic_compare_exchange_strong(&running[k], &none, pid)) return;
  }
}

static void unlist(pid_t pid)
{
  for (size_t k = 0; k < MOST; k++) {
    pid_t own = pid;
    if (atomic_compare_exchange_strong(&running[k], &own, 0)) return;
  }
}

void isolate_kill_all(void)
{
  for (size_t k = 0; k < MOST; k++) {
    pid_t pid = atomic_load(&running[k]);
    if (pid > 0) kill(-pid, SIGKILL);
  }
}

/* -------------------------------------------------------------------- its end */

static int64_t clock_ns(clockid_t clock)
{
  struct timespec t = { 0 };
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t cpu_of(const Remote *r)
{
  clockid_t clock;
  return clock_getcpuclockid(r->pid, &clock) ? 0 : clock_ns(clock);
}

/* How it ended; what it started goes with it. */
static int reap(Remote *r)
{
  int status = 0;
  kill(-r->pid, SIGKILL);
  while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR) continue;
  unlist(r->pid);
  r->pid = 0;
  return status;
}

static void forget(Instance *i)
{
  Remote *r = i->remote;
  if (!r) return;
  if (r->pid) reap(r);
  budget_give(i->env->budget, USE_MODULES, r->memory_bytes);
  if (r->link.fd >= 0) close(r->link.fd);
  for (int k = 0; k < ISOLATE_BURST; k++) wire_area_close(&r->link.areas[k]);
  if (r->link.shared) munmap(r->link.shared, sizeof *r->link.shared);
  g_clear_pointer(&i->remote, g_free);
}

static Error *lost(const Instance *i, int status, const char *how)
{
  const Descriptor *d = i->descriptor;
  Error *e = error_new(status, "STG-13", "stage \"%s\" %s %s", i->id, d->version, how);
  error_of_kind(e, ERROR_LOST_STAGE);
  error_why(e, "it was %s, in a process of its own", i->remote->doing);
  if (i->lane && i->lane->name) error_at(e, "in %s", i->lane->name);
  if (status == EXIT_LIMIT)
    return error_help(e,
                      "give more memory with --max-memory, or cut the input with --from and --to");
  return error_help(e, "report it to its author; --keep-going writes all other results");
}

static Error *lost_by(Instance *i, int wait_status)
{
  g_autofree char *how = NULL;
  if (WIFSIGNALED(wait_status))
    how = g_strdup_printf("crashed (%s)", strsignal(WTERMSIG(wait_status)));
  else if (WEXITSTATUS(wait_status) == EXIT_LIMIT)
    how = g_strdup("needs more memory than there is");
  else
    how = g_strdup_printf("ended its process, with status %d", WEXITSTATUS(wait_status));
  bool memory = !WIFSIGNALED(wait_status) && WEXITSTATUS(wait_status) == EXIT_LIMIT;
  return lost(i, memory ? EXIT_LIMIT : EXIT_STAGE, how);
}

/* NULL: it may go on. */
static Error *look_at(Instance *i)
{
  Remote *r = i->remote;
  int64_t limit_ns = i->env->isolate_limit_ns;
  if (r->cpu_ns < 0) r->cpu_ns = cpu_of(r);
  bool stop = i->env->cancelled(i->env->run);
  if (stop) atomic_store(&r->link.shared->cancelled, true);
  bool late = cpu_of(r) - r->cpu_ns > limit_ns ||
              clock_ns(CLOCK_MONOTONIC) - r->started_ns > limit_ns * WALL_FACTOR;
  if (!late && !(stop && r->n_looks++ > GRACE_LOOKS)) return NULL;
  reap(r);
  g_autofree char *how = stop ? g_strdup("does not return from a call")
                              : g_strdup_printf("does not return from a call (--isolate-limit %gs)",
                                                (double)limit_ns / 1e9);
  return lost(i, EXIT_STAGE, how);
}

/* ----------------------------------------------------------------------- talk */

static void put_value(Summary *out, const MillValue *v)
{
  summary_put_int(out, v->type);
  summary_put_int(out, v->type == MILL_SYM ? (int64_t)v->u.sym : v->u.i);
}

/* What is new since the last message.  Rows of tracks name symbols that were there before them. */
static void put_news(Instance *i, Summary *out)
{
  Remote *r = i->remote;
  uint32_t n_tracks = i->tracks ? tracks_count(i->tracks) : 0;
  uint32_t n_symbols = symbols_count(i->env->symbols);
  summary_put_int(out, n_symbols - r->n_symbols);
  for (; r->n_symbols < n_symbols; r->n_symbols++) {
    size_t len;
    const char *text = symbols_text(i->env->symbols, r->n_symbols, &len);
    summary_put_text(out, text, len);
  }
  summary_put_int(out, n_tracks - r->n_tracks);
  for (; r->n_tracks < n_tracks; r->n_tracks++) {
    const MillTrack *row = tracks_get(i->tracks, r->n_tracks);
    summary_put_int(out, row->lane);
    put_value(out, &row->process);
    put_value(out, &row->thread);
  }
}

static MillValue get_track_value(Summary *from)
{
  MillValue v = { .type = (uint32_t)summary_get_int(from) };
  int64_t bits = summary_get_int(from);
  if (v.type == MILL_SYM)
    v.u.sym = (MillSym)bits;
  else
    v.u.i = bits;
  return v;
}

static void put_optional(Summary *out, const char *text, size_t len)
{
  summary_put_int(out, text != NULL);
  if (text) summary_put_text(out, text, len);
}

static void answer_lane(Instance *i, uint32_t index, Summary *out)
{
  MillLane lane = { .size = sizeof lane };
  i->common.lane(&i->common, index, &lane);
  summary_put_int(out, lane.index);
  summary_put_int(out, lane.rank);
  summary_put_int(out, lane.base_ns);
  summary_put_text(out, lane.name, strlen(lane.name));
  summary_put_text(out, lane.label, strlen(lane.label));
  summary_put_text(out, lane.dialect, strlen(lane.dialect));
  summary_put_string(out, lane.path);
}

static void answer_member(Instance *i, uint32_t index, Summary *out)
{
  bool after = false;
  MillValue key, json;
  bool found = instance_member(i->lane, index, &after, &key, &json);
  summary_put_int(out, found);
  if (!found) return;
  summary_put_int(out, after);
  summary_put_text(out, key.u.text, key.len);
  summary_put_text(out, json.u.text, json.len);
}

static void answer_track(Instance *i, Summary *asked, Summary *out)
{
  uint32_t lane = (uint32_t)summary_get_int(asked);
  MillValue process = get_track_value(asked), thread = get_track_value(asked);
  summary_put_int(out, asked->broken ? MILL_FAILED : instance_track(i, lane, process, thread));
}

static void answer_name(Instance *i, Summary *asked, Summary *out)
{
  size_t len;
  const char *text = summary_get_text(asked, &len);
  summary_put_int(out, i->common.intern(&i->common, text, len));
}

static void answer_tag(Instance *i, Summary *asked, Summary *out)
{
  uint32_t lane = (uint32_t)summary_get_int(asked);
  const char *value = i->common.tag(&i->common, lane, summary_get_text(asked, NULL));
  put_optional(out, value, value ? strlen(value) : 0);
}

/* The answer comes before the news that it may have made, and is sent after them. */
static void answer(Instance *i, Summary *asked, Summary *out)
{
  const HostEnv *env = i->env;
  uint32_t level;
  switch (summary_get_int(asked)) {
  case ASK_NAME: answer_name(i, asked, out); break;
  case ASK_TRACK: answer_track(i, asked, out); break;
  case ASK_LANE: answer_lane(i, (uint32_t)summary_get_int(asked), out); break;
  case ASK_TAG: answer_tag(i, asked, out); break;
  case ASK_N_LANES: summary_put_int(out, env->n_lanes(env->run)); break;
  case ASK_MEMBER: answer_member(i, (uint32_t)summary_get_int(asked), out); break;
  case ASK_BASE:
    summary_put_int(out, env->move_base(env->run, i->lane, summary_get_int(asked)));
    break;
  case ASK_LOG:
    level = (uint32_t)summary_get_int(asked);
    i->common.log(&i->common, level, summary_get_text(asked, NULL));
    break;
  default: asked->broken = true;
  }
}

static bool serve(Instance *i, Summary *asked)
{
  Summary said = { 0 }, message = { 0 };
  answer(i, asked, &said);
  summary_put_int(&message, SAY_ANSWER);
  put_news(i, &message);
  summary_put_text(&message, said.len ? (const char *)said.bytes : "", said.len);
  bool fine = !asked->broken && wire_send(i->remote->link.fd, &message);
  summary_clear(&said);
  summary_clear(&message);
  return fine;
}

/* The next message of the stage, what it asks for answered on the way. */
static Error *hear_return(Instance *i, Summary *out)
{
  Remote *r = i->remote;
  for (;;) {
    WireGot got = wire_receive(r->link.fd, out);
    if (got == WIRE_GONE) return lost_by(i, reap(r));
    Error *e = got == WIRE_NOTHING ? look_at(i) : NULL;
    if (e) return e;
    if (got == WIRE_NOTHING) continue;
    int64_t what = summary_get_int(out);
    if (what == SAY_RETURN && !out->broken) return NULL;
    bool fine = what == SAY_ASK && serve(i, out);
    summary_clear(out);
    if (!fine) return lost_by(i, reap(r));
  }
}

static void take_memory(Instance *i, uint64_t bytes)
{
  Remote *r = i->remote;
  if (bytes > r->memory_bytes)
    budget_take(i->env->budget, USE_MODULES, bytes - r->memory_bytes);
  else
    budget_give(i->env->budget, USE_MODULES, r->memory_bytes - bytes);
  r->memory_bytes = bytes;
}

/* What every return begins with.  What the host refused on this side is an error of the same call. */
static Error *take_return(Instance *i, Summary *message)
{
  Error *e = error_load(message);
  take_memory(i, (uint64_t)summary_get_int(message));
  i->counters.told += (uint64_t)summary_get_int(message);
  return error_join(e, g_steal_pointer(&i->error));
}

static Error *garbled(Instance *i)
{
  reap(i->remote);
  return lost(i, EXIT_STAGE, "changed the memory of the program");
}

/* Sends the message and hears the return. */
static Error *exchange(Instance *i, Summary *message, const char *doing, Summary *out)
{
  Remote *r = i->remote;
  if (!r->pid) {
    summary_clear(message);
    return lost(i, EXIT_STAGE, "has ended before");
  }
  r->doing = doing;
  r->started_ns = clock_ns(CLOCK_MONOTONIC);
  r->cpu_ns = -1;
  r->n_looks = 0;
  if (!wire_send(r->link.fd, message)) return lost_by(i, reap(r));
  return hear_return(i, out);
}

static void enter(Instance *i, uint32_t phase)
{
  i->phase = phase;
  slot_set(i);
}

static void leave(Instance *i)
{
  i->phase = 0;
  slot_set(NULL);
}

/* ---------------------------------------------------------------------- calls */

static void begin_message(Instance *i, int64_t what, Summary *out)
{
  summary_put_int(out, what);
  put_news(i, out);
  summary_put_int(out, i->mute);
}

/* A summary that the call writes, reads, or does without. */
static int64_t use_of_summary(const Instance *i, uint32_t phase)
{
  if (!i->summary) return SUMMARY_NONE;
  return phase == PHASE_SAVE ? SUMMARY_WRITTEN : SUMMARY_READ;
}

static void put_call(Instance *i, uint32_t phase, const char *doing, int (*op)(void *),
                     Summary *out)
{
  int64_t use = use_of_summary(i, phase);
  begin_message(i, SAY_CALL, out);
  summary_put_int(out, phase);
  summary_put_int(out, (int64_t)(uintptr_t)doing);
  summary_put_int(out, (int64_t)(uintptr_t)op);
  summary_put_int(out, i->shared_count != NULL);
  summary_put_int(out, i->shared_count ? (int64_t)*i->shared_count : 0);
  summary_put_int(out, use);
  if (use == SUMMARY_READ)
    summary_put_text(out, i->summary->len ? (const char *)i->summary->bytes : "", i->summary->len);
}

static void take_summary(Instance *i, Summary *message)
{
  size_t len;
  int64_t use = summary_get_int(message);
  if (use == SUMMARY_READ) {
    i->summary->pos = (size_t)summary_get_int(message);
    i->summary->broken = summary_get_int(message) != 0;
  }
  if (use != SUMMARY_WRITTEN) return;
  const char *bytes = summary_get_text(message, &len);
  if (i->summary) summary_set_bytes(i->summary, bytes, len, i->env->budget);
}

static void take_results(Instance *i, Summary *message)
{
  Notices counted;
  int64_t shared = summary_get_int(message);
  if (i->shared_count) *i->shared_count = (uint64_t)shared;
  take_summary(i, message);
  notices_init(&counted, i->descriptor);
  notices_load(&counted, message);
  if (!message->broken) notices_merge(&i->notices, &counted, 0);
  notices_clear(&counted);
  if (summary_get_int(message) && reported_is_empty(i->reported))
    reported_load(i->reported, message);
}

/* Of a call other than one with a batch. */
static Error *hear_results(Instance *i, Summary *sent, const char *doing)
{
  Summary message = { 0 };
  Error *e = exchange(i, sent, doing, &message);
  if (!e) {
    e = take_return(i, &message);
    take_results(i, &message);
    if (message.broken) e = error_join(e, garbled(i));
  }
  summary_clear(&message);
  return e;
}

static const char *doing_of(BatchCall call)
{
  return call == CALL_OBSERVE ? "observing" : call == CALL_FLUSH ? "flushing" : "processing";
}

/* Those in the areas, in order; *out_changed: the last one has come back. */
static Error *send_batches(Instance *i, BatchCall call, unsigned n, bool *out_changed)
{
  Summary message = { 0 }, answer = { 0 };
  *out_changed = false;
  enter(i, call == CALL_OBSERVE ? PHASE_OBSERVE : PHASE_PROCESS);
  begin_message(i, SAY_BATCH, &message);
  summary_put_int(&message, call);
  summary_put_int(&message, n);
  Error *e = exchange(i, &message, doing_of(call), &answer);
  if (!e) {
    e = take_return(i, &answer);
    *out_changed = summary_get_int(&answer) != 0;
    if (answer.broken) e = error_join(e, garbled(i));
  }
  summary_clear(&answer);
  leave(i);
  return e;
}

/* Before anything else is asked of the stage. */
static Error *send_waiting(Instance *i)
{
  Remote *r = i->remote;
  unsigned n = r->n_waiting;
  bool changed;
  r->n_waiting = 0;
  return n ? send_batches(i, r->waiting_call, n, &changed) : NULL;
}

static Error *isolate_call(Instance *i, uint32_t phase, const char *doing, int (*op)(void *))
{
  Summary message = { 0 }, *used = i->summary;
  Error *e = send_waiting(i);
  if (e) return e;
  i->summary = used;
  enter(i, phase);
  put_call(i, phase, doing, op, &message);
  e = hear_results(i, &message, doing);
  i->summary = NULL;
  leave(i);
  return e;
}

/* Only what a stage emits again needs all bytes of its event. */
static bool needs_raw(const Instance *i)
{
  return (i->env->with_raw && i->descriptor->flags & MILL_MAY_EMIT) || i->env->verify;
}

static bool marks_events(const Descriptor *d)
{
  for (uint32_t k = 0; k < d->n_notices; k++)
    if (d->notices[k].flags & MILL_NOTICE_LEFT_OUT) return true;
  return false;
}

/* Nothing of the batch comes back, so that it need not be waited for. */
static bool may_wait(const Instance *i, BatchCall call)
{
  const Descriptor *d = i->descriptor;
  bool only_looks = call == CALL_OBSERVE || (call == CALL_PROCESS && d->flags & MILL_READ_ONLY);
  return only_looks && !(d->flags & MILL_MAY_EMIT) && !marks_events(d) && !i->env->verify;
}

static Error *put_batch(Instance *i, Batch *b, WireArea *area)
{
  WireBatch with = { .next_seq = i->lane ? i->lane->next_seq : 0 };
  bool with_raw = needs_raw(i);
  Error *e = NULL;
  if (with_raw && b->block && !b->block->bytes) {
    e = block_read_again(b->block);
    b->pub.raw_ = b->block->bytes;
  }
  if (e || wire_put_batch(area, b, &with, with_raw)) return e;
  return lost(i, EXIT_LIMIT, "needs more memory than there is");
}

/* Some of what was emitted is still to be put in its place, which the program does. */
static bool places_events(const Batch *b)
{
  for (uint32_t k = 0; k < b->n_fresh; k++)
    if (b->fresh_at[k] == BATCH_IN_PLACE) return true;
  return false;
}

static Error *take_batch(Instance *i, Batch *b, WireArea *area)
{
  WireBatch with;
  const char *wrong = wire_get_result(area, b, &with);
  if (!wrong) {
    if (i->lane) i->lane->next_seq = with.next_seq;
    if (!i->waiting && places_events(b)) i->waiting = placed_new();
    return NULL;
  }
  reap(i->remote);
  return lost(i, EXIT_STAGE, wrong);
}

static Error *isolate_batch(Instance *i, BatchCall call, Batch *b)
{
  Remote *r = i->remote;
  bool changed, waits = may_wait(i, call);
  Error *e = waits && call == r->waiting_call ? NULL : send_waiting(i);
  if (e) return e;
  r->doing = doing_of(call);
  r->waiting_call = call;
  WireArea *area = &r->link.areas[r->n_waiting];
  e = put_batch(i, b, area);
  if (e) return e;
  if (waits) return ++r->n_waiting < ISOLATE_BURST ? NULL : send_waiting(i);
  e = send_batches(i, call, 1, &changed);
  return e || !changed ? e : take_batch(i, b, area);
}

static Error *isolate_close(Instance *i)
{
  Error *e = i->remote && i->remote->pid ? send_waiting(i) : NULL;
  if (i->remote && i->remote->pid) {
    Summary message = { 0 };
    enter(i, PHASE_CLOSE);
    begin_message(i, SAY_CLOSE, &message);
    e = error_join(e, hear_results(i, &message, "closing"));
    leave(i);
  }
  forget(i);
  return e;
}

/* -------------------------------------------------------------------- opening */

static bool make_link(IsolateLink *link, int *out_there)
{
  int ends[2];
  struct timeval look = { .tv_usec = LOOK_MS * 1000 };
  *link = (IsolateLink){ .fd = -1 };
  for (int k = 0; k < ISOLATE_BURST; k++) link->areas[k].fd = -1;
  void *shared =
      mmap(NULL, sizeof *link->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return false;
  link->shared = shared;
  for (int k = 0; k < ISOLATE_BURST; k++)
    if (!wire_area_open(&link->areas[k])) return false;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
  link->fd = ends[0];
  *out_there = ends[1];
  return !setsockopt(link->fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
}

/* Nobody changes the table of names meanwhile: the child has all of it. */
static pid_t fork_quietly(Instance *i)
{
  Remote *r = i->remote;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  symbols_hold(i->env->symbols);
  r->n_tracks = i->tracks ? tracks_count(i->tracks) : 0;
  r->n_symbols = symbols_count(i->env->symbols);
  pid_t pid = fork();
  symbols_release(i->env->symbols);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return pid;
}

static Error *not_started(Instance *i, int error_no)
{
  Error *e = error_new(EXIT_STAGE, "STG-13", "stage \"%s\" has no process of its own", i->id);
  error_why(e, "%s", g_strerror(error_no));
  return error_of_errno(error_help(e, "leave out --isolate, or use fewer threads with -j"),
                        error_no);
}

static Error *isolate_open(Instance *i, const void *options)
{
  Remote *r = i->remote = g_new0(Remote, 1);
  Summary message = { 0 };
  int there = -1;
  if (!make_link(&r->link, &there)) return not_started(i, errno);
  pid_t pid = fork_quietly(i);
  if (!pid) {
    close(r->link.fd);
    IsolateLink link = r->link;
    link.fd = there;
    isolate_work(i, &link, options);
  }
  int error_no = errno;
  close(there);
  if (pid < 0) return not_started(i, error_no);
  setpgid(pid, pid);
  list(pid);
  r->pid = pid;
  r->doing = "opening";
  r->cpu_ns = -1;
  r->started_ns = clock_ns(CLOCK_MONOTONIC);
  enter(i, i->level == MILL_RUN ? PHASE_OPEN_RUN : PHASE_OPEN);
  Error *e = hear_return(i, &message);
  if (!e) {
    e = take_return(i, &message);
    take_results(i, &message);
    if (message.broken) e = error_join(e, garbled(i));
  }
  summary_clear(&message);
  leave(i);
  return e;
}

const AwayOps isolate_ops = {
  .open = isolate_open, .call = isolate_call, .batch = isolate_batch, .close = isolate_close
};
