/* A stage that tells one lie of a table, of those that need few lines; see lies.h. */
/* SPDX-License-Identifier: MIT */
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stagemill/stage.h>
#include <unistd.h>

#include "lies.h"

typedef struct Options {
  int64_t n;
  const char *text;
} Options;

typedef struct Row {
  int64_t n;
  MillText text;
} Row;

typedef struct Liar {
  const MillStageHost *host;
  const MillHost *common;
  Options *options; /* not ours to write */
  MillBatch *before; /* the batch of an earlier call */
  uint32_t n_batches;
} Liar;

typedef int (*Tell)(Liar *s, MillBatch *b);
typedef struct Lie {
  const char *name;
  Tell tell;
} Lie;
#define LIE(name) static int name(Liar *s, MillBatch *b)
#define UNUSED (void)s, (void)b

/* --------------------------------------------------------------------- failure */

static int fail_with(Liar *s, MillFailure f) { return s->common->fail(s->common, &f); }
static MillFailure failure(const char *what)
{
  return (MillFailure){ .size = sizeof(MillFailure), .status = MILL_STAGE_FAILED, .what = what };
}

LIE(fails_and_returns_0)
{
  (void)b;
  fail_with(s, failure("it had to"));
  return 0;
}
LIE(failure_of_no_size)
{
  MillFailure f = failure("it had to");
  f.size = 0;
  (void)b;
  return fail_with(s, f);
}
LIE(failure_of_status_0)
{
  MillFailure f = failure("it had to");
  f.status = 0;
  (void)b;
  return fail_with(s, f);
}
LIE(failure_of_status_99)
{
  MillFailure f = failure("it had to");
  f.status = 99;
  (void)b;
  return fail_with(s, f);
}
LIE(failure_without_text) { (void)b; return fail_with(s, failure(NULL)); }
LIE(failure_of_odd_bytes) { (void)b; return fail_with(s, failure(NOT_UTF8)); }
LIE(forged_failure) { (void)b; return fail_with(s, failure(FORGED)); }
LIE(fails_for_ever)
{
  (void)b;
  for (int k = 0; k < 100000; k++) fail_with(s, failure("it had to"));
  return -MILL_STAGE_FAILED;
}
LIE(least_status) { UNUSED; return INT32_MIN; }

/* ----------------------------------------------------------------- common calls */

LIE(name_of_nothing) { (void)b; return s->common->intern(s->common, NULL, 5) ? 0 : -1; }
LIE(text_of_no_symbol)
{
  (void)b;
  size_t len = 1;
  const char *text = s->common->symbol_text(s->common, UINT32_MAX, &len);
  return len == 0 && !*text ? 0 : -1;
}
LIE(match_of_no_symbol) { (void)b; return s->common->match_sym(s->common, NULL, UINT32_MAX) ? -1 : 0; }
LIE(lane_of_no_size)
{
  MillLane lane = { .size = 0 };
  (void)b;
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  return lane.name ? -1 : 0;
}
LIE(lane_that_is_not_there)
{
  MillLane lane = { .size = sizeof lane };
  (void)b;
  s->common->lane(s->common, 77, &lane);
  return lane.index == MILL_NO_LANE ? 0 : -1;
}
LIE(track_that_is_not_there)
{
  MillTrack track = { .size = sizeof track };
  (void)b;
  s->common->track_info(s->common, 1u << 30, &track);
  return s->common->track_lane(s->common, UINT32_MAX) == MILL_NO_LANE ? 0 : -1;
}
LIE(track_beside_nothing)
{
  (void)b;
  return s->host->track_beside(s->host, 1u << 30, mill_int(1), mill_int(1)) == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}
LIE(tag_of_nothing) { (void)b; return s->common->tag(s->common, MILL_NO_LANE, NULL) ? -1 : 0; }
LIE(unknown_extension) { (void)b; return s->common->extension(s->common, "rogue/7") ? -1 : 0; }
LIE(writes_a_name)
{
  (void)b;
  ((char *)(uintptr_t)s->common->symbol_text(s->common, b->events[0].name, NULL))[0] = 'Z';
  return 0;
}
LIE(writes_the_name_of_a_lane)
{
  MillLane lane = { .size = sizeof lane };
  (void)b;
  s->common->lane(s->common, MILL_NO_LANE, &lane);
  ((char *)(uintptr_t)lane.name)[0] = 'Z';
  return 0;
}
LIE(writes_an_option) { (void)b; s->options->n++; return 0; }
LIE(writes_the_text_of_an_option) { (void)b; ((char *)(uintptr_t)s->options->text)[0] = 'Z'; return 0; }
LIE(writes_the_host) { (void)b; ((MillStageHost *)(uintptr_t)s->host)->set = NULL; return 0; }
LIE(writes_the_common_host) { (void)b; ((MillHost *)(uintptr_t)s->common)->log = NULL; return 0; }

