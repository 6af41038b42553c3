/* Progress on standard error: one line on a terminal, now and then a log line elsewhere. */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "base/thread.h"
#include "cmd/cli.h"
#include "cmd/progress.h"
#include "model/log.h"
#include "model/usage.h"

#define ERASE "\r\033[K"
#define REDRAW_US 150000
#define QUIET_US 30000000

static struct {
  const Run *run; /* NULL: nothing is shown */
  bool terminal;
  bool loud; /* --progress=always without a terminal: whatever the log level is */
  int64_t started_ns;
  pthread_t thread;
  bool stop, drawn; /* under the lock */
} progress;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

/* reading: 41.2 MiB of 310 MiB  13 %  812 MiB/s  2 s left */
static GString *line_of(const char *what)
{
  char buf[NUM_BUF];
  uint64_t done, size;
  double seconds = (double)(usage_clock_ns() - progress.started_ns) / 1e9;
  GString *line = g_string_new(what);
  inputs_progress(progress.run->inputs, &done, &size);
  num_format_size(buf, done);
  g_string_append(line, buf);
  if (size) {
    num_format_size(buf, size);
    g_string_append_printf(line, " of %s  %d %%", buf, (int)(MIN(done, size) * 100 / size));
  }
  if (seconds < 0.2 || !done) return line;
  num_format_size(buf, (uint64_t)((double)done / seconds));
  g_string_append_printf(line, "  %s/s", buf);
  if (size <= done) return line;
  int left = (int)MIN((double)(size - done) / (double)done * seconds + 1, G_MAXINT);
  g_string_append_printf(line, "  %d %s left", left < 120 ? left : left / 60,
                         left < 120 ? "s" : "min");
  return line;
}

static void show(const char *what)
{
  g_autoptr(GString) line = line_of(what);
  if (progress.terminal) {
    g_string_truncate(line, (gsize)cli_width(STDERR_FILENO) - 1);
    g_string_prepend(line, ERASE);
    cli_put(line->str);
    progress.drawn = true;
  } else if (progress.loud) {
    cli_say("%s", line->str);
  } else {
    log_text(MILL_LEVEL_INFO, "RUN", line->str);
  }
}

void progress_hide(void)
{
  if (!progress.terminal) return;
  pthread_mutex_lock(&lock);
  if (progress.drawn) cli_put(ERASE);
  progress.drawn = false;
  pthread_mutex_unlock(&lock);
}

static void add_us(struct timespec *at, int64_t us)
{
  int64_t ns = at->tv_nsec + us * 1000;
  at->tv_sec += ns / 1000000000;
  at->tv_nsec = ns % 1000000000;
}

static void *work(void *unused)
{
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  pthread_mutex_lock(&lock);
  while (!progress.stop) {
    add_us(&at, progress.terminal ? REDRAW_US : QUIET_US);
    while (!progress.stop && !pthread_cond_clockwait(&wake, &lock, CLOCK_MONOTONIC, &at)) continue;
    if (!progress.stop) show("reading: ");
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

void progress_start(const Run *run, const char *when)
{
  const char *term = g_getenv("TERM");
  if (when && !strcmp(when, "never")) return;
  progress.terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
  progress.loud = when && !strcmp(when, "always");
  if (!progress.terminal && !progress.loud && !log_enabled(MILL_LEVEL_INFO, "RUN")) return;
  progress.run = run;
  progress.started_ns = usage_clock_ns();
  if (!progress.terminal) show("start: ");
  if (thread_start(&progress.thread, work, NULL)) progress.run = NULL;
}

void progress_stop(void)
{
  if (!progress.run) return;
  pthread_mutex_lock(&lock);
  progress.stop = true;
  pthread_cond_signal(&wake);
  pthread_mutex_unlock(&lock);
  pthread_join(progress.thread, NULL);
  progress_hide();
  if (!progress.terminal) show("done: ");
  progress.run = NULL;
}
