/* What the chrome-json source makes of a text, however it is cut: shared by its tests. */
/* SPDX-License-Identifier: MIT */
#ifndef SOURCE_CHROME_JSON_CHROME_JSON_TEST_H
#define SOURCE_CHROME_JSON_CHROME_JSON_TEST_H

#include "check.h"
#include "fuzz/source-host.c"
#include "source-dump.h"

/* Notices of events that lack a phase, a start or a length, as most of the short texts of the tests do. */
enum { LACKS_FIRST = 43, LACKS_LAST = 45 };

/* Events, members, notices and the failure, one per line; of what events lack only with an "l" in the mode. */
static char *whole_run(const char *text, size_t len, const MillRead *reads, uint32_t n_reads,
                       const char *mode, size_t block_size, uint32_t max_events)
{
  SourceHost *h = source_host_new(text, len);
  Dump d = { h, g_string_new(NULL), false };
  h->reads = reads;
  h->n_reads = n_reads;
  h->is_strict = strchr(mode, 's') != NULL;
  h->is_recover = strchr(mode, 'r') != NULL;
  d.raw = strchr(mode, 'w') != NULL;
  SourceRun run = { block_size, max_events, 0, strchr(mode, 'd') != NULL, dump_batch, &d };
  int status = source_run(h, &run);
  if (status < 0)
    g_string_truncate(d.out, 0); /* how many came before depends on the batches */
  else
    g_string_append(d.out, h->members->str);
  bool lacks = strchr(mode, 'l') != NULL;
  for (unsigned i = 0; i < 64 && status == 0; i++)
    if (h->notes[i] && (lacks || i < LACKS_FIRST || i > LACKS_LAST))
      g_string_append_printf(d.out, "note %u: %u\n", i, (unsigned)h->notes[i]);
  CHECK((status < 0) == (h->failure != NULL));
  if (status < 0)
    g_string_append_printf(d.out, "fail %s\n", h->failure ? h->failure : "without a word");
  source_host_free(h);
  return g_string_free(d.out, FALSE);
}

/* Results must not depend on how the bytes and the events are cut. */
static void expect_run(const char *text, const MillRead *reads, uint32_t n_reads, const char *mode,
                       const char *wanted)
{
  static const size_t sizes[] = { 1 << 20, 64, 7, 3 };
  for (unsigned i = 0; i < 8; i++) {
    g_autofree char *got =
        whole_run(text, strlen(text), reads, n_reads, mode, sizes[i / 2], i % 2 ? 1 : 1024);
    if (!CHECK_STR(got, wanted)) {
      CHECK_ROW(text);
      printf("\n--- got\n%s--- wanted\n%s---", got, wanted);
      return;
    }
  }
}

#endif
