/* Reading the head of a shared object: the loader maps what a cut file lacks, and touching that is fatal. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-elf.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stream.h"

static bool is_ours(const ElfW(Ehdr) * head)
{
  unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == class &&
         head->e_phentsize == sizeof(ElfW(Phdr)) && head->e_phnum <= MODULE_MOST_SEGMENTS;
}

static bool lacks_segments(const ModuleSegments *s, uint64_t size)
{
  for (unsigned i = 0; i < s->n; i++)
    if (s->all[i].p_filesz > size || s->all[i].p_offset > size - s->all[i].p_filesz) return true;
  return false;
}

bool module_heads(int fd, ModuleSegments *out, bool *out_cut)
{
  ElfW(Ehdr) head;
  struct stat st;
  *out_cut = false;
  out->n = 0;
  if (fstat(fd, &st)) return false;
  int64_t n = file_read_at(fd, &head, sizeof head, 0);
  if (n < (int64_t)sizeof head || !is_ours(&head)) return n >= 0;
  int64_t len = (int64_t)(head.e_phnum * sizeof *out->all);
  n = head.e_phoff <= INT64_MAX ? file_read_at(fd, out->all, (size_t)len, head.e_phoff) : 0;
  if (n == len) out->n = head.e_phnum;
  *out_cut = n < len || lacks_segments(out, (uint64_t)st.st_size);
  return n >= 0;
}

bool module_look(const char *path, bool *out_cut)
{
  ModuleSegments segments;
  *out_cut = false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool known = module_heads(fd, &segments, out_cut);
  int error_no = errno;
  close(fd);
  errno = error_no;
  return known;
}
