/* Moving complete files to where the user wants them; see place.h. */
/* SPDX-License-Identifier: MIT */
#include "output/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"

void place_free(gpointer place)
{
  Place *p = place;
  g_free(p->to);
  if (p->made) g_ptr_array_unref(p->made);
  g_free(p->aside);
  g_free(p);
}

/* ----------------------------------------------------------------- checking */

Error *place_exists(const char *path)
{
  Error *e = error_new(EXIT_OUTPUT, "OUT-02", "%s exists already", path);
  return error_help(e, "add -f to replace it");
}

Error *place_unfit(const char *path, const char *what)
{
  Error *e = error_new(EXIT_OUTPUT, "OUT-07", "%s is %s", path, what);
  return error_help(e, "choose another name with -o");
}

Error *place_not_written(const char *path, int why)
{
  Error *e = error_new(EXIT_OUTPUT, why == ENOSPC ? "OUT-05" : "OUT-03",
                       "%s could not be written: %s", path, g_strerror(why));
  return error_of_errno(e, why);
}

bool place_is_dangling(const char *path)
{
  struct stat st;
  return !lstat(path, &st) && S_ISLNK(st.st_mode) && stat(path, &st);
}

bool place_is_mount_point(const char *path)
{
  struct statx st;
  struct stat in, above;
  g_autofree char *parent = g_build_filename(path, "..", NULL);
  if (!statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) &&
      st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)
    return st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
  return !stat(path, &in) && !stat(parent, &above) && in.st_dev != above.st_dev;
}

static Error *make_parents(Place *p)
{
  g_autofree char *folder = g_path_get_dirname(p->to);
  p->made = g_ptr_array_new_with_free_func(g_free);
  return folder_make(folder, p->made) ? NULL : place_not_written(p->to, errno);
}

Error *place_check(Place *p, bool force, bool follow_links)
{
  struct stat st;
  if (lstat(p->to, &st)) return errno == ENOENT ? NULL : place_not_written(p->to, errno);
  if (S_ISLNK(st.st_mode) && follow_links) {
    char *target = realpath(p->to, NULL);
    if (!target) return place_unfit(p->to, "a link to a missing file");
    g_free(p->to);
    p->to = target;
    if (stat(target, &st)) return place_not_written(target, errno);
  }
  if (S_ISDIR(st.st_mode)) return place_not_written(p->to, EISDIR);
  if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
    return place_unfit(p->to, "a pipe, a device or a socket, not a file");
  p->there = true;
  return force ? NULL : place_exists(p->to);
}

/* ------------------------------------------------------------------- moving */

/* Whether the file system does not support this way to rename. */
static bool is_unknown(int error_no) { return error_no == EINVAL || error_no == ENOSYS; }

bool place_exchange(const Place *p)
{
  return renameat2(AT_FDCWD, p->from, AT_FDCWD, p->to, RENAME_EXCHANGE) == 0;
}

static bool move_new(Place *p)
{
  if (renameat2(AT_FDCWD, p->from, AT_FDCWD, p->to, RENAME_NOREPLACE) == 0) return true;
  return is_unknown(errno) && rename(p->from, p->to) == 0;
}

/* In one step; else with a second name for the old file; else there is no file for a moment. */
static bool move_over(Place *p)
{
  p->old = p->from;
  if (place_exchange(p)) return true;
  if (!is_unknown(errno)) return false;
  p->old = p->aside;
  if (link(p->to, p->aside) && rename(p->to, p->aside)) return false;
  if (rename(p->from, p->to) == 0) return true;
  int why = errno;
  rename(p->aside, p->to);
  errno = why;
  return false;
}

/* False: the old file is still aside. */
static bool take_back(const Place *p)
{
  if (!p->placed) return true;
  return p->there ? rename(p->old, p->to) == 0 : unlink(p->to) == 0 || errno == ENOENT;
}

static Error *prepare(GPtrArray *places, const char *aside)
{
  Error *e = NULL;
  for (guint i = 0; i < places->len && !e; i++) {
    Place *p = places->pdata[i];
    p->aside = g_strdup_printf("%s/old-%u", aside, i);
    e = make_parents(p);
  }
  return e;
}

/* Nothing here allocates memory: without memory the program would end with only a part of the
 * files moved. */
static const Place *move_all(GPtrArray *places)
{
  for (guint i = 0; i < places->len; i++) {
    Place *p = places->pdata[i];
    p->placed = p->there ? move_over(p) : move_new(p);
    if (!p->placed) return p;
  }
  return NULL;
}

Error *place_all(GPtrArray *places, const char *aside, bool *out_stuck)
{
  Error *e = prepare(places, aside);
  const Place *failed = e ? NULL : move_all(places);
  if (failed) e = place_not_written(failed->to, errno);
  for (guint n = places->len; e && n--;) {
    const Place *p = places->pdata[n];
    if (take_back(p)) {
      if (p->made) folder_unmake(p->made);
      continue;
    }
    *out_stuck = *out_stuck || p->there;
    if (p->there)
      error_at(e, "the earlier %s is now %s", p->to, p->old);
    else
      error_at(e, "%s could not be removed", p->to);
  }
  return e;
}

/* ------------------------------------------------------------------ keeping */

Error *place_sync(const char *path)
{
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  int why = fd < 0 || fsync(fd) ? errno : 0;
  if (fd >= 0) close(fd);
  bool unknown = is_unknown(why) || why == ENOTSUP || why == EROFS || why == EBADF;
  return why && !unknown ? place_not_written(path, why) : NULL;
}
