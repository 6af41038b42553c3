/* Tests of compute/utilisation: which table a job takes, and what is ideal.  Core 1100 MHz: 11,000 cycles are 10 us. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <stdio.h>

static void table(int number, const char *phase, int ideal_cycles)
{
  char line[192];
  snprintf(line, sizeof line, "- compiler.table - {table=%d, phase=%s, ideal_cycles=%d}", number,
           phase, ideal_cycles);
  given(line);
}

static void row(int number, const char *kernel, const char *category, int cycles)
{
  char line[320];
  snprintf(line, sizeof line,
           "- compiler.kernel - {table=%d, kernel=\"%s Cmpt Exec\", category=%s, ideal_cycles=%d}",
           number, kernel, category, cycles);
  given(line);
}

static void end_of_log(int autopilot)
{
  given(autopilot ? "- compiler.log - {autopilot=1, tables=1}"
                  : "- compiler.log - {autopilot=0, tables=1}");
}

static void a_log(const char *facts) { given_lane(facts); }
#define LOG_OF_ALL "rank=- label=log dialect=compiler-log"

static void one_table(void)
{
  a_log(LOG_OF_ALL);
  table(0, "UNKN", 33000);
  row(0, "mm_0", "Bmm", 11000);
  row(0, "add_0", "NotAvailable", 0);
  row(0, "mm_1", "Bmm", 22000);
  row(0, "relu_0", "NotAvailable", 0);
  row(0, "Total", "Total", 33000);
  end_of_log(0);
}

static void expect_no_notice(void)
{
  for (uint32_t number = 1; number <= 8; number++) expect_notice(number, 0);
}

/* Durations 50, 20, 60 against 10, 0, 20 us: 0.5 + 0.5 * 30 / 130 = 0.615. */
static void kernels_get_their_share(void)
{
  given("X \"mm_0 Cmpt Exec\" 0 50us {TS1=1}", "X \"add_0 Cmpt Exec\" 50us 20us {TS1=1}",
        "X \"mm_1 Cmpt Exec\" 100us 60us cat=mine {TS1=1}", "X host 110us 1us",
        "X \"mm_0 Cmpt Exec\" 120us 1us");
  one_table();
  expect("X \"mm_0 Cmpt Exec\" 0 50us cat=Bmm {TS1=1, pt_active=0.2, core used=true}",
         "C \"PT Active\" 0 t=- {Percent=20.0}",
         "X \"add_0 Cmpt Exec\" 50us 20us cat=NotAvailable {TS1=1}",
         "C \"PT Active\" 50us t=- {Percent=0.0}",
         "X \"mm_1 Cmpt Exec\" 100us 60us cat=mine {TS1=1, user_cat=Bmm, "
         "pt_active=0.3333333333333333, core used=true}",
         "C \"PT Active\" 100us t=- {Percent=33.333333333}", "X host 110us 1us",
         "X \"mm_0 Cmpt Exec\" 120us 1us", "C \"PT Active\" 160us t=- {Percent=0.0}");
  expect_table("categories",
               "0 | UNKN | Bmm | 110000 | 84.6153846 | 2 | 30000 | 33000 | 100 | 27.2727273",
               "0 | UNKN | NotAvailable | 20000 | 15.3846154 | 1 | 0 | 0 | 0 | 0",
               "0 | UNKN | StcdpHbm | 0 | 0 | 0 | 0 | 0 | 0 | -",
               "0 | UNKN | Total | 130000 | 100 | 3 | 30000 | 33000 | 100 | 23.0769231",
               "0 | UNKN | other | 0 | 0 | 0 | 0 | 0 | 0 | -");
  expect_table("utilisation", "0 | 27.2727273 | 23.0769231 | 110000 | 20000");
  expect_metric("pt_utilisation", NULL, "27.2727273");
  expect_no_notice();
}

/* The worked example: 11,000 cycles in 20 us. */
static void half_of_the_time(void)
{
  given("X \"k_1 Cmpt Exec\" 1015us 20us {TS1=5700, TS2=5800, TS3=11200, TS4=22400, TS5=22500}");
  a_log(LOG_OF_ALL);
  table(0, "ITL", 11000);
  row(0, "k_1", "Bmm", 11000);
  end_of_log(0);
  expect("X \"k_1 Cmpt Exec\" 1015us 20us cat=Bmm {TS1=5700, TS2=5800, TS3=11200, TS4=22400, "
         "TS5=22500, pt_active=0.5, core used=true}",
         "C \"PT Active\" 1015us t=- {Percent=50.0}", "C \"PT Active\" 1035us t=- {Percent=0.0}");
  expect_no_notice();
}

