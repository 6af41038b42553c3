/* Stages in processes of their own: the stage's side; see isolate-talk.h.
 *
 * The process is a copy of the program with one thread.  The host works here as it does there; what others must know
 * of is asked for. */
/* SPDX-License-Identifier: MIT */
#include "host/isolate-talk.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash-seed.h"
#include "base/process.h"
#include "base/standard.h"
#include "base/thread.h"
#include "host/memory.h"
#include "model/log.h"

enum {
  CONTROL_FD = 3,
  AREA_FD = 4,
  FIRST_OTHER_FD = AREA_FD + ISOLATE_BURST,
  FIRST_FREE = 64 /* above all of them */
};

#define LEAST_MEMORY ((uint64_t)64 << 20)

typedef struct Work {
  Instance *instance;
  IsolateLink link;
  HostEnv env;
  uint64_t memory_before, told_before;
  bool knows_lane; /* of the call at hand */
  MillLane lane;
  GHashTable *texts; /* of lanes: they live as long as the run */
} Work;

static Work work; /* one in the process */

static _Noreturn void give_up(int status) { process_end(status); }

/* ----------------------------------------------------------------------- talk */

static void send_message(Summary *message)
{
  if (!wire_send(work.link.fd, message)) give_up(0); /* the program has ended */
}

/* In the order of the program, so that they get the same numbers. */
static void take_news(Summary *from)
{
  Instance *i = work.instance;
  for (int64_t n = summary_get_int(from); n > 0; n--) {
    size_t len;
    const char *text = summary_get_text(from, &len);
    symbols_intern(i->env->symbols, text, len);
  }
  for (int64_t n = summary_get_int(from); n > 0; n--) {
    uint32_t lane = (uint32_t)summary_get_int(from);
    MillValue process = talk_get_value(from), thread = talk_get_value(from);
    tracks_find(i->tracks, lane, process, thread);
  }
  if (from->broken) give_up(EXIT_INTERNAL);
}

/* What the program says next; its first number. */
static int64_t hear(Summary *out)
{
  if (wire_receive(work.link.fd, out) != WIRE_MESSAGE) give_up(0);
  int64_t what = summary_get_int(out);
  take_news(out);
  return what;
}

/* Sends what is asked for; the answer is cleared by the caller, `out_whole` is the message around it. */
static Summary ask(Summary *asked, Summary *out_whole)
{
  size_t len;
  send_message(asked);
  if (hear(out_whole) != SAY_ANSWER) give_up(EXIT_INTERNAL);
  const char *bytes = summary_get_text(out_whole, &len);
  return (Summary){ .bytes = (uint8_t *)bytes, .len = len };
}

static Summary begin_asking(int64_t what)
{
  Summary s = { 0 };
  summary_put_int(&s, SAY_ASK);
  summary_put_int(&s, what);
  return s;
}

/* Asks for one number. */
static int64_t ask_int(Summary *asked)
{
  Summary whole, answer = ask(asked, &whole);
  int64_t value = summary_get_int(&answer);
  summary_clear(&whole);
  return value;
}

/* -------------------------------------------------------- what the host asks for */

static MillSym far_intern(Instance *i, const char *text, size_t len)
{
  MillSym sym;
  if (symbols_find(i->env->symbols, text, len, &sym)) return sym;
  Summary asked = begin_asking(ASK_NAME);
  summary_put_text(&asked, text, len);
  return (MillSym)ask_int(&asked);
}

static uint32_t far_track(Instance *i, uint32_t lane, MillValue process, MillValue thread)
{
  uint32_t known = tracks_look(i->tracks, lane, process, thread);
  if (known != UINT32_MAX) return known;
  Summary asked = begin_asking(ASK_TRACK);
  summary_put_int(&asked, lane);
  talk_put_value(&asked, &process);
  talk_put_value(&asked, &thread);
  return (uint32_t)ask_int(&asked);
}

static const char *keep_text(const char *text)
{
  char *kept = g_hash_table_lookup(work.texts, text);
  if (kept) return kept;
  kept = g_strdup(text);
  g_hash_table_add(work.texts, kept);
  return kept;
}

