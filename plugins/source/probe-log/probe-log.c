/* The probe-log source: event.log of a trace with what lies beside it, and stdout.log of the program. */
/* SPDX-License-Identifier: MIT */
#include "probe-log.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "kit/read/input.h"
#include "kit/read/source-new.h"

#define PIECE ((size_t)64 << 10)
#define LOG_LINE_MAX ((size_t)64 << 10)
#define PROCESS_MAX ((size_t)16 << 20)

typedef struct Source {
  const MillSourceHost *host;
  RecordWriter writer;
  MillSym exec, kernel, output;
  Log log;
  bool is_output;     /* stdout.log */
  int64_t max_memory; /* of it; -1: none */
  bool said;          /* it has the line */
  char *buffer;
  size_t pos, len;
  GString *line;
  bool line_cut; /* some of it was left out */
  bool waiting;  /* the line was read, and comes after the launch that is given */
  bool ended;
  uint64_t n_cut;
  uint32_t next_kernel;
} Source;

const MillNotice probe_log_notices[PL_N_NOTICES] = {
  MILL_ERROR(
      PL_NOTHING, "the log has no line that is known", "check whether it is an event.log",
      "Lines of event.log begin with a word in brackets: [init], [exec], [probe] or [jit]. This "
      "file has no such line."),
  MILL_WARNING(
      PL_NO_PROCESS, "{count} kernel[|s] [has|have] no process.log (first: {place})",
      "[its|their] registers are not known", NULL,
      "The registers of a kernel are in the assembler's output, kernel/FOLDER/process.log beside "
      "event.log."),
  MILL_INFO(PL_NO_FIGURE, "{count} stdout.log [has|have] no line of max memory", "it counts as 0",
            NULL,
            "The memory that a program used without a probe is in its line \"max memory: N\"."),
  MILL_WARNING(PL_CUT, "{count} line[|s] [is|are] longer than 64 KiB",
               "the rest of them is left out", NULL,
               "Lines of a log are names and numbers; a longer one is damaged."),
};

static MillLane lane_of(const Source *s)
{
  MillLane lane = { .size = sizeof lane };
  s->host->common->lane(s->host->common, MILL_NO_LANE, &lane);
  return lane;
}

/* --------------------------------------------------------------------- lines */

static int fill(Source *s)
{
  int64_t n = s->host->read(s->host, s->buffer, PIECE);
  s->pos = 0;
  s->len = n > 0 ? (size_t)n : 0;
  s->ended = n <= 0;
  return (int)MIN(n, 0);
}

static void add_bytes(Source *s, const char *bytes, size_t len)
{
  size_t room = LOG_LINE_MAX - s->line->len;
  g_string_append_len(s->line, bytes, (gssize)MIN(len, room));
  s->n_cut += len > room && !s->line_cut;
  s->line_cut |= len > room;
}

/* The next line as a text without bytes 0; 1, or 0 at the end, or a negative status. */
static int read_line(Source *s)
{
  g_string_truncate(s->line, 0);
  s->line_cut = false;
  for (;;) {
    if (s->pos == s->len) {
      int status = s->ended ? 0 : fill(s);
      if (status < 0) return status;
      if (s->ended) return s->line->len > 0;
    }
    const char *p = s->buffer + s->pos;
    const char *stop = memchr(p, '\n', s->len - s->pos);
    size_t n = stop ? (size_t)(stop - p) : s->len - s->pos;
    add_bytes(s, p, n);
    s->pos += n + (stop != NULL);
    if (!stop) continue;
    for (gsize i = 0; i < s->line->len; i++)
      if (!s->line->str[i]) s->line->str[i] = '?';
    return 1;
  }
}

/* ------------------------------------------------------------------- records */

static void put_text(Source *s, MillBatch *b, uint32_t key, const char *text)
{
  if (text && *text) record_text(&s->writer, b, key, text, strlen(text));
}

static void put_known(const Source *s, MillBatch *b, uint32_t key, int64_t v)
{
  if (v >= 0) record_int(&s->writer, b, key, v);
}

