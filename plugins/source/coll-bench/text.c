/* Logs of nccl-tests and rccl-tests as text: columns by their header, foreign lines passed over. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "coll-bench.h"

enum { MAX_FIELDS = 32, MAX_HOSTS = 4096, MAX_LINE = 4096 };
enum { SIZE, COUNT, TYPE, REDOP, ROOT, TIME, ALGBW, BUSBW, WRONG, N_FIELDS };
enum { IN = N_FIELDS }; /* fields of the in-place half: IN + field */

typedef struct Layout {
  uint32_t n;
  int8_t field[MAX_FIELDS]; /* of each token; -1: not used */
} Layout;

static const Layout usual = { 13,
                              { SIZE, COUNT, TYPE, REDOP, ROOT, TIME, ALGBW, BUSBW, WRONG,
                                IN + TIME, IN + ALGBW, IN + BUSBW, IN + WRONG } };

double log_number(const char *text)
{
  double v;
  return num_real(text, strlen(text), &v) ? v : (double)NAN;
}

const char *log_collective(Log *log, const char *name)
{
  static const char *const known[] = { "allreduce", "allgather", "reducescatter", "alltoallv",
                                       "alltoall",  "broadcast", "sendrecv",      "scatter",
                                       "gather",    "hypercube", "reduce" };
  g_autofree char *plain = g_ascii_strdown(name, -1);
  char *to = plain;
  for (const char *from = plain; *from; from++)
    if (g_ascii_isalpha(*from)) *to++ = *from;
  *to = '\0';
  for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
    if (strstr(plain, known[i])) return g_string_chunk_insert_const(log->names, known[i]);
  return NULL;
}

/* Launchers put "[1,0]<stdout>:" before each line, or the number of the task: " 0: ". */
static char *without_prefix(char *line)
{
  char *label = line + strspn(line, " ");
  size_t digits = strspn(label, "0123456789");
  if (digits && digits < 8 && label[digits] == ':' &&
      (!label[digits + 1] || label[digits + 1] == ' '))
    return g_strchug(label + digits + 1);
  char *end = *line == '[' ? strstr(line, ">:") : NULL;
  return g_strchug(end && end - line < 40 ? end + 2 : line);
}

static uint32_t split(char *line, char **out)
{
  uint32_t n = 0;
  for (char *p = line; n < MAX_FIELDS;) {
    p += strspn(p, " \t\r");
    if (!*p) break;
    out[n++] = p;
    p += strcspn(p, " \t\r");
    if (*p) *p++ = '\0';
  }
  return n;
}

static bool read_header(char *line, Layout *out)
{
  static const char *const words[N_FIELDS] = { "size", "count", "type",  "redop", "root",
                                               "time", "algbw", "busbw", "#wrong" };
  char *tokens[MAX_FIELDS];
  bool half = false;
  if (!strstr(line, "size") || !strstr(line, "busbw")) return false;
  *out = (Layout){ .n = split(line + 1, tokens) };
  for (uint32_t i = 0; i < out->n; i++) {
    out->field[i] = -1;
    for (int f = 0; f < N_FIELDS; f++)
      if (!strcmp(tokens[i], words[f]) || (f == WRONG && !strcmp(tokens[i], "error")))
        out->field[i] = (int8_t)(half && f >= TIME ? IN + f : f);
    half = half || out->field[i] == WRONG;
  }
  return out->n > 5;
}

/* Few: a log of thousands of ranks names some hundred. */
static void add_host(GPtrArray *hosts, const char *name, size_t len)
{
  for (guint i = hosts->len; i-- > 0;)
    if (!strncmp(hosts->pdata[i], name, len) && !((char *)hosts->pdata[i])[len]) return;
  if (hosts->len < MAX_HOSTS) g_ptr_array_add(hosts, g_strndup(name, len));
}

static void take_rank(Log *log, const char *line, GPtrArray *hosts)
{
  const char *on = strstr(line, " on ");
  log->run.ranks++;
  if (!on) return;
  on += 4 + strspn(on + 4, " ");
  add_host(hosts, on, strcspn(on, " "));
  log->run.nodes = hosts->len;
}

