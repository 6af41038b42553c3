/* The harness on a source and on a sink: what they do well passes, and what they break is found. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stagemill/sink.h>
#include <stagemill/source.h>

#include "hear.h"

static enum { NONE, COUNT_BATCHES, UNKNOWN_KEY, ADD_TOO_LATE, POSITIVE_STATUS } violation;

/* ---- a source: lines of NAME TS DUR [KEY VALUE]; "rank N" and "lane" stand alone */

typedef struct PairsOptions {
  int64_t scale;
} PairsOptions;

typedef struct Pairs {
  const MillSourceHost *host;
  int64_t scale;
  const MillHost *common;
  char text[4096];
  char *next;
} Pairs;

static int pairs_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self, (void)len;
  return strstr(name, ".pairs") ? 90 : strncmp(bytes, "#pairs", 6) ? 0 : 50;
}

static int pairs_open(const MillSource *self, const MillSourceHost *host, const void *options,
                      void **out)
{
  (void)self;
  Pairs *p = mill_new(host->common, sizeof *p);
  if (!p) return -MILL_LIMIT;
  p->host = host;
  p->scale = ((const PairsOptions *)options)->scale;
  p->common = host->common;
  *out = p;
  return 0;
}

static void describe_text(const Pairs *p, const char *key, const char *text)
{
  p->host->describe(p->host, key, mill_text(text, strlen(text)));
}

static int pairs_describe(void *instance)
{
  const Pairs *p = instance;
  const char *bytes;
  int64_t len = p->host->peek(p->host, false, &bytes);
  g_autofree char *text = g_strndup(bytes, (gsize)len);
  const char *rank = strstr(text, "rank ");
  if (rank) p->host->describe(p->host, "rank", mill_int(atoi(rank + 5)));
  p->host->describe(p->host, "base_ns", mill_int(2000));
  describe_text(p, "dialect", "v1");
  describe_text(p, "fact", "slices");
  describe_text(p, "tag", "kind=small");
  if (violation == UNKNOWN_KEY) describe_text(p, "colour", "red");
  return 0;
}

static int pairs_start(void *instance)
{
  Pairs *p = instance;
  int64_t n = p->host->read(p->host, p->text, sizeof p->text - 1);
  p->next = p->text;
  return n < 0 ? (int)n : 0;
}

static bool is_wanted(const Pairs *p, const char *key, uint32_t *out_as)
{
  MillReadRows wanted = p->host->wanted(p->host);
  for (uint32_t i = 0; i < wanted.n; i++) {
    const MillRead *read = MILL_AT(MillRead, wanted, i);
    *out_as = read->as;
    if (!strcmp(read->name, "*") || !strcmp(read->name, key)) return true;
  }
  return false;
}

static void add_value(const Pairs *p, MillBatch *b, const char *key, const char *value)
{
  uint32_t as;
  if (!is_wanted(p, key, &as)) return;
  MillValue v = as == MILL_AS_INT ? mill_int(atoi(value)) : mill_text(value, strlen(value));
  p->host->add_attr(p->host, b, p->common->intern(p->common, key, strlen(key)), v);
}

static void add_event(const Pairs *p, MillBatch *b, const char *line)
{
  char name[32], key[32], value[32];
  int ts, dur, n = sscanf(line, "%31s %d %d %31s %31s", name, &ts, &dur, key, value);
  if (n < 3) {
    p->common->note(p->common, 1, NULL, MILL_NO_EVENT, NULL, 0);
    return;
  }
  MillEvent *e = &mill_events(b)[b->n_events++];
  *e = (MillEvent){ .kind = MILL_SLICE, .ts_ns = ts * p->scale, .dur_ns = dur };
  e->name = p->common->intern(p->common, name, strlen(name));
  e->track = p->host->track(p->host, mill_int(0), mill_int(0));
  if (violation == COUNT_BATCHES) e->dur_ns += b->n_events;
  if (n == 5) add_value(p, b, key, value);
}

static int pairs_next(void *instance, MillBatch *b)
{
  Pairs *p = instance;
  while (*p->next && b->n_events < b->max_events) {
    char *line = p->next, *end = strchr(line, '\n');
    p->next = end ? end + 1 : line + strlen(line);
    if (end) *end = 0;
    if (!strcmp(line, "lane")) return MILL_NEXT_LANE;
    if (!strcmp(line, "stop")) return mill_fail(p->common, MILL_BAD_INPUT, "it says stop", NULL);
    if (*line != '#' && strncmp(line, "rank ", 5)) add_event(p, b, line);
  }
  if (violation == ADD_TOO_LATE) p->host->add_input(p->host, NULL);
  return *p->next ? MILL_NEXT_MORE : MILL_NEXT_END;
}

