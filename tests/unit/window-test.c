/* Windows on a file: any place, the pad behind, used again, and a file that shrinks under one. */
/* SPDX-License-Identifier: MIT */
#include "base/window.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/scan.h"
#include "check.h"
#include "scratch.h"

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Byte i of the file. */
static char byte_at(size_t i) { return (char)('a' + i % 23 + i / page() % 3); }

static int make_file(const char *folder, size_t len)
{
  g_autofree char *path = g_build_filename(folder, "file", NULL), *text = g_malloc(len);
  for (size_t i = 0; i < len; i++) text[i] = byte_at(i);
  CHECK(g_file_set_contents(path, text, (gssize)len, NULL));
  return open(path, O_RDWR);
}

static void check_shows(const Window *w, size_t offset, size_t at)
{
  CHECK_INT(at, offset % page());
  size_t wrong = 0;
  for (size_t i = 0; i < w->size; i++) wrong += w->bytes[i] != byte_at(offset - at + i);
  CHECK_INT(wrong, 0);
  for (int i = 0; i < SCAN_PAD; i++) CHECK_INT((unsigned char)w->bytes[w->size + i], 0xff);
}

static void test_places(void)
{
  char *folder = scratch_folder();
  int fd = make_file(folder, 8 * page());
  Window *w = window_new(2 * page() - 5);
  size_t at;
  CHECK_INT(w->size, 2 * page());
  const size_t offsets[] = { 0, 1, page() - 1, page(), 6 * page(), 3 * page() + 77 };
  for (size_t i = 0; i < G_N_ELEMENTS(offsets); i++) {
    CHECK(window_show(w, fd, offsets[i], &at));
    check_shows(w, offsets[i], at);
  }
  close(fd);
  check_shows(w, offsets[5], at);
  window_free(w);
  scratch_remove(folder);
}

static void test_used_again(void)
{
  Window *a = window_new(page()), *b = window_new(page()), *larger;
  CHECK(a != b && a->bytes != b->bytes);
  window_free(a);
  larger = window_new(3 * page());
  CHECK(larger != a);
  CHECK(window_new(page()) == a);
  window_free(a);
  window_free(b);
  window_free(larger);
  window_free(NULL);
}

static void test_what_cannot_be_mapped(void)
{
  int ends[2];
  size_t at;
  Window *w = window_new(page());
  CHECK(pipe(ends) == 0);
  CHECK(!window_show(w, ends[0], 0, &at));
  CHECK_INT(w->bytes[0], 0); /* its place is still reserved */
  close(ends[0]);
  close(ends[1]);
  window_free(w);
}

static volatile sig_atomic_t signals;

static void on_bus(int sig, siginfo_t *info, void *context)
{
  (void)context;
  signals++;
  if (!window_repair(info->si_addr)) signal(sig, SIG_DFL);
}

static void test_file_that_shrinks(void)
{
  struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO }, before;
  char *folder = scratch_folder();
  int fd = make_file(folder, 4 * page());
  Window *w = window_new(4 * page());
  size_t at;
  sigaction(SIGBUS, &action, &before);
  CHECK(window_show(w, fd, 0, &at));
  CHECK(ftruncate(fd, (off_t)page() + 10) == 0);
  const volatile char *bytes = w->bytes;
  CHECK_INT(bytes[page() + 9], byte_at(page() + 9));
  CHECK_INT(bytes[page() + 10], 0); /* in the last page: no signal */
  CHECK_INT(signals, 0);
  CHECK(!w->torn);
  CHECK_INT(bytes[3 * page() + 1], 0);
  CHECK_INT(bytes[3 * page() + 2], 0);
  CHECK_INT(signals, 1);
  CHECK(w->torn);
  CHECK_INT(bytes[2 * page()], 0);
  CHECK_INT(signals, 2);
  CHECK(ftruncate(fd, 4 * (off_t)page()) == 0);
  CHECK(window_show(w, fd, 0, &at));
  CHECK(!w->torn);
  CHECK_INT(bytes[0], byte_at(0));
  CHECK(!window_repair(&at));
  sigaction(SIGBUS, &before, NULL);
  close(fd);
  window_free(w);
  scratch_remove(folder);
}

TEST_MAIN({ "every place of a file", test_places }, { "used again", test_used_again },
          { "what cannot be mapped", test_what_cannot_be_mapped },
          { "a file that shrinks", test_file_that_shrinks })