LIE(note_of_no_event) { s->common->note(s->common, 1, b, 1u << 20, NULL, 0); return 0; }
LIE(note_of_nothing) { s->common->note(s->common, 1, b, 0, NULL, 1); return 0; }
LIE(note_without_a_name)
{
  MillNamed value = { NULL, mill_int(1) };
  s->common->note(s->common, 1, b, 0, &value, 1);
  return 0;
}
LIE(note_of_no_symbol)
{
  MillNamed value = { "name", mill_sym(1u << 30) };
  s->common->note(s->common, 1, b, 0, &value, 1);
  return 0;
}
LIE(note_of_no_text)
{
  MillNamed value = { "name", mill_text(NULL, 5) };
  s->common->note(s->common, 1, b, 0, &value, 1);
  return 0;
}
LIE(forged_note)
{
  MillNamed value = { "name", mill_text(FORGED, sizeof FORGED - 1) };
  s->common->note(s->common, 1, b, 0, &value, 1);
  return 0;
}
LIE(log_of_odd_level) { (void)b; s->common->log(s->common, 99, "x"); s->common->log(s->common, 0, "x"); return 0; }
LIE(forged_log) { (void)b; s->common->log(s->common, MILL_LEVEL_ERROR, FORGED); return 0; }
LIE(log_of_nothing) { (void)b; s->common->log(s->common, MILL_LEVEL_ERROR, NULL); return 0; }
LIE(log_for_ever)
{
  (void)b;
  for (int k = 0; k < 1000000; k++) s->common->log(s->common, MILL_LEVEL_ERROR, "rogue.lies-stage was here");
  return 0;
}

/* ----------------------------------------------------------------------- memory */

LIE(resizes_its_stack)
{
  char own[64] = { 0 };
  (void)b;
  return s->common->resize(s->common, own, 128) ? 0 : -MILL_LIMIT;
}
LIE(frees_twice)
{
  void *memory = s->common->resize(s->common, NULL, 64);
  (void)b;
  s->common->resize(s->common, memory, 0);
  s->common->resize(s->common, memory, 0);
  return 0;
}
LIE(resizes_scratch)
{
  void *memory = s->common->scratch(s->common, 64);
  (void)b;
  return s->common->resize(s->common, memory, 128) ? 0 : -MILL_LIMIT;
}
LIE(all_of_memory) { (void)b; return s->common->scratch(s->common, SIZE_MAX) ? 0 : -MILL_LIMIT; }
LIE(no_memory) { (void)b; return s->common->scratch(s->common, 0) ? 0 : -MILL_LIMIT; }

/* ----------------------------------------------------------------------- events */

