/* Preloaded into the program: the calls that can be made to fail; see choice.h. */
/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "choice.h"

#define SHOWN __attribute__((visibility("default")))

/* The next definition of a function; looked up in a static of its own. */
#define NEXT(name)                                     \
  static _Atomic(__typeof__(&name)) next_;             \
  __typeof__(&name) next = atomic_load(&next_);        \
  if (!next) {                                         \
    bool before = inside;                              \
    inside = true;                                     \
    next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    inside = before;                                   \
    atomic_store(&next_, next);                        \
  }

typedef int Main(int argc, char **argv, char **envp);
static Main *real_main;

static int main_with_faults(int argc, char **argv, char **envp)
{
  faults_begin();
  return real_main(argc, argv, envp);
}

int __libc_start_main(Main *entry, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);
SHOWN int __libc_start_main(Main *entry, int argc, char **argv, void (*init)(void),
                            void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
  NEXT(__libc_start_main)
  real_main = entry;
  return next(main_with_faults, argc, argv, init, fini, rtld_fini, stack_end);
}

SHOWN ssize_t read(int fd, void *buffer, size_t len)
{
  NEXT(read)
  Verdict v = judge(READ, NULL, fd);
  return v == FAIL ? -1 : next(fd, buffer, v == SHORT && len > 1 ? len / 2 : len);
}

#define PREAD_LIKE(name, offset_type)                                                        \
  SHOWN ssize_t name(int fd, void *buffer, size_t len, offset_type offset)                   \
  {                                                                                          \
    NEXT(name)                                                                               \
    Verdict v = judge(PREAD, NULL, fd);                                                      \
    return v == FAIL ? -1 : next(fd, buffer, v == SHORT && len > 1 ? len / 2 : len, offset); \
  }
PREAD_LIKE(pread, off_t)
PREAD_LIKE(pread64, off64_t)

SHOWN ssize_t write(int fd, const void *bytes, size_t len)
{
  NEXT(write)
  Verdict v = judge(WRITE, NULL, fd);
  return v == FAIL ? -1 : next(fd, bytes, v == SHORT && len > 1 ? len / 2 : len);
}

#define PWRITE_LIKE(name, offset_type)                                                      \
  SHOWN ssize_t name(int fd, const void *bytes, size_t len, offset_type offset)             \
  {                                                                                         \
    NEXT(name)                                                                              \
    Verdict v = judge(WRITE, NULL, fd);                                                     \
    return v == FAIL ? -1 : next(fd, bytes, v == SHORT && len > 1 ? len / 2 : len, offset); \
  }
PWRITE_LIKE(pwrite, off_t)
PWRITE_LIKE(pwrite64, off64_t)

SHOWN int fsync(int fd)
{
  NEXT(fsync)
  return fails(FSYNC, NULL, fd) ? -1 : next(fd);
}

SHOWN int fdatasync(int fd)
{
  NEXT(fdatasync)
  return fails(FSYNC, NULL, fd) ? -1 : next(fd);
}

SHOWN int rename(const char *from, const char *to)
{
  NEXT(rename)
  return fails(RENAME, to, -1) ? -1 : next(from, to);
}

SHOWN int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
  NEXT(renameat)
  return fails(RENAME, to, to_fd) ? -1 : next(from_fd, from, to_fd, to);
}

SHOWN int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
  NEXT(renameat2)
  return fails(RENAME, to, to_fd) ? -1 : next(from_fd, from, to_fd, to, flags);
}

SHOWN int unlink(const char *path)
{
  NEXT(unlink)
  return fails(REMOVE, path, -1) ? -1 : next(path);
}

SHOWN int unlinkat(int at, const char *path, int flags)
{
  NEXT(unlinkat)
  return fails(REMOVE, path, at) ? -1 : next(at, path, flags);
}

SHOWN int rmdir(const char *path)
{
  NEXT(rmdir)
  return fails(REMOVE, path, -1) ? -1 : next(path);
}

