/* The program's side of an isolated stage, against processes that say what no stage says: each is one error, soon, and
 * nothing of the program breaks. */
/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/process.h"
#include "host-fixture.h"
#include "host/isolate-answer.h"
#include "host/isolate-call.h"
#include "host/isolate-exchange.h"
#include "host/phase.h"

static const MillStageOps ops = { .size = sizeof ops };
static const MillNotice notices[] = { MILL_INFO(3, "{count} odd", NULL, NULL, "x") };
static const Descriptor stage = { .kind = MILL_KIND_STAGE,
                                  .name = "far",
                                  .version = "1",
                                  .tag = "FAR",
                                  .code = "FAR",
                                  .notices = notices,
                                  .n_notices = 1,
                                  .stage_ops = &ops };

#define LIMIT_NS INT64_C(50000000)

/* Starts a process that does this with its end of the socket, and ends; remote_free. */
static Instance *far_open(HostFixture *f, void (*act)(int fd))
{
  int ends[2];
  struct timeval look = { .tv_usec = 1000 };
  host_fixture_open(f, false);
  f->env.isolate_limit_ns = LIMIT_NS;
  Instance *i = instance_new(&f->env, &f->lanes[0], &stage, "far");
  Remote *r = i->remote = g_new0(Remote, 1);
  for (int k = 0; k < ISOLATE_BURST; k++) CHECK(wire_area_open(&r->link.areas[k]));
  r->link.shared = mmap(NULL, sizeof *r->link.shared, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  CHECK_INT(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look), 0);
  r->link.fd = ends[0];
  r->n_symbols = symbols_count(f->env.symbols);
  pid_t pid = fork();
  if (!pid) {
    close(ends[0]);
    act(ends[1]);
    process_end(0);
  }
  close(ends[1]);
  remote_begin(r, pid);
  remote_enter(r, "testing");
  return i;
}

static void far_close(HostFixture *f, Instance *i)
{
  remote_free(i);
  instance_free(i);
  host_fixture_close(f);
}

/* ------------------------------------------------- what the other side may do */

static void say(int fd, Summary *s)
{
  if (!wire_send(fd, s)) process_end(1);
}

static void say_ints(int fd, const int64_t *ints, size_t n)
{
  Summary s = { 0 };
  for (size_t k = 0; k < n; k++) summary_put_int(&s, ints[k]);
  say(fd, &s);
}
#define SAY(fd, ...) \
  say_ints((fd), (const int64_t[]){ __VA_ARGS__ }, G_N_ELEMENTS(((const int64_t[]){ __VA_ARGS__ })))

static void wait_for_end(int fd)
{
  char byte;
  while (recv(fd, &byte, 1, 0) > 0) continue;
}

/* A return, as a stage that has done nothing gives it. */
static Summary whole_return(void)
{
  Summary s = { 0 };
  Notices none;
  summary_put_int(&s, SAY_RETURN);
  error_save(NULL, &s);
  for (int k = 0; k < 3; k++) summary_put_int(&s, 0); /* memory, told, shared */
  summary_put_int(&s, SUMMARY_NONE);
  notices_init(&none, &stage);
  notices_save(&none, &s);
  notices_clear(&none);
  summary_put_int(&s, 0);
  return s;
}

static void returns(int fd)
{
  Summary s = whole_return();
  say(fd, &s);
}