static void put_real(const Source *s, MillBatch *b, uint32_t key, double v)
{
  if (isfinite(v)) record_real(&s->writer, b, key, v);
}

static const char *why_unprobed(const Launch *l)
{
  if (l->kernel && *l->kernel->state && strcmp(l->kernel->state, "probed") != 0)
    return l->kernel->state;
  if (l->memory >= 0) return "memory only";
  return l->found ? "not said" : "filter";
}

static bool give_launch(Source *s, MillBatch *b)
{
  const Launch *l = &s->log.launch;
  if (!record_begin(&s->writer, b, s->exec, N_KEYS)) return false;
  put_text(s, b, KEY_KERNEL, l->kernel ? l->kernel->name : "");
  put_text(s, b, KEY_FOLDER, l->kernel ? l->kernel->folder : "");
  put_text(s, b, KEY_RESULT, *l->result ? l->result : "crashed");
  if (!strcmp(l->result, "backup")) put_text(s, b, KEY_WHY, why_unprobed(l));
  put_text(s, b, KEY_LAUNCH, l->saved);
  put_known(s, b, KEY_TIME, l->time_ns);
  put_known(s, b, KEY_MEMORY, l->memory);
  put_known(s, b, KEY_CAPACITY, l->capacity);
  put_real(s, b, KEY_PROLOGUE, l->prologue_ms);
  put_real(s, b, KEY_KERNEL_MS, l->kernel_ms);
  put_real(s, b, KEY_EPILOGUE, l->epilogue_ms);
  put_real(s, b, KEY_ORIGINAL, l->original_ms);
  put_real(s, b, KEY_IMPACT, l->impact);
  if (l->benchmark) record_int(&s->writer, b, KEY_BENCHMARK, 1);
  log_end_launch(&s->log);
  return true;
}

static Registers registers_of(const Source *s, const Kernel *k)
{
  const char *bytes = NULL;
  MillLane lane = lane_of(s);
  g_autofree char *folder = g_path_get_dirname(lane.path ? lane.path : ".");
  g_autofree char *path = g_build_filename(folder, "kernel", k->folder, "process.log", NULL);
  bool inside = !strchr(k->folder, '/') && strcmp(k->folder, "..") != 0;
  int64_t len = inside && lane.path ? s->host->read_file(s->host, path, PROCESS_MAX, &bytes) : -1;
  if (len >= 0) return registers_read(bytes, (size_t)len);
  const MillNamed named[] = { { "place", mill_text(k->folder, strlen(k->folder)) } };
  s->host->common->note(s->host->common, PL_NO_PROCESS, NULL, MILL_NO_EVENT, named, 1);
  return (Registers){ -1, -1, -1 };
}

static bool give_kernel(Source *s, MillBatch *b, const Kernel *k)
{
  Registers r = { -1, -1, -1 };
  if (!record_begin(&s->writer, b, s->kernel, N_KEYS)) return false;
  if (k->folder && *k->folder) r = registers_of(s, k);
  put_text(s, b, KEY_KERNEL, k->name);
  put_text(s, b, KEY_FOLDER, k->folder);
  put_text(s, b, KEY_STATE, *k->state ? k->state : "not said");
  record_int(&s->writer, b, KEY_LAUNCHES, (int64_t)k->launches);
  put_known(s, b, KEY_PARAMS, k->params);
  put_known(s, b, KEY_REGISTERS, r.pruned);
  put_known(s, b, KEY_PROBED_REGISTERS, r.probed);
  put_known(s, b, KEY_SPILL, r.spill);
  return true;
}

/* ---------------------------------------------------------------------- next */