static void take_footer(Log *log, const char *text, const char *colon)
{
  Run *run = &log->run;
  if (g_str_has_prefix(text, "Out of bounds values")) {
    run->out_of_bounds = (int64_t)g_ascii_strtoll(colon + 1, NULL, 10);
    run->failed = run->failed || strstr(colon, "FAILED");
    run->complete = true;
  }
  if (g_str_has_prefix(text, "Avg bus bandwidth")) {
    run->avg_busbw = g_ascii_strtod(colon + 1, NULL);
    run->complete = true;
  }
  if (g_str_has_prefix(text, "Collective test concluded"))
    run->collective = log_collective(log, colon + 1);
}

static void begin_run(Log *log, GPtrArray *hosts)
{
  const Run *run = &log->run;
  guint first = log->runs->len ? g_array_index(log->runs, Run, log->runs->len - 1).end : 0;
  if (!run->complete && !run->ranks && log->rows->len == first) return;
  log_next_run(log);
  g_ptr_array_set_size(hosts, 0);
}

/* What a run says before its devices. */
static bool is_title(const char *line)
{
  static const char *const titles[] = { "# nThread ", "# nccl-tests version", "rccl-tests: Version",
                                        "# Collective test starting" };
  for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
    if (g_str_has_prefix(line, titles[i])) return true;
  return false;
}

static void take_title(Log *log, const char *line)
{
  int threads, gpus;
  const char *colon = strchr(line, ':');
  if (sscanf(line, "# nThread %d nGpus %d", &threads, &gpus) == 2 && threads > 0 && gpus > 0)
    log->run.local = (int64_t)threads * gpus;
  if (colon && g_str_has_prefix(line, "# Collective test starting"))
    log->run.collective = log_collective(log, colon + 1);
}

static void take_comment(Log *log, char *line, GPtrArray *hosts, Layout *io_layout)
{
  Layout layout;
  const char *text = line + 1 + strspn(line + 1, " ");
  const char *colon = strchr(text, ':');
  bool is_rank = g_str_has_prefix(text, "Rank ");
  if (is_rank && log->run.complete) begin_run(log, hosts);
  if (is_rank) take_rank(log, text, hosts);
  if (colon) take_footer(log, text, colon);
  if (!read_header(line, &layout)) return;
  if (log->run.complete) begin_run(log, hosts);
  *io_layout = layout;
}

static const char *word_after(Log *log, const char *line, const char *name)
{
  const char *at = strstr(line, name);
  if (!at) return NULL;
  at += strlen(name);
  if (g_str_has_prefix(at, " set by environment to "))
    at += strlen(" set by environment to ");
  else if (*at++ != '=')
    return NULL;
  g_autofree char *word = g_ascii_strdown(at, (gssize)strspn(at, G_CSET_a_2_z G_CSET_A_2_Z "_128"));
  return *word ? g_string_chunk_insert_const(log->names, word) : NULL;
}

/* What a script or NCCL says of its environment.  After the end of a run it is of the next one. */
static void take_choice(Log *log, const char *line, GPtrArray *hosts)
{
  const char *algorithm = word_after(log, line, "NCCL_ALGO");
  const char *protocol = word_after(log, line, "NCCL_PROTO");
  if (!algorithm && !protocol) return;
  if (log->run.complete) begin_run(log, hosts);
  if (algorithm) log->run.algorithm = algorithm;
  if (protocol) log->run.protocol = protocol;
}

static void add_half(Log *log, const CollRow *row, char *const *values, const double *numbers,
                     bool in_place)
{
  uint32_t base = in_place ? IN : 0;
  CollRow half = *row;
  const char *wrong = values[base + WRONG];
  half.in_place = in_place;
  half.time_us = numbers[base + TIME];
  half.algbw = numbers[base + ALGBW];
  half.busbw = numbers[base + BUSBW];
  double n = wrong ? log_number(wrong) : (double)NAN;
  half.wrong =
      n >= 0 && n < 1e15 ? (int64_t)ceil(n) : -1; /* older versions print the largest error */
  if (half.time_us > 0) g_array_append_val(log->rows, half);
}

static bool is_too_large(const char *text)
{
  int64_t v;
  return text && *text && !text[strspn(text, "0123456789")] && !num_int(text, strlen(text), &v);
}

