/* --verify around one call: what a stage may do to a batch, and what is found and put right when it did more.
 * The units are verify.c (batches) and verify-results.c (facts and reports). */
/* SPDX-License-Identifier: MIT */
#include "host/verify.h"

#include "events.h"
#include "host-fixture.h"

static const MillStageOps ops = { .size = sizeof ops };
static const char *const order[] = { "order.lane", NULL }, *const slices[] = { "slices", NULL };
static const MillColumn columns[] = {
  { "rank", NULL, MILL_INT, MILL_COLUMN_KEY, "" },
  { "name", NULL, MILL_TEXT, MILL_COLUMN_KEY, "" },
  { "n", NULL, MILL_INT, 0, "" },
};
static const MillTable tables[] = { { .name = "t", .columns = MILL_ROWS(columns) },
                                    { .name = "bare",
                                      .columns = { columns + 2, 1, sizeof columns[0] } } };
static const MillMetric metrics[] = { { .kind = MILL_INT, .name = "m", .stats = "mean,p*" },
                                      { .kind = MILL_INT, .name = "n" } };
static Descriptor stage_with(uint32_t flags)
{
  return (Descriptor){ .kind = MILL_KIND_STAGE,
                       .name = "s",
                       .version = "1",
                       .tag = "TST",
                       .code = "TST",
                       .flags = flags,
                       .tables = tables,
                       .n_tables = 2,
                       .metrics = metrics,
                       .n_metrics = 2,
                       .stage_ops = &ops };
}

/* Four slices at 0, 10, 20, 30 on one row, each with an attribute and bytes. */
static Batch *four(const HostFixture *f, LaneInfo *lane)
{
  Batch *b = batch_take(f->env.batches, lane->index);
  uint32_t track = tracks_find(lane->tracks, lane->index, mill_int(1), mill_none());
  for (int i = 0; i < 4; i++) {
    MillEvent *e = batch_append_raw(b, event_at(10 * i, 1, (uint64_t)i), "bytes");
    e->track = track;
    batch_add_attr(b, 0, mill_int(i));
  }
  return b;
}

/* ------------------------------------------------------------ what it may do */

static void changes(const MillStageHost *h, MillBatch *b)
{
  MillEvent e = b->events[1];
  mill_set_ts(&mill_events(b)[0], 1);
  mill_set_name(&mill_events(b)[1], 0);
  mill_set_kind(&mill_events(b)[1], MILL_RECORD);
  mill_set_id(&mill_events(b)[2], MILL_ID_INT, 7);
  mill_drop(&mill_events(b)[3]);
  for (uint32_t k = 0; k < 400; k++)
    CHECK_INT(h->set(h, b, k % 4, 0, mill_text("long enough to move", 19)), 0);
  uint32_t child = h->emit(h, b, 2, &e);
  h->event(h, b, child)->ts_ns = 21;
  CHECK_INT(h->set(h, b, child, 0, mill_int(5)), 0);
  uint64_t kept = h->keep(h, b, 0);
  CHECK(h->emit_kept(h, b, 0, kept) != MILL_FAILED);
}

static void test_fine(void)
{
  HostFixture f;
  Descriptor stage = stage_with(MILL_MAY_DROP | MILL_MAY_EMIT);
  host_fixture_open(&f, true);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  Batch *b = four(&f, &f.lanes[0]);
  uint64_t dropped[FATES] = { 0 }, emitted = 0;
  verify_before(i, b);
  instance_enter(i, PHASE_PROCESS);
  changes(&i->host.stage, &b->pub);
  CHECK(instance_leave(i, "testing", 0) == NULL);
  CHECK(verify_after(i, b) == NULL);
  batch_compact(b, true, dropped, &emitted);
  CHECK(dropped[FATE_USABLE] == 1 && emitted == 2 && b->pub.n_events == 5);
  batch_give(f.env.batches, b);
  instance_free(i);
  host_fixture_close(&f);
}

/* --------------------------------------------------------- what it may not do */