/* 11,000 cycles of 1,000 MHz are 11 us, of 20. */
static void cycles_are_of_the_core(void)
{
  with("core-mhz=1000");
  given("X \"k_1 Cmpt Exec\" 0 20us {TS1=1}");
  a_log(LOG_OF_ALL);
  table(0, "ITL", 11000);
  row(0, "k_1", "Bmm", 11000);
  end_of_log(0);
  expect_attr(0, "pt_active", "0.55");
}

static void a_rank_without_a_log_is_left_alone(void)
{
  given("X \"mm_0 Cmpt Exec\" 0 50us {TS1=1}");
  a_log("rank=1 label=log dialect=compiler-log");
  table(0, "UNKN", 11000);
  row(0, "mm_0", "Bmm", 11000);
  end_of_log(0);
  expect("X \"mm_0 Cmpt Exec\" 0 50us {TS1=1}");
  expect_empty_table("categories");
  expect_empty_table("utilisation");
  expect_metric("pt_utilisation", NULL, NULL);
  expect_notice(5, 1);
}

static void a_log_without_a_table_gives_nothing(void)
{
  given("X \"mm_0 Cmpt Exec\" 0 50us {TS1=1}");
  a_log(LOG_OF_ALL);
  end_of_log(0);
  expect("X \"mm_0 Cmpt Exec\" 0 50us {TS1=1}");
  expect_notice(5, 1);
}

/* No kernel is named: not 0 % of its time is ideal, but nobody knows how much. */
static void a_table_that_names_no_kernel_gives_no_share(void)
{
  given("X \"odd Cmpt Exec\" 0 50us {TS1=1}");
  one_table();
  expect_table("utilisation", "0 | - | - | 0 | 50000");
  expect_metric("pt_utilisation", NULL, NULL);
  expect_notice(4, 1);
}

static void no_kernels_are_no_job(void)
{
  given("X host 0 50us", "X \"mm_0 Cmpt Exec\" 0 50us", "X \"a DmaI\" 0 5us {TS1=1}");
  one_table();
  expect_empty_table("categories");
  expect_metric("pt_utilisation", NULL, NULL);
  expect_no_notice();
}

/* 5 us for 10 ideal ones, and 25 for 20: 30 of 30 us, so that the table is not ruled out. */
static void more_than_all_is_shown_as_101(void)
{
  given("X \"mm_0 Cmpt Exec\" 0 5us {TS1=1}", "X \"mm_1 Cmpt Exec\" 10us 25us {TS1=1}");
  one_table();
  expect_attr(0, "pt_active", "2");
  expect_attr(1, "Percent", "101");
  expect_attr(4, "Percent", "80");
  expect_table("utilisation", "0 | 100 | 100 | 30000 | 0");
  expect_notice(3, 1);
  expect_notice(1, 0);
}

/* 1,001 cycles are 910 ns exactly; 1,000 are 909.09, and 909 ns no less than ideal. */
static void rounding_is_not_more_than_all(void)
{
  given("X \"a Cmpt Exec\" 0 910 {TS1=1}", "X \"b Cmpt Exec\" 1us 909 {TS1=1}");
  a_log(LOG_OF_ALL);
  table(0, "UNKN", 2001);
  row(0, "a", "A", 1001);
  row(0, "b", "B", 1000);
  end_of_log(0);
  expect_attr(1, "Percent", "100");
  expect_attr(4, "Percent", "100");
  expect_no_notice();
}

/* A job of two of the five rows, three times over; the table is known by what it names, not by how many rows it has. */
static void a_job_may_use_a_part_of_the_table_many_times(void)
{
  for (int i = 0; i < 3; i++) {
    char line[128];
    snprintf(line, sizeof line, "X \"mm_0 Cmpt Exec\" %dus 20us {TS1=1}", 100 * i);
    given(line);
    snprintf(line, sizeof line, "X \"mm_1 Cmpt Exec\" %dus 40us {TS1=1}", 100 * i + 50);
    given(line);
  }
  one_table();
  expect_table("utilisation", "0 | 50 | 50 | 180000 | 0");
  expect_no_notice();
}