static MillLane ask_lane(uint32_t index)
{
  Summary asked = begin_asking(ASK_LANE), whole;
  summary_put_int(&asked, index);
  Summary s = ask(&asked, &whole);
  MillLane lane = { .size = sizeof lane };
  lane.index = (uint32_t)summary_get_int(&s);
  lane.rank = summary_get_int(&s);
  lane.base_ns = summary_get_int(&s);
  lane.name = keep_text(summary_get_text(&s, NULL));
  lane.label = keep_text(summary_get_text(&s, NULL));
  lane.dialect = keep_text(summary_get_text(&s, NULL));
  g_autofree char *path = summary_get_string(&s);
  lane.path = path ? keep_text(path) : NULL;
  summary_clear(&whole);
  return lane;
}

static void far_lane(Instance *i, uint32_t index, MillLane *out)
{
  (void)i;
  if (index != MILL_NO_LANE) {
    *out = ask_lane(index);
    return;
  }
  if (!work.knows_lane) work.lane = ask_lane(index);
  work.knows_lane = true;
  *out = work.lane;
}

static const char *far_tag(Instance *i, uint32_t lane, const char *name)
{
  (void)i;
  Summary asked = begin_asking(ASK_TAG), whole;
  summary_put_int(&asked, lane);
  summary_put_text(&asked, name, strlen(name));
  Summary s = ask(&asked, &whole);
  const char *value = summary_get_int(&s) ? keep_text(summary_get_text(&s, NULL)) : NULL;
  summary_clear(&whole);
  return value;
}

static char *scratch_copy(Instance *i, const char *bytes, size_t len)
{
  char *copy = memory_scratch(i, len + 1);
  return copy ? memcpy(copy, bytes, len) : NULL;
}

static bool far_member(Instance *i, uint32_t index, bool *out_after, MillValue *out_key,
                       MillValue *out_json)
{
  Summary asked = begin_asking(ASK_MEMBER), whole;
  size_t key_len, json_len;
  summary_put_int(&asked, index);
  Summary s = ask(&asked, &whole);
  bool found = summary_get_int(&s) != 0;
  if (found) {
    *out_after = summary_get_int(&s) != 0;
    const char *key = summary_get_text(&s, &key_len);
    char *key_copy = scratch_copy(i, key, key_len);
    const char *json = summary_get_text(&s, &json_len);
    char *json_copy = scratch_copy(i, json, json_len);
    found = key_copy && json_copy;
    *out_key = mill_text(key_copy, key_len);
    *out_json = mill_text(json_copy, json_len);
  }
  summary_clear(&whole);
  return found;
}

static const FarOps far_ops = {
  .intern = far_intern, .track = far_track, .lane = far_lane, .tag = far_tag, .member = far_member
};

static uint32_t env_n_lanes(void *run)
{
  (void)run;
  Summary asked = begin_asking(ASK_N_LANES);
  return (uint32_t)ask_int(&asked);
}

static bool env_cancelled(void *run)
{
  (void)run;
  return atomic_load(&work.link.shared->cancelled);
}

static bool env_move_base(void *run, LaneInfo *lane, int64_t base_ns)
{
  (void)run;
  Summary asked = begin_asking(ASK_BASE);
  summary_put_int(&asked, base_ns);
  bool fine = ask_int(&asked) != 0;
  work.knows_lane = false;
  if (fine) atomic_store(&lane->base_ns, base_ns);
  return fine;
}

static void log_there(uint32_t level, const char *tag, const char *text)
{
  (void)tag; /* the program knows whose it is */
  Summary asked = begin_asking(ASK_LOG), whole;
  summary_put_int(&asked, level);
  summary_put_text(&asked, text, strlen(text));
  ask(&asked, &whole);
  summary_clear(&whole);
}

/* -------------------------------------------------------------------- returns */

static uint64_t memory_now(void) { return atomic_load(&work.env.budget->fixed_bytes); }

static Summary begin_return(const Error *e)
{
  Summary s = { 0 };
  Instance *i = work.instance;
  uint64_t memory = memory_now();
  summary_put_int(&s, SAY_RETURN);
  error_save(e, &s);
  summary_put_int(&s, memory > work.memory_before ? (int64_t)(memory - work.memory_before) : 0);
  summary_put_int(&s, (int64_t)(i->counters.told - work.told_before));
  work.told_before = i->counters.told;
  return s;
}