static void other_lane(MillBatch *b) { b->lane = 9; }
static void other_events(MillBatch *b) { b->events = NULL; }
static void other_attributes(MillBatch *b) { b->attrs = NULL; }
static void other_bytes(MillBatch *b) { b->own_ = "elsewhere"; }
static void more_room(MillBatch *b) { b->max_attrs *= 2; }
static void fewer(MillBatch *b) { b->n_events = 0; }
static void bytes(MillBatch *b) { ((char *)b->own_)[b->events[3].raw_off + 4]++; }
static void start(MillBatch *b) { mill_events(b)[2].ts_ns++; }
static void no_time(MillBatch *b) { mill_events(b)[2].flags |= MILL_FLAG_NO_TS; }
static void mark(MillBatch *b) { mill_events(b)[1].dirty = 0; }
static void place(MillBatch *b) { mill_events(b)[2].raw_off++; }
static void owner(MillBatch *b) { mill_events(b)[2].flags ^= MILL_FLAG_OWN_RAW; }
static void number(MillBatch *b) { mill_events(b)[2].sub++; }
static void value(MillBatch *b) { mill_attrs(b)[0].u.i++; }
static void list(MillBatch *b)
{
  mill_events(b)[0].n_attrs = 5;
  mill_events(b)[0].dirty |= MILL_DIRTY_ATTRS;
}
static void track(MillBatch *b) { mill_set_track(&mill_events(b)[0], 1); }
static void name(MillBatch *b) { mill_set_cat(&mill_events(b)[0], 1); }
static void kind(MillBatch *b) { mill_set_kind(&mill_events(b)[0], 16); }
static void drop(MillBatch *b) { mill_drop(&mill_events(b)[0]); }

static void test_lies(void)
{
  static const struct {
    void (*lie)(MillBatch *b);
    const char *id;
  } rows[] = {
    { other_lane, "[frozen-batch]" },
    { other_events, "[frozen-batch]" },
    { other_attributes, "[frozen-batch]" },
    { other_bytes, "[frozen-batch]" },
    { more_room, "[frozen-batch]" },
    { fewer, "[batch-size]" },
    { bytes, "[raw-bytes]" },
    { start, "[unmarked-change]" },
    { no_time, "[unmarked-change]" },
    { mark, "[unmarked-change]" },
    { place, "[frozen-field]" },
    { owner, "[frozen-field]" },
    { number, "[frozen-field]" },
    { value, "[unmarked-change]" },
    { list, "[unmarked-change]" },
    { track, "[unknown-track]" },
    { name, "[unknown-symbol]" },
    { kind, "[bad-kind]" },
    { drop, "[undeclared-drop]" },
  };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++)
    for (int observe = 0; observe < 2; observe++) {
      HostFixture f;
      Descriptor stage = stage_with(0);
      host_fixture_open(&f, true);
      Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
      Batch *b = four(&f, &f.lanes[0]);
      b->pub.events_[1].dirty = MILL_DIRTY_NAME; /* by a stage before */
      MillBatch was = b->pub;
      verify_before(i, b);
      rows[k].lie(&b->pub);
      Error *e = observe ? verify_after_observe(i, b) : verify_after(i, b);
      const char *id = rows[k].id;
      if (observe && strcmp(id, "[past-the-end]") && strcmp(id, "[raw-bytes]"))
        id = "[observe-changes]";
      if (!fails_with(e, EXIT_INTERNAL, "STG-70", id)) printf(" (row %zu)", k);
      CHECK(!memcmp(&was, &b->pub, sizeof was));
      batch_give(f.env.batches, b);
      instance_free(i);
      host_fixture_close(&f);
    }
}