static void two_tables(int first_cycles, int second_cycles)
{
  a_log(LOG_OF_ALL);
  table(0, "TTFT", first_cycles);
  row(0, "a", "Bmm", first_cycles);
  table(1, "ITL", second_cycles);
  row(1, "a", "MatMul", second_cycles);
  row(1, "b", "MatMul", second_cycles);
  end_of_log(0);
}

/* Job 0, 100 us of a: 0.5 + 0.5 * 80 / 100 = 0.9 against 0.5 + 0.5 * 20 / 100 = 0.6.  Job 1, 25 us each of a and b:
 * the first table has 80 us for 50, so 0; the second 0.5 + 0.5 * 40 / 50 = 0.9. */
static void each_job_takes_its_table(void)
{
  given("X \"a Cmpt Exec\" 0 100us {TS1=1, jobname=\"j0.json(0)\"}",
        "X \"a Cmpt Exec\" 200us 25us {TS1=1, jobname=\"j1.json(1)\"}",
        "X \"b Cmpt Exec\" 300us 25us {TS1=1, jobname=\"j1.json(1)\"}");
  two_tables(88000, 22000);
  expect_attr(0, "pt_active", "0.8");
  expect_attr(3, "pt_active", "0.8");
  expect_table("categories", "0 | ITL | MatMul | 50000 | 100 | 2 | 40000 | 44000 | 100 | 80",
               "0 | ITL | StcdpHbm | 0 | 0 | 0 | 0 | 0 | 0 | -",
               "0 | ITL | Total | 50000 | 100 | 2 | 40000 | 44000 | 100 | 80",
               "0 | ITL | other | 0 | 0 | 0 | 0 | 0 | 0 | -",
               "0 | TTFT | Bmm | 100000 | 100 | 1 | 80000 | 88000 | 100 | 80",
               "0 | TTFT | StcdpHbm | 0 | 0 | 0 | 0 | 0 | 0 | -",
               "0 | TTFT | Total | 100000 | 100 | 1 | 80000 | 88000 | 100 | 80",
               "0 | TTFT | other | 0 | 0 | 0 | 0 | 0 | 0 | -");
  expect_no_notice();
}

/* A launch is a job: the same names, of the two tables above. */
static void each_launch_takes_its_table(void)
{
  given_lane("rank=0 dialect=kineto");
  given("X a 0 100us cat=kernel {correlation=7}", "X a 200us 25us cat=kernel {correlation=8}",
        "X b 300us 25us cat=kernel {correlation=8}", "X a 400us 100us cat=kernel {correlation=9}",
        "X \"Memcpy (HtoD)\" 550us 1us cat=gpu_memcpy {correlation=9}");
  two_tables(88000, 22000);
  expect_attr(0, "user_cat", "Bmm");
  expect_attr(3, "user_cat", "MatMul");
  expect_table("utilisation", "0 | 80 | 80 | 250000 | 0");
  expect_no_notice();
}

/* 6 % more than measured rules the first out: the second has but 0.5 + 0.5 * 53 / 100 = 0.765. */
static void ideal_above_measured_rules_a_table_out(void)
{
  given("X \"a Cmpt Exec\" 0 100us {TS1=1}");
  two_tables(116600, 58300);
  expect_attr(0, "pt_active", "0.53");
  expect_no_notice();
}

/* 5 % do not: 0.5 + 0.5 * 1.05. */
static void five_percent_are_as_measured(void)
{
  given("X \"a Cmpt Exec\" 0 100us {TS1=1}");
  two_tables(115500, 58300);
  expect_attr(0, "pt_active", "1.05");
  expect_notice(3, 1);
}

/* One of two calls is named: 0.25 + 0.5 * 60 / 100 = 0.55. */
static void a_table_that_fits_badly_is_said(void)
{
  given("X \"a Cmpt Exec\" 0 50us {TS1=1}", "X \"z Cmpt Exec\" 100us 50us {TS1=1}");
  a_log(LOG_OF_ALL);
  table(0, "UNKN", 66000);
  row(0, "a", "Bmm", 66000);
  end_of_log(0);
  expect_notice(1, 1);
  expect_notice(2, 0);
  expect_notice(4, 1);
}