static const MillOption pairs_options[] = { MILL_INT_OPTION(PairsOptions, scale, "scale", "1",
                                                            "1:", NULL, "Of times") };
static const MillNotice pairs_notices[] = { MILL_WARNING(
    1, "{count} line[|s] [is|are] no event[|s]", NULL, NULL, "Too short.") };
static const MillSourceOps pairs_ops = { .size = sizeof pairs_ops,
                                         .probe = pairs_probe,
                                         .open = pairs_open,
                                         .describe = pairs_describe,
                                         .start = pairs_start,
                                         .next = pairs_next };
static const char *const pairs_facts[] = { "slices", NULL };
static const MillSource pairs = { .size = sizeof pairs,
                                  .name = "acme.pairs",
                                  .options_size = sizeof(PairsOptions),
                                  .options = MILL_ROWS(pairs_options),
                                  .version = "1",
                                  .tag = "PAIRS",
                                  .title = "Pairs of numbers",
                                  .help = "For tests of the harness.",
                                  .may_provide = pairs_facts,
                                  .notices = MILL_ROWS(pairs_notices),
                                  .ops = &pairs_ops };
static const MillModule pairs_module = {
  MILL_MAGIC, sizeof(MillModule), MILL_ABI, MILL_KIND_SOURCE, &pairs, "acme", "MIT"
};

static void reads_events(void)
{
  given_bytes("#pairs\nrank 3\na 0 10\nb 5 2 k 7\n?\n");
  expect("X a 0 10", "X b 5 2 {k=\"7\"}");
  expect_attr(1, "k", "7");
  expect_notice(1, 1);
  expect_described(0, "rank=3 base=2us dialect=v1 tag.kind=small fact=slices fact=-");
  expect_status(0);
}

static void takes_options(void)
{
  with("scale=3");
  given_bytes("a 5 1\n");
  expect("X a 15 1");
}

static void probes(void)
{
  expect_probe("#pairs", "x.txt", 50);
  expect_probe("what", "x.pairs", 90);
  expect_probe("what", "x.txt", 0);
}

static void users_tell_more(void)
{
  given_lane("label=x tag.kind=large name=rank5.pairs");
  given_bytes("a 0 1\n");
  given_bytes("rank 6\nb 0 1\n");
  given_lane("rank=9");
  given_data("rank 7\nc 0 1\nd 0 1\n", 13);
  expect_described(0, "rank=5 label=x tag.kind=large");
  expect_described(1, "rank=6 tag.kind=small");
  expect_described(2, "rank=9");
  expect_lane(1, "X b 0 1");
  expect_lane(2, "X c 0 1");
}

/* The events before the word are of one lane, those after it of another. */
static void one_input_has_two_lanes(void)
{
  given_bytes("a 0 1\nlane\nb 0 1\n");
  expect_lane(0, "X a 0 1");
  expect_lane(1, "X b 0 1");
}

static void a_bad_input_is_expected(void)
{
  given_bytes("a 0 1\nstop\n");
  expect_status(MILL_BAD_INPUT);
}

static void no_bytes_are_no_input(void)
{
  given_bytes("");
  expect_status(MILL_BAD_INPUT);
}

static void a_file_is_read_where_it_is(void)
{
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "harness-XXXXXX", NULL);
  int fd = g_mkstemp(path);
  CHECK(fd >= 0 && write(fd, "a 3 4\n", 6) == 6);
  given_file(path);
  expect("X a 3 4");
  harness_clear();
  close(fd);
  CHECK(unlink(path) == 0);
}

/* ---- the stage that wants k as a number, and reports */

static int reporter_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out)
{
  (void)self, (void)options, (void)level;
  *out = (void *)host;
  return 0;
}

static int reporter_process(void *instance, MillBatch *b)
{
  (void)instance, (void)b;
  return 0;
}

static int reporter_report(void *instance)
{
  const MillStageHost *host = instance;
  MillLane at = { .size = sizeof at };
  host->common->lane(host->common, MILL_NO_LANE, &at);
  MillValue cells[] = { mill_int(at.index + 10) };
  return host->cells(host, 0, cells, 1);
}

static const MillRead reporter_reads[] = { { "k", MILL_AS_INT, 0 } };
static const MillColumn reporter_columns[] = { MILL_CELL_COLUMN("n", "count", MILL_INT, 0,
                                                                "A number") };
static const MillTable reporter_tables[] = { { .per = MILL_PER_LANE,
                                               .name = "numbers",
                                               .help = "Numbers",
                                               .columns = MILL_ROWS(reporter_columns) } };
static const MillStageOps reporter_ops = { .size = sizeof reporter_ops,
                                           .open = reporter_open,
                                           .process = reporter_process,
                                           .report = reporter_report };
