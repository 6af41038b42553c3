/* Tests of what the stages of family tune share: axes, tables, options, points that are saved and joined. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <math.h>
#include <stagemill/harness.h>
#include <stdio.h>
#include <string.h>

#include "tune/lib/allreduce-names.h"
#include "tune/lib/allreduce-points.h"
#include "check.h"

static const MillHost *common(void) { return harness_host()->common; }

static MillSym sym(const char *text) { return common()->intern(common(), text, strlen(text)); }

/* By hand: log2(65) - 7 is -0.98, cut to 0; log2(300) is 8.2; 16384 of hidden is 7, beyond. */
static void test_floor(void)
{
  static const struct {
    int64_t v, wanted;
  } hidden[] = { { 64, 0 },    { 65, 128 },  { 127, 128 }, { 128, 128 },    { 255, 128 },
                 { 256, 256 }, { 300, 256 }, { 511, 256 }, { 512, 512 },    { 1023, 512 },
                 { 1024, 0 },  { 0, 0 },     { -1, 0 },    { INT64_MAX, 0 } };
  ArAxis axis = { 0 };
  CHECK(ar_axis_add(common(), &axis, 512) && ar_axis_add(common(), &axis, 128));
  CHECK(ar_axis_add(common(), &axis, 256) && ar_axis_add(common(), &axis, 128));
  CHECK_INT(axis.n, 3);
  CHECK(ar_axis_has(&axis, 256) && !ar_axis_has(&axis, 300));
  for (size_t i = 0; i < MILL_COUNT(hidden); i++)
    CHECK_INT(ar_axis_floor(&axis, hidden[i].v), hidden[i].wanted);
  CHECK_INT(ar_axis_floor(&(ArAxis){ 0 }, 1), 0);
}

static ArCell cell(int64_t tokens, int64_t number)
{
  return (ArCell){ .tp = 2,
                   .hidden = 128,
                   .tokens = tokens,
                   .number = number,
                   .fusion = sym("RESIDUAL_RMS_NORM_QUANT_FP8"),
                   .time = (double)NAN,
                   .margin = 1.5 };
}

static void test_table(void)
{
  ArTable t = { .common = common() }, saved = t, again = t;
  const ArCell cells[] = { cell(4, 1), cell(1, 2), cell(4, 3) };
  for (size_t i = 0; i < MILL_COUNT(cells); i++) CHECK(ar_table_add(&t, &cells[i]));
  state_save(harness_host(), &ar_table_state, &t);
  CHECK(state_load(harness_host(), &ar_table_state, &saved) && ar_table_join(&again, &saved));
  const ArCell *disputed = ar_table_sort(&again);
  CHECK_INT(again.n, 2); /* of equal keys the first */
  CHECK_INT(again.at[0].number, 2);
  CHECK_INT(again.at[1].number, 1);
  CHECK(disputed == &again.at[1]);
  CHECK(!ar_table_sort(&again));
  CHECK(isnan(again.at[1].time) && again.at[1].margin == 1.5);
  const ArCell *found = ar_table_lookup(&again, 3, sym("RESIDUAL_RMS_NORM_OUT_QUANT_FP8"), 200, 7);
  CHECK(found && found->number == 1);
  CHECK(!ar_table_lookup(&again, 4, sym("RESIDUAL_RMS_NORM_QUANT_FP8"), 128, 1));
  CHECK(!ar_table_lookup(&again, 2, sym("NONE"), 128, 1));
}

static ArRow row(const char *strategy, int64_t tokens, double time_us)
{
  return (ArRow){ .tp = 2,
                  .hidden = 128,
                  .tokens = tokens,
                  .bytes = 256 * tokens,
                  .fusion = sym("NONE"),
                  .strategy = sym(strategy),
                  .time_us = time_us };
}