/* 0.5 + 0.5 * 0.2 = 0.6 is certain. */
static void the_border_is_certain(void)
{
  given("X \"a Cmpt Exec\" 0 50us {TS1=1}");
  a_log(LOG_OF_ALL);
  table(0, "UNKN", 11000);
  row(0, "a", "Bmm", 11000);
  end_of_log(0);
  expect_no_notice();
}

/* 0.5 + 0.5 * 0.8 and 0.5 + 0.5 * 0.6 differ by 0.1; 0.5 + 0.5 * 0.59 does not come so near. */
static void two_tables_alike_are_said(void)
{
  given("X \"a Cmpt Exec\" 0 100us {TS1=1}");
  two_tables(88000, 66000);
  expect_attr(0, "pt_active", "0.8");
  expect_notice(2, 1);
  harness_clear();
  given("X \"a Cmpt Exec\" 0 100us {TS1=1}");
  two_tables(88000, 64900);
  expect_notice(2, 0);
}

static void of_equal_tables_the_first_counts(void)
{
  given("X \"a Cmpt Exec\" 0 100us {TS1=1}");
  two_tables(88000, 88000);
  expect("X \"a Cmpt Exec\" 0 100us cat=Bmm {TS1=1, pt_active=0.8, core used=true}",
         "C \"PT Active\" 0 t=- {Percent=80.0}", "C \"PT Active\" 100us t=- {Percent=0.0}");
  expect_notice(2, 1);
}

static void a_rank_has_its_own_log(void)
{
  given_lane("rank=3");
  given("X \"a Cmpt Exec\" 0 100us {TS1=1}");
  given_lane("rank=4");
  given("X \"a Cmpt Exec\" 0 100us {TS1=1}");
  a_log("rank=3 label=log dialect=compiler-log");
  table(0, "UNKN", 88000);
  row(0, "a", "Bmm", 88000);
  end_of_log(0);
  a_log("rank=4 label=log dialect=compiler-log");
  table(0, "UNKN", 44000);
  row(0, "a", "Bmm", 44000);
  end_of_log(0);
  expect_table("utilisation", "3 | 80 | 80 | 100000 | 0", "4 | 40 | 40 | 100000 | 0");
  expect_metric("pt_utilisation", NULL, "60");
  expect_no_notice();
}

static void kernels_that_no_table_names_are_other(void)
{
  given("X \"mm_0 Cmpt Exec\" 0 20us {TS1=1}", "X \"mm_1 Cmpt Exec\" 50us 20us {TS1=1}",
        "X \"odd Cmpt Exec\" 80us 20us {TS1=1}");
  one_table();
  expect_attr(4, "pt_active", NULL);
  expect_table("utilisation", "0 | 75 | 50 | 40000 | 20000");
  expect_notice(4, 1);
  expect_notice(1, 1); /* 0.5 * 2 / 3 + 0.5 * 30 / 60 = 0.583 */
}

static void numbers_in_names_come_from_the_event(void)
{
  given_lane("rank=0 dialect=kineto");
  given("X \"mm_[N]\" 0 20us cat=kernel {fn_idx=1}", "X \"mm_[N]\" 30us 20us cat=kernel {fn_idx=0}",
        "X \"mm_[N]\" 60us 20us cat=kernel {fn_idx=\"1\"}", "X \"mm_[N]\" 90us 20us cat=kernel");
  one_table();
  expect_attr(0, "pt_active", "1");
  expect_attr(3, "pt_active", "0.5");
  expect_attr(6, "pt_active", "1");
  expect_notice(4, 1);
}

/* Kernels without a duration: by stamps 11,200 cycles of 560 MHz are 20 us; or not at all. */
static void stamps_say_how_long_it_took(void)
{
  given("X \"mm_0 Cmpt Exec\" 0 0 {TS1=1, TS3=100, TS4=11300}",
        "X \"mm_0 Cmpt Exec\" 50us - {TS1=1, TS3=100, TS4=100}",
        "X \"mm_0 Cmpt Exec\" 90us 0 {TS1=1}");
  one_table();
  expect_table("utilisation", "0 | 50 | 50 | 20000 | 0");
  expect_notice(6, 2);
  expect_notice(3, 0);
  expect_notice(1, 0);
}