static void put_counted(Summary *out)
{
  Instance *i = work.instance;
  notices_save(&i->notices, out);
  notices_clear(&i->notices);
  notices_init(&i->notices, i->descriptor);
}

static void put_summary(int64_t use, Summary *s, Summary *out)
{
  summary_put_int(out, use);
  if (use == SUMMARY_READ) {
    summary_put_int(out, (int64_t)s->pos);
    summary_put_int(out, s->broken);
  }
  if (use == SUMMARY_WRITTEN) summary_put_text(out, s->len ? (const char *)s->bytes : "", s->len);
}

static void return_results(Error *e, int64_t use, Summary *summary, uint64_t shared, bool reports)
{
  Instance *i = work.instance;
  Summary out = begin_return(e);
  summary_put_int(&out, (int64_t)shared);
  put_summary(use, summary, &out);
  put_counted(&out);
  summary_put_int(&out, reports);
  if (reports) reported_save(i->reported, &out);
  error_free(e);
  send_message(&out);
}

/* ---------------------------------------------------------------------- calls */

static void serve_call(Summary *message)
{
  Instance *i = work.instance;
  uint32_t phase = (uint32_t)summary_get_int(message);
  const char *doing = (const char *)(uintptr_t)summary_get_int(message);
  int (*op)(void *self) = (int (*)(void *))(uintptr_t)summary_get_int(message);
  bool is_shared = summary_get_int(message) != 0;
  uint64_t shared = (uint64_t)summary_get_int(message);
  int64_t use = summary_get_int(message);
  Summary summary = { 0 };
  size_t len;
  if (use == SUMMARY_READ) {
    const char *bytes = summary_get_text(message, &len);
    summary_set_bytes(&summary, bytes, len, NULL);
  }
  i->shared_count = is_shared ? &shared : NULL;
  i->summary = use == SUMMARY_NONE ? NULL : &summary;
  Error *e = instance_call(i, phase, doing, op);
  return_results(e, use, &summary, shared, phase == PHASE_REPORT);
  summary_clear(&summary);
}

/* *out_changed: the area has what became of it. */
static Error *work_on_batch(WireArea *area, BatchCall call, bool *out_changed)
{
  static Batch *b;
  Instance *i = work.instance;
  WireBatch with;
  uint64_t marked_before = i->n_marked;
  if (!b) b = batch_new(1);
  MillEvent *own = b->pub.events_;
  if (!wire_get_batch(area, b, &with)) give_up(EXIT_LIMIT);
  if (i->lane) i->lane->next_seq = with.next_seq;
  Error *e = instance_batch(i, call, b);
  bool only_looks = call == CALL_OBSERVE || i->descriptor->flags & MILL_READ_ONLY;
  *out_changed = !only_looks || i->n_marked != marked_before || b->n_fresh;
  if (i->lane) with.next_seq = i->lane->next_seq;
  if (*out_changed && !wire_put_result(area, b, &with)) give_up(EXIT_LIMIT);
  b->pub.events_ = own;
  return e;
}

/* Of several batches nothing comes back. */
static void serve_batches(Summary *message)
{
  BatchCall call = (BatchCall)summary_get_int(message);
  int64_t n = summary_get_int(message);
  bool changed = false;
  Error *e = NULL;
  for (int64_t k = 0; k < MIN(n, ISOLATE_BURST) && !e; k++)
    e = work_on_batch(&work.link.areas[k], call, &changed);
  Summary out = begin_return(e);
  summary_put_int(&out, changed);
  error_free(e);
  send_message(&out);
}

static _Noreturn void serve_close(void)
{
  Error *e = instance_close(work.instance);
  return_results(e, SUMMARY_NONE, NULL, 0, false);
  give_up(0);
}

static void serve(void)
{
  Summary message;
  int64_t what = hear(&message);
  work.instance->mute = summary_get_int(&message) != 0;
  work.knows_lane = false;
  if (what == SAY_CALL) serve_call(&message);
  if (what == SAY_BATCH) serve_batches(&message);
  if (what == SAY_CLOSE) serve_close();
  summary_clear(&message);
}

