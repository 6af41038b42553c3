/* What host calls give: those of all modules (host-common.c), of stages (host-stage.c), sources (host-source.c) and
 * sinks (host-sink.c).  Where each may be made is in tests/violations. */
/* SPDX-License-Identifier: MIT */
#include "host/instance.h"

#include <math.h>

#include "base/hash-seed.h"
#include "events.h"
#include "host-fixture.h"
#include "host/verify.h"
#include "model/option.h"
#include "scratch.h"

static const MillStageOps stage_ops = { .size = sizeof stage_ops };
static const MillSourceOps source_ops = { .size = sizeof source_ops };
static const MillSinkOps sink_ops = { .size = sizeof sink_ops };
static const MillNotice notices[] = { MILL_INFO(3, "{count} odd (first: {name})", NULL, NULL,
                                                "x") };
static const Descriptor stage = { .kind = MILL_KIND_STAGE,
                                  .flags = MILL_MOVES_BASE,
                                  .name = "s",
                                  .version = "1",
                                  .tag = "TST",
                                  .code = "TST",
                                  .notices = notices,
                                  .n_notices = 1,
                                  .stage_ops = &stage_ops };
static const char *const may_provide[] = { "clock.wall", "other", NULL };
static const Descriptor source = { .kind = MILL_KIND_SOURCE,
                                   .name = "s",
                                   .version = "1",
                                   .tag = "TST",
                                   .code = "TST",
                                   .notices = notices,
                                   .n_notices = 1,
                                   .wants = may_provide,
                                   .source_ops = &source_ops };
static const Descriptor sink = { .kind = MILL_KIND_SINK,
                                 .name = "s",
                                 .version = "1",
                                 .tag = "TST",
                                 .code = "TST",
                                 .sink_ops = &sink_ops };

static Instance *enter(HostFixture *f, LaneInfo *lane, const Descriptor *d, uint32_t phase)
{
  Instance *i = instance_new(&f->env, lane, d, "s");
  instance_enter(i, phase);
  return i;
}

static void leave_fine(Instance *i)
{
  CHECK(instance_leave(i, "testing", 0) == NULL);
  instance_free(i);
}

/* --------------------------------------------------------------- all modules */

static void test_lanes(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  lane_info_set_rank(&f.lanes[1], 7, "metadata");
  lane_info_set_base(&f.lanes[1], 500);
  tags_set(f.lanes[1].tags, "model=a", TAG_FILE);
  Instance *i = enter(&f, &f.lanes[1], &stage, PHASE_PROCESS);
  const MillHost *h = &i->common;
  static const struct {
    uint32_t index, found;
    int64_t rank, base_ns;
    const char *name;
  } rows[] = { { MILL_NO_LANE, 1, 7, 500, "lane 1" },
               { 0, 0, -1, MILL_NO_BASE, "lane 0" },
               { 1, 1, 7, 500, "lane 1" },
               { 2, MILL_NO_LANE, -1, MILL_NO_BASE, "" } };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    MillLane lane = { .size = sizeof lane };
    h->lane(h, rows[k].index, &lane);
    CHECK_INT(lane.index, rows[k].found);
    CHECK_INT(lane.rank, rows[k].rank);
    CHECK_INT(lane.base_ns, rows[k].base_ns);
    CHECK_STR(lane.name, rows[k].name);
    CHECK_STR(lane.label, "");
    CHECK_INT(lane.size, sizeof lane);
  }
  CHECK_INT(h->n_lanes(h), 2);
  CHECK_STR(h->tag(h, MILL_NO_LANE, "model"), "a");
  CHECK_STR(h->tag(h, 1, "rank"), "7"); /* made for the call */
  const char *model = h->tag(h, 1, "model"), *rank = h->tag(h, 1, "rank");
  tags_set(f.lanes[1].tags, "model=b", TAG_FILE);
  CHECK(instance_leave(i, "testing", 0) == NULL);
  instance_enter(i, PHASE_PROCESS);
  CHECK_STR(h->tag(h, 1, "model"), "b");
  CHECK(h->tag(h, 1, "rank") == rank); /* what was given lives as long as the run */
  CHECK_STR(model, "a");
  CHECK(h->tag(h, 0, "rank") == NULL && h->tag(h, 0, "model") == NULL &&
        h->tag(h, 9, "rank") == NULL);
  leave_fine(i);
  host_fixture_close(&f);
}