/* 80 % and 60 % at once are more than all: 0, 80, 101, 60, 0. */
static void kernels_at_once_add_up(void)
{
  given("X \"a Cmpt Exec\" 0 10us {TS1=1}", "X \"b Cmpt Exec\" 5us 10us {TS1=1}");
  a_log(LOG_OF_ALL);
  table(0, "UNKN", 15400);
  row(0, "a", "A", 8800);
  row(0, "b", "A", 6600);
  end_of_log(0);
  expect_attr(1, "Percent", "80");
  expect_attr(3, "Percent", "101");
  expect_attr(4, "Percent", "60");
  expect_attr(5, "Percent", "0");
  expect_no_notice();
}

/* ---- autopilot: only the whole job has an ideal time, here 33,000 cycles or 30 us */

static void an_autopilot_log(void)
{
  a_log(LOG_OF_ALL);
  table(0, "UNKN", 33000);
  row(0, "mm_0", "Bmm", 33000);
  row(0, "Total", "Total", 33000);
  end_of_log(1);
}

/* 30 of 40 + 20 us, twice. */
static void a_job_of_autopilot_has_one_share(void)
{
  given("X \"x Cmpt Exec\" 0 40us {TS1=1, jobname=a}",
        "X \"y Cmpt Exec\" 50us 20us {TS1=1, jobname=a}",
        "X \"x Cmpt Exec\" 100us 30us {TS1=1, jobname=b}");
  an_autopilot_log();
  expect("X \"x Cmpt Exec\" 0 40us cat=Total {TS1=1, jobname=a, pt_active=0.5, core used=true}",
         "C \"PT Active\" 0 t=- {Percent=50.0}",
         "X \"y Cmpt Exec\" 50us 20us cat=Total {TS1=1, jobname=a, pt_active=0.5, core used=true}",
         "C \"PT Active\" 70us t=- {Percent=0.0}",
         "X \"x Cmpt Exec\" 100us 30us cat=Total {TS1=1, jobname=b, pt_active=1.0, core used=true}",
         "C \"PT Active\" 100us t=- {Percent=100.0}", "C \"PT Active\" 130us t=- {Percent=0.0}");
  expect_table("categories", "0 | UNKN | Bmm | 0 | 0 | 0 | 0 | 0 | 0 | -",
               "0 | UNKN | StcdpHbm | 0 | 0 | 0 | 0 | 0 | 0 | -",
               "0 | UNKN | Total | 90000 | 100 | 3 | 60000 | 66000 | 100 | 66.6666667",
               "0 | UNKN | other | 0 | 0 | 0 | 0 | 0 | 0 | -");
  expect_no_notice();
  expect_notice(9, 2);
}

/* Two ranks whose jobs take turns do not disturb each other. */
static void autopilot_is_by_rank(void)
{
  given_lane("rank=0");
  given("X \"x Cmpt Exec\" 0 60us {TS1=1}", "X \"x Cmpt Exec\" 100us 60us {TS1=1}");
  given_lane("rank=1");
  given("X \"x Cmpt Exec\" 50us 60us {TS1=1}");
  an_autopilot_log();
  expect_lane(1, "X \"x Cmpt Exec\" 50us 60us cat=Total {TS1=1, pt_active=0.5, core used=true}",
              "C \"PT Active\" 50us p=1 t=- {Percent=50.0}",
              "C \"PT Active\" 110us p=1 t=- {Percent=0.0}");
  expect_table("utilisation", "0 | 25 | 25 | 120000 | 0", "1 | 50 | 50 | 60000 | 0");
}

/* Job b begins within a and goes on: its counter begins where a ends.  c ends within b: it has none. */
static void jobs_within_each_other_follow(void)
{
  given("X \"x Cmpt Exec\" 0 60us {TS1=1, jobname=a}",
        "X \"x Cmpt Exec\" 40us 40us {TS1=1, jobname=b}",
        "X \"x Cmpt Exec\" 50us 30us {TS1=1, jobname=c}");
  an_autopilot_log();
  expect_attr(1, "Percent", "50");
  expect_attr(4, "Percent", "75");
  expect_attr(5, "Percent", "0");
  expect_notice(8, 1);
  expect_notice(7, 0);
}