LIE(other_flags) { mill_events(b)[0].flags |= 0xc0; UNUSED; return 0; }
LIE(left_out_by_hand) { mill_events(b)[0].flags |= MILL_FLAG_LEFT_OUT; UNUSED; return 0; }
LIE(other_kind_of_id) { mill_set_id(&mill_events(b)[0], 77, 5); UNUSED; return 0; }
LIE(clean_by_hand)
{
  mill_set_name(&mill_events(b)[0], b->events[2].name);
  mill_events(b)[0].dirty = 0;
  UNUSED;
  return 0;
}
LIE(attribute_of_no_type) { mill_attrs(b)[0].type = 99; UNUSED; return 0; }
LIE(attribute_of_no_key) { mill_attrs(b)[0].key = 1u << 30; UNUSED; return 0; }
LIE(attribute_of_no_symbol)
{
  mill_attrs(b)[0].type = MILL_SYM;
  mill_attrs(b)[0].u.sym = 1u << 30;
  UNUSED;
  return 0;
}
LIE(attribute_far_away)
{
  mill_attrs(b)[0].type = MILL_TEXT;
  mill_attrs(b)[0].u.text.off = 1u << 30;
  mill_attrs(b)[0].u.text.len = 1u << 20;
  UNUSED;
  return 0;
}
LIE(attributes_of_others) { mill_events(b)[0].attrs += 1; UNUSED; return 0; }
LIE(moves_raw_bytes) { mill_events(b)[0].raw_off += 3; UNUSED; return 0; }
LIE(lengthens_raw_bytes) { mill_events(b)[0].raw_len = 1u << 30; UNUSED; return 0; }
LIE(set_of_no_text) { return s->host->set(s->host, b, 0, b->events[0].name, mill_text(NULL, 5)); }
LIE(set_without_a_batch) { return s->host->set(s->host, NULL, 0, b->events[0].name, mill_int(1)); }
LIE(set_in_the_last_batch) { return s->host->set(s->host, s->before ? s->before : b, 1u << 20, 1, mill_int(1)); }
LIE(emits_nothing) { s->host->emit(s->host, b, MILL_AT_END, NULL); return 0; }
LIE(emits_for_ever)
{
  MillEvent e = b->events[0];
  for (;;)
    if (s->host->emit(s->host, b, MILL_AT_END, &e) == MILL_FAILED) return -MILL_LIMIT;
}
LIE(keeps_for_ever)
{
  for (;;)
    if (!s->host->keep(s->host, b, 0)) return -MILL_LIMIT;
}
LIE(names_for_ever)
{
  char name[64] = "rogue";
  (void)b;
  for (uint64_t k = 1;; k++) {
    memcpy(name + 8, &k, sizeof k);
    if (!s->common->intern(s->common, name, sizeof name)) return -MILL_LIMIT;
  }
}
LIE(tracks_for_ever)
{
  (void)b;
  for (int64_t k = 0;; k++)
    if (s->host->track(s->host, mill_int(k), mill_int(k)) == MILL_FAILED) return -MILL_LIMIT;
}
LIE(sets_for_ever)
{
  static const char text[1 << 16];
  for (;;) {
    int status = s->host->set(s->host, b, 0, b->events[0].name, mill_text(text, sizeof text));
    if (status) return status;
  }
}
LIE(drops_unknown_kept) { (void)b; s->host->drop_kept(s->host, 12345); return 0; }
LIE(drops_kept_twice)
{
  uint64_t kept = s->host->keep(s->host, b, 0);
  s->host->drop_kept(s->host, kept);
  s->host->drop_kept(s->host, kept);
  return s->host->emit_kept(s->host, b, MILL_AT_END, kept) == MILL_FAILED ? -MILL_STAGE_FAILED : 0;
}

/* ------------------------------------------------------------------------ world */

LIE(ends_its_thread) { UNUSED; pthread_exit(NULL); }
LIE(aborts) { UNUSED; abort(); }
LIE(becomes_another_program) { UNUSED; return execl("/bin/true", "true", (char *)NULL); }
LIE(becomes_another_by_name) { UNUSED; return execlp("true", "true", (char *)NULL); }
LIE(closes_standard_output) { UNUSED; return close(1); }
LIE(moves_standard_output) { UNUSED; return dup2(2, 1) < 0; }
LIE(ignores_signals) { UNUSED; return signal(SIGTERM, SIG_IGN) == SIG_ERR; }
LIE(sets_an_alarm) { UNUSED; return alarm(1000) != 0; }
LIE(rounds_upwards) { UNUSED; return fesetround(FE_UPWARD); }
LIE(forks)
{
  UNUSED;
  return fork() < 0;
}
/* ---------------------------------------------------------------------- results */