/* An older module has a smaller struct: nothing after it is written. */
static void test_smaller_structs(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = enter(&f, &f.lanes[0], &stage, PHASE_PROCESS);
  const MillHost *h = &i->common;
  MillLane lane;
  memset(&lane, 0x55, sizeof lane);
  lane.size = offsetof(MillLane, base_ns);
  h->lane(h, 0, &lane);
  CHECK(lane.index == 0 && lane.rank == -1 && lane.size == offsetof(MillLane, base_ns));
  CHECK_INT(lane.base_ns, 0x5555555555555555);
  MillTrack track;
  memset(&track, 0x55, sizeof track);
  track.size = offsetof(MillTrack, thread);
  h->track_info(h, 5, &track);
  CHECK(track.lane == MILL_NO_LANE && track.process.type == MILL_NONE);
  CHECK_INT(track.thread.type, 0x55555555);
  leave_fine(i);
  host_fixture_close(&f);
}

static void test_symbols_and_patterns(void)
{
  static const MillOption row = { MILL_OPT_REGEX, 0, 0, "match", "", NULL, NULL, "x" };
  HostFixture f;
  size_t len = 9;
  host_fixture_open(&f, false);
  OptionValues *values = option_values_new(&row, 1, sizeof(const MillPattern *));
  CHECK(option_values_set(values, &row, "^a+$") == NULL);
  const MillPattern *p = *(const MillPattern *const *)option_values_struct(values);
  Instance *i = enter(&f, &f.lanes[0], &stage, PHASE_PROCESS);
  const MillHost *h = &i->common;
  MillSym aa = h->intern(h, "aa", 2), ab = h->intern(h, "ab", 2);
  CHECK_INT(h->intern(h, "aa", 2), aa);
  CHECK(!strcmp(h->symbol_text(h, ab, &len), "ab") && len == 2);
  CHECK(!strcmp(h->symbol_text(h, 1u << 30, &len), "") && len == 0);
  for (int again = 0; again < 2; again++) {
    CHECK(h->match_sym(h, p, aa) && !h->match_sym(h, p, ab));
    CHECK(!h->match_sym(h, p, 1u << 30) && !h->match_sym(h, p, UINT32_MAX)); /* as the empty text */
  }
  CHECK(h->match(h, p, "aab", 2) && !h->match(h, p, "aab", 3));
  CHECK(!h->match(h, NULL, "aab", 2) &&
        !h->match_sym(h, NULL, aa)); /* of an option that is not set */
  leave_fine(i);
  option_values_free(values);
  host_fixture_close(&f);
}

static void test_notes(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = enter(&f, &f.lanes[1], &stage, PHASE_PROCESS);
  const MillHost *h = &i->common;
  Batch *b = batch_take(f.env.batches, 1);
  batch_append(b, event_at(0, 1, 40));
  batch_append(b, event_at(0, 1, 30));
  for (uint32_t k = 0; k < 2; k++) {
    MillNamed named[] = { { "empty", mill_text(NULL, 0) }, { "name", mill_int(k) } };
    h->note(h, 3, &b->pub, k, named, 2);
  }
  h->note(h, 3, NULL, MILL_NO_EVENT, NULL, 0);
  h->note(h, 3, &b->pub, 99, NULL, 0); /* no such event: counted without an example */
  h->note(h, 4, NULL, MILL_NO_EVENT, NULL, 0);
  const NoticeCount *c = &i->notices.counts[0];
  CHECK_INT(c->count, 4);
  CHECK(c->lane == 1 && c->seq == 30);
  CHECK_STR(c->values[0], "");
  CHECK_STR(c->values[1], "1");
  batch_give(f.env.batches, b);
  leave_fine(i);
  host_fixture_close(&f);
}

