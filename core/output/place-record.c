/* A record of moves that are about to be made; see place-record.h. */
/* SPDX-License-Identifier: MIT */
#include "output/place-record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/place.h"

#define RECORD "moves"

/* Fields end with a NUL. The identity of the new file tells whether it was placed. */
enum { NEW, THERE, FROM, TO, N_FIELDS };

static bool write_all(int fd, const char *bytes, size_t len)
{
  while (len) {
    ssize_t n = write(fd, bytes, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    len -= (size_t)n;
  }
  return true;
}

/* The user may have put another file there since, even with the same inode. */
static char *identity(const struct stat *st)
{
  return g_strdup_printf("%ju:%jd:%jd.%09ld", (uintmax_t)st->st_ino, (intmax_t)st->st_size,
                         (intmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

static Error *add(GString *text, const Place *p)
{
  struct stat st;
  if (lstat(p->from, &st)) return place_not_written(p->to, errno);
  g_autofree char *new = identity(&st);
  const char *fields[] = { new, p->there ? "there" : "", p->from, p->to };
  for (int i = 0; i < N_FIELDS; i++)
    g_string_append_len(text, fields[i], (gssize)strlen(fields[i]) + 1);
  return NULL;
}

Error *place_record(const GPtrArray *places, const char *folder)
{
  g_autofree char *path = g_build_filename(folder, RECORD, NULL);
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < places->len; i++) {
    Error *e = add(text, places->pdata[i]);
    if (e) return e;
  }
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int why = fd < 0 || !write_all(fd, text->str, text->len) ? errno : 0;
  if (fd >= 0) close(fd);
  return why ? place_not_written(path, why) : NULL;
}

/* ---------------------------------------------------------------- taking back */

/* The old file is in the place of the new one, or beside it if the file system cannot exchange
 * files. */
static bool take_back(char *const fields[N_FIELDS], const char *aside)
{
  struct stat st, old;
  bool is_aside = !lstat(aside, &old), is_there = !lstat(fields[TO], &st);
  g_autofree char *now = is_there ? identity(&st) : NULL;
  if (!is_there && is_aside) return rename(aside, fields[TO]) == 0;
  if (g_strcmp0(now, fields[NEW]) != 0) return true; /* it was not moved */
  if (!*fields[THERE]) return unlink(fields[TO]) == 0;
  return rename(is_aside ? aside : fields[FROM], fields[TO]) == 0;
}

static bool is_own(const char *path, mode_t kind)
{
  struct stat st;
  return !lstat(path, &st) && st.st_uid == geteuid() && (st.st_mode & S_IFMT) == kind;
}

bool place_is_recorded(const char *folder)
{
  g_autofree char *record = g_build_filename(folder, RECORD, NULL);
  return is_own(folder, S_IFDIR) && is_own(record, S_IFREG);
}

bool place_restore(const char *folder)
{
  g_autofree char *record = g_build_filename(folder, RECORD, NULL), *text = NULL;
  gsize len = 0;
  if (!place_is_recorded(folder)) return false;
  if (!g_file_get_contents(record, &text, &len, NULL)) return false;
  bool all = true;
  char *fields[N_FIELDS], *at = text;
  for (unsigned i = 0; at < text + len; i++) {
    for (int f = 0; f < N_FIELDS; f++, at += strlen(at) + 1) {
      if (at >= text + len) return false;
      fields[f] = at;
    }
    g_autofree char *aside = g_strdup_printf("%s/old-%u", folder, i);
    all = take_back(fields, aside) && all;
  }
  return all;
}
