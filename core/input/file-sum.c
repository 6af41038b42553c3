/* SHA-256 of files; see file-sum.h. */
/* SPDX-License-Identifier: MIT */
#include "input/file-sum.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/num.h"
#include "base/stream.h"

#define END_BYTES (64u << 10)

struct FileSum {
  struct sha256_ctx context;
  uint64_t n_bytes;
};

static char *digest_text(struct sha256_ctx *sum)
{
  uint8_t digest[SHA256_DIGEST_SIZE];
  char *text = g_malloc0(BASE16_ENCODE_LENGTH(sizeof digest) + 1);
  sha256_digest(sum, sizeof digest, digest);
  base16_encode_update(text, sizeof digest, digest);
  return text;
}

/* -------------------------------------------------------------- while writing */

FileSum *file_sum_new(void)
{
  FileSum *s = g_new0(FileSum, 1);
  sha256_init(&s->context);
  return s;
}

void file_sum_free(FileSum *s) { g_free(s); }

void file_sum_see(void *file_sum, const void *bytes, size_t len)
{
  FileSum *s = file_sum;
  sha256_update(&s->context, len, bytes);
  s->n_bytes += len;
}

uint64_t file_sum_bytes(const FileSum *s) { return s->n_bytes; }

char *file_sum_end(FileSum *s) { return digest_text(&s->context); }

/* ----------------------------------------------------------------- afterwards */

static bool hash_range(int fd, struct sha256_ctx *sum, uint64_t offset, uint64_t len)
{
  g_autofree char *buffer = g_malloc(END_BYTES);
  while (len) {
    int64_t n = file_read_at(fd, buffer, (size_t)MIN(len, END_BYTES), offset);
    if (n <= 0) return n == 0;
    sha256_update(sum, (size_t)n, (const uint8_t *)buffer);
    offset += (uint64_t)n;
    len -= (uint64_t)n;
  }
  return true;
}

char *file_sum_of(const char *path, uint64_t whole_up_to)
{
  struct stat st;
  int fd = folder_open_regular(path, &st);
  if (fd < 0) return NULL;
  struct sha256_ctx sum;
  sha256_init(&sum);
  uint64_t size = (uint64_t)st.st_size;
  bool good;
  if (size <= whole_up_to) {
    good = hash_range(fd, &sum, 0, size);
  } else {
    char text[NUM_BUF];
    sha256_update(&sum, num_format_uint(text, size), (const uint8_t *)text);
    good = hash_range(fd, &sum, 0, END_BYTES) && hash_range(fd, &sum, size - END_BYTES, END_BYTES);
  }
  close(fd);
  return good ? digest_text(&sum) : NULL;
}
