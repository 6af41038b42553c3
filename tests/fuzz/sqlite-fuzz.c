/* Fuzz target: a database gives the same rows however they are cut into batches, or fails as its input may. */
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/kernel-rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(cond)     \
  do {                    \
    if (!(cond)) abort(); \
  } while (0)

static char path[] = "/tmp/stagemill-fuzz-XXXXXX";

static void remove_file(void) { g_unlink(path); }

/* SQLite reads files only; one is used over and over. */
static void save(const uint8_t *data, size_t size)
{
  static int fd = -1;
  if (fd < 0) {
    fd = mkstemp(path);
    PROMISE(fd >= 0 && atexit(remove_file) == 0);
  }
  PROMISE(pwrite(fd, data, size, 0) == (ssize_t)size && ftruncate(fd, (off_t)size) == 0);
}

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