/* NaN: none, or one of the words for it. */
static bool read_value(const char *text, double *out)
{
  static const char *const none[] = { "N/A", "nan", "-nan", "inf", "-inf" };
  *out = text ? log_number(text) : (double)NAN;
  if (!text || isfinite(*out)) return true;
  for (size_t i = 0; i < G_N_ELEMENTS(none); i++)
    if (!g_ascii_strcasecmp(text, none[i])) return true;
  return false;
}

static bool read_values(char *const *values, double *out)
{
  for (int f = TIME; f <= BUSBW; f++)
    if (!read_value(values[f], &out[f]) || !read_value(values[IN + f], &out[IN + f])) return false;
  return true;
}

static bool is_type(const char *text)
{
  static const char *const types[] = { "int",  "uint",   "float", "double",
                                       "half", "bfloat", "f8",    "fp8" };
  for (size_t i = 0; i < G_N_ELEMENTS(types) && text; i++)
    if (g_str_has_prefix(text, types[i])) return true;
  return false;
}

/* Foreign lines may begin with numbers, too, but do not go on like a row.  The first half of a row is written before it
 * is measured, so a message of NCCL may follow it in the same line.  False: it is a row with a number that nobody can
 * hold. */
static bool take_row(Log *log, char *line, const Layout *layout)
{
  char *tokens[MAX_FIELDS], *values[IN + N_FIELDS] = { NULL };
  double numbers[IN + N_FIELDS];
  CollRow row = { .bytes = -1, .count = -1 };
  uint32_t n = split(line, tokens);
  for (uint32_t i = 0; i < MIN(n, layout->n); i++)
    if (layout->field[i] >= 0) values[layout->field[i]] = tokens[i];
  bool whole = n >= layout->n && read_values(values, numbers);
  if (whole && (is_too_large(values[SIZE]) || is_too_large(values[COUNT]))) return false;
  if (!values[SIZE] || !num_int(values[SIZE], strlen(values[SIZE]), &row.bytes) || row.bytes < 0)
    return true;
  if (values[COUNT] && !num_int(values[COUNT], strlen(values[COUNT]), &row.count)) return true;
  if (!whole) {
    log->n_broken += is_type(values[TYPE]);
    return true;
  }
  if (log->run.complete) log_next_run(log);
  if (values[TYPE]) row.type = g_string_chunk_insert_const(log->names, values[TYPE]);
  if (values[REDOP]) row.redop = g_string_chunk_insert_const(log->names, values[REDOP]);
  add_half(log, &row, values, numbers, false);
  add_half(log, &row, values, numbers, true);
  return true;
}

static bool take_line(Log *log, char *line, GPtrArray *hosts, Layout *io_layout)
{
  if (is_title(line)) {
    begin_run(log, hosts);
    take_title(log, line);
    return true;
  }
  if (*line == '#') {
    take_comment(log, line, hosts, io_layout);
    return true;
  }
  if (strstr(line, "NCCL_")) take_choice(log, line, hosts);
  return !g_ascii_isdigit(*line) || take_row(log, line, io_layout);
}

bool log_read_text(Log *log, const char *text, size_t len, char **out_why, uint64_t *out_line)
{
  g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func(g_free);
  Layout layout = usual;
  char line[MAX_LINE + 1];
  for (const char *p = text, *end = text + len; p < end;) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    size_t n = MIN((size_t)(stop - p), MAX_LINE);
    memcpy(line, p, n);
    line[n] = '\0';
    ++*out_line;
    if (!take_line(log, without_prefix(line), hosts, &layout)) {
      *out_why = g_strdup("a size or count is beyond 63 bits");
      return true;
    }
    p = stop + 1;
  }
  return true;
}

bool log_is_text(const char *text, size_t len)
{
  static const char *const titles[] = { "# nThread ", "rccl-tests: Version",
                                        "# nccl-tests version" };
  static const char *const columns[] = { "algbw", "busbw", "redop" };
  for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
    if (g_strstr_len(text, (gssize)len, titles[i])) return true;
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
    if (!g_strstr_len(text, (gssize)len, columns[i])) return false;
  return true;
}