/* Two lanes; the second begins with the strategy that the first has last. */
static void test_points(void)
{
  ArPoints a = { .common = common(), .keeps_times = true };
  ArPoints b = a, all = a;
  const ArRow first[] = { row("A", 1, 4), row("B", 1, 6), row("A", 2, 0) };
  const ArRow second[] = { row("B", 1, 3), row("A", 1, 3), row("A", 2, 8), row("A", 1, 11) };
  for (size_t i = 0; i < MILL_COUNT(first); i++) CHECK(ar_points_add(&a, &first[i]));
  for (size_t i = 0; i < MILL_COUNT(second); i++) CHECK(ar_points_add(&b, &second[i]));
  state_save(harness_host(), &ar_points_state, &a);
  state_save(harness_host(), &ar_points_state, &b);
  for (int i = 0; i < 2; i++) {
    ArPoints lane = { .common = common(), .keeps_times = true };
    CHECK(state_load(harness_host(), &ar_points_state, &lane) && ar_points_join(&all, &lane));
  }
  ArSpan sorted, section, shape;
  ArBest best;
  size_t at = 0, in = 0;
  CHECK(ar_sorted(&all, &sorted));
  CHECK(ar_next_section(&sorted, &at, &section) && ar_next_shape(&section, &in, &shape));
  CHECK_INT(shape.n, 2);
  CHECK(ar_best(&shape, 0, AR_MIN, &best)); /* both 3: the row of B came first */
  CHECK(best.winner->strategy == sym("B") && best.time == 3 && best.runner_up_time == 3);
  CHECK(ar_best(&shape, 0, AR_MEDIAN, &best)); /* A: 4 of 3, 4, 11; B: 4.5; */
  CHECK(best.winner->strategy == sym("A") && best.time == 4 && best.runner_up_time == 4.5);
  CHECK(ar_best(&shape, 0, AR_MEAN, &best)); /* A: 6; B: 4.5 */
  CHECK(best.winner->strategy == sym("B") && best.time == 4.5);
  CHECK(!ar_best(&(ArSpan){ shape.at, 1 }, shape.at[0]->strategy, AR_MIN, &best));
  CHECK(ar_next_shape(&section, &in, &shape) && shape.n == 1 && shape.at[0]->n == 1);
  CHECK(!ar_next_shape(&section, &in, &shape) && !ar_next_section(&sorted, &at, &section));
  CHECK_INT(all.n_rows, 7);
}

/* Enough for the hash to grow several times. */
static void test_many_points(void)
{
  ArPoints p = { .common = common() };
  for (int64_t round = 0; round < 2; round++)
    for (int64_t i = 1; i <= 5000; i++) {
      const ArRow r = row("A", i, (double)i + (double)round);
      if (!ar_points_add(&p, &r)) CHECK(false);
    }
  CHECK_INT(p.n, 5000);
  ArPoint like = {
    .tp = 2, .hidden = 128, .tokens = 4321, .fusion = sym("NONE"), .strategy = sym("A")
  };
  const ArPoint *found = ar_points_find(&p, &like);
  CHECK(found && found->n == 2 && found->min == 4321 && found->max == 4322);
  like.tokens = 5001;
  CHECK(!ar_points_find(&p, &like));
}

static void test_names(void)
{
  double percent = 0;
  CHECK_INT(ar_number_of("NCCL_SYMMETRIC", 14), 8);
  CHECK_INT(ar_number_of("NCCL_S", 6), INT64_MIN);
  CHECK_STR(ar_name_of(5), "TWOSHOT");
  CHECK(!ar_name_of(-1) && !ar_name_of(10));
  CHECK(ar_percent_read(common(), "x", "2.5%", &percent) == 0 && percent == 2.5);
  CHECK(ar_percent_read(common(), "x", "3", &percent) == 0 && percent == 3);
}

TEST_MAIN({ "floors", test_floor }, { "tables", test_table }, { "points", test_points },
          { "many points", test_many_points }, { "names", test_names })
