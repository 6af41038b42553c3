/* Fuzz target: settings, a NUL and a trace give the same however the trace is cut into pieces and batches; without settings
 * it is a condensed trace. */
/* SPDX-License-Identifier: MIT */
#include "../unit/fake-files.h"
#include "cut.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The files of a folder: the trace first. */
typedef struct Input {
  FakeFile files[2];
  size_t n;
} Input;

static char *read_trace(const Input *in, size_t max_read, uint32_t max_events)
{
  FakeFiles f;
  fake_files_init(&f, in->files[0].path, in->files, in->n);
  f.max_read = max_read;
  f.max_events = max_events;
  int status = fake_files_run(&f, false);
  PROMISE((status < 0) == f.failed && status >= -MILL_LIMIT);
  /* A damaged end shows once what comes before it was given, which pieces may do otherwise. */
  char *got = g_strconcat(f.failed ? g_strrstr(f.produced->str, "fail ") : f.produced->str,
                          f.noted->str, f.described->str, NULL);
  fake_files_clear(&f);
  return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const uint8_t *nul = size && size <= 1u << 16 ? memchr(data, 0, size) : NULL;
  if (!nul || nul + 1 == data + size) return 0;
  bool condensed = nul == data;
  g_autofree char *settings = g_strndup((const char *)data, (gsize)(nul - data));
  Input in = { { { condensed ? "d/a.dmat" : "d/a.bin", (const char *)nul + 1,
                   (size_t)(data + size - nul - 1) },
                 { "d/probe.toml", settings, 0 } },
               condensed ? 1 : 2 };
  uint64_t hash = fuzz_hash(data, size);
  g_autofree char *whole = read_trace(&in, 0, 1024);
  g_autofree char *cut = read_trace(&in, fuzz_piece(hash, size), 1 + (uint32_t)(hash % 5));
  PROMISE(!strcmp(whole, cut));
  return 0;
}
