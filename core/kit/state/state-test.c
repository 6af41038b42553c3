/* Tests of state.c: fields of every kind, saved, loaded and merged. */
/* SPDX-License-Identifier: MIT */
#include "kit/state/state.h"

#include <math.h>
#include <stagemill/harness.h>
#include <string.h>

#include "check.h"
#include "kit/numbers/dist.h"
#include "kit/state/keyed.h"
#include "kit/state/names.h"

typedef struct Point {
  double x, y;
} Point;
static const StateField point_fields[] = { STATE_FIRST(Point, x), STATE_LEAST(Point, y) };
static const StateType point_state = STATE_TYPE(Point, point_fields);

typedef struct All {
  bool seen;
  uint8_t level;
  int32_t shift;
  uint32_t calls;
  int64_t total_ns, least_ns, most_ns, first;
  uint64_t bytes;
  __int128 energy;
  double times[3];
  const char *name;
  char *unit;
  MillText text;
  MillSym sym;
  Point corners[2];
} All;
static const StateField all_fields[] = {
  STATE_MOST(All, seen),    STATE_MOST(All, level),
  STATE_SUM(All, shift),    STATE_SUM(All, calls),
  STATE_SUM(All, total_ns), STATE_LEAST(All, least_ns),
  STATE_MOST(All, most_ns), STATE_FIRST(All, first),
  STATE_SUM(All, bytes),    STATE_SUM(All, energy),
  STATE_SUMS(All, times),   STATE_FIRST(All, name),
  STATE_FIRST(All, unit),   STATE_FIRST(All, text),
  STATE_SYM(All, sym),      STATE_PART(All, corners, point_state),
};
static const StateType all_state = STATE_TYPE(All, all_fields);

static All filled(void)
{
  const MillHost *common = harness_host()->common;
  return (All){ .seen = true,
                .level = 3,
                .shift = -5,
                .calls = 7,
                .total_ns = 100,
                .least_ns = -20,
                .most_ns = 30,
                .first = 11,
                .bytes = UINT64_MAX - 1,
                .energy = -((__int128)5 << 80),
                .times = { 1, (double)NAN, (double)INFINITY },
                .name = "gemm",
                .text = { "a\0b", 3 },
                .sym = common->intern(common, "relu", 4),
                .corners = { { 1, 2 }, { 3, 4 } } };
}

static void what_is_loaded_is_what_was_saved(void)
{
  All from = filled(), to = { 0 };
  state_save(harness_host(), &all_state, &from);
  CHECK(state_load(harness_host(), &all_state, &to));
  CHECK(!harness_host()->get_more(harness_host()));
  CHECK(to.seen && to.level == 3 && to.shift == -5 && to.calls == 7);
  CHECK(to.total_ns == 100 && to.least_ns == -20 && to.most_ns == 30 && to.first == 11);
  CHECK(to.bytes == UINT64_MAX - 1 && to.energy == from.energy);
  CHECK(to.times[0] == 1 && isnan(to.times[1]) && isinf(to.times[2]));
  CHECK_STR(to.name, "gemm");
  CHECK(to.unit == NULL && to.text.len == 3 && memcmp(to.text.text, "a\0b", 3) == 0);
  CHECK_INT(to.sym, from.sym);
  CHECK(to.corners[1].x == 3 && to.corners[1].y == 4);
}

static void merging_goes_by_the_rule_of_each(void)
{
  All from = filled();
  All to = { .level = 9, .total_ns = INT64_MAX - 10, .least_ns = 5, .most_ns = 40, .first = 1 };
  to.bytes = 2;
  to.energy = (__int128)5 << 80;
  to.shift = INT32_MIN + 2;
  to.calls = UINT32_MAX - 3;
  to.name = "first";
  to.times[0] = 0.5;
  to.corners[0] = (Point){ 7, 8 };
  state_save(harness_host(), &all_state, &from);
  CHECK(state_merge(harness_host(), &all_state, &to));
  CHECK(to.seen && to.level == 9 && to.least_ns == -20 && to.most_ns == 40 && to.first == 1);
  CHECK(to.total_ns == INT64_MAX && to.bytes == UINT64_MAX && to.calls == UINT32_MAX);
  CHECK(to.shift == INT32_MIN && to.energy == 0 && to.times[0] == 1.5);
  CHECK_STR(to.name, "first");
  CHECK(to.text.len == 3 && to.sym == from.sym);
  CHECK(to.corners[0].x == 7 && to.corners[0].y == 2);
}