static int row_of(Liar *s, Row row) { return mill_row(s->host, 0, &row); }
LIE(row_of_nothing) { (void)b; return s->host->row(s->host, 0, NULL, sizeof(Row)); }
LIE(row_of_no_size) { Row row = { 1, { NULL, 0 } }; (void)b; return s->host->row(s->host, 0, &row, 0); }
LIE(row_of_other_size) { Row row = { 1, { NULL, 0 } }; (void)b; return s->host->row(s->host, 0, &row, 7); }
LIE(row_of_odd_text) { (void)b; return row_of(s, (Row){ 1, { NOT_UTF8, 2 } }); }
LIE(row_of_absurd_text) { (void)b; return row_of(s, (Row){ 1, { "x", SIZE_MAX } }); }
LIE(forged_cell) { (void)b; return row_of(s, (Row){ 1, { FORGED, sizeof FORGED - 1 } }); }
LIE(cells_of_nothing) { (void)b; return s->host->cells(s->host, 0, NULL, 2); }
LIE(cell_of_no_symbol)
{
  const MillValue cells[] = { mill_int(1), mill_sym(1u << 30) };
  (void)b;
  return s->host->cells(s->host, 0, cells, 2);
}
LIE(empty_key)
{
  const MillValue cells[] = { mill_none(), mill_none() };
  (void)b;
  return s->host->cells(s->host, 0, cells, 2);
}
LIE(metric_without_a_stat) { (void)b; return s->host->metric(s->host, 0, NULL, mill_int(1), 1); }
LIE(metric_of_odd_json) { (void)b; return s->host->metric(s->host, 1, NULL, mill_json("{", 1), 1); }
LIE(no_metric_of_unknown) { (void)b; return s->host->no_metric(s->host, 77, NULL, "why"); }
LIE(no_metric_without_a_reason) { (void)b; return s->host->no_metric(s->host, 0, "mean", NULL); }
LIE(metric_and_none)
{
  (void)b;
  int status = s->host->metric(s->host, 0, "mean", mill_int(1), 1);
  return status ? status : s->host->no_metric(s->host, 0, "mean", "there is none");
}
LIE(rows_for_ever)
{
  (void)b;
  for (int64_t k = 0;; k++) {
    int status = row_of(s, (Row){ k, { "text", 4 } });
    if (status) return status;
  }
}
LIE(no_results) { UNUSED; return 0; }

/* --------------------------------------------------------------------- summaries */

LIE(saves_for_ever)
{
  (void)b;
  for (int k = 0; k < 1 << 26; k++) s->host->put_real(s->host, k);
  return 0;
}
LIE(saves_nothing_of_five) { (void)b; s->host->put_text(s->host, NULL, 5); return 0; }
LIE(saves_absurd_text) { (void)b; s->host->put_text(s->host, "x", SIZE_MAX / 2); return 0; }

static const Lie in_process[] = {
#define AT(name) { #name, name }
  AT(fails_and_returns_0), AT(failure_of_no_size), AT(failure_of_status_0), AT(failure_of_status_99),
  AT(failure_without_text), AT(failure_of_odd_bytes), AT(forged_failure), AT(fails_for_ever), AT(least_status),
  AT(name_of_nothing), AT(text_of_no_symbol), AT(match_of_no_symbol), AT(lane_of_no_size),
  AT(lane_that_is_not_there), AT(track_that_is_not_there), AT(track_beside_nothing), AT(tag_of_nothing),
  AT(unknown_extension), AT(writes_a_name), AT(writes_the_name_of_a_lane), AT(writes_an_option),
  AT(writes_the_text_of_an_option), AT(writes_the_host), AT(writes_the_common_host), AT(note_of_no_event),
  AT(note_of_nothing), AT(note_without_a_name), AT(note_of_no_symbol), AT(note_of_no_text), AT(forged_note),
  AT(log_of_odd_level), AT(forged_log), AT(log_of_nothing), AT(log_for_ever),
  AT(resizes_its_stack), AT(frees_twice), AT(resizes_scratch), AT(all_of_memory),
  AT(no_memory), AT(other_flags), AT(left_out_by_hand), AT(other_kind_of_id), AT(clean_by_hand),
  AT(attribute_of_no_type), AT(attribute_of_no_key),
  AT(attribute_of_no_symbol), AT(attribute_far_away), AT(attributes_of_others), AT(moves_raw_bytes),
  AT(lengthens_raw_bytes), AT(set_of_no_text), AT(set_without_a_batch), AT(set_in_the_last_batch),
  AT(emits_nothing), AT(emits_for_ever), AT(keeps_for_ever), AT(names_for_ever), AT(tracks_for_ever),
  AT(sets_for_ever), AT(drops_unknown_kept), AT(drops_kept_twice), AT(ends_its_thread), AT(aborts),
  AT(becomes_another_program), AT(becomes_another_by_name), AT(closes_standard_output),
  AT(moves_standard_output), AT(ignores_signals), AT(sets_an_alarm), AT(rounds_upwards), AT(forks),
};
static const Lie in_report[] = {
  AT(row_of_nothing), AT(row_of_no_size), AT(row_of_other_size), AT(row_of_odd_text), AT(row_of_absurd_text),
  AT(forged_cell), AT(cells_of_nothing), AT(cell_of_no_symbol), AT(empty_key), AT(metric_without_a_stat),
  AT(metric_of_odd_json), AT(no_metric_of_unknown), AT(no_metric_without_a_reason), AT(metric_and_none),
  AT(rows_for_ever), AT(no_results),
};
static const Lie in_save[] = { AT(saves_for_ever), AT(saves_nothing_of_five), AT(saves_absurd_text) };

