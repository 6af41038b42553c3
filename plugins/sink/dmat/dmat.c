/* The dmat sink: accesses of each input as a condensed trace, pages by clock. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>
#include <string.h>

#include "kit/trace/probe-pairs.h"
#include "kit/trace/probe.h"

enum { NOTICE_NONE = 20, NOTICE_FAR = 1, NOTICE_COUNT = 2 };
#define FLUSH_BYTES ((guint)1 << 20)

typedef struct Options {
  int64_t page;
  bool keep_empty;
} Options;

typedef struct Sink {
  const MillSinkHost *host;
  const Options *options;
  ProbeReader reader;
  ProbePairs pairs;
  uint64_t used;
  bool any;
  GByteArray *out;
  char *name; /* of the file */
} Sink;

static const MillNotice notices[] = {
  MILL_ERROR(NOTICE_FAR, "a clock is beyond 2^39", "check whether the schema is the right one",
             "Clocks count from the start of a thread: 2^39 cycles are minutes."),
  MILL_ERROR(NOTICE_COUNT, "a page has more than 2^32 references at a clock", NULL,
             "A condensed trace counts references in 32 bits."),
  MILL_INFO(
      NOTICE_NONE, "{count} input[|s] [has|have] no accesses", "nothing was written for [it|them]",
      NULL,
      "Condensed traces hold accesses: records of the schema dmat, or those of another .dmat."),
};

/* accesses.bin becomes accesses.dmat. */
static char *file_name(const Sink *s)
{
  MillLane lane = { .size = sizeof lane };
  s->host->common->lane(s->host->common, MILL_NO_LANE, &lane);
  g_autofree char *base = g_path_get_basename(lane.path ? lane.path : "accesses");
  char *dot = strstr(base, ".bin");
  if (!dot) dot = strstr(base, ".dmat");
  if (dot) *dot = 0;
  if (lane.index == 0) return g_strconcat(base, ".dmat", NULL);
  return g_strdup_printf("%s-%u.dmat", base, lane.index);
}

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->options = options;
  *out_instance = s;
  if (level == MILL_RUN) return 0;
  s->out = g_byte_array_new();
  probe_open(&s->reader, host->common);
  probe_pairs_open(&s->pairs, host->common, (uint64_t)s->options->page, UINT64_MAX);
  return 0;
}

static int add_unit(Sink *s, const MillBatch *b, const MillEvent *e)
{
  ProbeUnit u;
  size_t n, n_addresses;
  if (!probe_unit(&s->reader, b, e, &u) || u.section->kind != PROBE_DMAT) return 0;
  const MillAttr *clock = probe_list(&s->reader, &u, PROBE_CLOCK, &n);
  const MillAttr *address = probe_list(&s->reader, &u, PROBE_ADDRESS, &n_addresses);
  int status = 0;
  for (size_t i = 0; i < n && i < n_addresses && status == 0; i++) {
    if (!clock[i].u.i && !address[i].u.i) continue;
    s->used++;
    if (clock[i].u.i != -1)
      status = probe_pairs_add(&s->pairs, (uint64_t)clock[i].u.i, (uint64_t)address[i].u.i, 1);
  }
  return status;
}

static int add_page(Sink *s, const MillBatch *b, const MillEvent *e)
{
  int64_t clock = 0, page = 0, count = 0;
  mill_attr_int(b, e, s->reader.keys[PROBE_CLOCK], &clock);
  mill_attr_int(b, e, s->reader.keys[PROBE_PAGE], &page);
  mill_attr_int(b, e, s->reader.keys[PROBE_COUNT], &count);
  if (clock == -1 || count <= 0) return 0;
  return probe_pairs_add(&s->pairs, (uint64_t)clock, (uint64_t)page, (uint64_t)count);
}

static int write_batch(void *instance, const MillBatch *b)
{
  Sink *s = instance;
  int status = 0;
  for (uint32_t i = 0; i < b->n_events && status == 0; i++) {
    const MillEvent *e = &b->events[i];
    if (e->kind != MILL_RECORD) continue;
    if (e->name == s->reader.unit)
      status = add_unit(s, b, e);
    else if (e->name == s->reader.page)
      status = add_page(s, b, e);
    else
      probe_take(&s->reader, b, e);
  }
  return status;
}

/* ------------------------------------------------------------------- the file */

