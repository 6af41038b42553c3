/* Memory that lies in a temporary file. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file-memory.h"
#include "check.h"

enum { BLOCK = 1 << 20, N_BLOCKS = 40 };

static unsigned char byte_of(int block, int at) { return (unsigned char)(block * 31 + at / 4096); }

/* Blocks leave the memory of the process again and again, and have their bytes when they come back. */
static void test_bytes_stay(void)
{
  FileMemory *m = file_memory_new(g_get_tmp_dir());
  unsigned char *blocks[N_BLOCKS];
  int n_wrong = 0;
  CHECK_INT(file_memory_bytes(m), 0);
  for (int b = 0; b < N_BLOCKS; b++) {
    blocks[b] = file_memory_take(m, BLOCK);
    CHECK(blocks[b] != NULL);
    for (int at = 0; at < BLOCK; at += 4096) {
      n_wrong += blocks[b][at] != 0;
      blocks[b][at] = byte_of(b, at);
    }
  }
  for (int at = 0; at < BLOCK; at += 4096)
    for (int b = 0; b < N_BLOCKS; b++) {
      file_memory_touch(m, blocks[b] + at);
      n_wrong += blocks[b][at] != byte_of(b, at);
    }
  CHECK_INT(n_wrong, 0);
  CHECK(file_memory_bytes(m) >= (uint64_t)N_BLOCKS * BLOCK);
  CHECK(file_memory_holds(blocks[0]));
  CHECK(file_memory_holds(blocks[N_BLOCKS - 1] + BLOCK - 1));
  CHECK(!file_memory_holds(blocks));
  file_memory_free(m);
}

static void test_copy(void)
{
  FileMemory *m = file_memory_new(g_get_tmp_dir());
  const size_t bytes = (3 << 20) + 5;
  unsigned char *from = g_malloc(bytes), *to = file_memory_take(m, bytes + 1);
  for (size_t i = 0; i < bytes; i++) from[i] = (unsigned char)(i * 7 + i / 4096);
  file_memory_copy(m, to, from, bytes);
  CHECK(!memcmp(to, from, bytes));
  CHECK_INT(to[bytes], 0);
  file_memory_free(m);
  g_free(from);
}

static void test_aligned(void)
{
  FileMemory *m = file_memory_new(g_get_tmp_dir());
  for (size_t bytes = 1; bytes < 100; bytes += 7)
    CHECK_INT((uintptr_t)file_memory_take(m, bytes) % 16, 0);
  CHECK(file_memory_take(m, (size_t)64 << 20) != NULL); /* more than a piece has */
  file_memory_free(m);
}

static void test_nowhere(void)
{
  FileMemory *m = file_memory_new("/nowhere/at/all"), *other = file_memory_new("/nowhere");
  CHECK(!file_memory_take(m, 1));
  CHECK(!file_memory_take(m, SIZE_MAX));
  CHECK_INT(file_memory_bytes(m), 0);
  CHECK_INT(file_memory_bytes(NULL), 0);
  file_memory_touch(NULL, m);
  file_memory_free(m);
  CHECK(!file_memory_holds(other));
  file_memory_free(other);
  file_memory_free(NULL);
}

/* What a child wrote there would be seen by its parent. */
static void test_in_a_child(void)
{
  FileMemory *m = file_memory_new(g_get_tmp_dir());
  CHECK(file_memory_take(m, 1) != NULL);
  pid_t child = fork();
  if (!child) {
    _exit(file_memory_take(m, 1) ? 1 : 0);
  }
  int status = -1;
  CHECK_INT(waitpid(child, &status, 0), child);
  CHECK_INT(status, 0);
  file_memory_free(m);
}

TEST_MAIN({ "bytes stay", test_bytes_stay }, { "a copy", test_copy }, { "aligned", test_aligned }, { "no folder", test_nowhere },
          { "in a child", test_in_a_child })