typedef struct Device {
  int number;
} Device;
static const StateField device_fields[] = { STATE_SAME(Device, number) };
static const StateType device_state = STATE_TYPE(Device, device_fields);

static int joined(int into, int number)
{
  Device from = { number }, to = { into };
  state_save(harness_host(), &device_state, &from);
  CHECK(state_merge(harness_host(), &device_state, &to));
  return to.number;
}

static void what_is_to_be_the_same_is_so_or_not(void)
{
  CHECK_INT(joined(0, 3), 3);
  CHECK_INT(joined(3, 0), 3);
  CHECK_INT(joined(3, 3), 3);
  CHECK_INT(joined(3, 4), -1);
  CHECK_INT(joined(-1, 4), -1);
  CHECK_INT(joined(-1, 0), -1);
}

typedef struct Rows {
  uint32_t thread, none;
} Rows;
static const StateField rows_fields[] = { STATE_TRACK(Rows, thread), STATE_TRACK(Rows, none) };
static const StateType rows_state = STATE_TYPE(Rows, rows_fields);

static void rows_are_found_again(void)
{
  const MillStageHost *host = harness_host();
  Rows from = { host->track(host, mill_int(7), mill_int(8)), MILL_FAILED }, to = { 0 };
  state_save(host, &rows_state, &from);
  CHECK(state_load(host, &rows_state, &to));
  CHECK_INT(to.thread, from.thread);
  CHECK_INT(to.none, MILL_FAILED);
}

/* ---- lists */

typedef struct Lists {
  int64_t *numbers;
  size_t n, capacity;
  Point *points;
  uint32_t n_points;
  MillSym *names;
  uint64_t n_names;
  int64_t sum;
} Lists;

static bool take_number(void *owner, const void *element)
{
  ((Lists *)owner)->sum += *(const int64_t *)element;
  return true;
}

static const StateField list_fields[] = {
  STATE_LIST(Lists, numbers, n, capacity, state_of_int),
  STATE_EXACT_LIST(Lists, points, n_points, point_state),
  STATE_EXACT_LIST(Lists, names, n_names, state_of_sym),
};
static const StateField sum_fields[] = {
  STATE_TAKEN(Lists, numbers, n, state_of_int, take_number),
};
static const StateType list_state = STATE_TYPE(Lists, list_fields);
static const StateType sum_state = STATE_TYPE(Lists, sum_fields);

static void lists_are_appended(void)
{
  const MillHost *common = harness_host()->common;
  int64_t numbers[] = { 5, -6 };
  Point points[] = { { 1, 2 } };
  MillSym names[] = { common->intern(common, "a", 1), common->intern(common, "", 0) };
  Lists from = { numbers, 2, 2, points, 1, names, 2, 0 }, to = { 0 };
  for (int twice = 0; twice < 2; twice++) {
    state_save(harness_host(), &list_state, &from);
    CHECK(state_merge(harness_host(), &list_state, &to));
  }
  CHECK(to.n == 4 && to.numbers[0] == 5 && to.numbers[3] == -6);
  CHECK(to.n_points == 2 && to.points[1].x == 1 && to.points[1].y == 2);
  CHECK(to.n_names == 4 && to.names[2] == names[0] && to.names[3] == 0);
}

static void elements_are_handed_to_who_takes_them(void)
{
  int64_t numbers[] = { 40, 2 };
  Lists from = { .numbers = numbers, .n = 2 }, to = { 0 };
  state_save(harness_host(), &sum_state, &from);
  CHECK(state_load(harness_host(), &sum_state, &to));
  CHECK(to.sum == 42 && to.n == 0);
}

typedef struct Corners {
  int64_t *xy;
  uint64_t n;
} Corners;
static const StateField corners_fields[] = { STATE_ROWS(Corners, xy, n) };
static const StateType corners_state = STATE_TYPE(Corners, corners_fields);