/* Where it happened: the lane, unless the place names it already. */
static void test_failures(void)
{
  static const struct {
    MillFailure failure;
    int status;
    const char *code, *at;
  } rows[] = {
    { { .status = MILL_BAD_INPUT, .number = 3, .what = "odd" }, EXIT_INPUT, "TST-03", "in lane 0" },
    { { .status = MILL_LIMIT, .what = "odd", .where = "line 5" },
      EXIT_LIMIT,
      "TST-00",
      "in lane 0, line 5" },
    { { .status = MILL_LIMIT, .what = "odd", .where = "lane 0:5" },
      EXIT_LIMIT,
      "TST-00",
      "lane 0:5" },
    { { .status = 77, .what = "odd" }, EXIT_STAGE, "TST-00", "in lane 0" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    HostFixture f;
    host_fixture_open(&f, false);
    Instance *i = enter(&f, &f.lanes[0], &stage, PHASE_PROCESS);
    MillFailure failure = rows[k].failure;
    failure.size = sizeof failure;
    CHECK_INT(i->common.fail(&i->common, &failure), -rows[k].status);
    Error *e = instance_leave(i, "testing", -1);
    if (CHECK(e && e->at && e->at->len == 2)) {
      CHECK_STR(e->at->pdata[0], rows[k].at);
      CHECK_STR(e->at->pdata[1], "stage \"s\"");
    }
    fails_with(e, rows[k].status, rows[k].code, "odd");
    instance_free(i);
    host_fixture_close(&f);
  }
}

static void test_extension(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = enter(&f, NULL, &stage, PHASE_OPEN_RUN);
  const MillHost *h = &i->common;
  const MillProgram *program = h->extension(h, MILL_PROGRAM);
  CHECK(program && !strcmp(program->name, "stagemill") && program->size == sizeof *program);
  CHECK(h->extension(h, "mill.program/2") == NULL);
  CHECK(h->abi == MILL_ABI && h->size == sizeof *h);
  CHECK(!h->cancelled(h));
  f.cancelled = true;
  CHECK(h->cancelled(h));
  leave_fine(i);
  host_fixture_close(&f);
}

/* ------------------------------------------------------------------- stages */

/* At the end, and into an empty batch, events are numbered after all that were read. */
static void test_emit(void)
{
  HostFixture f;
  host_fixture_open(&f, true);
  f.lanes[0].next_seq = 10;
  Instance *i = enter(&f, &f.lanes[0], &stage, PHASE_PROCESS);
  const MillStageHost *h = &i->host.stage;
  MillEvent e = event_at(5, 1, 99);
  e.sub = 7;
  for (int empty = 0; empty < 2; empty++) {
    Batch *b = batch_take(f.env.batches, 0);
    if (!empty) batch_append(b, event_at(3, 1, 4));
    verify_before(i, b);
    uint32_t first = h->emit(h, &b->pub, MILL_AT_START, &e),
             last = h->emit(h, &b->pub, MILL_AT_END, &e);
    const MillEvent *a = h->event(h, &b->pub, first), *z = h->event(h, &b->pub, last);
    CHECK_INT(a->seq, empty ? 11 : 3);
    CHECK_INT(a->sub, empty ? 0 : UINT16_MAX);
    CHECK_INT(z->seq, empty ? 12 : 10);
    CHECK_INT(z->sub, 0);
    i->broken = true; /* it did not say MILL_MAY_EMIT */
    CHECK(verify_after(i, b) == NULL);
    batch_give(f.env.batches, b);
  }
  leave_fine(i);
  host_fixture_close(&f);
}

static void test_tracks_and_base(void)
{
  HostFixture f;
  host_fixture_open(&f, false);
  Instance *i = enter(&f, &f.lanes[1], &stage, PHASE_DECIDE);
  const MillStageHost *h = &i->host.stage;
  uint32_t a = h->track(h, mill_int(1), mill_none()), b = h->track(h, mill_sym(0), mill_int(2));
  CHECK(a != b && h->track(h, mill_int(1), mill_none()) == a);
  CHECK_INT(h->common->track_lane(h->common, a), 1);
  CHECK_INT(h->common->track_lane(h->common, 99), MILL_NO_LANE);
  CHECK_INT(h->move_base(h, -3), 0);
  CHECK_INT(f.lanes[1].base_ns, -3);
  for (int again = 0; again < 2; again++)
    CHECK_INT(h->track(h, mill_real(1), mill_none()), MILL_FAILED);
  CHECK_INT(tracks_count(f.lanes[1].tracks), 2);
  Error *e = instance_leave(i, "testing", 0);
  CHECK(e && !e->next); /* told once, however often it was asked */
  fails_with(e, EXIT_STAGE, "TST-00", "not named by integers or symbols");
  instance_free(i);
  host_fixture_close(&f);
}

static void test_counts(void)
{
  HostFixture f;
  Summary s = { 0 };
  host_fixture_open(&f, false);
  Instance *i = enter(&f, NULL, &stage, PHASE_MERGE);
  const MillStageHost *h = &i->host.stage;
  summary_put_int(&s, 2);
  for (int k = 0; k < 2; k++) summary_put_real(&s, k);
  summary_put_int(&s, 3);
  i->summary = &s;
  CHECK_INT(h->get_count(h, 9), 2);
  CHECK(h->get_real(h) == 0.0 && h->get_real(h) == 1.0 && h->get_more(h));
  CHECK_INT(h->get_count(h, 2), 0); /* three items cannot follow */
  CHECK(s.broken && !h->get_more(h));
  leave_fine(i);
  summary_clear(&s);
  host_fixture_close(&f);
}

/* Only what is merged counts together. */
static void test_shared_count(void)
{
  HostFixture f;
  uint64_t n = 5;
  host_fixture_open(&f, false);
  Instance *i = enter(&f, NULL, &stage, PHASE_MERGE);
  CHECK(i->host.stage.shared_count(&i->host.stage) == NULL);
  i->shared_count = &n;
  CHECK(i->host.stage.shared_count(&i->host.stage) == &n);
  CHECK(i->common.seed == &hash_seed);
  leave_fine(i);
  host_fixture_close(&f);
}

/* What a sink would write as it is: refused with and without --verify. */
static void test_broken_texts(void)
{
  static const MillMetric metric = { .kind = MILL_JSON, .name = "m" };
  static const MillColumn column = { .name = "c", .type = MILL_TEXT };
  static const MillTable table = { .name = "t", .columns = { &column, 1, sizeof column } };
  const struct {
    MillValue value;
    bool fine;
  } rows[] = {
    { mill_json("{\"a\": [1]}", 10), true }, { mill_json("}{ not json", 11), false },
    { mill_json("\"\xff\"", 3), false },     { mill_json("nan", 3), false },
    { mill_json("1 2", 3), false },          { mill_json("", 0), false },
    { mill_text("a\xff", 2), false },        { mill_text("a,\n\"", 4), true },
  };
  for (size_t r = 0; r < 2 * G_N_ELEMENTS(rows); r++) {
    MillValue v = rows[r / 2].value;
    HostFixture f;
    Descriptor reports = stage;
    reports.metrics = &metric;
    reports.tables = &table;
    reports.n_metrics = reports.n_tables = 1;
    host_fixture_open(&f, r % 2);
    Instance *i = enter(&f, NULL, &reports, PHASE_REPORT);
    const MillStageHost *h = &i->host.stage;
    int status = v.type == MILL_JSON ? h->metric(h, 0, NULL, v, 1) : h->cells(h, 0, &v, 1);
    CHECK_INT(status == 0, rows[r / 2].fine);
    Error *e = instance_leave(i, "testing", 0);
    if (rows[r / 2].fine)
      CHECK(e == NULL);
    else if (r % 2)
      fails_with(e, EXIT_INTERNAL, "STG-70", "[bad-text]");
    else
      fails_with(e, EXIT_STAGE, "TST-00", "gave");
    instance_free(i);
    host_fixture_close(&f);
  }
}

/* Each kind of field, with a value and with none; a struct of another size is refused. */
typedef struct EachField {
  int64_t whole;
  double real;
  bool yes;
  const char *string;
  MillText text;
  MillSym name;
  int8_t maybe;
} EachField;

static const MillColumn each_column[] = {
  MILL_KEY(EachField, whole, "whole", "count", "int64_t"),
  MILL_COLUMN(EachField, real, "real", "ns", 0, "double"),
  MILL_COLUMN(EachField, yes, "yes", NULL, 0, "bool"),
  MILL_BRIEF(EachField, string, "string", NULL, "const char *"),
  MILL_KEY_BRIEF(EachField, text, "text", NULL, "MillText"),
  MILL_COLUMN(EachField, name, "name", NULL, 0, "MillSym"),
  MILL_COLUMN(EachField, maybe, "maybe", NULL, 0, "int8_t"),
};

static void test_rows(void)
{
  static const uint32_t types[] = { MILL_INT,  MILL_REAL, MILL_BOOL, MILL_TEXT,
                                    MILL_TEXT, MILL_TEXT, MILL_BOOL };
  static const MillTable table = { .name = "t", .columns = MILL_ROWS(each_column) };
  HostFixture f;
  Descriptor reports = stage;
  reports.tables = &table;
  reports.n_tables = 1;
  host_fixture_open(&f, false);
  Instance *i = enter(&f, NULL, &reports, PHASE_REPORT);
  const MillStageHost *h = &i->host.stage;
  const EachField full = { 7,     2.5,           true,
                           "abc", { "defg", 2 }, i->common.intern(&i->common, "sym", 3),
                           1 };
  const EachField none = { MILL_NO_INT, (double)NAN, false, NULL, { NULL, 0 }, 0, -1 };
  CHECK_INT(mill_row(h, 0, &full), 0);
  CHECK_INT(mill_row(h, 0, &none), 0);
  const RowSet *rows = &i->reported->tables[0];
  const MillValue *v = row_set_at(rows, 0), *second = row_set_at(rows, 1);
  for (size_t c = 0; c < G_N_ELEMENTS(types); c++) {
    CHECK_INT(each_column[c].type, types[c]);
    CHECK_INT(v[c].type, types[c]);
    CHECK_INT(second[c].type, c == 2 ? MILL_BOOL : MILL_NONE);
  }
  CHECK(v[0].u.i == 7 && v[1].u.r == 2.5 && v[2].u.i == 1 && v[6].u.i == 1);
  CHECK(!memcmp(v[3].u.text, "abc", 3) && v[4].len == 2 && !memcmp(v[4].u.text, "de", 2));
  CHECK(v[5].len == 3 && !memcmp(v[5].u.text, "sym", 3));
  CHECK(h->row(h, 0, &full, sizeof full - 1) < 0);
  fails_with(instance_leave(i, "testing", 0), EXIT_STAGE, "TST-00",
             "reported something it did not declare");
  instance_free(i);
  host_fixture_close(&f);
}

/* The name of a cell may be that of a source that passes on what it read. */
static void test_broken_name(void)
{
  static const MillColumn column = { .name = "c", .type = MILL_TEXT };
  static const MillTable table = { .name = "t", .columns = { &column, 1, sizeof column } };
  HostFixture f;
  Descriptor reports = stage;
  reports.tables = &table;
  reports.n_tables = 1;
  host_fixture_open(&f, false);
  Instance *i = enter(&f, NULL, &reports, PHASE_REPORT);
  const MillStageHost *h = &i->host.stage;
  MillValue name = mill_sym(i->common.intern(&i->common, "a\xff", 2));
  CHECK_INT(h->cells(h, 0, &name, 1), 0);
  CHECK_STR(row_set_at(&i->reported->tables[0], 0)->u.text, "a\xef\xbf\xbd");
  leave_fine(i);
  host_fixture_close(&f);
}

/* ------------------------------------------------------------------ sources */

static void test_broken_member(void)
{
  for (int verify = 0; verify < 2; verify++) {
    HostFixture f;
    host_fixture_open(&f, verify);
    Instance *i = enter(&f, &f.lanes[0], &source, PHASE_READ);
    i->host.source.member(&i->host.source, true, "k", 1, "}{ not json", 11);
    CHECK_INT(f.lanes[0].members->len, 0);
    fails_with(instance_leave(i, "testing", 0), verify ? EXIT_INTERNAL : EXIT_STAGE,
               verify ? "STG-70" : "TST-00", "JSON");
    instance_free(i);
    host_fixture_close(&f);
  }
}

static void test_describe(void)
{
  HostFixture f;
  host_fixture_open(&f, true);
  LaneInfo *lane = &f.lanes[0];
  Instance *i = enter(&f, lane, &source, PHASE_DESCRIBE);
  const MillSourceHost *h = &i->host.source;
  h->describe(h, "rank", mill_int(4));
  h->describe(h, "base_ns", mill_int(100));
  h->describe(h, "dialect", mill_text(NULL, 0));
  CHECK_STR(lane->dialect, "");
  h->describe(h, "dialect", mill_text("kineto-x", 6));
  h->describe(h, "fact", mill_text("clock.wall", 10));
  h->describe(h, "tag", mill_text("model=b", 7));
  CHECK(lane->rank == 4 && lane->base_ns == 100 && !lane->skipped);
  CHECK_STR(lane->dialect, "kineto");
  CHECK(lane->facts->len == 1 && !strcmp(lane->facts->pdata[0], "clock.wall"));
  CHECK_STR(tags_get(lane->tags, "model"), "b");
  f.planned = true; /* too late for what the plan was made of */
  h->describe(h, "dialect", mill_text("other", 5));
  h->describe(h, "fact", mill_text("other", 5));
  h->describe(h, "skipped", mill_bool(true));
  CHECK_STR(lane->dialect, "kineto");
  CHECK(lane->facts->len == 1 && lane->skipped);
  CHECK(instance_leave(i, "testing", 0) == NULL);
  instance_enter(i, PHASE_DESCRIBE);
  h->describe(h, "fact", mill_text("slices", 6)); /* nobody could tell from its page */
  fails_with(instance_leave(i, "testing", 0), EXIT_STAGE, "TST-00", "does not declare");
  instance_free(i);
  host_fixture_close(&f);
}

/* By helper and by hand it is the same. */
static void test_attributes(void)
{
  HostFixture f;
  host_fixture_open(&f, true);
  Instance *i = enter(&f, &f.lanes[0], &source, PHASE_READ);
  const MillSourceHost *h = &i->host.source;
  Batch *b = batch_take(f.env.batches, 0);
  MillBatch *p = &b->pub;
  size_t len = 0;
  batch_append(b, event_at(0, 1, 0));
  CHECK_INT(h->add_attr(h, p, 0, mill_text("one", 3)), 0);
  CHECK(h->grow_attrs(h, p));
  MillEvent *e = &mill_events(p)[0];
  mill_attrs(p)[p->n_attrs] = (MillAttr){ .key = 0, .type = MILL_TEXT | MILL_ATTR_OWN };
  mill_attrs(p)[p->n_attrs].u.text.off = h->own_text(h, p, "two", 3);
  mill_attrs(p)[p->n_attrs++].u.text.len = 3;
  e->n_attrs++;
  static const char *const wanted[] = { "one", "two" };
  for (uint32_t k = 0; k < 2; k++) {
    const char *text = mill_attr_text(p, &p->attrs[e->attrs + k], &len);
    CHECK(len == 3 && !memcmp(text, wanted[k], 3));
  }
  h->member(h, true, "keyed", 3, "[1]", 3);
  const LaneMember *m = f.lanes[0].members->pdata[0];
  CHECK(m->after_events && !strcmp(m->key, "key") && g_bytes_get_size(m->json) == 3);
  leave_fine(i);
  batch_give(f.env.batches, b);
  host_fixture_close(&f);
}

static void test_files(void)
{
  HostFixture f;
  MillEntryRows rows;
  const char *text = NULL;
  char *folder = scratch_folder();
  host_fixture_open(&f, false);
  scratch_write(folder, "b.txt", "hello", 5);
  scratch_write(folder, "a/inner", "x", 1);
  g_autofree char *file = g_build_filename(folder, "b.txt", NULL);
  g_autofree char *nothing = g_build_filename(folder, "nothing", NULL);
  Instance *i = enter(&f, &f.lanes[0], &source, PHASE_DESCRIBE);
  const MillSourceHost *h = &i->host.source;
  CHECK_INT(h->list(h, folder, &rows), 0);
  if (CHECK_INT(rows.n, 2)) {
    CHECK(!strcmp(MILL_AT(MillEntry, rows, 0)->name, "a") &&
          MILL_AT(MillEntry, rows, 0)->is_folder);
    CHECK(!strcmp(MILL_AT(MillEntry, rows, 1)->name, "b.txt"));
    CHECK_INT(MILL_AT(MillEntry, rows, 1)->size_bytes, 5);
  }
  CHECK_INT(h->list(h, nothing, &rows), -1);
  CHECK_INT(rows.n, 0);
  CHECK(h->read_file(h, file, 5, &text) == 5 && !memcmp(text, "hello", 5));
  CHECK(h->read_file(h, file, SIZE_MAX, &text) == 5 && !memcmp(text, "hello", 5));
  CHECK(h->read_file(h, file, 4, &text) == -1 && !strcmp(text, "it is too large"));
  CHECK(h->read_file(h, nothing, 4, &text) == -1 && strstr(text, "No such file"));
  CHECK(h->read_head(h, file, &text) == 5 && !memcmp(text, "hello", 5));
  CHECK(h->read_head(h, nothing, &text) == -1 && strstr(text, "No such file"));
  CHECK(h->enter(h, file, &text) == -1 && !strcmp(text, "there is no input to read"));
  CHECK(h->read(h, folder, 1) < 0 && h->read_why(h) == NULL);
  leave_fine(i);
  host_fixture_close(&f);
  scratch_remove(folder);
}

static void add_found(void *finder, const MillInput *found)
{
  g_string_append_printf(finder, "%s:%s ", found->path, found->label ? found->label : "-");
}

static void test_add_input(void)
{
  HostFixture f;
  g_autoptr(GString) found = g_string_new(NULL);
  host_fixture_open(&f, false);
  Instance *i = enter(&f, &f.lanes[0], &source, PHASE_EXPAND);
  const MillSourceHost *h = &i->host.source;
  i->source_env = (SourceEnv){ .finder = found, .add_input = add_found };
  MillInput whole = { .size = sizeof whole, .path = "a", .label = "x" };
  MillInput older = { .size = offsetof(MillInput, label), .path = "b", .label = "not looked at" };
  MillInput none = { .size = sizeof none };
  CHECK_INT(h->add_input(h, &whole), 0);
  CHECK_INT(h->add_input(h, &older), 0);
  CHECK_STR(found->str, "a:x b:- ");
  CHECK(h->add_input(h, &none) < 0);
  fails_with(instance_leave(i, "testing", 0), EXIT_STAGE, "TST-00",
             "added an input without a path");
  instance_free(i);
  host_fixture_close(&f);
}

/* -------------------------------------------------------------------- sinks */

static Error *write_found(void *output, const char *name, int position, const char *join,
                          const void *bytes, size_t len)
{
  g_string_append_printf(output, "%s@%d%s%.*s ", name, position, join ? join : "-", (int)len,
                         (const char *)bytes);
  return len ? NULL : error_new(EXIT_OUTPUT, "OUT-03", "no room");
}

static LaneMember *member(const char *key, const char *json)
{
  LaneMember *m = g_new(LaneMember, 1);
  *m = (LaneMember){ g_strdup(key), g_bytes_new(json, strlen(json)), false };
  return m;
}

static void test_stage_member(void)
{
  HostFixture f;
  MillValue key, json;
  bool after = true;
  host_fixture_open(&f, false);
  g_ptr_array_add(f.lanes[0].members, member("k", "[1]"));
  Instance *i = enter(&f, &f.lanes[0], &stage, PHASE_SAVE);
  const MillStageHost *h = &i->host.stage;
  CHECK(h->lane_member(h, 0, &after, &key, &json));
  CHECK(!after && key.len == 1 && json.len == 3 && !memcmp(json.u.text, "[1]", 3));
  CHECK(!h->lane_member(h, 1, &after, &key, &json));
  leave_fine(i);
  i = enter(&f, NULL, &stage, PHASE_REPORT);
  h = &i->host.stage;
  CHECK(!h->lane_member(h, 0, &after, &key, &json));
  leave_fine(i);
  host_fixture_close(&f);
}

static void test_sink(void)
{
  HostFixture f;
  MillValue key, json;
  bool after = true;
  g_autoptr(GString) written = g_string_new(NULL);
  host_fixture_open(&f, false);
  g_ptr_array_add(f.lanes[1].members, member("k", "{}"));
  Instance *i = enter(&f, &f.lanes[0], &sink, PHASE_WRITE);
  const MillSinkHost *h = &i->host.sink;
  i->sink_env = (SinkEnv){ .output = written, .position = 4, .write = write_found };
  CHECK(h->lane_member(h, 1, 0, &after, &key, &json));
  CHECK(!after && key.len == 1 && json.len == 2 && !memcmp(json.u.text, "{}", 2));
  CHECK(!h->lane_member(h, 1, 1, &after, &key, &json) &&
        !h->lane_member(h, 9, 0, &after, &key, &json));
  CHECK_INT(h->output(h, "a", ",", "xyz", 2), 0);
  CHECK_STR(written->str, "a@4,xy ");
  CHECK_INT(h->output(h, "a", ",", "", 0), -MILL_OUTPUT_FAILED);
  Error *e = instance_leave(i, "testing", -MILL_OUTPUT_FAILED);
  if (CHECK(e && e->at && e->at->len == 1)) CHECK_STR(e->at->pdata[0], "sink \"s\"");
  fails_with(e, EXIT_OUTPUT, "OUT-03", "no room");
  instance_free(i);
  host_fixture_close(&f);
}

static Error *place_found(void *output, const char *name, const char **out_path)
{
  *out_path = output;
  return *name ? NULL : error_new(EXIT_OUTPUT, "OUT-13", "no place");
}

static void test_place(void)
{
  HostFixture f;
  char path[] = "/some/file";
  host_fixture_open(&f, false);
  Instance *i = enter(&f, NULL, &sink, PHASE_RESULTS);
  const MillSinkHost *h = &i->host.sink;
  i->sink_env = (SinkEnv){ .output = path, .place = place_found };
  CHECK_STR(h->place(h, "a"), path);
  CHECK(h->place(h, "") == NULL);
  fails_with(instance_leave(i, "testing", 0), EXIT_OUTPUT, "OUT-13", "no place");
  instance_enter(i, PHASE_WRITE);
  CHECK(h->place(h, "a") == NULL);
  fails_with(instance_leave(i, "testing", 0), EXIT_INTERNAL, "STG-70",
             "asked for place in write or finish");
  instance_free(i);
  host_fixture_close(&f);
}

TEST_MAIN({ "lanes and tags", test_lanes }, { "structs of older modules", test_smaller_structs },
          { "symbols and patterns", test_symbols_and_patterns }, { "notices", test_notes },
          { "failures", test_failures }, { "extensions", test_extension },
          { "ordinals of what is emitted", test_emit }, { "tracks and base", test_tracks_and_base },
          { "counts in summaries", test_counts }, { "a shared count", test_shared_count },
          { "broken texts", test_broken_texts }, { "rows", test_rows },
          { "broken names", test_broken_name }, { "broken members", test_broken_member },
          { "a lane is described", test_describe }, { "attributes and members", test_attributes },
          { "files", test_files }, { "inputs that are found", test_add_input },
          { "members for stages", test_stage_member }, { "what sinks ask", test_sink },
          { "where sinks write themselves", test_place })
