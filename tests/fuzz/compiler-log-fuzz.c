/* Fuzz target: the log of a compiler gives the same however its bytes and records are cut. */
/* SPDX-License-Identifier: MIT */
#include "../unit/fake-files.h"
#include "cut.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *read_log(const FakeFile *file, bool recover, size_t max_read, uint32_t max_events)
{
  FakeFiles f;
  fake_files_init(&f, file->path, file, 1);
  f.is_recover = recover;
  f.max_read = max_read;
  f.max_events = max_events;
  int status = fake_files_run(&f, false);
  PROMISE(status == 0); /* whatever it holds, it is a log */
  char *got = g_strconcat(f.noted->str, f.produced->str, NULL);
  fake_files_clear(&f);
  return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 2 || size > 1u << 20) return 0;
  const FakeFile file = { "d/compile.log", (const char *)data + 1, size - 1 };
  bool recover = data[0] & 1;
  g_autofree char *whole = read_log(&file, recover, 0, 1024);
  g_autofree char *cut =
      read_log(&file, recover, fuzz_piece(fuzz_hash(data, size), size), 1 + data[0] % 5);
  PROMISE(!strcmp(whole, cut));
  return 0;
}
