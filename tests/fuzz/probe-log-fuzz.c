/* Fuzz target: a log of probed programs gives the same however its bytes and records are cut. */
/* SPDX-License-Identifier: MIT */
#include "../unit/fake-files.h"
#include "cut.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *read_log(const FakeFile files[2], size_t max_read, uint32_t max_events)
{
  FakeFiles f;
  fake_files_init(&f, files[0].path, files, 2);
  f.max_read = max_read;
  f.max_events = max_events;
  int status = fake_files_run(&f, false);
  PROMISE((status < 0) == f.failed && status >= -MILL_LIMIT);
  char *got = g_strconcat(f.noted->str, f.produced->str, NULL);
  fake_files_clear(&f);
  return got;
}

/* The first byte says which log it is; what the assembler printed has the same bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > 1u << 18) return 0;
  const char *text = (const char *)data + 1;
  const FakeFile files[2] = { { data[0] & 1 ? "d/stdout.log" : "d/event.log", text, size - 1 },
                              { "d/kernel/0_a1/process.log", text, size - 1 } };
  g_autofree char *whole = read_log(files, 0, 1024);
  g_autofree char *cut = read_log(files, fuzz_piece(fuzz_hash(data, size), size), 1 + data[0] % 5);
  PROMISE(!strcmp(whole, cut));
  return 0;
}
