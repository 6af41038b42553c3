/* Tests of Student's test: tables of the distribution, and how often equal ranks fail it. */
/* SPDX-License-Identifier: MIT */
#include "kit/numbers/student.h"

#include <math.h>
#include <stagemill/harness.h>

#include "check.h"

/* Tables give these t with three decimals. */
static void the_tables(void)
{
  static const struct {
    double t, tail;
    uint64_t freedom;
  } rows[] = { { 6.314, 0.05, 1 },   { 6.965, 0.01, 2 },   { 4.541, 0.01, 3 },
               { 2.998, 0.01, 7 },   { 2.131, 0.025, 15 }, { 3.090, 0.001, 1001 },
               { 1.984, 0.025, 100 } };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK(fabs(student_tail(rows[i].t, rows[i].freedom) / rows[i].tail - 1) < 0.005);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK(fabs(student_quantile(rows[i].tail, rows[i].freedom) / rows[i].t - 1) < 0.002);
  CHECK(fabs(student_quantile(0.0005, 1) - 636.619) < 0.01);
  CHECK(student_tail(0, 7) == 0.5);
  CHECK(student_tail((double)INFINITY, 7) == 0);
}

static bool above_zero(int n, const double *values)
{
  StudentSeries s = { 0 };
  for (int i = 0; i < n; i++) student_add(&s, values[i]);
  return student_above_zero(&s, 0.01);
}

static void what_is_no_sample(void)
{
  static const double ones[] = { 1, 1, 1, 1, 1, 1, 1, 1 }, zeros[8], below[] = { -1, -1 };
  CHECK(!above_zero(1, ones));
  CHECK(!above_zero(8, zeros));
  CHECK(!above_zero(2, below));
  CHECK(above_zero(8, ones));
}

/* 2, 4 in turns: mean 3, error 1 / sqrt(15), t 11.6.  Eight times 2 and then eight times 4: neighbours resemble each other, r is
 * 13/16, and 16 count as 1, which tells nothing.  Four of each, twice: r is 9/16, they count as 4, t is 5.2: chance 0.7 %. */
static void neighbours_that_are_alike_count_as_fewer(void)
{
  double turns[16], halves[16], quarters[16], rest[16];
  for (int i = 0; i < 16; i++) {
    turns[i] = i % 2 ? 4 : 2;
    halves[i] = i < 8 ? 2 : 4;
    quarters[i] = i / 4 % 2 ? 4 : 2;
    rest[i] = quarters[i] - 0.5;
  }
  CHECK(above_zero(16, turns));
  CHECK(!above_zero(16, halves));
  CHECK(above_zero(16, quarters));
  CHECK(!above_zero(16, rest)); /* t is 4.33: chance 1.1 % */
}

enum { MOST_RANKS = 64 };

typedef struct Job {
  int ranks, collectives;
  int step;       /* collectives to which a rank comes about as late */
  double planted; /* how much later a rank comes, in deviations of the noise */
} Job;

/* Nearly normal, of deviation 1. */
static double noise_of(uint32_t *io_noise)
{
  double sum = 0;
  for (int i = 0; i < 12; i++) {
    *io_noise = *io_noise * 1664525u + 1013904223u;
    sum += (double)(*io_noise >> 8) / 16777216.0;
  }
  return sum - 6;
}

/* The rank that waits least for the others, by the sum, if it seems to be late; else -1. */
static int seems_late(uint32_t *io_noise, Job job)
{
  StudentSeries late[MOST_RANKS] = { 0 };
  double of_step[MOST_RANKS] = { 0 };
  int latest = 0;
  for (int c = 0; c < job.collectives; c++) {
    double at[MOST_RANKS], all = 0;
    for (int r = 0; r < job.ranks; r++) {
      if (c % job.step == 0) of_step[r] = noise_of(io_noise);
      at[r] = of_step[r] + (job.step > 1 ? 0.2 * noise_of(io_noise) : 0);
      all += at[r] += r == 1 ? job.planted : 0;
    }
    for (int r = 0; r < job.ranks; r++)
      student_add(&late[r], at[r] - (all - at[r]) / (job.ranks - 1));
  }
  for (int r = 1; r < job.ranks; r++)
    if (late[r].sum > late[latest].sum) latest = r;
  return student_above_zero(&late[latest], 0.01 / job.ranks) ? latest : -1;
}

/* Runs of 1,000 that name a rank where none is late, and that do not name the right one where one is. */
static void who_seems_late(void)
{
  static const struct {
    Job job;
    int most_named, most_missed;
  } rows[] = {
    { { 2, 8, 1, 0 }, 20, 50 },   { { 8, 8, 1, 0 }, 20, 50 },  { { 64, 8, 1, 0 }, 20, 50 },
    { { 2, 64, 1, 0 }, 20, 0 },   { { 8, 64, 1, 0 }, 20, 0 },  { { 64, 64, 1, 0 }, 20, 0 },
    { { 2, 128, 4, 0 }, 20, 0 },  { { 8, 128, 4, 0 }, 20, 0 }, { { 2, 128, 8, 0 }, 20, 50 },
    { { 8, 128, 8, 0 }, 20, 50 },
  };
  uint32_t noise = 1;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Job job = rows[i].job, planted = job;
    int named = 0, missed = 0;
    planted.planted = 5;
    for (int run = 0; run < 1000; run++) {
      named += seems_late(&noise, job) >= 0;
      missed += seems_late(&noise, planted) != 1;
    }
    CHECK(named <= rows[i].most_named && missed <= rows[i].most_missed);
  }
}

TEST_MAIN({ "the tables", the_tables }, { "what is no sample", what_is_no_sample },
          { "neighbours that are alike count as fewer", neighbours_that_are_alike_count_as_fewer },
          { "who seems late", who_seems_late })
