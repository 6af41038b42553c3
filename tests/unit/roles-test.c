/* Roles of sinks: which one is taken where nobody names a format, and in which order the usual ones come. */
/* SPDX-License-Identifier: MIT */
#include "plan/sink-roles.h"

#include "check.h"

static int open_nothing(const MillSink *self, const MillSinkHost *host, uint32_t level,
                        const void *options, void **out)
{
  (void)self, (void)host, (void)level, (void)options;
  *out = NULL;
  return 0;
}
static int take_results(void *instance, const MillResults *results)
{
  (void)results;
  return instance ? 1 : 0;
}
static int take_events(void *instance, const MillBatch *batch)
{
  (void)batch;
  return instance ? 1 : 0;
}
static const MillSinkOps of_results = { .size = sizeof of_results,
                                        .open = open_nothing,
                                        .results = take_results };
static const MillSinkOps of_events = { .size = sizeof of_events,
                                       .open = open_nothing,
                                       .write = take_events };

#define SINK(name_, format_, tag_, flags_, ops_)                                       \
  {                                                                                    \
    .size = sizeof(MillSink), .flags = flags_, .name = name_, .format = format_,       \
    .version = "1.0.0", .tag = tag_, .title = "Writes", .help = "Writes.", .ops = ops_ \
  }

/* As modules are listed, by name: neither the order of turns nor that of vendors. */
static const MillSink sinks[] = {
  SINK("acme.early", "early", "EARLY", MILL_USUAL | MILL_SUMMARY | MILL_CONVERTS, &of_results),
  SINK("arrows", "arrows", "ARROW", MILL_USUAL | MILL_READS_RAW, &of_events),
  SINK("book", "book", "BOOK", MILL_USUAL, &of_results),
  SINK("quiet", "quiet", "QUIET", 0, &of_results),
  SINK("record", "record", "RECORD", MILL_USUAL | MILL_DOCUMENT, &of_results),
  SINK("words", "words", "WORDS", MILL_USUAL | MILL_SUMMARY, &of_results),
};
static MillModule modules_of_sinks[G_N_ELEMENTS(sinks)];

static Modules *new_modules(void)
{
  Modules *m = modules_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(sinks); i++) {
    modules_of_sinks[i] = (MillModule){ .magic = MILL_MAGIC,
                                        .size = sizeof(MillModule),
                                        .abi = MILL_ABI,
                                        .kind = MILL_KIND_SINK,
                                        .descriptor = &sinks[i],
                                        .vendor = strchr(sinks[i].name, '.') ? "acme" : "stagemill",
                                        .licence = "MIT" };
    CHECK(modules_add(m, &modules_of_sinks[i], "the test") == NULL);
  }
  return m;
}

static void test_roles(void)
{
  Modules *m = new_modules(), *none = modules_new(NULL);
  CHECK_STR(format_of_role(m, MILL_SUMMARY), "words"); /* not the one from outside */
  CHECK_STR(format_of_role(m, MILL_DOCUMENT), "record");
  CHECK_STR(format_of_role(m, MILL_CONVERTS), "acme.early"); /* the only one */
  CHECK(sink_of_format(none, format_of_role(none, MILL_PAGE)) == NULL);
  CHECK(sink_of_format(m, format_of_role(m, MILL_PAGE)) == NULL);
  CHECK(sink_of_format(m, "book") == modules_get(m, MILL_KIND_SINK, "book"));
  modules_free(none);
  modules_free(m);
}

static void test_usual(void)
{
  Modules *m = new_modules();
  g_autoptr(GPtrArray) all = usual_formats(m, true), results = usual_formats(m, false);
  g_ptr_array_add(all, NULL);
  g_ptr_array_add(results, NULL);
  g_autofree char *with_events = g_strjoinv(" ", (char **)all->pdata),
                  *without = g_strjoinv(" ", (char **)results->pdata);
  CHECK_STR(with_events, "acme.early words record book arrows");
  CHECK_STR(without, "acme.early words record book");
  modules_free(m);
}

TEST_MAIN({ "roles", test_roles }, { "the usual formats", test_usual })