/* A read-only stage may not even do what others may; nor emit what it did not declare. */
static void test_claims(void)
{
  static const struct {
    uint32_t flags;
    bool emits;
    const char *id;
  } rows[] = { { MILL_READ_ONLY, false, "[read-only]" }, { 0, true, "[undeclared-emit]" } };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    HostFixture f;
    Descriptor stage = stage_with(rows[k].flags);
    host_fixture_open(&f, true);
    Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
    Batch *b = four(&f, &f.lanes[0]);
    verify_before(i, b);
    if (rows[k].emits)
      batch_emit(b, 0, &b->pub.events[0]);
    else
      mill_set_ts(&b->pub.events_[0], 5);
    fails_with(verify_after(i, b), EXIT_INTERNAL, "STG-70", rows[k].id);
    batch_give(f.env.batches, b);
    instance_free(i);
    host_fixture_close(&f);
  }
}

/* The host does not follow pointers that the stage moved. */
static void test_host_calls(void)
{
  HostFixture f;
  Descriptor stage = stage_with(MILL_MAY_EMIT);
  host_fixture_open(&f, true);
  Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
  const MillStageHost *h = &i->host.stage;
  Batch *b = four(&f, &f.lanes[0]), *other = four(&f, &f.lanes[0]);
  MillEvent e = b->pub.events[0];
  for (int k = 0; k < 2; k++) {
    MillBatch *given = k ? &other->pub : &b->pub;
    i->broken = false;
    verify_before(i, b);
    instance_enter(i, PHASE_PROCESS);
    if (!k) b->pub.attrs = NULL;
    CHECK(h->event(h, given, 0) == NULL);
    CHECK(h->set(h, given, 0, 0, mill_int(1)) < 0);
    CHECK_INT(h->emit(h, given, 0, &e), MILL_FAILED);
    CHECK_INT(h->keep(h, given, 0), 0);
    h->common->note(h->common, 1, given, 0, NULL, 0);
    fails_with(instance_leave(i, "testing", 0), EXIT_INTERNAL, "STG-70",
               k ? "[foreign-batch]" : "[frozen-batch]");
    CHECK(verify_after(i, b) == NULL); /* one find is enough */
    CHECK(b->pub.attrs != NULL);
  }
  batch_give(f.env.batches, b);
  batch_give(f.env.batches, other);
  instance_free(i);
  host_fixture_close(&f);
}

/* ------------------------------------------------------------------- facts */

/* The times of two batches before and after a stage that leaves the batches as they are. */
static void test_order(void)
{
  static const struct {
    const char *const *provides, *const *spoils;
    int64_t in[2], out[2];
    const char *id;
  } rows[] = {
    { NULL, NULL, { 0, 9 }, { 0, 9 }, NULL },
    { NULL, NULL, { 0, 9 }, { 9, 0 }, "[false-order]" },
    { NULL, order, { 0, 9 }, { 9, 0 }, NULL },
    { NULL, NULL, { 9, 0 }, { 9, 0 }, NULL },
    { order, NULL, { 9, 0 }, { 9, 0 }, "[false-fact]" },
    { order, NULL, { 9, 0 }, { 0, 9 }, NULL },
  };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    HostFixture f;
    Descriptor stage = stage_with(0);
    Error *e = NULL;
    host_fixture_open(&f, true);
    stage.provides = rows[k].provides;
    stage.spoils = rows[k].spoils;
    Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
    for (int part = 0; part < 2; part++) {
      Batch *b = batch_take(f.env.batches, 0);
      MillEvent in = event_at(rows[k].in[part], 1, (uint64_t)part);
      verify_order_in(i, &in, 1);
      batch_append(b, event_at(rows[k].out[part], 1, (uint64_t)part));
      e = error_join(e, verify_compacted(i, b));
      batch_give(f.env.batches, b);
    }
    bool ok = rows[k].id ? fails_with(e, EXIT_INTERNAL, "STG-70", rows[k].id) : CHECK(e == NULL);
    if (!ok) printf(" (row %zu)", k);
    instance_free(i);
    host_fixture_close(&f);
  }
}

