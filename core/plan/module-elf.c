/* Reading the head of a shared object: the loader maps what a cut file lacks, and touching that is fatal. */
#include "plan/module-elf.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_SEGMENTS = 1024 };

static bool read_at(int fd, void *buffer, size_t len, uint64_t offset)
{
  return offset <= INT64_MAX && pread(fd, buffer, len, (off_t)offset) == (ssize_t)len;
}

static bool is_ours(const ElfW(Ehdr) * head)
{
  unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == class &&
         head->e_phentsize == sizeof(ElfW(Phdr)) && head->e_phnum <= MOST_SEGMENTS;
}

static bool has_all_segments(int fd, const ElfW(Ehdr) * head, uint64_t size)
{
  for (unsigned i = 0; i < head->e_phnum; i++) {
    ElfW(Phdr) segment;
    if (!read_at(fd, &segment, sizeof segment, head->e_phoff + (uint64_t)i * sizeof segment))
      return false;
    if (segment.p_filesz > size || segment.p_offset > size - segment.p_filesz) return false;
  }
  return true;
}

bool module_is_cut(const char *path)
{
  ElfW(Ehdr) head;
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool known = fstat(fd, &st) == 0 && read_at(fd, &head, sizeof head, 0) && is_ours(&head);
  bool cut = known && !has_all_segments(fd, &head, (uint64_t)st.st_size);
  close(fd);
  return cut;
}