/* ------------------------------------------------------------------------- calls */

static int tell(Liar *s, const Lie *lies, uint32_t n, MillBatch *b)
{
  for (uint32_t k = 0; k < n; k++)
    if (is_lie(lies[k].name)) return lies[k].tell(s, b);
  return 0;
}

static int liar_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self;
  if (is_lie("opens_nothing")) return 0;
  if (is_lie("opens_run_never") && level == MILL_RUN) return -MILL_STAGE_FAILED;
  Liar *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  *s = (Liar){ .host = host, .common = host->common, .options = (Options *)(uintptr_t)options };
  *out_instance = s;
  return is_lie("opens_and_fails") ? -MILL_STAGE_FAILED : 0;
}

static int liar_process(void *instance, MillBatch *b)
{
  Liar *s = instance;
  if (!s || b->n_events < 2 || s->n_batches++) return 0;
  int status = tell(s, in_process, MILL_COUNT(in_process), b);
  s->before = b;
  return status;
}

static int liar_report(void *instance)
{
  Liar *s = instance;
  return s ? tell(s, in_report, MILL_COUNT(in_report), NULL) : 0;
}

static int liar_save(void *instance)
{
  Liar *s = instance;
  return s ? tell(s, in_save, MILL_COUNT(in_save), NULL) : 0;
}

static int liar_merge(void *run_instance)
{
  (void)run_instance;
  return 0;
}

static void liar_close(void *instance)
{
  Liar *s = instance;
  if (is_lie("logs_in_close")) s->common->log(s->common, MILL_LEVEL_INFO, "goes");
  if (is_lie("asks_in_close")) s->common->intern(s->common, "x", 1);
  if (is_lie("allocates_in_close")) s->common->resize(s->common, NULL, 8);
  if (is_lie("crashes_in_close")) raise(SIGSEGV);
}

/* -------------------------------------------------------------------- descriptor */

static const MillColumn columns[] = {
  MILL_KEY(Row, n, "count", "count", "A number"),
  MILL_COLUMN(Row, text, "text", NULL, 0, "A text"),
};
static const MillTable tables[] = {
  { .per = MILL_PER_LANE, .name = "lies", .help = "A table", .columns = MILL_ROWS(columns) },
};
static const MillMetric metrics[] = {
  { .per = MILL_PER_LANE, .kind = MILL_INT, .name = "lies", .unit = "count", .stats = "mean", .help = "A metric" },
  { .per = MILL_PER_LANE, .kind = MILL_JSON, .name = "all_lies", .help = "An object" },
};
static const MillNotice notices[] = {
  MILL_WARNING(1, "{count} li[e|es] (first: {name})", NULL, NULL, "Something is odd."),
};
static const MillRead reads[] = { { "x", MILL_AS_INT, 0 } };
static const MillOption options[] = {
  MILL_INT_OPTION(Options, n, "n", "1", NULL, NULL, "A number"),
  MILL_STRING_OPTION(Options, text, "text", "abc", "A text"),
};
static const MillStageOps ops = {
  .size = sizeof ops,
  .open = liar_open,
  .process = liar_process,
  .report = liar_report,
  .save_result = liar_save,
  .merge_result = liar_merge,
  .close = liar_close,
};
static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_MAY_EMIT,
  .options_size = sizeof(Options),
  .name = "rogue.lies-stage",
  .family = "test",
  .version = "1.0.0",
  .tag = "LIES",
  .title = "Tell a lie",
  .help = "Breaks one promise.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .reads = MILL_ROWS(reads),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "rogue", "MIT");
