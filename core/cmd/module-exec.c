/* Calls by which a module would put another program in the place of this one, or end a thread of it; as module-exit.c
 * has it of exit.  The children that a module forks go their own way. */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cmd/ending.h"
#include "host/instance.h"

#define FOR_MODULES __attribute__((visibility("default")))
enum { MOST_ARGUMENTS = 4096 };

extern char **environ;

/* Looked up before there are threads: a child may not wait for the loader. */
static int (*execvpe_of_library)(const char *, char *const[], char *const[]);
static void (*pthread_exit_of_library)(void *) __attribute__((noreturn));

void module_exec_install(void)
{
  *(void **)&execvpe_of_library = dlsym(RTLD_NEXT, "execvpe");
  *(void **)&pthread_exit_of_library = dlsym(RTLD_NEXT, "pthread_exit");
}

static int become(const char *path, char *const argv[], char *const envp[], void *caller)
{
  if (!ending_is_child()) module_end("replaced the program by another one", caller);
  return (int)syscall(SYS_execve, path, argv, envp);
}

static int become_found(const char *file, char *const argv[], char *const envp[], void *caller)
{
  if (!ending_is_child()) module_end("replaced the program by another one", caller);
  return execvpe_of_library(file, argv, envp);
}

#define CALLER __builtin_return_address(0)

/* The arguments of the functions that take them one by one, up to NULL. */
#define TAKE_ARGUMENTS(first, argv, more)                                       \
  char *argv[MOST_ARGUMENTS];                                                   \
  size_t n_##argv = 0;                                                          \
  va_list more;                                                                 \
  va_start(more, first);                                                        \
  argv[n_##argv++] = (char *)(uintptr_t)first;                                  \
  while (argv[n_##argv - 1] && n_##argv < MOST_ARGUMENTS - 1)                   \
    argv[n_##argv++] = va_arg(more, char *);                                    \
  argv[n_##argv] = NULL

FOR_MODULES int execve(const char *path, char *const argv[], char *const envp[])
{
  return become(path, argv, envp, CALLER);
}

FOR_MODULES int execv(const char *path, char *const argv[]) { return become(path, argv, environ, CALLER); }

FOR_MODULES int execvp(const char *file, char *const argv[])
{
  return become_found(file, argv, environ, CALLER);
}

FOR_MODULES int execvpe(const char *file, char *const argv[], char *const envp[])
{
  return become_found(file, argv, envp, CALLER);
}

FOR_MODULES int fexecve(int fd, char *const argv[], char *const envp[])
{
  if (!ending_is_child()) module_end("replaced the program by another one", CALLER);
  return (int)syscall(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
}

FOR_MODULES int execl(const char *path, const char *first, ...)
{
  TAKE_ARGUMENTS(first, argv, more);
  va_end(more);
  return become(path, argv, environ, CALLER);
}

FOR_MODULES int execlp(const char *file, const char *first, ...)
{
  TAKE_ARGUMENTS(first, argv, more);
  va_end(more);
  return become_found(file, argv, environ, CALLER);
}

FOR_MODULES int execle(const char *path, const char *first, ...)
{
  TAKE_ARGUMENTS(first, argv, more);
  char *const *envp = va_arg(more, char *const *);
  va_end(more);
  return become(path, argv, envp, CALLER);
}

/* Whoever waits for the call of the module would wait for ever; threads that a module has started end as they like. */
FOR_MODULES void pthread_exit(void *value)
{
  if (instance_current && !ending_is_child()) module_end("ended a thread of the program", CALLER);
  pthread_exit_of_library(value);
}
