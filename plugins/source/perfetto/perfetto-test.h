/* Runs of the perfetto source over traces that a test made; for its tests alone. */
/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_PERFETTO_PERFETTO_TEST_H
#define SOURCE_PERFETTO_PERFETTO_TEST_H

#include "check.h"
#include "fuzz/source-host.c"
#include "packets-test.h"
#include "source-dump.h"

#define ROW " p=- t='track 0x0'"

typedef struct How {
  size_t block_size;
  uint32_t max_events;
  bool recover, describe;
} How;

/* Events, notices and the failure, one per line. */
static char *whole_run(const GString *trace, How how)
{
  SourceHost *h = source_host_new(trace->str, trace->len);
  Dump d = { h, g_string_new(NULL), false };
  h->is_recover = how.recover;
  SourceRun run = { how.block_size, how.max_events, 0, how.describe, dump_batch, &d };
  int status = source_run(h, &run);
  if (status < 0) g_string_truncate(d.out, 0); /* how many came before depends on the batches */
  for (unsigned i = 0; i < 64 && status == 0; i++)
    if (h->notes[i]) g_string_append_printf(d.out, "note %u: %u\n", i, (unsigned)h->notes[i]);
  g_string_append(d.out, h->described->str);
  CHECK((status < 0) == (h->failure != NULL));
  if (status < 0)
    g_string_append_printf(d.out, "%d fail %s\n", status, h->failure ? h->failure : "?");
  source_host_free(h);
  return g_string_free(d.out, FALSE);
}

static void check_run(const GString *trace, bool recover, const char *wanted)
{
  static const size_t sizes[] = { 1 << 20, 64, 7, 1 };
  for (unsigned i = 0; i < 8; i++) {
    g_autofree char *got =
        whole_run(trace, (How){ sizes[i / 2], i % 2 ? 1 : 1024, recover, false });
    if (CHECK_STR(got, wanted)) continue;
    printf("\n--- got\n%s--- wanted\n%s---", got, wanted);
    return;
  }
}

static inline void expect_recovered(GString *trace, const char *wanted)
{
  check_run(trace, true, wanted);
}

/* Frees the trace. */
static void expect(GString *trace, const char *wanted)
{
  check_run(trace, false, wanted);
  g_string_free(trace, TRUE);
}

#endif
