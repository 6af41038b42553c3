/* The heap of a program has huge pages, however it grew. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory-growth.h"
#include "check.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_MALLOC 1 /* of the sanitizer, which has no heap like that */
#else
#define OWN_MALLOC 0
#endif

/* Whether the maps of this process show the flag where `at` is. */
static bool is_huge(const void *at)
{
  g_autofree char *text = NULL;
  bool is_there = false;
  CHECK(g_file_get_contents("/proc/self/smaps", &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    uintptr_t from, end;
    if (sscanf(*line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &end) == 2)
      is_there = (uintptr_t)at >= from && (uintptr_t)at < end;
    else if (is_there && g_str_has_prefix(*line, "VmFlags:"))
      return strstr(*line, " hg") != NULL;
  }
  return false;
}

/* Not where the kernel has none, and not in qemu's user mode, which keeps the wish to itself. */
static bool has_huge_pages(void)
{
  enum { BYTES = 4 << 20 };
  void *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(pages, BYTES, MADV_HUGEPAGE);
  bool is = is_huge(pages);
  munmap(pages, BYTES);
  return is;
}

/* KiB of "[heap]" in the maps of this process, with the flag or without. */
static guint64 heap_kib(bool with_huge)
{
  g_autofree char *text = NULL;
  guint64 sum = 0, size = 0;
  bool in_heap = false;
  CHECK(g_file_get_contents("/proc/self/smaps", &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    if (g_ascii_isxdigit(**line) && strstr(*line, "-") && strchr(*line, ' '))
      in_heap = g_str_has_suffix(*line, "[heap]");
    else if (g_str_has_prefix(*line, "Size:"))
      size = g_ascii_strtoull(*line + strlen("Size:"), NULL, 10);
    else if (in_heap && g_str_has_prefix(*line, "VmFlags:"))
      sum += !strstr(*line, " hg") == with_huge ? 0 : size;
  }
  return sum;
}

static void test_growth(void)
{
  enum { N = 512, BYTES = 128 << 10 };
  static void *blocks[N];
  if (OWN_MALLOC || !has_huge_pages()) return;
  memory_growth_look(NULL, 0); /* not begun */
  memory_growth_begin();
  for (int i = 0; i < N; i++) {
    blocks[i] = malloc(BYTES);
    memory_growth_look(blocks[i], BYTES);
  }
  CHECK(heap_kib(true) >= (guint64)N * BYTES / 1024);
  CHECK(heap_kib(false) <= 4096); /* what was there before */
  for (int i = 0; i < N; i++) free(blocks[i]);
}

/* From then on the heap has no more of them. */
static void test_little_memory(void)
{
  if (OWN_MALLOC) return;
  const guint64 before = heap_kib(true);
  memory_growth_limit(64 << 20);
  void *block = malloc(4 << 20), *other[64];
  memory_growth_look(block, 4 << 20);
  for (int i = 0; i < 64; i++) memory_growth_look(other[i] = malloc(4 << 20), 4 << 20);
  CHECK(heap_kib(true) <= before);
  for (int i = 0; i < 64; i++) free(other[i]);
  free(block);
}

TEST_MAIN({ "growth", test_growth }, { "little memory", test_little_memory })
