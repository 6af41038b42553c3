/* The test harness for modules: the program itself, with a source and a sink in memory at its ends.
 *
 *   static void marks_long_slices(void)
 *   {
 *     with("limit-ns=1000");
 *     given("X a 0 2ms", "X b 0 1us");
 *     expect_attr(0, "slow_by", "1999000");
 *     expect_table("slow-calls", "0 | 2 | 1");
 *   }
 *   HARNESS_MAIN({ "marks long slices", marks_long_slices })
 *
 * Build the test from the module's own source and this library (stagemill-harness-1.pc).  It is a
 * run like any other, with --verify: planned, sorted, merged and folded by the same code.  A rule
 * of the headers that the module breaks fails the test.  After every test the same case is run
 * again in other ways that must give the same, nothing to write for it:
 *   - in batches of 1, 7 and 1024 events; by several jobs; lanes from the last one on; with
 *     attributes that the module did not ask for; with other symbol numbers, which must not change
 *     what is saved either
 *   - the input of a source that has `fork` in pieces of some bytes, by several threads
 *   - with no events, and with one in each lane, which no stage may fail over (MILL_BAD_INPUT apart)
 *   - a stage that can be replayed (stage.h) goes on in fresh instances
 *   - a stage that merges: merging again what lanes saved gives the same report; with
 *     MILL_ANY_ORDER, saving and merging into a fresh instance changes nothing, and merging is
 *     associative and commutative
 * A stage that writes to standard output or asks for a variable of the environment fails the test.
 * After all tests an attribute that it provides (attr.NAME) must have been on an event of one, and
 * one that it needs must be among those that it reads.  NAME-test --cases prints the tests as text,
 * for `stagemill test`.
 * A run that fails without expect_status or expect_notice of its failure fails the test.
 *
 * An event is one line:
 *   PHASE NAME TS [DUR] [p=PROCESS] [t=THREAD] [cat=CATEGORY] [id=7|id=0x7] [bp=e]
 *       [{key=value, list=[1,2]}]
 * PHASE is the letter of the Chrome format, or - for a record (an untimed row); DUR belongs to X
 * only; TS and DUR are nanoseconds or have a unit (1.5us), - is none; process and thread are 0
 * if not given; whatever has spaces in it is in double quotes, where \n \t \r \" and \\ mean
 * what they mean in C.  Lines are compared after parsing, so 1000 and 1us are the same.  Times are
 * those of the lane: no base is added.
 *
 * A table row is its cells with | between them, - for an empty one.  Rows of lane tables begin
 * with the rank (not in whole scope), rows of groups with the values of their tags.  Numbers are
 * compared to six digits.  Rows are expected in the order in which the stage reported them, lanes
 * first.  Names of tables and metrics are those of the descriptor, without the vendor.
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

#define HARNESS_AT __FILE__, __LINE__
#define HARNESS_END (const char *)0
#define HARNESS_TEXT ((size_t)-1) /* as a length: up to the NUL */

/* ------------------------------------------------------------------ a case
 * Options, and events lane by lane.  Those given before the first `given_lane` are of a lane of
 * rank 0.  `given_lane` takes facts, all of them optional: "rank=1 label=base dialect=kineto
 * base=5s name=r1.json tag.threads=256 member.world=8"; the rank is that of the order, rank=- is
 * none; a member is one of the document around the events, as JSON without blanks.  A stage finds
 * the facts that it needs, and those that it wants where a lane has them ("fact=bytes"); order.lane is made
 * by a sort, as the program would do. */
#define with(...) harness_with(HARNESS_AT, __VA_ARGS__, HARNESS_END)
#define given_lane(facts) harness_lane(HARNESS_AT, facts)
#define given(...) harness_given(HARNESS_AT, __VA_ARGS__, HARNESS_END)

/* Of a source the lanes are inputs, each with its bytes, or a file or folder that is there; facts
 * are those that a user can give: rank, label, name (of the file), tag.  Events come with all
 * their attributes, unless `with_stage` puts a stage after the source that reads others. */
#define given_bytes(text) harness_bytes(HARNESS_AT, text, HARNESS_TEXT)
#define given_data(bytes, len) harness_bytes(HARNESS_AT, bytes, len)
#define given_file(path) harness_file(HARNESS_AT, path)
/* A stage of the test's own before the sink, or after the source: to report tables and metrics,
 * or to read attributes as something.  Results have the names of its descriptor. */
#define with_stage(stage) harness_stage(HARNESS_AT, stage)

/* ------------------------------------------------------------ expectations
 * The first one runs the case.  Lanes are counted from 0. */
