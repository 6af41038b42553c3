/* Cases of a module as text, each run in a process of its own, which sends back what there is to say. */
/* SPDX-License-Identifier: MIT */
#include "cases.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case-came.h"
#include "case-play.h"
#include "declared.h"
#include "harness-internal.h"
#include "model/usage.h"
#include "plan/module-copy.h"

#define RESULT_TYPE "(sa(uus)as)" /* said, changes, attributes */

enum { WORDS = 4096 }; /* bytes of what a process that ended said */

/* ------------------------------------------------------------ in the child */

typedef struct Play {
  const CaseFile *file;
  const WrittenCase *test;
  bool update;
  GVariantBuilder changes;
} Play;

static void add_change(Play *p, guint line, guint n_lines, const char *text)
{
  g_variant_builder_add(&p->changes, "(uus)", line, n_lines, text);
}

/* One that does not hold becomes what came, and its complaints are taken back. */
static void play_expectation(Play *p, const CaseItem *item)
{
  unsigned before = harness_complaints();
  gsize said = harness_said->len;
  g_autoptr(GString) text = g_string_new(NULL);
  case_play_item(p->file, item);
  if (!p->update || harness_complaints() == before) return;
  const HarnessRun *r = harness_outcome();
  if (harness_broken_rule(r->error) || !came_item(text, r, item)) return;
  add_change(p, item->line, item->n_lines, text->str);
  g_string_truncate(harness_said, said);
}

static bool is_expected(const WrittenCase *c, CaseWord word)
{
  for (guint i = 0; i < c->items->len; i++)
    if (((const CaseItem *)c->items->pdata[i])->word == word) return true;
  return false;
}

/* What the case lacks: everything where it expects nothing, else a failure that it says nothing of. */
static void add_what_came(Play *p, bool expects)
{
  const HarnessRun *r = harness_outcome();
  g_autoptr(GString) text = g_string_new(NULL);
  if (harness_broken_rule(r->error) || is_expected(p->test, CASE_STATUS)) return;
  if (!expects || r->error) came_all(text, r);
  if (text->len) add_change(p, p->test->last_line + 1, 0, text->str);
  if (r->error) harness_expect_status(NULL, 0, harness_status(r));
}

static void play(Play *p)
{
  bool expects = false;
  for (guint i = 0; i < p->test->items->len; i++) {
    const CaseItem *item = p->test->items->pdata[i];
    if (case_word_expects(item->word))
      play_expectation(p, item);
    else
      case_play_item(p->file, item);
    expects = expects || case_word_expects(item->word);
  }
  if (p->update) add_what_came(p, expects);
}

static void send(int to, GVariant *result)
{
  g_autoptr(GVariant) whole = g_variant_ref_sink(result);
  const char *bytes = g_variant_get_data(whole);
  for (gsize left = g_variant_get_size(whole); left;) {
    ssize_t n = write(to, bytes, left);
    if (n < 0 && errno != EINTR) return;
    if (n <= 0) continue;
    bytes += n;
    left -= (gsize)n;
  }
}

static G_NORETURN void run_in_child(Play *p, const MillModule *module, int to)
{
  HarnessCase *c = harness_case();
  g_autoptr(GPtrArray) seen = g_ptr_array_new_with_free_func(g_free);
  harness_said = g_string_new(NULL);
  g_variant_builder_init(&p->changes, G_VARIANT_TYPE("a(uus)"));
  c->module = module;
  c->descriptor = harness_describe(module);
  if (c->descriptor) {
    play(p);
    harness_check_properties();
    if (c->descriptor->kind == MILL_KIND_STAGE) declared_seen(harness_outcome(), seen);
    harness_clear();
  }
  g_ptr_array_add(seen, NULL);
  send(to, g_variant_new("(s@a(uus)@as)", harness_said->str, g_variant_builder_end(&p->changes),
                         g_variant_new_strv((const char *const *)seen->pdata, -1)));
  _exit(0);
}

/* ----------------------------------------------------------- in the parent */

/* All that it sends; false when its time is over. */
static bool receive(int from, GByteArray *out)
{
  int64_t end_ns = usage_clock_ns() + (int64_t)CASE_LIMIT_S * 1000000000;
  for (;;) {
    guint8 piece[4096];
    int64_t left_ms = (end_ns - usage_clock_ns()) / 1000000;
    struct pollfd ready = { .fd = from, .events = POLLIN };
    if (left_ms <= 0) return false;
    if (poll(&ready, 1, (int)left_ms) <= 0) continue;
    ssize_t n = read(from, piece, sizeof piece);
    if (n == 0) return true;
    if (n > 0) g_byte_array_append(out, piece, (guint)n);
  }
}

