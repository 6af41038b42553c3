/* The tuner-conf source: the file that NCCL's tuner plugin reads, line by line. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/source.h>
#include <string.h>

#include "kit/read/input.h"
#include "kit/read/record.h"
#include "kit/read/source-new.h"

enum { NO_LINES = 1, TOO_LONG = 2, N_NOTICES = 2 };
enum { KEY_LINE, KEY_BYTES, KEY_RULE, N_KEYS };
#define MAX_BYTES ((size_t)1 << 20)

static const MillNotice notices[N_NOTICES] = {
  MILL_ERROR(NO_LINES, "the file has no rules",
             "collective,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks",
             "All lines are empty or comments: the plugin would leave everything to NCCL."),
  MILL_ERROR(TOO_LONG, "the file is too long", NULL,
             "Files of rules have some hundred lines. A file above 1 MiB is something else."),
};

typedef struct Source {
  const MillSourceHost *host;
  RecordWriter writer;
  MillSym record;
  GString *text;
  size_t pos;
  int64_t line, n_rules;
} Source;

static int fail(const Source *s, uint32_t number)
{
  return input_fail(s->host->common, notices, number, MILL_BAD_INPUT, NULL, NULL, NULL);
}

static int start(void *instance)
{
  static const char *const keys[N_KEYS] = { "line", "bytes", "rule" };
  Source *s = instance;
  record_init(&s->writer, s->host, keys, N_KEYS);
  s->record = symbol_of(s->host->common, "tuner.line");
  int status = input_read_all(s->host, MAX_BYTES, s->text);
  return status > 0 ? fail(s, TOO_LONG) : status;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* False: the batch is full. */
static bool give_line(Source *s, MillBatch *b, const char *line, size_t len)
{
  if (!record_begin(&s->writer, b, s->record, N_KEYS)) return false;
  g_autofree char *valid = g_utf8_make_valid(line, (gssize)len);
  record_int(&s->writer, b, KEY_LINE, s->line);
  record_int(&s->writer, b, KEY_BYTES, (int64_t)len);
  record_text(&s->writer, b, KEY_RULE, valid, strlen(valid));
  s->n_rules++;
  return true;
}

static int next(void *instance, MillBatch *b)
{
  Source *s = instance;
  while (s->pos < s->text->len) {
    const char *line = s->text->str + s->pos, *all_end = s->text->str + s->text->len;
    const char *end = memchr(line, '\n', (size_t)(all_end - line));
    if (!end) end = all_end;
    const char *first = line;
    s->line++;
    while (first < end && is_blank(*first)) first++;
    bool is_rule = first < end && *first != '#';
    if (is_rule && !give_line(s, b, line, (size_t)(end - line))) {
      s->line--;
      return MILL_NEXT_MORE;
    }
    s->pos = (size_t)(end - s->text->str) + 1;
  }
  return s->n_rules ? MILL_NEXT_END : fail(s, NO_LINES);
}

/* ------------------------------------------------------------------ source */

/* Words and numbers of a rule: "allreduce,0,65536,tree,ll,2,1,-1". */
static const char form[] = "wnnwwnnn";

static bool is_rule(const char *line, size_t len)
{
  g_autofree char *copy = g_strndup(line, MIN(len, 400));
  g_auto(GStrv) fields = g_strsplit(copy, ",", 16);
  if (g_strv_length(fields) < strlen(form)) return false;
  for (uint32_t i = 0; form[i]; i++) {
    const char *text = g_strstrip(fields[i]);
    if (form[i] == 'w' ? !g_ascii_isalpha(*text) : !*text || text[strspn(text, "-0123456789")])
      return false;
  }
  return true;
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  g_autofree char *base = g_path_get_basename(name ? name : "");
  for (const char *p = bytes, *end = bytes + len; p < end;) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    while (p < stop && is_blank(*p)) p++;
    if (p < stop && *p != '#') return is_rule(p, (size_t)(stop - p)) ? 80 : 0;
    p = stop + 1;
  }
  return !strcmp(base, "nccl_tuner.conf") ? 60 : 0;
}

static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  Source *s = source_new(Source, host, out_instance);
  if (!s) return -MILL_LIMIT;
  s->text = g_string_new(NULL);
  return 0;
}

static void close_source(void *instance) { g_string_free(((Source *)instance)->text, TRUE); }

static const char *const provides[] = { "input.tuner-conf", NULL };

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .open = open_source,
  .start = start,
  .next = next,
  .close = close_source,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "tuner-conf",
  .version = "0.1.0",
  .tag = "TCONF",
  .title = "The file of NCCL's tuner plugin",
  .help = "Reads the lines that NCCL's example tuner plugin reads (NCCL_TUNER_CONFIG_FILE, "
          "nccl_tuner.conf); comments and empty lines are skipped.",
  .provides = provides,
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