/* Everything that leaves the first lane (expect_lane: that lane; whole scope has just lane 0),
 * in order. */
#define expect(...) harness_expect(HARNESS_AT, 0, __VA_ARGS__, HARNESS_END)
#define expect_lane(index, ...) harness_expect(HARNESS_AT, index, __VA_ARGS__, HARNESS_END)
#define expect_nothing(index) harness_expect(HARNESS_AT, index, HARNESS_END)
/* One attribute of the n-th event that leaves the first lane; value NULL: it has none of that
 * name. */
#define expect_attr(n, key, value) harness_expect_attr(HARNESS_AT, n, key, value)
#define expect_table(table, ...) harness_expect_rows(HARNESS_AT, table, __VA_ARGS__, HARNESS_END)
#define expect_empty_table(table) harness_expect_rows(HARNESS_AT, table, HARNESS_END)
/* stat NULL: the metric has just one value; value NULL: it must be reported as not applicable.
 * Of the run, else of the first lane. */
#define expect_metric(metric, stat, value) harness_expect_metric(HARNESS_AT, metric, stat, value)
/* How often a notice (its number) was counted, over all lanes; 1 for that of the failure. */
#define expect_notice(number, count) harness_expect_notice(HARNESS_AT, number, count)
#define expect_status(status) harness_expect_status(HARNESS_AT, status)
#define expect_true(condition) harness_expect_true(HARNESS_AT, condition, #condition)

/* Of a source: how sure it is of an input of this name that begins like this; least 0: not at
 * all.  And what it described of a lane, in the form of given_lane, and fact=FACT: "rank=3 fact=slices". */
#define expect_probe(text, name, least) \
  harness_expect_probe(HARNESS_AT, text, HARNESS_TEXT, name, least)
#define expect_described(index, facts) harness_expect_described(HARNESS_AT, index, facts)
/* Of a sink: all of a file that it wrote, decompressed; NULL: there is none of that name. */
#define expect_output(name, text) harness_expect_output(HARNESS_AT, name, text)

#if defined(__GNUC__)
#define HARNESS_SENTINEL __attribute__((sentinel))
#else
#define HARNESS_SENTINEL
#endif
/* Where a list ends: HARNESS_END. */
void harness_with(const char *file, int line, ...) HARNESS_SENTINEL;
void harness_lane(const char *file, int line, const char *facts);
void harness_given(const char *file, int line, ...) HARNESS_SENTINEL;
void harness_bytes(const char *file, int line, const void *bytes, size_t len);
void harness_file(const char *file, int line, const char *path);
void harness_stage(const char *file, int line, const MillStage *stage);
void harness_expect(const char *file, int line, uint32_t lane_index, ...) HARNESS_SENTINEL;
void harness_expect_attr(const char *file, int line, uint32_t event, const char *key,
                         const char *value);
void harness_expect_rows(const char *file, int line, const char *table, ...) HARNESS_SENTINEL;
/* The same for rows that the test makes; the array ends in NULL. */
void harness_expect_table(const char *file, int line, const char *table, const char *const *rows);
void harness_expect_metric(const char *file, int line, const char *metric, const char *stat,
                           const char *value);
void harness_expect_notice(const char *file, int line, uint32_t number, uint64_t count);
void harness_expect_status(const char *file, int line, uint32_t status);
void harness_expect_true(const char *file, int line, bool condition, const char *text);
void harness_expect_probe(const char *file, int line, const void *bytes, size_t len,
                          const char *name, int least);
void harness_expect_described(const char *file, int line, uint32_t lane_index, const char *facts);
void harness_expect_output(const char *file, int line, const char *name, const char *text);

/* Forgets options, lanes and events: for several cases in one test. */
void harness_clear(void);

/* A host on its own, for tests of library code that takes one: everything may be asked at any time;
 * what was put is what is got, in order.  Of a lane of rank 0. */
const MillStageHost *harness_host(void);

/* ---------------------------------------------------------------- programs */
typedef struct HarnessTest {
  const char *name;
  void (*run)(void);
} HarnessTest;
/* Runs all tests, or those named on the command line; the exit status. */
int harness_main(const MillModule *module, const HarnessTest *tests, uint32_t n_tests, int argc,
                 char **argv);

#define HARNESS_MAIN(...)                                                         \
  int main(int argc, char **argv)                                                 \
  {                                                                               \
    static const HarnessTest tests_[] = { __VA_ARGS__ };                          \
    return harness_main(&mill_module_v1, tests_, MILL_COUNT(tests_), argc, argv); \
  }

#ifdef __cplusplus
}
#endif
#endif
