/* Children side by side, driven by one thread; see child.h. */
/* SPDX-License-Identifier: MIT */
#include "base/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  LOOK_MS =
      50, /* until the next look at the clock, at ended children and at who wants them to stop */
  SOON_MS = 1, /* the same, of a child that has closed its files */
  PIECE = 64 << 10,
};

static _Atomic pid_t running[CHILD_AT_ONCE]; /* each leads a group of its own */

typedef struct Slot { /* a child at work */
  Child *child;       /* NULL: nobody */
  pid_t pid;
  ChildPipes pipes;
  size_t written;
  gint64 until_us;
  _Atomic pid_t *listed; /* in `running`; NULL when that is full */
} Slot;

/* ------------------------------------------------------------------- killing */

void children_kill(void)
{
  for (size_t i = 0; i < CHILD_AT_ONCE; i++) {
    pid_t pid = atomic_load(&running[i]);
    if (pid > 0) kill(-pid, SIGKILL);
  }
}

static _Atomic pid_t *list(pid_t pid)
{
  for (size_t i = 0; i < CHILD_AT_ONCE; i++) {
    pid_t none = 0;
    if (atomic_compare_exchange_strong(&running[i], &none, pid)) return &running[i];
  }
  return NULL;
}

/* What it started goes with it. */
static void kill_group(const Slot *s)
{
  if (kill(-s->pid, SIGKILL)) kill(s->pid, SIGKILL);
}

static void stop(Slot *s, ChildEnd why)
{
  if (s->child->end == CHILD_EXITED) s->child->end = why;
  kill_group(s);
}

/* ------------------------------------------------------------------- its files */

static void shut(int *fd)
{
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static bool is_for_later(void) { return errno == EAGAIN || errno == EINTR; }

/* Who does not read to the end need not. */
static void feed(Slot *s)
{
  const Child *c = s->child;
  while (s->written < c->in_len) {
    ssize_t n =
        send(s->pipes.in, (const char *)c->in + s->written, c->in_len - s->written, MSG_NOSIGNAL);
    if (n < 0 && is_for_later()) return;
    if (n < 0) break;
    s->written += (size_t)n;
  }
  shut(&s->pipes.in);
}

static void keep_words(GString *words, const char *bytes, size_t len)
{
  g_string_append_len(words, bytes, (gssize)len);
  if (words->len > CHILD_WORDS) g_string_erase(words, 0, (gssize)(words->len - CHILD_WORDS));
}

/* What there is by now. */
static void drain(Slot *s, int *fd)
{
  char piece[PIECE];
  ssize_t n;
  while (*fd >= 0 && (n = read(*fd, piece, sizeof piece)) != 0) {
    if (n < 0 && is_for_later()) return;
    if (n < 0) break;
    if (fd == &s->pipes.words)
      keep_words(s->child->words, piece, (size_t)n);
    else if (s->child->out->len + (size_t)n <= CHILD_MAX_OUT)
      g_byte_array_append(s->child->out, (const guint8 *)piece, (guint)n);
    else
      stop(s, CHILD_WROTE_MUCH);
    if (s->child->end == CHILD_WROTE_MUCH) break;
  }
  shut(fd);
}

/* ---------------------------------------------------------------- a child's life */

static void begin(Slot *s, Child *c)
{
  c->out = g_byte_array_new();
  c->words = g_string_new(NULL);
  c->end = CHILD_NOT_RUN;
  gint64 limit_us = c->limit_ms ? (gint64)c->limit_ms * 1000 : CHILD_LIMIT_S * G_USEC_PER_SEC;
  *s = (Slot){ .child = c, .until_us = g_get_monotonic_time() + limit_us };
  s->pid = child_start(c, &s->pipes);
  if (s->pid < 0) {
    c->error_no = errno;
    s->child = NULL;
    return;
  }
  c->end = CHILD_EXITED;
  s->listed = list(s->pid);
}

static void note_end(Child *c, const siginfo_t *info)
{
  c->status = info->si_status;
  if (c->end == CHILD_EXITED && info->si_code != CLD_EXITED) c->end = CHILD_KILLED;
}

/* Nobody knows whether what it wrote is all of it. */
static void lose(Child *c, int error_no)
{
  if (c->end == CHILD_EXITED) c->end = CHILD_LOST;
  c->error_no = error_no;
}

/* Its number is its own until it was waited for: only then is its group killed without harm to others. */
static void look_for_end(Slot *s)
{
  siginfo_t info = { .si_pid = 0 };
  int status = waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT);
  if (!status && !info.si_pid) return;
  if (status)
    lose(s->child, errno);
  else
    note_end(s->child, &info);
  kill_group(s);
  if (s->listed) atomic_store(s->listed, 0);
  child_reap(s->pid);
  drain(s, &s->pipes.out);
  drain(s, &s->pipes.words);
  shut(&s->pipes.in);
  shut(&s->pipes.out);
  shut(&s->pipes.words);
  s->child = NULL;
}

