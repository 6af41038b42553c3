/* Lines of event.log: kernels as they are probed, launches as they run. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe-log.h"

/* ------------------------------------------------------------ counted memory */

/* NULL: refused, and the log is given up. */
static void *kept(Log *log, void *old, size_t bytes)
{
  void *memory = log->refused ? NULL : log->common->resize(log->common, old, bytes);
  log->refused |= !memory;
  return memory;
}

/* A new text that is mended; gone where it is refused. */
static void set_text(Log *log, char **to, const char *text, size_t len)
{
  g_autofree char *valid = g_utf8_make_valid(text, (gssize)len);
  char *copy = kept(log, *to, strlen(valid) + 1);
  if (copy) *to = strcpy(copy, valid);
}

static void begin_launch(Log *log)
{
  g_free(log->launch.saved);
  log->launch = (Launch){ .result = "", .time_ns = -1, .memory = -1, .capacity = -1 };
  log->launch.prologue_ms = log->launch.kernel_ms = log->launch.epilogue_ms = (double)NAN;
  log->launch.original_ms = log->launch.impact = (double)NAN;
}

void log_init(Log *log, const MillHost *common)
{
  *log = (Log){ .common = common, .by_pointer = { .common = common, .seed = common->seed } };
  begin_launch(log);
}

void log_clear(Log *log)
{
  pair_table_clear(&log->by_pointer);
  g_free(log->launch.saved);
}

void log_end_launch(Log *log)
{
  log->open = false;
  begin_launch(log);
}

/* ------------------------------------------------------------------- kernels */

static char *word(const char *text) { return g_strndup(text, strcspn(text, " \t\r")); }

/* The text between a word and the last one of these, as names may hold anything. */
static void set_name(Log *log, Kernel *k, const char *line, const char *from, const char *to)
{
  const char *begin = strstr(line, from);
  if (!begin) return;
  begin += strlen(from);
  const char *end = g_strrstr(begin, to);
  g_autofree char *bytes = g_strndup(begin, end ? (gsize)(end - begin) : strlen(begin));
  g_strstrip(bytes);
  set_text(log, &k->name, bytes, strlen(bytes));
}

/* NULL: refused. */
static Kernel *kernel_new(Log *log, MillSym pointer)
{
  Kernel *k = kept(log, NULL, sizeof *k);
  Kernel **larger =
      array_grow(log->common, log->kernels, log->n_kernels, &log->max_kernels, sizeof(Kernel *));
  if (larger) log->kernels = larger;
  log->refused |= !larger || !pair_table_put(&log->by_pointer, pointer, 0, log->n_kernels + 1);
  if (log->refused) return NULL;
  k->state = "";
  k->params = -1;
  return log->kernels[log->n_kernels++] = k;
}

/* By its symbol; NULL: it is not known. */
static Kernel *known_at(const Log *log, const char *pointer, MillSym *out)
{
  *out = log->common->intern(log->common, pointer, strcspn(pointer, " \t\r"));
  uint64_t found = pair_table_get(&log->by_pointer, *out, 0);
  return found ? log->kernels[found - 1] : NULL;
}

static Kernel *kernel_at(Log *log, const char *pointer)
{
  MillSym symbol;
  Kernel *k = known_at(log, pointer, &symbol);
  return k ? k : kernel_new(log, symbol);
}

static void take_finish(Log *log, const char *text)
{
  Kernel *k = kernel_at(log, text);
  const char *params = strstr(text, " n_param ");
  if (!k) return;
  set_name(log, k, text, " name ", " n_param ");
  if (params) k->params = strtoll(params + 9, NULL, 10);
  k->state = "probed";
}

/* "NAME FOLDER": the folder is the last word. */
static void take_rename(Log *log, const char *text)
{
  g_autofree char *line = g_strchomp(g_strdup(text));
  const char *blank = strrchr(line, ' ');
  if (!log->last || !blank) return;
  set_text(log, &log->last->folder, blank + 1, strlen(blank + 1));
}

static bool take_probe(Log *log, const char *text)
{
  if (g_str_has_prefix(text, "find ")) {
    log->last = kernel_at(log, text + 5);
    if (log->last) set_name(log, log->last, text, " name ", " bin ");
  } else if (g_str_has_prefix(text, "rename ")) {
    take_rename(log, text + 7);
  } else if (g_str_has_prefix(text, "python failed")) {
    if (log->last) log->last->state = "python failed";
  } else if (g_str_has_prefix(text, "finish ")) {
    take_finish(log, text + 7);
  } else if (g_str_has_prefix(text, "can't-find ")) {
    Kernel *k = kernel_at(log, text + 11);
    if (k) k->state = "cannot find";
  } else {
    return false;
  }
  return true;
}

/* ------------------------------------------------------------------ launches */

static double real_after(const char *line, const char *name)
{
  const char *at = strstr(line, name);
  double v;
  if (!at) return (double)NAN;
  at += strlen(name);
  return num_real(at, strcspn(at, " \r"), &v) ? v : (double)NAN;
}

static void take_times(Launch *l, const char *text, bool benchmark)
{
  if (l->benchmark && !benchmark) return;
  l->benchmark = benchmark;
  l->prologue_ms = real_after(text, "prologue ");
  l->kernel_ms = real_after(text, " kernel ");
  l->epilogue_ms = real_after(text, " epilogue ");
  l->original_ms = real_after(text, " original ");
  l->impact = real_after(text, " impact ");
}

static void take_saved(Launch *l, const char *text)
{
  g_autofree char *path = word(text);
  g_autofree char *base = g_path_get_basename(path);
  if (g_str_has_suffix(base, ".bin")) base[strlen(base) - 4] = 0;
  g_free(l->saved);
  l->saved = g_utf8_make_valid(base, -1);
}