static void test_slices(void)
{
  static const uint8_t kinds[] = { MILL_SLICE, MILL_BEGIN, MILL_END, MILL_INSTANT };
  for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
    HostFixture f;
    Descriptor stage = stage_with(0);
    host_fixture_open(&f, true);
    stage.provides = slices;
    Instance *i = instance_new(&f.env, &f.lanes[0], &stage, "s");
    Batch *b = batch_take(f.env.batches, 0);
    batch_append(b, event_at(1, 1, 0))->kind = kinds[k];
    Error *e = verify_compacted(i, b);
    if (kinds[k] == MILL_BEGIN || kinds[k] == MILL_END)
      fails_with(e, EXIT_INTERNAL, "STG-70", "[false-fact]");
    else
      CHECK(e == NULL);
    batch_give(f.env.batches, b);
    instance_free(i);
    host_fixture_close(&f);
  }
}

/* ----------------------------------------------------------------- reports */

static void add_row(Instance *i, int64_t rank, const char *text, int64_t n)
{
  const MillValue cells[] = { mill_int(rank), mill_text(text, strlen(text)), mill_int(n) };
  CHECK(reported_add_row(i->reported, 0, cells, 3) == NULL);
}

static void test_reports(void)
{
  HostFixture f;
  Descriptor stage = stage_with(0);
  host_fixture_open(&f, true);
  Instance *i = instance_new(&f.env, NULL, &stage, "s");
  const MillValue one = mill_int(1);
  add_row(i, 1, "a", 1);
  add_row(i, 1, "b", 1);
  add_row(i, 2, "a", 1);
  for (int k = 0; k < 2; k++) CHECK(reported_add_row(i->reported, 1, &one, 1) == NULL);
  CHECK(reported_add_metric(i->reported, 0, "mean", one, 1, NULL) == NULL);
  CHECK(reported_add_metric(i->reported, 0, "p50", one, 1, NULL) == NULL);
  CHECK(reported_add_metric(i->reported, 1, NULL, one, 1, NULL) == NULL);
  CHECK(verify_reported(i) == NULL);
  CHECK(reported_add_metric(i->reported, 0, "p50", one, 2, NULL) == NULL);
  fails_with(verify_reported(i), EXIT_INTERNAL, "STG-70",
             "reported a metric twice [duplicate-metric]");
  i->broken = false;
  add_row(i, 1, "b", 7);
  fails_with(verify_reported(i), EXIT_INTERNAL, "STG-70",
             "reported two rows with the same keys in the table \"t\" [duplicate-row]");
  instance_free(i);
  host_fixture_close(&f);
}

/* ------------------------------------------------------------------- values */

static void test_values(void)
{
  const struct {
    MillValue value;
    const char *id;
  } rows[] = { { mill_none(), NULL },
               { mill_text("\xc3\xa9", 2), NULL },
               { mill_text("", 0), NULL },
               { mill_text(NULL, 0), NULL },
               { mill_sym(0), NULL },
               { { .type = MILL_JSON, .len = 2, .u.text = "[]" }, NULL },
               { mill_text("\xc3", 1), "[bad-text]" },
               { mill_text("a\0b", 3), NULL },
               { mill_text(NULL, 3), "[bad-text]" },
               { mill_sym(1), "[unknown-symbol]" },
               { { .type = MILL_JSON + 1 }, "[bad-value]" } };
  for (size_t k = 0; k < G_N_ELEMENTS(rows); k++) {
    HostFixture f;
    Descriptor stage = stage_with(0);
    host_fixture_open(&f, true);
    Instance *i = instance_new(&f.env, NULL, &stage, "s");
    verify_value(i, &rows[k].value, NULL);
    Error *e = g_steal_pointer(&i->error);
    bool ok = rows[k].id ? fails_with(e, EXIT_INTERNAL, "STG-70", rows[k].id) : CHECK(e == NULL);
    if (!ok) printf(" (row %zu)", k);
    instance_free(i);
    host_fixture_close(&f);
  }
}

TEST_MAIN({ "what is allowed", test_fine }, { "lies about a batch", test_lies },
          { "broken claims", test_claims }, { "host calls with a wrong batch", test_host_calls },
          { "order", test_order }, { "slices", test_slices }, { "reports", test_reports },
          { "values", test_values })