static guint add_polls(const Slot *s, struct pollfd *polls)
{
  guint n = 0;
  if (s->pipes.in >= 0) polls[n++] = (struct pollfd){ .fd = s->pipes.in, .events = POLLOUT };
  if (s->pipes.out >= 0) polls[n++] = (struct pollfd){ .fd = s->pipes.out, .events = POLLIN };
  if (s->pipes.words >= 0) polls[n++] = (struct pollfd){ .fd = s->pipes.words, .events = POLLIN };
  return n;
}

static void wait_for_any(const Slot *slots, guint n)
{
  struct pollfd polls[3 * CHILD_AT_ONCE];
  guint used = 0;
  int wait_ms = LOOK_MS;
  for (guint i = 0; i < n; i++) {
    if (!slots[i].child) continue;
    used += add_polls(&slots[i], polls + used);
    if (slots[i].pipes.out < 0 && slots[i].pipes.words < 0) wait_ms = SOON_MS;
  }
  poll(polls, used, wait_ms);
}

static void serve(Slot *s, bool is_cancelled)
{
  if (is_cancelled) stop(s, CHILD_INTERRUPTED);
  if (g_get_monotonic_time() >= s->until_us) stop(s, CHILD_TOO_LONG);
  if (s->pipes.in >= 0) feed(s);
  drain(s, &s->pipes.out);
  drain(s, &s->pipes.words);
  look_for_end(s);
}

static guint fill(Slot *slots, guint n_slots, Child *children, guint n, guint *next)
{
  guint busy = 0;
  for (guint i = 0; i < n_slots; i++) {
    while (!slots[i].child && *next < n) begin(&slots[i], &children[(*next)++]);
    busy += slots[i].child != NULL;
  }
  return busy;
}

static void run_all(Child *children, guint n, guint at_once, bool (*cancelled)(void *),
                    void *context)
{
  Slot slots[CHILD_AT_ONCE] = { { .child = NULL } };
  guint next = 0, n_slots = CLAMP(at_once, 1, CHILD_AT_ONCE);
  bool stopping = false;
  while (fill(slots, n_slots, children, stopping ? 0 : n, &next)) {
    wait_for_any(slots, n_slots);
    stopping = stopping || (cancelled && cancelled(context));
    for (guint i = 0; i < n_slots; i++)
      if (slots[i].child) serve(&slots[i], stopping);
  }
  for (; next < n; next++) children[next].end = stopping ? CHILD_INTERRUPTED : CHILD_NOT_RUN;
}

/* Where SIGCHLD is ignored, nobody learns how a child ended. */
void children_run(Child *children, guint n, guint at_once, bool (*cancelled)(void *context),
                  void *context)
{
  struct sigaction before, usual = { .sa_handler = SIG_DFL };
  sigaction(SIGCHLD, &usual, &before);
  run_all(children, n, at_once, cancelled, context);
  sigaction(SIGCHLD, &before, NULL);
}

void child_clear(Child *c)
{
  g_clear_pointer(&c->out, g_byte_array_unref);
  if (c->words) g_string_free(c->words, TRUE);
  c->words = NULL;
}

/* ----------------------------------------------------------------------- words */

static char *end_text(const Child *c)
{
  switch (c->end) {
  case CHILD_NOT_RUN: return g_strdup_printf("cannot be run: %s", g_strerror(c->error_no));
  case CHILD_KILLED: return g_strdup_printf("was killed by signal %d", c->status);
  case CHILD_TOO_LONG: return g_strdup("did not end in time and was killed");
  case CHILD_WROTE_MUCH:
    return g_strdup_printf("wrote more than %d MiB, and was killed", CHILD_MAX_OUT >> 20);
  case CHILD_INTERRUPTED: return g_strdup("was interrupted");
  case CHILD_LOST:
    return g_strdup_printf("ended, and its status is unknown: %s", g_strerror(c->error_no));
  default: return g_strdup_printf("exited with status %d", c->status);
  }
}

/* Runs of blanks and line ends become a blank: programs point at places below a line. */
static void on_one_line(char *io_text)
{
  char *to = io_text;
  for (const char *p = g_strstrip(io_text); *p; p++) {
    char c = g_ascii_isspace(*p) ? ' ' : *p;
    if (c != ' ' || (to > io_text && to[-1] != ' ')) *to++ = c;
  }
  *to = '\0';
}

char *child_why(const Child *c)
{
  if (c->end == CHILD_EXITED && c->status == 0) return NULL;
  g_autofree char *end = end_text(c);
  g_autofree char *words =
      c->words ? g_utf8_make_valid(c->words->str, (gssize)c->words->len) : NULL;
  if (words) on_one_line(words);
  return words && *words ? g_strdup_printf("%s: %s", end, words) : g_steal_pointer(&end);
}