static CaseResult *new_result(void)
{
  CaseResult *r = g_new0(CaseResult, 1);
  r->changes = g_array_new(FALSE, FALSE, sizeof(CaseChange));
  r->texts = g_ptr_array_new_with_free_func(g_free);
  r->seen = g_ptr_array_new_with_free_func(g_free);
  return r;
}

void case_result_free(CaseResult *r)
{
  g_free(r->said);
  g_array_unref(r->changes);
  g_ptr_array_unref(r->texts);
  g_ptr_array_unref(r->seen);
  g_free(r);
}

static CaseResult *read_result(GByteArray *bytes)
{
  CaseResult *r = new_result();
  g_autoptr(GVariantIter) changes = NULL, seen = NULL;
  GVariant *whole = g_variant_new_from_data(G_VARIANT_TYPE(RESULT_TYPE), bytes->data, bytes->len,
                                            FALSE, NULL, NULL);
  g_autoptr(GVariant) value = g_variant_ref_sink(whole);
  CaseChange change;
  char *text;
  g_variant_get(value, RESULT_TYPE, &r->said, &changes, &seen);
  while (g_variant_iter_next(changes, "(uus)", &change.line, &change.n_lines, &text)) {
    g_ptr_array_add(r->texts, text);
    change.text = text;
    g_array_append_val(r->changes, change);
  }
  while (g_variant_iter_next(seen, "s", &text)) g_ptr_array_add(r->seen, text);
  return r;
}

/* How it ended, and the last that it said. */
static CaseResult *no_result(int status, bool late, FILE *words)
{
  CaseResult *r = new_result();
  char text[WORDS + 1];
  GString *said = g_string_new(NULL);
  if (late)
    g_string_append_printf(said, "  it did not end within %d s\n", CASE_LIMIT_S);
  else if (WIFSIGNALED(status))
    g_string_append_printf(said, "  it was killed by signal %d (%s)\n", WTERMSIG(status),
                           strsignal(WTERMSIG(status)));
  else
    g_string_append_printf(said, "  it ended the program with status %d\n", WEXITSTATUS(status));
  rewind(words);
  text[fread(text, 1, WORDS, words)] = 0;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++)
    if (**line) g_string_append_printf(said, "  %s\n", *line);
  r->said = g_string_free(said, FALSE);
  return r;
}

static void pass_on(FILE *words)
{
  char text[WORDS];
  rewind(words);
  for (size_t n; (n = fread(text, 1, sizeof text, words)) > 0;) fwrite(text, 1, n, stderr);
}

static CaseResult *wait_for(pid_t child, int from, FILE *words)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  int status = 0;
  bool late = !receive(from, bytes);
  if (late) kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (late || status || !bytes->len) return no_result(status, late, words);
  pass_on(words);
  return read_result(bytes);
}

static CaseResult *not_run(const char *what)
{
  CaseResult *r = new_result();
  r->said = g_strdup_printf("  it could not be run: %s: %s\n", what, g_strerror(errno));
  return r;
}

CaseResult *case_run(const MillModule *module, const CaseFile *f, const WrittenCase *c, bool update)
{
  Play p = { .file = f, .test = c, .update = update };
  int ends[2];
  FILE *words = tmpfile();
  if (!words) return not_run("a temporary file");
  if (pipe(ends)) {
    fclose(words);
    return not_run("a pipe");
  }
  fflush(NULL);
  pid_t child = fork();
  if (!child) {
    close(ends[0]);
    dup2(fileno(words), STDERR_FILENO);
    run_in_child(&p, module, ends[1]);
  }
  close(ends[1]);
  CaseResult *r = child < 0 ? not_run("a process") : wait_for(child, ends[0], words);
  close(ends[0]);
  fclose(words);
  return r;
}

char *cases_declared(const MillModule *module, const GPtrArray *seen)
{
  GString *said = g_string_new(NULL);
  g_autoptr(GPtrArray) wrong = g_ptr_array_new_with_free_func(g_free);
  Descriptor *d = (Descriptor *)harness_describe(module);
  if (d) declared_check(d, seen, wrong);
  for (guint i = 0; i < wrong->len; i++)
    g_string_append_printf(said, "  %s\n", (char *)wrong->pdata[i]);
  if (d) module_copy_free(d);
  return g_string_free(said, FALSE);
}