static void ends(int fd) { (void)fd; }
static void ends_with_three(int fd) { (void)fd, process_end(3); }
static void crashes(int fd) { (void)fd, raise(SIGKILL); }
static void loops(int fd)
{
  for (volatile int open = fd; open >= 0;) continue;
}
static void sleeps(int fd) { (void)fd, sleep(60); }
static void stammers(int fd)
{
  if (send(fd, "abc", 3, 0) == 3) sleep(60);
}
static void says_noise(int fd)
{
  uint64_t noise[40];
  memset(noise, 0xa5, sizeof noise);
  if (send(fd, noise, sizeof noise, 0) > 0) wait_for_end(fd);
}
static void says_nothing(int fd)
{
  Summary s = { 0 };
  say(fd, &s);
  wait_for_end(fd);
}
static void says_unknown(int fd) { SAY(fd, 77), wait_for_end(fd); }
static void asks_nothing(int fd) { SAY(fd, SAY_ASK), wait_for_end(fd); }
static void asks_unknown(int fd) { SAY(fd, SAY_ASK, 77), wait_for_end(fd); }
static void asks_name_of_number(int fd) { SAY(fd, SAY_ASK, ASK_NAME, 7), wait_for_end(fd); }
static void asks_half_a_track(int fd) { SAY(fd, SAY_ASK, ASK_TRACK, 0, 1), wait_for_end(fd); }
static void asks_no_base(int fd) { SAY(fd, SAY_ASK, ASK_BASE), wait_for_end(fd); }
static void returns_nothing(int fd) { SAY(fd, SAY_RETURN), wait_for_end(fd); }
static void returns_noise(int fd) { SAY(fd, SAY_RETURN, 5, 5, 5, 5, 5, 5), wait_for_end(fd); }

/* Each prefix of a return, by its number. */
static size_t cut_at;
static void returns_a_part(int fd)
{
  Summary s = whole_return();
  s.len = MIN(s.len, cut_at);
  say(fd, &s);
  wait_for_end(fd);
}

#define TALK "wrote into what it and the program say to each other"
static const struct {
  const char *name;
  void (*act)(int fd);
  const char *says; /* NULL: it is fine */
} acts[] = {
#define ACT(name, says) { #name, name, says }
  ACT(returns, NULL),
  ACT(ends, "ended its process, with status 0"),
  ACT(ends_with_three, "ended its process, with status 3"),
  ACT(crashes, "crashed (Killed)"),
  ACT(loops, "does not return from a call (--isolate-limit 0.05s)"),
  ACT(sleeps, "does not return from a call"),
  ACT(stammers, TALK),
  ACT(says_noise, TALK),
  ACT(says_nothing, TALK),
  ACT(says_unknown, TALK),
  ACT(asks_nothing, TALK),
  ACT(asks_unknown, TALK),
  ACT(asks_name_of_number, TALK),
  ACT(asks_half_a_track, TALK),
  ACT(asks_no_base, TALK),
  ACT(returns_nothing, TALK),
  ACT(returns_noise, TALK),
};

static bool is_lost(Error *e, const char *says)
{
  if (!says) return CHECK(e == NULL);
  bool ok = CHECK(e != NULL) && CHECK_STR(e->code, "STG-13") && CHECK_INT(e->status, EXIT_STAGE);
  ok = ok && (CHECK(strstr(e->what, says) != NULL) || !CHECK_ROW(e->what));
  error_free(e);
  return ok;
}

static void test_processes(void)
{
  for (size_t k = 0; k < G_N_ELEMENTS(acts); k++) {
    HostFixture f;
    Instance *i = far_open(&f, acts[k].act);
    bool ok = is_lost(isolate_hear_opened(i, PHASE_OPEN), acts[k].says);
    ok = ok && CHECK(acts[k].says ? i->remote->pid == 0 : i->remote->pid != 0);
    if (!ok) CHECK_ROW(acts[k].name);
    far_close(&f, i);
  }
}

static void test_cut_returns(void)
{
  Summary whole = whole_return();
  for (cut_at = 0; cut_at < whole.len; cut_at++) {
    HostFixture f;
    Instance *i = far_open(&f, returns_a_part);
    if (!is_lost(isolate_hear_opened(i, PHASE_OPEN), TALK)) CHECK_INT(cut_at, -1);
    far_close(&f, i);
  }
  summary_clear(&whole);
}

/* A call of a process that has ended is an error again, not a wait. */
static void test_after_the_end(void)
{
  HostFixture f;
  Instance *i = far_open(&f, ends);
  CHECK(is_lost(isolate_hear_opened(i, PHASE_OPEN), "ended its process"));
  CHECK(is_lost(isolate_call(i, PHASE_REPORT, "reporting", NULL), "has ended before"));
  far_close(&f, i);
}

/* ------------------------------------------------------------- questions alone */