/* 40 + 40 us of kernels in 60: the job took no longer than that. */
static void kernels_of_a_job_at_once_are_said(void)
{
  given("X \"x Cmpt Exec\" 0 40us {TS1=1}", "X \"y Cmpt Exec\" 20us 40us {TS1=1}");
  an_autopilot_log();
  expect_attr(1, "Percent", "50");
  expect_notice(7, 1);
}

/* ---- odd things */

static void extremes_are_clipped(void)
{
  given("X \"a Cmpt Exec\" -9223372036854775807 9223372036854775807 {TS1=1}",
        "X \"a Cmpt Exec\" 9223372036854775800 9223372036854775807 {TS1=1, correlation=-1}",
        "X \"a Cmpt Exec\" 9223372036854775800 0 {TS1=1, TS3=-9223372036854775808, "
        "TS4=9223372036854775807}",
        "X \"a Cmpt Exec\" - 5 {TS1=1}");
  a_log(LOG_OF_ALL);
  given("- compiler.kernel - {table=0, kernel=lost, ideal_cycles=1}");
  given("- compiler.table - {table=0, phase=NaN, ideal_cycles=9223372036854775807}");
  given("- compiler.kernel - {table=0, kernel=\"a Cmpt Exec\", ideal_cycles=9223372036854775807}");
  given("- compiler.table -", "- compiler.kernel -", "- compiler.log -", "- other -");
  expect_table("utilisation", "0 | 90.9090909 | 90.9090909 | 9223372036854775807 | 0");
}

/* 100,000 kernels of 80 names, 10 us each; 80,000 rows.  Each of 5,500 cycles, or 5 us. */
static void a_hundred_thousand_kernels_and_a_large_table(void)
{
  char line[128];
  for (int i = 0; i < 100000; i++) {
    snprintf(line, sizeof line, "X \"k_%d Cmpt Exec\" %dus 10us {TS1=1}", i % 80, 10 * i);
    given(line);
  }
  a_log(LOG_OF_ALL);
  table(0, "UNKN", 440000000);
  for (int i = 0; i < 80000; i++) {
    snprintf(line, sizeof line, "k_%d", i);
    row(0, line, "Bmm", 5500);
  }
  end_of_log(0);
  expect_table("utilisation", "0 | 50 | 50 | 1000000000 | 0");
  expect_no_notice();
}

HARNESS_MAIN({ "kernels get their share", kernels_get_their_share },
             { "half of the time", half_of_the_time },
             { "cycles are of the core", cycles_are_of_the_core },
             { "a rank without a log is left alone", a_rank_without_a_log_is_left_alone },
             { "a log without a table gives nothing", a_log_without_a_table_gives_nothing },
             { "a table that names no kernel gives no share",
               a_table_that_names_no_kernel_gives_no_share },
             { "no kernels are no job", no_kernels_are_no_job },
             { "more than all is shown as 101", more_than_all_is_shown_as_101 },
             { "rounding is not more than all", rounding_is_not_more_than_all },
             { "a job may use a part of the table many times",
               a_job_may_use_a_part_of_the_table_many_times },
             { "each job takes its table", each_job_takes_its_table },
             { "each launch takes its table", each_launch_takes_its_table },
             { "ideal above measured rules a table out", ideal_above_measured_rules_a_table_out },
             { "five percent are as measured", five_percent_are_as_measured },
             { "a table that fits badly is said", a_table_that_fits_badly_is_said },
             { "the border is certain", the_border_is_certain },
             { "two tables alike are said", two_tables_alike_are_said },
             { "of equal tables the first counts", of_equal_tables_the_first_counts },
             { "a rank has its own log", a_rank_has_its_own_log },
             { "kernels that no table names are other", kernels_that_no_table_names_are_other },
             { "numbers in names come from the event", numbers_in_names_come_from_the_event },
             { "stamps say how long it took", stamps_say_how_long_it_took },
             { "kernels at once add up", kernels_at_once_add_up },
             { "a job of autopilot has one share", a_job_of_autopilot_has_one_share },
             { "autopilot is by rank", autopilot_is_by_rank },
             { "jobs within each other follow", jobs_within_each_other_follow },
             { "kernels of a job at once are said", kernels_of_a_job_at_once_are_said },
             { "extremes are clipped", extremes_are_clipped },
             { "a hundred thousand kernels and a large table",
               a_hundred_thousand_kernels_and_a_large_table })
