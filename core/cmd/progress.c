/* Progress on standard error: a line an input on a terminal, now and then a log line elsewhere. */
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/setup.h"
#include "model/shown.h"
#include "model/log.h"
#include "model/usage.h"

#define MOST_LINES 8
#define MOST_INPUTS 4096
#define REDRAW_NS 150000000
#define QUIET_NS 30000000000

typedef enum { SHOW_NOTHING, SHOW_LINES, SHOW_LOG } Show;

struct Progress {
  const Run *run;
  Show show;
  bool loud; /* --progress=always without a terminal: whatever the log level is */
  int64_t started_ns;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  bool stop;
  unsigned drawn; /* lines on the screen; under screen_lock */
  RunProgress rows[MOST_INPUTS];
};

static pthread_mutex_t screen_lock = PTHREAD_MUTEX_INITIALIZER;
static Progress *on_screen; /* under screen_lock */

static void write_text(const GString *text)
{
  ssize_t n = write(STDERR_FILENO, text->str, text->len);
  (void)n;
}

static void put_left(GString *out, int64_t left_ns)
{
  int64_t seconds = left_ns / 1000000000 + 1;
  if (seconds < 120)
    g_string_append_printf(out, "  %d s left", (int)seconds);
  else
    g_string_append_printf(out, "  %" G_GINT64_FORMAT " min left", seconds / 60);
}

/* 41.2 MiB of 310 MiB   13 %   812 MiB/s   2 s left */
static void put_amount(GString *out, uint64_t done, uint64_t size, int64_t elapsed_ns)
{
  char buf[NUM_BUF];
  double seconds = (double)elapsed_ns / 1e9;
  num_format_size(buf, done);
  g_string_append(out, buf);
  if (size) {
    num_format_size(buf, size);
    g_string_append_printf(out, " of %s  %3d %%", buf, (int)(done * 100 / size));
  }
  if (seconds < 0.2 || !done) return;
  num_format_size(buf, (uint64_t)((double)done / seconds));
  g_string_append_printf(out, "  %s/s", buf);
  if (size && done < size)
    put_left(out, (int64_t)((double)(size - done) / (double)done * (double)elapsed_ns));
}

static void erase(Progress *p, GString *out)
{
  if (p->drawn) g_string_append_printf(out, "\033[%uA\r\033[J", p->drawn);
  p->drawn = 0;
}

static void put_line(Progress *p, GString *out, const char *name, uint64_t done, uint64_t size,
                     int64_t elapsed_ns)
{
  g_autofree char *base = g_path_get_basename(name), *safe = shown(base);
  g_autoptr(GString) line = g_string_new(NULL);
  g_string_append_printf(line, "%-24s ", safe);
  put_amount(line, done, size, elapsed_ns);
  glong width = MIN(cli_width(STDERR_FILENO) - 1, g_utf8_strlen(line->str, -1));
  g_autofree char *cut = g_utf8_substring(line->str, 0, width);
  g_string_append_printf(out, "%s\n", cut);
  p->drawn++;
}

static void total_of(const Progress *p, uint32_t n, uint64_t *out_done, uint64_t *out_size)
{
  bool known = true;
  *out_done = *out_size = 0;
  for (uint32_t i = 0; i < n; i++) {
    *out_done += p->rows[i].done_bytes;
    *out_size += p->rows[i].size_bytes;
    known = known && p->rows[i].size_bytes;
  }
  if (!known) *out_size = 0;
}

static void draw(Progress *p)
{
  uint32_t n = run_progress(p->run, p->rows, MOST_INPUTS), active = 0;
  int64_t elapsed_ns = usage_clock_ns() - p->started_ns;
  g_autoptr(GString) out = g_string_new(NULL);
  n = MIN(n, MOST_INPUTS);
  pthread_mutex_lock(&screen_lock);
  erase(p, out);
  for (uint32_t i = 0; i < n; i++) {
    const RunProgress *row = &p->rows[i];
    bool reading = row->done_bytes && (!row->size_bytes || row->done_bytes < row->size_bytes);
    if (reading && active++ < MOST_LINES)
      put_line(p, out, row->name, row->done_bytes, row->size_bytes, elapsed_ns);
  }
  if (n > 1) {
    uint64_t done, size;
    g_autofree char *name = g_strdup_printf("%u inputs", n);
    total_of(p, n, &done, &size);
    put_line(p, out, name, done, size, elapsed_ns);
  }
  write_text(out);
  on_screen = p;
  pthread_mutex_unlock(&screen_lock);
}

void progress_hide(void)
{
  g_autoptr(GString) out = g_string_new(NULL);
  pthread_mutex_lock(&screen_lock);
  if (on_screen) erase(on_screen, out);
  write_text(out);
  pthread_mutex_unlock(&screen_lock);
}

static void tell(const Progress *p, const char *text)
{
  if (p->loud)
    cli_say("%s", text);
  else
    log_text(MILL_LEVEL_INFO, "RUN", text);
}

static void report(Progress *p, const char *what, bool finished)
{
  uint32_t n = MIN(run_progress(p->run, p->rows, MOST_INPUTS), MOST_INPUTS);
  uint64_t done, size;
  g_autoptr(GString) line = g_string_new(what);
  total_of(p, n, &done, &size);
  put_amount(line, done, finished ? 0 : size, usage_clock_ns() - p->started_ns);
  tell(p, line->str);
}

static void *work(void *data)
{
  Progress *p = data;
  int64_t step_ns = p->show == SHOW_LINES ? REDRAW_NS : QUIET_NS;
  pthread_mutex_lock(&p->lock);
  while (!p->stop) {
    int64_t at_ns = usage_clock_ns() + step_ns;
    struct timespec until = { at_ns / 1000000000, at_ns % 1000000000 };
    pthread_cond_timedwait(&p->wake, &p->lock, &until);
    if (p->stop || usage_clock_ns() < at_ns) continue;
    if (p->show == SHOW_LINES)
      draw(p);
    else
      report(p, "reading: ", false);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

static Show choose(const char *when, bool *out_loud)
{
  bool terminal = isatty(STDERR_FILENO);
  const char *term = g_getenv("TERM");
  *out_loud = false;
  if (when && !strcmp(when, "never")) return SHOW_NOTHING;
  if (terminal && term && strcmp(term, "dumb")) return SHOW_LINES;
  *out_loud = when && !strcmp(when, "always");
  return *out_loud || log_enabled(MILL_LEVEL_INFO, "RUN") ? SHOW_LOG : SHOW_NOTHING;
}

Progress *progress_start(const Run *run, const char *when)
{
  bool loud;
  Show show = choose(when, &loud);
  if (show == SHOW_NOTHING) return NULL;
  Progress *p = g_new0(Progress, 1);
  pthread_condattr_t clock;
  p->run = run;
  p->show = show;
  p->loud = loud;
  p->started_ns = usage_clock_ns();
  pthread_mutex_init(&p->lock, NULL);
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_cond_init(&p->wake, &clock);
  pthread_condattr_destroy(&clock);
  if (show == SHOW_LOG) report(p, "start: ", false);
  if (pthread_create(&p->thread, NULL, work, p)) p->show = SHOW_NOTHING;
  return p;
}

void progress_stop(Progress *p)
{
  if (!p) return;
  if (p->show != SHOW_NOTHING) {
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
  }
  progress_hide();
  on_screen = NULL;
  if (p->show == SHOW_LOG) report(p, "done: ", true);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->lock);
  g_free(p);
}
