/* Journals beside the database: what is in them belongs to it, and SQLite would write to read them. */
/* SPDX-License-Identifier: MIT */
#include "nsys-sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(Source *s, const char *path, const char *what)
{
  g_autofree char *why = g_strdup_printf("%s %s", path, what);
  return database_fail(s, NSQL_PENDING, NULL, why);
}

/* One that was finished without being removed begins with zeros, as SQLite does it. */
static bool journal_is_hot(const char *path)
{
  char first = 1;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool cold = fd >= 0 && read(fd, &first, 1) == 1 && first == 0;
  if (fd >= 0) close(fd);
  return !cold;
}

static int check_beside(Source *s, const char *real, const char *ending)
{
  struct stat st;
  g_autofree char *path = g_strconcat(real, ending, NULL);
  bool is_wal = !strcmp(ending, "-wal");
  if (stat(path, &st)) return errno == ENOENT ? 0 : fail(s, path, g_strerror(errno));
  if (st.st_size == 0 || (!is_wal && !journal_is_hot(path))) return 0;
  return fail(s, path, is_wal ? "is not empty" : "is of a change that did not end");
}

/* SQLite looks for them beside the file itself, wherever a link to it lies. */
int pending_check(Source *s, const char *path)
{
  char *real = realpath(path, NULL);
  if (!real) return 0; /* opening it says why */
  int status = check_beside(s, real, "-wal");
  if (!status) status = check_beside(s, real, "-journal");
  free(real);
  return status;
}