static mode_t mode_of(int flags, va_list args)
{
  return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN_LIKE(name)                                          \
  SHOWN int name(const char *path, int flags, ...)               \
  {                                                              \
    NEXT(name)                                                   \
    va_list args;                                                \
    va_start(args, flags);                                       \
    mode_t mode = mode_of(flags, args);                          \
    va_end(args);                                                \
    return fails(OPEN, path, -1) ? -1 : next(path, flags, mode); \
  }
OPEN_LIKE(open)
OPEN_LIKE(open64)

#define OPENAT_LIKE(name)                                            \
  SHOWN int name(int at, const char *path, int flags, ...)           \
  {                                                                  \
    NEXT(name)                                                       \
    va_list args;                                                    \
    va_start(args, flags);                                           \
    mode_t mode = mode_of(flags, args);                              \
    va_end(args);                                                    \
    return fails(OPEN, path, at) ? -1 : next(at, path, flags, mode); \
  }
OPENAT_LIKE(openat)
OPENAT_LIKE(openat64)

#define FOPEN_LIKE(name)                                    \
  SHOWN FILE *name(const char *path, const char *mode)      \
  {                                                         \
    NEXT(name)                                              \
    return fails(OPEN, path, -1) ? NULL : next(path, mode); \
  }
FOPEN_LIKE(fopen)
FOPEN_LIKE(fopen64)

SHOWN DIR *opendir(const char *path)
{
  NEXT(opendir)
  return fails(OPENDIR, path, -1) ? NULL : next(path);
}

SHOWN DIR *fdopendir(int fd)
{
  NEXT(fdopendir)
  return fails(OPENDIR, NULL, fd) ? NULL : next(fd);
}

SHOWN int mkdir(const char *path, mode_t mode)
{
  NEXT(mkdir)
  return fails(MKDIR, path, -1) ? -1 : next(path, mode);
}

SHOWN int mkdirat(int at, const char *path, mode_t mode)
{
  NEXT(mkdirat)
  return fails(MKDIR, path, at) ? -1 : next(at, path, mode);
}

#define STAT_LIKE(name, struct_type)                        \
  SHOWN int name(const char *path, struct struct_type *out) \
  {                                                         \
    NEXT(name)                                              \
    return fails(STAT, path, -1) ? -1 : next(path, out);    \
  }
STAT_LIKE(stat, stat)
STAT_LIKE(stat64, stat64)
STAT_LIKE(lstat, stat)
STAT_LIKE(lstat64, stat64)

#define FSTAT_LIKE(name, struct_type)                  \
  SHOWN int name(int fd, struct struct_type *out)      \
  {                                                    \
    NEXT(name)                                         \
    return fails(STAT, NULL, fd) ? -1 : next(fd, out); \
  }
FSTAT_LIKE(fstat, stat)
FSTAT_LIKE(fstat64, stat64)

#define FSTATAT_LIKE(name, struct_type)                                        \
  SHOWN int name(int at, const char *path, struct struct_type *out, int flags) \
  {                                                                            \
    NEXT(name)                                                                 \
    return fails(STAT, path, at) ? -1 : next(at, path, out, flags);            \
  }
FSTATAT_LIKE(fstatat, stat)
FSTATAT_LIKE(fstatat64, stat64)

#define MMAP_LIKE(name, offset_type)                                                            \
  SHOWN void *name(void *at, size_t len, int protection, int flags, int fd, offset_type offset) \
  {                                                                                             \
    NEXT(name)                                                                                  \
    return fails(MMAP, NULL, fd) ? MAP_FAILED : next(at, len, protection, flags, fd, offset);   \
  }
MMAP_LIKE(mmap, off_t)
MMAP_LIKE(mmap64, off64_t)

SHOWN int pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*work)(void *),
                         void *data)
{
  NEXT(pthread_create)
  return fails(THREAD, NULL, -1) ? fault_error() : next(out, attributes, work, data);
}

#define SPAWN_LIKE(name)                                                                      \
  SHOWN int name(pid_t *out, const char *path, const posix_spawn_file_actions_t *actions,     \
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) \
  {                                                                                           \
    NEXT(name)                                                                                \
    return fails(SPAWN, path, -1) ? fault_error()                                             \
                                  : next(out, path, actions, attributes, argv, envp);         \
  }
SPAWN_LIKE(posix_spawn)
SPAWN_LIKE(posix_spawnp)

/* ------------------------------------------------------------------- memory */

#ifdef BEFORE_SANITIZER /* whose memory is watched for leaks */
#define MEMORY(name) NEXT(name)
#define OWN(name) next
#else
/* By the names glibc has for its own: to look them up would take memory. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
#define MEMORY(name)
#define OWN(name) __libc_##name
#endif

SHOWN void *malloc(size_t size)
{
  MEMORY(malloc)
  return fails(ALLOC, NULL, -1) ? NULL : OWN(malloc)(size);
}

SHOWN void *calloc(size_t n, size_t size)
{
  MEMORY(calloc)
  return fails(ALLOC, NULL, -1) ? NULL : OWN(calloc)(n, size);
}

SHOWN void *realloc(void *old, size_t size)
{
  MEMORY(realloc)
  return fails(ALLOC, NULL, -1) ? NULL : OWN(realloc)(old, size);
}

SHOWN void *aligned_alloc(size_t alignment, size_t size)
{
  MEMORY(memalign)
  return fails(ALLOC, NULL, -1) ? NULL : OWN(memalign)(alignment, size);
}

SHOWN int posix_memalign(void **out, size_t alignment, size_t size)
{
  MEMORY(memalign)
  int before = errno;
  void *got = fails(ALLOC, NULL, -1) ? NULL : OWN(memalign)(alignment, size);
  errno = before;
  if (!got) return ENOMEM;
  *out = got;
  return 0;
}