static int put(Sink *s, uint64_t v, guint bytes)
{
  uint64_t little = GUINT64_TO_LE(v);
  int status = 0;
  g_byte_array_append(s->out, (const guint8 *)&little, bytes);
  if (s->out->len < FLUSH_BYTES) return 0;
  status = s->host->output(s->host, s->name, NULL, s->out->data, s->out->len);
  g_byte_array_set_size(s->out, 0);
  return status;
}

static int fail(const Sink *s, uint32_t number)
{
  const MillFailure f = { .size = sizeof f,
                          .status = MILL_LIMIT,
                          .number = number,
                          .line = __LINE__,
                          .file = __FILE__,
                          .what = notices[number - 1].what,
                          .help = notices[number - 1].help };
  return s->host->common->fail(s->host->common, &f);
}

static uint64_t clock_of(const ProbePairRow *r) { return r->key >> PROBE_PAGE_BITS; }

static int put_clock(Sink *s, const ProbePairRows *rows, size_t from, size_t end)
{
  int status = put(s, clock_of(&rows->at[from]), 8);
  if (status == 0) status = put(s, end - from, 8);
  for (size_t i = from; i < end && status == 0; i++) {
    size_t page = rows->at[i].key & (((uint64_t)1 << PROBE_PAGE_BITS) - 1);
    if (rows->at[i].count > UINT32_MAX) return fail(s, NOTICE_COUNT);
    status = put(s, rows->pages[page], 8);
    if (status == 0) status = put(s, rows->at[i].count, 4);
  }
  return status;
}

static int put_all(Sink *s, const ProbePairRows *rows)
{
  uint64_t clocks = 0;
  for (size_t i = 0; i < rows->n; i++)
    clocks += i == 0 || clock_of(&rows->at[i]) != clock_of(&rows->at[i - 1]);
  int status = put(s, rows->n_pages, 8);
  if (status == 0) status = put(s, clocks, 8);
  for (size_t i = 0; i < rows->n_pages && status == 0; i++) status = put(s, rows->pages[i], 8);
  for (size_t i = 0, end; i < rows->n && status == 0; i = end) {
    for (end = i; end < rows->n && clock_of(&rows->at[end]) == clock_of(&rows->at[i]);) end++;
    status = put_clock(s, rows, i, end);
  }
  if (status < 0 || s->out->len == 0) return status;
  return s->host->output(s->host, s->name, NULL, s->out->data, s->out->len);
}

static int add_empty(Sink *s)
{
  uint64_t places = 0;
  for (uint32_t i = 0; i < s->reader.n_sections; i++)
    if (s->reader.sections[i].kind == PROBE_DMAT)
      places += (uint64_t)s->reader.sections[i].units * (uint64_t)s->reader.sections[i].capacity;
  if (!s->options->keep_empty || places <= s->used) return 0;
  return probe_pairs_add(&s->pairs, 0, 0, places - s->used);
}

static int finish(void *instance)
{
  Sink *s = instance;
  ProbePairRows rows;
  int status = add_empty(s);
  if (status < 0) return status;
  if (s->pairs.cut) return fail(s, NOTICE_FAR);
  if (s->pairs.n == 0) {
    mill_note(s->host->common, NOTICE_NONE);
    return 0;
  }
  s->name = file_name(s);
  return probe_pairs_rows(&s->pairs, true, &rows) ? put_all(s, &rows) : -MILL_LIMIT;
}

static void close_sink(void *instance)
{
  Sink *s = instance;
  if (s->out) g_byte_array_unref(s->out);
  g_free(s->name);
}

static const MillOption options[] = {
  MILL_SIZE_OPTION(Options, page, "page", "64KiB", "64KiB:1GiB", "Bytes of a page: a power of two"),
  MILL_BOOL_OPTION(Options, keep_empty, "keep-empty", "false",
                   "Count unwritten records as page 0 at clock 0"),
};

static const MillRead reads[] = { PROBE_READS, RECORD_INT("clock"), RECORD_INT("address"),
                                  RECORD_INT("page"), RECORD_INT("count") };

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .write = write_batch,
  .finish = finish,
  .close = close_sink,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .options_size = sizeof(Options),
  .name = "dmat",
  .format = "dmat",
  .version = "1.0.0",
  .tag = "DMAT",
  .title = "Accesses of a launch, condensed",
  .help =
      "Writes how often each page was referenced at each clock, as a .dmat for each input that has "
      "accesses: sorted by clock, then page.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