static void rows_of_numbers_are_appended(void)
{
  int64_t numbers[] = { 5, -6 };
  Corners from = { numbers, 2 }, none = { NULL, 0 }, to = { NULL, 0 };
  for (int i = 0; i < 2; i++) state_save(harness_host(), &corners_state, &from);
  state_save(harness_host(), &corners_state, &none);
  for (int i = 0; i < 3; i++) CHECK(state_merge(harness_host(), &corners_state, &to));
  CHECK(to.n == 4 && to.xy[1] == -6 && to.xy[2] == 5);
  harness_host()->put_text(harness_host(), "no number", 9);
  CHECK(!state_merge(harness_host(), &corners_state, &to));
  CHECK_INT(to.n, 4);
}

/* ---- texts by number */

typedef struct Use {
  uint32_t kernel, phase;
  int64_t calls;
} Use;
static const StateField use_fields[] = {
  STATE_NUMBER(Use, kernel, 0),
  STATE_NUMBER(Use, phase, 1),
  STATE_FIRST(Use, calls),
};
static const StateType use_state = STATE_TYPE(Use, use_fields);

typedef struct Numbered {
  Names kernels, phases;
  Use *uses;
  uint32_t n_uses;
} Numbered;
static const StateField numbered_fields[] = {
  STATE_NAMES(Numbered, kernels, 0),
  STATE_NAMES(Numbered, phases, 1),
  STATE_EXACT_LIST(Numbered, uses, n_uses, use_state),
};
static const StateType numbered_state = STATE_TYPE(Numbered, numbered_fields);

static uint32_t number(Names *names, const char *text)
{
  uint32_t number = UINT32_MAX;
  CHECK(names_number(names, text, strlen(text), &number));
  return number;
}

static Numbered numbered(const char *kernel, const char *phase, Use *use)
{
  Numbered n = { .kernels = { .common = harness_host()->common },
                 .phases = { .common = harness_host()->common },
                 .uses = use,
                 .n_uses = 1 };
  use->kernel = number(&n.kernels, kernel);
  use->phase = number(&n.phases, phase);
  return n;
}

static void names_get_the_numbers_that_they_have_here(void)
{
  Use first = { .calls = 3 }, second = { .calls = 4 };
  Numbered to = { .n_uses = 0 }, one = numbered("gemm", "prefill", &first);
  Numbered two = numbered("relu", "prefill", &second);
  state_save(harness_host(), &numbered_state, &one);
  CHECK(state_load(harness_host(), &numbered_state, &to));
  state_save(harness_host(), &numbered_state, &two);
  CHECK(state_merge(harness_host(), &numbered_state, &to));
  CHECK_INT(to.n_uses, 2);
  CHECK(to.uses[0].kernel == 0 && to.uses[0].phase == 0 && to.uses[0].calls == 3);
  CHECK(to.uses[1].kernel == 1 && to.uses[1].phase == 0 && to.uses[1].calls == 4);
  CHECK_STR(to.kernels.entries[1]->key, "relu");
  CHECK_INT(to.phases.n, 1);
}

static void a_number_without_a_name_is_not_loaded(void)
{
  Use use = { .calls = 1 };
  Numbered from = numbered("gemm", "decode", &use), to = { .n_uses = 0 };
  use.phase = 1;
  state_save(harness_host(), &numbered_state, &from);
  CHECK(!state_load(harness_host(), &numbered_state, &to));
  CHECK_INT(harness_host()->get_int(harness_host()), 1); /* is left */
}

/* Memory is asked for only as far as what was saved can hold elements.  The last test: nothing can be read after it. */
static void a_number_that_is_too_large_gives_none(void)
{
  const MillStageHost *host = harness_host();
  Lists to = { 0 };
  host->put_int(host, INT64_MAX);
  host->put_int(host, 1);
  CHECK(state_load(host, &list_state, &to));
  CHECK(to.n == 0 && to.n_points == 0);
}

/* ---- by key, with distributions */

typedef struct Sum {
  int64_t least_ns;
  Dist time;
} Sum;
static const StateField sum_of_fields[] = { STATE_LEAST(Sum, least_ns), STATE_DIST(Sum, time) };
static const StateType sum_of_state = STATE_TYPE(Sum, sum_of_fields);