static const MillStage reporter = { .size = sizeof reporter,
                                    .scope = MILL_SCOPE_LANE,
                                    .flags = MILL_READ_ONLY,
                                    .name = "reporter",
                                    .family = "test",
                                    .version = "1",
                                    .tag = "REP",
                                    .title = "Reports",
                                    .help = "For tests of the harness.",
                                    .reads = MILL_ROWS(reporter_reads),
                                    .tables = MILL_ROWS(reporter_tables),
                                    .ops = &reporter_ops };

static void only_what_is_wanted(void)
{
  with_stage(&reporter);
  given_bytes("a 0 1 k 7\nb 0 1 l 8\n");
  expect("X a 0 1 {k=7}", "X b 0 1");
}

static void a_source_is_tested(void)
{
  hear_good(&pairs_module, reads_events);
  hear_good(&pairs_module, takes_options);
  hear_good(&pairs_module, probes);
  hear_good(&pairs_module, users_tell_more);
  hear_good(&pairs_module, one_input_has_two_lanes);
  hear_good(&pairs_module, a_bad_input_is_expected);
  hear_good(&pairs_module, no_bytes_are_no_input);
  hear_good(&pairs_module, a_file_is_read_where_it_is);
  hear_good(&pairs_module, only_what_is_wanted);
}

static void wrong_probe(void) { expect_probe("#pairs", "x.txt", 51); }

static void sure_of_all(void) { expect_probe("#pairs", "x.txt", 0); }

static void wrong_rank(void)
{
  given_bytes("rank 3\na 0 1\n");
  expect_described(0, "rank=4");
}

static void wrong_type(void)
{
  given_bytes("a 0 1 k 7\n");
  expect("X a 0 1 {k=7}");
}

static void events_for_a_source(void) { given("X a 0 1"); }

static void base_for_a_source(void) { given_lane("base=1s"); }

static void no_such_file(void) { given_file("/nowhere/at/all"); }

static void two_events(void) { given_bytes("a 0 1\nb 0 1\n"); }

static void what_a_source_breaks_is_found(void)
{
  hear_bad(&pairs_module, wrong_probe, "the source is 50 sure of x.txt, expected at least 51");
  hear_bad(&pairs_module, sure_of_all, "the source is 50 sure of x.txt, expected 0");
  hear_bad(&pairs_module, wrong_rank, "rank of the lane is 3, expected 4");
  hear_bad(&pairs_module, wrong_type,
           "event 0 is X a 0 1ns {k=\"7\"}\n      expected X a 0 1ns {k=7}");
  hear_bad(&pairs_module, events_for_a_source, "a source is given bytes");
  hear_bad(&pairs_module, base_for_a_source, "\"base=1s\" is not a fact of a lane");
  hear_bad(&pairs_module, no_such_file, "there is no file /nowhere/at/all");
  violation = COUNT_BATCHES;
  hear_bad(&pairs_module, two_events, "property: a batch size of 1 changes the result");
  violation = UNKNOWN_KEY;
  hear_bad(&pairs_module, two_events,
           "source \"acme.pairs\" 1 broke its contract: set a value of the lane that does not "
           "exist [unknown-key]");
  violation = ADD_TOO_LATE;
  hear_bad(&pairs_module, two_events, "asked for add_input in next or parse");
  violation = NONE;
}

/* ---- a sink: names, attribute k, and rows of tables */

typedef struct ListOptions {
  const char *title;
} ListOptions;

typedef struct List {
  const MillSinkHost *host;
  const MillHost *common;
  const char *title;
  MillSym k;
} List;

static int list_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out)
{
  (void)self, (void)level;
  List *l = mill_new(host->common, sizeof *l);
  if (!l) return -MILL_LIMIT;
  l->host = host;
  l->common = host->common;
  l->title = ((const ListOptions *)options)->title;
  l->k = host->common->intern(host->common, "k", 1);
  *out = l;
  return 0;
}

static int put(const List *l, const char *name, const char *text)
{
  return l->host->output(l->host, name, "--\n", text, strlen(text));
}

static int list_begin(void *instance)
{
  const List *l = instance;
  return *l->title ? put(l, "list.txt.gz", l->title) : 0;
}

static int list_write(void *instance, const MillBatch *b)
{
  const List *l = instance;
  int status = violation == COUNT_BATCHES ? put(l, "list.txt.gz", "batch\n") : 0;
  for (uint32_t i = 0; i < b->n_events && !status; i++) {
    int64_t k = -1;
    mill_attr_int(b, &b->events[i], l->k, &k);
    if (k == 13) return mill_fail(l->common, MILL_OUTPUT_FAILED, "13 cannot be written", NULL);
    if (k < 0) l->common->note(l->common, 1, b, i, NULL, 0);
    g_autofree char *line = g_strdup_printf(
        "%s %d\n", l->common->symbol_text(l->common, b->events[i].name, NULL), (int)k);
    status = put(l, "list.txt.gz", line);
  }
  return violation == POSITIVE_STATUS ? 1 : status;
}