static int next_of_log(Source *s, MillBatch *b)
{
  int status = 1;
  while (s->waiting || (status = read_line(s)) > 0) {
    s->waiting = log_begins_launch(&s->log, s->line->str);
    if (s->waiting && !give_launch(s, b)) return MILL_NEXT_MORE;
    s->waiting = false;
    log_take(&s->log, s->line->str);
    if (s->log.refused) return -MILL_LIMIT;
  }
  if (status < 0) return status;
  if (s->log.open && !give_launch(s, b)) return MILL_NEXT_MORE;
  for (; s->next_kernel < s->log.n_kernels; s->next_kernel++)
    if (!give_kernel(s, b, s->log.kernels[s->next_kernel])) return MILL_NEXT_MORE;
  if (s->log.n_lines == 0)
    return input_fail(s->host->common, probe_log_notices, PL_NOTHING, MILL_BAD_INPUT, NULL, NULL,
                      NULL);
  return MILL_NEXT_END;
}

/* The last word of the first line of max memory. */
static int next_of_output(Source *s, MillBatch *b)
{
  int status;
  while ((status = read_line(s)) > 0) {
    if (s->said || !g_str_has_prefix(s->line->str, "max memory:")) continue;
    s->said = true;
    char *text = g_strchomp(s->line->str), *last = text + strlen(text);
    while (last > text && last[-1] != ' ' && last[-1] != ':' && last[-1] != '\t') last--;
    if (!num_int(last, strlen(last), &s->max_memory) || s->max_memory < 0) s->max_memory = -1;
  }
  if (status < 0) return status;
  if (!record_begin(&s->writer, b, s->output, N_KEYS)) return MILL_NEXT_MORE;
  if (s->max_memory < 0) mill_note(s->host->common, PL_NO_FIGURE);
  put_known(s, b, KEY_MAX_MEMORY, s->max_memory);
  return MILL_NEXT_END;
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  int status = s->is_output ? next_of_output(s, b) : next_of_log(s, b);
  if (status == MILL_NEXT_END)
    for (; s->n_cut; s->n_cut--) mill_note(s->host->common, PL_CUT);
  return status;
}

/* -------------------------------------------------------------- the descriptor */

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  static const char *const begins[] = { "[init] pid ", "[pid] ", "[init] cmd ", "[exec] ",
                                        "[mem] cu" };
  (void)self;
  for (size_t i = 0; i < G_N_ELEMENTS(begins); i++)
    if (len >= strlen(begins[i]) && !memcmp(bytes, begins[i], strlen(begins[i]))) return 85;
  g_autofree char *base = g_path_get_basename(name ? name : "");
  return !strcmp(base, "event.log") ? 60 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->max_memory = -1;
  s->buffer = g_malloc(PIECE);
  s->line = g_string_new(NULL);
  log_init(&s->log, host->common);
  return 0;
}

static int describe(void *instance)
{
  Source *s = instance;
  MillLane lane = lane_of(s);
  g_autofree char *base = g_path_get_basename(lane.path ? lane.path : lane.name);
  s->is_output = !strcmp(base, "stdout.log");
  return 0;
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = {
    "kernel",           "folder",    "result",      "why",       "launch",      "time_ns",
    "memory",           "capacity",  "prologue_ms", "kernel_ms", "epilogue_ms", "original_ms",
    "impact",           "benchmark", "state",       "launches",  "params",      "registers",
    "probed_registers", "spill",     "max_memory",
  };
  Source *s = instance;
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->exec = symbol_of(s->host->common, "probe.exec");
  s->kernel = symbol_of(s->host->common, "probe.kernel");
  s->output = symbol_of(s->host->common, "probe.output");
  return 0;
}

static void close_source(void *instance)
{
  Source *s = instance;
  log_clear(&s->log);
  g_string_free(s->line, TRUE);
  g_free(s->buffer);
}

static const char *const provides[] = { "input.probe", "probe.log", NULL };

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .open = open_source,
  .describe = describe,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "probe-log",
  .version = "1.0.0",
  .tag = "PRLOG",
  .title = "Logs of probed programs",
  .help =
      "Reads event.log of a trace, of older and newer versions, with the registers of each kernel "
      "from the assembler's output beside it; and the line of max memory in a program's "
      "stdout.log.",
  .provides = provides,
  .notices = MILL_ROWS(probe_log_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