typedef struct Table {
  Hists hists;
  Keyed *sums, *totals;
  Dist steps[2];
  Moments spans[2];
} Table;
static const StateField table_fields[] = {
  STATE_HISTS(Table, hists),
  STATE_KEYED(Table, sums, sum_of_state),
  STATE_KEYED(Table, totals, state_of_sum),
  STATE_PART(Table, steps, dist_state),
  STATE_PART(Table, spans, moments_state),
};
static const StateType table_state = STATE_TYPE(Table, table_fields);

static Table table_new(void)
{
  Table t = { .sums = keyed_new(harness_host()->common, sizeof(Sum)),
              .totals = keyed_new(harness_host()->common, sizeof(int64_t)) };
  hists_init(&t.hists, harness_host()->common, 100);
  return t;
}

static void put(Table *t, const char *key, int64_t least_ns, int64_t time_ns)
{
  Sum *s = keyed_get(t->sums, key, strlen(key));
  s->least_ns = least_ns;
  CHECK(dist_add(&s->time, &t->hists, time_ns));
}

/* The least of a key that is new is what comes, not the 0 that was there. */
static void keys_are_merged_one_by_one(void)
{
  Table from = table_new(), to = table_new();
  put(&from, "new", 50, 1);
  put(&from, "both", 50, 1);
  put(&to, "both", 40, 3);
  state_save(harness_host(), &table_state, &from);
  CHECK(state_merge(harness_host(), &table_state, &to));
  CHECK_INT(((Sum *)keyed_find(to.sums, "new", 3))->least_ns, 50);
  Sum *both = keyed_find(to.sums, "both", 4);
  CHECK(both->least_ns == 40 && both->time.moments.n == 2 && dist_mean(&both->time) == 2);
  CHECK_INT(to.hists.n, 3);
  hists_clear(&from.hists);
  hists_clear(&to.hists);
}

static void totals_of_keys_are_added_up(void)
{
  Table from = table_new(), to = table_new();
  *(int64_t *)keyed_get(from.totals, "a", 1) = 3;
  *(int64_t *)keyed_get(from.totals, "b", 1) = INT64_MAX;
  *(int64_t *)keyed_get(to.totals, "b", 1) = 4;
  state_save(harness_host(), &table_state, &from);
  CHECK(state_merge(harness_host(), &table_state, &to));
  CHECK_INT(*(int64_t *)keyed_find(to.totals, "a", 1), 3);
  CHECK_INT(*(int64_t *)keyed_find(to.totals, "b", 1), INT64_MAX);
}

static void distributions_of_an_array_are_merged_each(void)
{
  Table from = table_new(), to = table_new();
  CHECK(dist_add(&from.steps[0], &from.hists, 4) && dist_add(&from.steps[1], &from.hists, 6));
  CHECK(dist_add(&to.steps[1], &to.hists, 8));
  moments_add(&from.spans[1], 5);
  moments_add(&to.spans[1], 9);
  state_save(harness_host(), &table_state, &from);
  CHECK(state_merge(harness_host(), &table_state, &to));
  CHECK(dist_mean(&to.steps[0]) == 4 && dist_percentile(&to.steps[1], 50) == 7);
  CHECK(to.spans[0].n == 0 && to.spans[1].n == 2 && moments_mean_or_none(&to.spans[1]) == 7);
  hists_clear(&from.hists);
  hists_clear(&to.hists);
}

TEST_MAIN(
    { "what is loaded is what was saved", what_is_loaded_is_what_was_saved },
    { "merging goes by the rule of each", merging_goes_by_the_rule_of_each },
    { "what is to be the same is so or not", what_is_to_be_the_same_is_so_or_not },
    { "rows are found again", rows_are_found_again }, { "lists are appended", lists_are_appended },
    { "elements are handed to who takes them", elements_are_handed_to_who_takes_them },
    { "rows of numbers are appended", rows_of_numbers_are_appended },
    { "names get the numbers that they have here", names_get_the_numbers_that_they_have_here },
    { "a number without a name is not loaded", a_number_without_a_name_is_not_loaded },
    { "keys are merged one by one", keys_are_merged_one_by_one },
    { "totals of keys are added up", totals_of_keys_are_added_up },
    { "distributions of an array are merged each", distributions_of_an_array_are_merged_each },
    { "a number that is too large gives none", a_number_that_is_too_large_gives_none })