static int list_results(void *instance, const MillResults *r)
{
  const List *l = instance;
  int status = 0;
  for (uint32_t t = 0; t < r->n_tables && !status; t++) {
    MillTableResult table = { .size = sizeof table };
    r->table(r, t, &table);
    for (uint64_t i = 0; i < table.n_rows && !status; i++) {
      const MillValue *cells = r->row(r, t, i);
      g_autofree char *line = g_strdup_printf("%s %d %d\n", table.name, (int)cells[0].u.i,
                                              (int)cells[table.columns.n - 1].u.i);
      status = put(l, "rows.txt", line);
    }
  }
  return status;
}

static const MillOption list_options[] = { MILL_STRING_OPTION(ListOptions, title, "title", "",
                                                              "The first line") };
static const MillNotice list_notices[] = { MILL_INFO(1, "no k", NULL, NULL, "There is none.") };
static const MillRead list_reads[] = { { "k", MILL_AS_INT, 0 } };
static const MillSinkOps list_ops = { .size = sizeof list_ops,
                                      .open = list_open,
                                      .begin_run = list_begin,
                                      .write = list_write,
                                      .results = list_results };
static const MillSink list = { .size = sizeof list,
                               .options_size = sizeof(ListOptions),
                               .name = "acme.list",
                               .format = "list",
                               .version = "1",
                               .tag = "LIST",
                               .title = "Names",
                               .help = "For tests of the harness.",
                               .options = MILL_ROWS(list_options),
                               .notices = MILL_ROWS(list_notices),
                               .reads = MILL_ROWS(list_reads),
                               .ops = &list_ops };
static const MillModule list_module = {
  MILL_MAGIC, sizeof(MillModule), MILL_ABI, MILL_KIND_SINK, &list, "acme", "MIT"
};

static void writes_lanes_in_order(void)
{
  with("title=Names:\n");
  given_lane("rank=0");
  given("X a 0 1 {k=7, l=8}", "X b 1 1");
  given_lane("rank=1");
  given("X c 0 1 {k=\"0x10\"}");
  expect_output("list.txt.gz", "Names:\na 7\nb -1\n--\nc 16\n");
  expect_output("rows.txt", NULL);
  expect_notice(1, 1);
}

static void writes_rows(void)
{
  with_stage(&reporter);
  given_lane("rank=4");
  given("X a 0 1 {k=1}");
  given_lane("rank=5");
  expect_output("rows.txt", "numbers 4 10\nnumbers 5 11\n");
  expect_output("list.txt.gz", "a 1\n");
}

static void what_cannot_be_written(void)
{
  given("X a 0 1 {k=13}");
  expect_status(MILL_OUTPUT_FAILED);
}

static void a_sink_is_tested(void)
{
  hear_good(&list_module, writes_lanes_in_order);
  hear_good(&list_module, writes_rows);
  hear_good(&list_module, what_cannot_be_written);
}

static void wrong_text(void)
{
  given("X a 0 1 {k=1}");
  expect_output("list.txt.gz", "a 2\n");
}

static void wrong_file(void)
{
  given("X a 0 1 {k=1}");
  expect_output("rows.txt", "");
}

static void some_file(void)
{
  given("X a 0 1 {k=1}");
  expect_output("list.txt.gz", NULL);
}

static void bytes_for_a_sink(void) { given_bytes("x"); }

static void unknown_title(void) { with("tilte=x"); }

static void two_given(void) { given("X a 0 1 {k=1}", "X b 0 1 {k=2}"); }

static void what_a_sink_breaks_is_found(void)
{
  hear_bad(&list_module, wrong_text, "list.txt.gz is:\na 1\n\n      expected:\na 2\n");
  hear_bad(&list_module, wrong_file, "there is no file rows.txt, only: list.txt.gz");
  hear_bad(&list_module, some_file, "there is a file list.txt.gz");
  hear_bad(&list_module, bytes_for_a_sink, "only a source is given bytes");
  hear_bad(&list_module, unknown_title, "sink \"acme.list\" has no option \"tilte\"");
  violation = COUNT_BATCHES;
  hear_bad(&list_module, two_given, "property: a batch size of 1 changes the result");
  violation = POSITIVE_STATUS;
  hear_bad(&list_module, two_given, "sink \"acme.list\" 1 broke its contract: returned a positive");
  violation = NONE;
}

TEST_MAIN({ "a source is tested", a_source_is_tested },
          { "what a source breaks is found", what_a_source_breaks_is_found },
          { "a sink is tested", a_sink_is_tested },
          { "what a sink breaks is found", what_a_sink_breaks_is_found })