/* ------------------------------------------------------------------- becoming */

/* Where memory is over, libraries and modules crash: that has a status of its own. */
static void on_crash(int sig)
{
  size_t probe = LEAST_MEMORY / 4;
  void *at = mmap(NULL, probe, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) process_end(EXIT_LIMIT);
  signal(sig, SIG_DFL);
  raise(sig);
}

static void on_glib_message(const char *domain, GLogLevelFlags level, const char *text, void *data)
{
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL)) process_end(EXIT_LIMIT);
  g_log_default_handler(domain, level, text, data);
}

static void use_own_signals(void)
{
  static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGTRAP };
  sigset_t none;
  for (int sig = 1; sig < NSIG; sig++) signal(sig, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  for (size_t k = 0; k < G_N_ELEMENTS(crashes); k++)
    sigaction(crashes[k], &(struct sigaction){ .sa_handler = on_crash, .sa_flags = SA_ONSTACK },
              NULL);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  g_log_set_default_handler(on_glib_message, NULL);
}

/* Nothing of the program stays open, so that each side sees when the other one ends. */
static bool place_file(int *io_fd, int wanted)
{
  int fd = dup3(*io_fd, wanted, O_CLOEXEC);
  *io_fd = fd;
  return fd >= 0;
}

static bool keep_own_files(IsolateLink *link)
{
  bool fine = true;
  link->fd = fcntl(link->fd, F_DUPFD_CLOEXEC, FIRST_FREE);
  for (int k = 0; k < ISOLATE_BURST; k++)
    link->areas[k].fd = fcntl(link->areas[k].fd, F_DUPFD_CLOEXEC, FIRST_FREE);
  fine = place_file(&link->fd, CONTROL_FD);
  for (int k = 0; k < ISOLATE_BURST; k++)
    fine = place_file(&link->areas[k].fd, AREA_FD + k) && fine;
  close_range(FIRST_OTHER_FD, ~0u, 0);
  return fine;
}

static uint64_t addresses_now(void)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL)) return 0;
  return g_ascii_strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* As much as the whole run may have, beyond what was there. */
static void limit_memory(const Budget *budget)
{
  struct rlimit now;
  rlim_t wanted = (rlim_t)(addresses_now() + MAX(budget->limit_bytes, LEAST_MEMORY));
  if (getrlimit(RLIMIT_AS, &now)) return;
  if (now.rlim_cur != RLIM_INFINITY && now.rlim_cur < wanted) return;
  setrlimit(RLIMIT_AS, &(struct rlimit){ wanted, now.rlim_max });
}

/* Another thread may have been at work with the program's own. */
static Tracks *copy_tracks(const Tracks *from)
{
  Tracks *own = tracks_new();
  for (uint32_t k = 0; k < tracks_count(from); k++) {
    const MillTrack *row = tracks_get(from, k);
    tracks_find(own, row->lane, row->process, row->thread);
  }
  return own;
}

static void take_place(Instance *i, IsolateLink *link)
{
  work = (Work){ .instance = i, .link = *link, .env = *i->env };
  work.texts = g_hash_table_new(hash_text, g_str_equal);
  work.env.batches = batch_pool_new(batch_pool_events(i->env->batches));
  work.env.n_lanes = env_n_lanes;
  work.env.cancelled = env_cancelled;
  work.env.move_base = env_move_base;
  i->env = &work.env;
  i->process = process_id();
  i->away = NULL;
  i->remote = NULL;
  i->far = &far_ops;
  if (i->tracks) i->tracks = copy_tracks(i->tracks);
  work.memory_before = memory_now();
}

void isolate_work(Instance *i, IsolateLink *link, const void *options)
{
  setpgid(0, 0);
  if (!keep_own_files(link)) give_up(EXIT_LIMIT);
  use_own_signals();
  signal_stack_begin();
  standard_of_child(i->env->verify);
  take_place(i, link);
  limit_memory(i->env->budget);
  log_redirect(log_there);
  Error *e = instance_open_stage(i, options);
  return_results(e, SUMMARY_NONE, NULL, 0, false);
  for (;;) serve();
}