static Summary asked(const int64_t *ints, size_t n)
{
  Summary s = { 0 };
  for (size_t k = 0; k < n; k++) summary_put_int(&s, ints[k]);
  return s;
}
#define ASKED(...) \
  asked((const int64_t[]){ __VA_ARGS__ }, G_N_ELEMENTS(((const int64_t[]){ __VA_ARGS__ })))

static bool is_broken(Instance *i, Summary question)
{
  Summary answer = { 0 };
  isolate_answer(i, &question, &answer);
  bool broken = question.broken;
  summary_clear(&question);
  summary_clear(&answer);
  return broken;
}

static int64_t number(Instance *i, Summary question)
{
  Summary answer = { 0 };
  isolate_answer(i, &question, &answer);
  CHECK(!question.broken);
  int64_t value = summary_get_int(&answer);
  CHECK(!answer.broken);
  summary_clear(&question);
  summary_clear(&answer);
  return value;
}

static void test_questions(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "far");
  i->phase = PHASE_PROCESS;
  CHECK_INT(number(i, ASKED(ASK_N_LANES)), FIXTURE_LANES);
  CHECK_INT(number(i, ASKED(ASK_LANE, 1)), 1);
  CHECK_INT(number(i, ASKED(ASK_LANE, INT64_MIN)), 0);
  CHECK_INT((uint32_t)number(i, ASKED(ASK_LANE, 1 << 30)), MILL_NO_LANE);
  CHECK_INT(number(i, ASKED(ASK_MEMBER, -1)), 0);
  CHECK_INT(number(i, ASKED(ASK_TRACK, 0, MILL_INT, 5, MILL_NONE, 0)), 0);
  CHECK(i->error == NULL);
  CHECK_INT(number(i, ASKED(ASK_TRACK, 0, MILL_TEXT, 5, MILL_NONE, 0)), MILL_FAILED);
  CHECK(fails_with(g_steal_pointer(&i->error), EXIT_STAGE, "FAR-00", "not named by integers"));
  CHECK_INT(number(i, ASKED(ASK_BASE, 500)), 1);
  CHECK_INT(f.lanes[0].base_ns, 500);
  CHECK(is_broken(i, ASKED(ASK_BASE)));
  CHECK_INT(f.lanes[0].base_ns, 500);
  CHECK(is_broken(i, ASKED(-1)) && is_broken(i, ASKED(1000)) && is_broken(i, (Summary){ 0 }));
  i->phase = 0;
  instance_free(i);
  host_fixture_close(&f);
}

/* On the run level there is no lane to move, nor one that has members. */
static void test_questions_of_the_run(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, NULL, &stage, "far");
  i->phase = PHASE_OPEN_RUN;
  CHECK_INT(number(i, ASKED(ASK_BASE, 500)), 0);
  CHECK_INT(number(i, ASKED(ASK_MEMBER, 0)), 0);
  CHECK_INT((uint32_t)number(i, ASKED(ASK_LANE, MILL_NO_LANE)), MILL_NO_LANE);
  i->phase = 0;
  instance_free(i);
  host_fixture_close(&f);
}

/* A text that does not end where it says is none. */
static void test_texts_without_end(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "far");
  i->phase = PHASE_PROCESS;
  static const int64_t questions[] = { ASK_NAME, ASK_LOG, ASK_TAG };
  for (size_t k = 0; k < G_N_ELEMENTS(questions); k++) {
    Summary s = { 0 };
    summary_put_int(&s, questions[k]);
    if (questions[k] != ASK_NAME) summary_put_int(&s, 3);
    summary_put_text(&s, "rank", 4);
    s.bytes[s.len - 1] = 'x';
    if (!CHECK(is_broken(i, s))) CHECK_INT(questions[k], -1);
  }
  i->phase = 0;
  instance_free(i);
  host_fixture_close(&f);
}

TEST_MAIN({ "processes", test_processes }, { "cut returns", test_cut_returns },
          { "after the end", test_after_the_end }, { "questions", test_questions },
          { "questions of the run", test_questions_of_the_run },
          { "texts without end", test_texts_without_end })
