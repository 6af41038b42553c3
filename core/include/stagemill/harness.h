/* The test harness for stages: a small host that runs one stage through its whole life.
 *
 *   static void marks_long_slices(void)
 *   {
 *     with("limit-ns=1000");
 *     given("X a 0 2ms", "X b 0 1us");
 *     expect_attr(0, "slow_by", "1999000");
 *     expect_table("slow-calls", "2 | 1");
 *   }
 *   HARNESS_MAIN({ "marks long slices", marks_long_slices })
 *
 * Build the test from the stage's own source and this library (stagemill-harness-1.pc).  After
 * every test the same case is run again in other ways, see harness_check_properties: nothing to
 * write for it.
 *
 * An event is one line:
 *   PHASE NAME TS [DUR] [p=PROCESS] [t=THREAD] [cat=CATEGORY] [id=7|id=0x7] [bp=e]
 *       [{key=value, list=[1,2]}]
 * PHASE is the letter of the Chrome format, or - for a record (an untimed row); DUR belongs to X
 * only; TS and DUR are nanoseconds or have a unit (1.5us), - is none; process and thread are 0
 * if not given; whatever has spaces in it stands in double quotes.  Lines are compared after
 * parsing, so 1000 and 1us are the same.
 *
 * A table row is its cells with | between them, - for an empty one; rows of lane tables begin
 * with the rank. Numbers are compared to six digits.  Rows are expected in the order in which
 * the stage reported them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_HARNESS_H
#define STAGEMILL_HARNESS_H

#include <stagemill/stage.h>

#ifdef __cplusplus
extern "C" {
#endif

extern MILL_EXPORT const MillModule mill_module_v1;

/* ---------------------------------------------------------------- a case Options, and events
 * lane by lane.  Events given before the first `given_lane` are those of a lane of rank 0. A
 * stage that needs order.lane gets them sorted, as the program would do.  `given_lane` takes
 * facts: "rank=1 label=base dialect=kineto base=5s name=r1.json tag.threads=256". */
#define with(...) harness_with((const char *const[]){ __VA_ARGS__, NULL })
#define given_lane(facts) harness_lane(facts)
#define given(...) harness_given((const char *const[]){ __VA_ARGS__, NULL })

/* ------------------------------------------------------------ expectations
 * The first one runs the case.  Lanes are counted from 0. */
#define HARNESS_AT __FILE__, __LINE__
/* Everything that leaves the first lane (expect_lane: that lane; whole scope has just lane 0),
 * in order. */
#define expect(...) harness_expect(HARNESS_AT, 0, (const char *const[]){ __VA_ARGS__, NULL })
#define expect_lane(index, ...) \
  harness_expect(HARNESS_AT, index, (const char *const[]){ __VA_ARGS__, NULL })
#define expect_nothing(index) harness_expect(HARNESS_AT, index, NULL)
/* One attribute of the n-th event that leaves the first lane; value NULL: it has none of that
 * name. */
#define expect_attr(n, key, value) harness_expect_attr(HARNESS_AT, n, key, value)
#define expect_table(table, ...) \
  harness_expect_table(HARNESS_AT, table, (const char *const[]){ __VA_ARGS__, NULL })
#define expect_empty_table(table) harness_expect_table(HARNESS_AT, table, NULL)
/* stat NULL: the metric has just one value; value NULL: it must be reported as not applicable.
 * Of the run. */
#define expect_metric(metric, stat, value) harness_expect_metric(HARNESS_AT, metric, stat, value)
/* How often a notice (its number) was counted, over all lanes; 1 for that of the failure. */
#define expect_notice(number, count) harness_expect_notice(HARNESS_AT, number, count)
#define expect_status(status) harness_expect_status(HARNESS_AT, status)
#define expect_true(condition) harness_expect_true(HARNESS_AT, condition, #condition)

void harness_with(const char *const *options);
void harness_lane(const char *facts);
void harness_given(const char *const *lines);
void harness_expect(const char *file, int line, uint32_t lane_index, const char *const *lines);
void harness_expect_attr(const char *file, int line, uint32_t event, const char *key,
                         const char *value);
void harness_expect_table(const char *file, int line, const char *table, const char *const *rows);
void harness_expect_metric(const char *file, int line, const char *metric, const char *stat,
                           const char *value);
void harness_expect_notice(const char *file, int line, uint32_t number, uint64_t count);
void harness_expect_status(const char *file, int line, uint32_t status);
void harness_expect_true(const char *file, int line, bool condition, const char *text);

/* ---------------------------------------------------------------- properties Runs the present
 * case with batches of 1, 7 and 1024 events, other symbol numbers, lanes in reverse, no events,
 * and one; all must agree.  For a stage that merges: save and merge into a fresh instance
 * changes nothing, merging is associative, and commutative if it says so (MILL_ANY_ORDER).
 * While running, the host checks the descriptor's claims: changes are marked, MILL_READ_ONLY,
 * MILL_MAY_DROP and MILL_MAY_EMIT hold, rows fit their columns, summaries are read as they were
 * written. */
void harness_check_properties(const MillStage *stage);

/* Everything that came out of the present case as text: for tests over many stages. */
char *harness_transcript(const MillStage *stage, uint32_t batch_size); /* free() it */
const MillStage *harness_load(const char *module_path);                /* NULL when it cannot be */
void harness_clear(void); /* forget options, lanes and events */

/* A host on its own, for tests of code that takes one.  What was put is what is got, in order. */
const MillHost *harness_host(void);

/* ---------------------------------------------------------------- programs */
typedef struct HarnessTest {
  const char *name;
  void (*run)(void);
} HarnessTest;
/* Runs all tests, or those named on the command line; the exit status. */
int harness_main(const MillStage *stage, const HarnessTest *tests, uint32_t n_tests, int argc,
                 char **argv);

#define HARNESS_MAIN(...)                                                                  \
  int main(int argc, char **argv)                                                          \
  {                                                                                        \
    static const HarnessTest tests_[] = { __VA_ARGS__ };                                   \
    return harness_main(mill_module_v1.stages[0], tests_, MILL_COUNT(tests_), argc, argv); \
  }

#ifdef __cplusplus
}
#endif
#endif