/* A launch goes through these, each of which may be the last one (the program crashed):
 *
 *   funcmap-not-find, the kernel is probed, funcmap-find   or funcmap-find alone
 *   param, grid, sections, probe-mem                       with the probe; after probe-mem all may end in backup
 *   succeed, save, prologue                                it ran with the probe
 *   failed, backup                                         it ran with the probe and failed, and then without
 *   backup                                                 it ran without: the kernel cannot be probed or is filtered
 */
static void open_launch(Log *log, const char *pointer, bool first)
{
  log->open = true;
  log->launch.kernel = kernel_at(log, pointer);
  log->launch.first = first;
  if (log->launch.kernel) log->launch.kernel->launches++;
}

/* The kernel of a first launch was probed, and is found now. */
static bool goes_on(const Log *log, const char *pointer)
{
  const Launch *l = &log->launch;
  MillSym symbol;
  return log->open && l->first && !l->began && known_at(log, pointer, &symbol) == l->kernel;
}

static void take_find(Log *log, const char *text)
{
  if (!goes_on(log, text)) open_launch(log, text, false);
  log->launch.found = strstr(text, " success") != NULL;
}

/* What failed runs again without the probe: it has failed all the same. */
static bool take_result(Launch *l, const char *text)
{
  static const char *const results[] = { "succeed", "failed", "backup" };
  for (size_t i = 0; i < G_N_ELEMENTS(results); i++)
    if (g_str_has_prefix(text, results[i])) {
      if (strcmp(l->result, "failed") != 0) l->result = results[i];
      return true;
    }
  return false;
}

static bool take_own(Launch *l, const char *text)
{
  if (g_str_has_prefix(text, "probe-mem ")) {
    l->memory = MAX(l->memory, strtoll(text + 10, NULL, 10));
  } else if (g_str_has_prefix(text, "save ")) {
    take_saved(l, text + 5);
  } else if (g_str_has_prefix(text, "prologue ")) {
    take_times(l, text, false);
  } else if (g_ascii_isdigit(*text)) {
    l->time_ns = strtoll(text, NULL, 10);
  } else {
    return take_result(l, text) || g_str_has_prefix(text, "grid ");
  }
  return true;
}

static bool take_exec(Log *log, const char *text)
{
  if (g_str_has_prefix(text, "funcmap-not-find ")) {
    open_launch(log, text + 17, true);
  } else if (g_str_has_prefix(text, "funcmap-find ")) {
    take_find(log, text + 13);
  } else {
    if (!take_own(&log->launch, text)) return false;
    log->open = log->launch.began = true;
  }
  return true;
}

bool log_begins_launch(const Log *log, const char *line)
{
  static const char find[] = "[exec] funcmap-find ";
  if (!log->open) return false;
  if (g_str_has_prefix(line, "[exec] funcmap-not-find ")) return true;
  if (g_str_has_prefix(line, find)) return !goes_on(log, line + strlen(find));
  bool is_param = g_str_has_prefix(line, "[exec] ") && g_ascii_isdigit(line[7]);
  return is_param && log->launch.time_ns >= 0;
}

void log_take(Log *log, const char *line)
{
  bool known = false;
  if (g_str_has_prefix(line, "[exec] "))
    known = take_exec(log, line + 7);
  else if (g_str_has_prefix(line, "[probe] "))
    known = take_probe(log, line + 8);
  else if (g_str_has_prefix(line, "[jit] "))
    known = take_probe(log, line + 6);
  else if (g_str_has_prefix(line, "[count] size: "))
    log->launch.capacity = strtoll(line + 14, NULL, 10);
  else if (g_str_has_prefix(line, "[benchmark] prologue "))
    take_times(&log->launch, line + 12, true);
  else
    known = g_str_has_prefix(line, "[init] ") || g_str_has_prefix(line, "[pid] ");
  log->n_lines += known;
}

/* ----------------------------------------------------------------- registers */

static const char *line_end(const char *p, const char *end)
{
  const char *stop = memchr(p, '\n', (size_t)(end - p));
  return stop ? stop : end;
}

/* Which file the assembler is called for: .../STEM.ptx; NULL: this is no call. */
static char *stem_of(const char *line)
{
  const char *ptx = strstr(line, ".ptx ");
  if (!g_str_has_prefix(line, "ptxas ") || !ptx || !strstr(ptx, " -o ")) return NULL;
  const char *begin = ptx;
  while (begin > line && begin[-1] != '/' && begin[-1] != ' ') begin--;
  return g_strndup(begin, (gsize)(ptx - begin));
}

static int64_t number_before(const char *line, const char *words)
{
  const char *at = strstr(line, words);
  if (!at) return 0;
  while (at > line && g_ascii_isdigit(at[-1])) at--;
  return strtoll(at, NULL, 10);
}

Registers registers_read(const char *text, size_t len)
{
  Registers r = { -1, -1, -1 };
  g_autofree char *stem = NULL;
  for (const char *p = text, *end = text + len, *stop; p < end; p = stop + 1) {
    stop = line_end(p, end);
    g_autofree char *line = g_strndup(p, (gsize)(stop - p));
    char *called = stem_of(line);
    if (called) {
      g_free(stem);
      stem = called;
    }
    const char *used = strstr(line, "Used ");
    bool probed = !g_strcmp0(stem, "probed");
    if (used && strstr(used, " registers") && probed) r.probed = strtoll(used + 5, NULL, 10);
    if (used && strstr(used, " registers") && !g_strcmp0(stem, "pruned"))
      r.pruned = strtoll(used + 5, NULL, 10);
    if (probed && strstr(line, " bytes spill stores"))
      r.spill = MAX(r.spill, 0) + number_before(line, " bytes spill stores") +
                number_before(line, " bytes spill loads");
  }
  return r;
}
