/* Fuzz target: a database gives the same rows however they are cut into batches, or fails as its input may. */
/* SPDX-License-Identifier: MIT */

#include "../unit/kernel-rows.h"
#include "saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The rows and notices, with the status that they end with. */
static char *read_rows(uint32_t max_events)
{
  const FakeFile file = { path, "", 0 };
  KernelRows r;
  kernel_rows_init(&r, path, &file);
  r.files.max_events = max_events;
  int status = fake_files_run(&r.files, false);
  PROMISE(status == 0 || status == -MILL_BAD_INPUT || status == -MILL_LIMIT);
  char *got =
      g_strdup_printf("%d\n%s%s", status, r.files.noted->str,
                      status ? strstr(r.files.produced->str, "fail ") : r.files.produced->str);
  kernel_rows_clear(&r);
  return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size > 1u << 20) return 0;
  save(data, size);
  g_autofree char *whole = read_rows(1024), *cut = read_rows(1);
  PROMISE(!strcmp(whole, cut));
  return 0;
}
