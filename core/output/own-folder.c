/* A folder that this run made; see own-folder.h. */
/* SPDX-License-Identifier: MIT */
#include "output/own-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/stream.h"

#define MOST_ROUNDS 8
#define MAX_DEPTH 64 /* outputs have names with fewer parts */

#define MARKER ".stagemill-run"
#define UNLOCKED_MARKER ".stagemill-new"
#define REPLACING_MARKER ".stagemill-replacing"
#define ABANDONED_S \
  60             /* an empty folder without a marker: its run was killed as it made or removed it */
#define RANDOM 6 /* characters of mkdtemp */
#define HOST 256

static bool set_identity(OwnFolder *f)
{
  struct stat st;
  if (fstat(f->fd, &st)) return false;
  f->device = st.st_dev;
  f->inode = st.st_ino;
  return true;
}

/* ------------------------------------------------------------------ marking */

/* Locks may hold only among the processes of one machine. */
static size_t host_name(char name[HOST])
{
  if (gethostname(name, HOST - 1)) return 0;
  name[HOST - 1] = '\0';
  return strlen(name);
}

/* Locked before it has its name. Where files cannot be locked, there is no marker, and no other
 * run removes the folder. */
static int make_marker(int folder)
{
  char host[HOST];
  size_t len = host_name(host);
  int fd = openat(folder, UNLOCKED_MARKER, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  if (len && write(fd, host, len) == (ssize_t)len && !flock(fd, LOCK_EX | LOCK_NB) &&
      !renameat(folder, UNLOCKED_MARKER, folder, MARKER))
    return fd;
  unlinkat(folder, UNLOCKED_MARKER, 0);
  close(fd);
  return -1;
}

void own_folder_unmark(const OwnFolder *f)
{
  if (f->marker < 0) return;
  unlinkat(f->fd, MARKER, 0);
  unlinkat(f->fd, REPLACING_MARKER, 0);
}

void own_folder_mark_replacing(const OwnFolder *f)
{
  if (f->marker >= 0) renameat(f->fd, MARKER, f->fd, REPLACING_MARKER);
}

void own_folder_mark_replaced(const OwnFolder *f)
{
  if (f->marker >= 0) renameat(f->fd, REPLACING_MARKER, f->fd, MARKER);
}

/* Whether it is of this user and machine, and no process holds its lock. */
static bool take_marker(int fd)
{
  char host[HOST], found[HOST];
  size_t len = host_name(host);
  struct stat st;
  return fd >= 0 && len && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
         file_read_at(fd, found, sizeof found, 0) == (int64_t)len && !memcmp(found, host, len) &&
         !flock(fd, LOCK_EX | LOCK_NB);
}

/* Not if it is new: another run may just have made it. */
static void remove_if_abandoned(const OwnFolder *f)
{
  struct stat st;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (fstat(f->fd, &st) || st.st_uid != geteuid() || st.st_mtime > now.tv_sec - ABANDONED_S) return;
  unlinkat(f->fd, UNLOCKED_MARKER, 0);
  rmdir(f->path); /* which does nothing if the folder is not empty */
}

static void remove_if_left(const char *clean, char *path, OwnFolderHeal heal)
{
  OwnFolder f = { .path = path, .marker = -1 };
  f.fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (f.fd < 0) return;
  const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  bool whole = true;
  f.marker = openat(f.fd, MARKER, flags);
  if (f.marker < 0) {
    f.marker = openat(f.fd, REPLACING_MARKER, flags);
    whole = f.marker < 0;
  }
  if (set_identity(&f) && take_marker(f.marker) && (whole || (heal && heal(path, clean)))) {
    atomic_store(&f.state, OWN_FOLDER_OURS);
    own_folder_remove(&f);
  }
  if (f.marker < 0) remove_if_abandoned(&f);
  if (f.marker >= 0) close(f.marker);
  close(f.fd);
}

static void remove_left(const char *clean, OwnFolderHeal heal)
{
  g_autofree char *parent = g_path_get_dirname(clean), *name = g_path_get_basename(clean);
  g_autofree char *start = g_strdup_printf(".%s.", name);
  g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
  for (const char *found; dir && (found = g_dir_read_name(dir));) {
    if (!g_str_has_prefix(found, start) || strlen(found) != strlen(start) + RANDOM) continue;
    g_autofree char *path = g_build_filename(parent, found, NULL);
    remove_if_left(clean, path, heal);
  }
}

/* ------------------------------------------------------------------- making */

Error *own_folder_make(OwnFolder *f, const char *path, OwnFolderHeal heal, GPtrArray *made)
{
  g_autofree char *clean = g_canonicalize_filename(path, NULL);
  g_autofree char *parent = g_path_get_dirname(clean);
  g_autofree char *name = g_path_get_basename(clean);
  g_autofree char *template = g_strdup_printf("%s/.%s.XXXXXX", parent, name);
  *f = (OwnFolder){ .fd = -1, .marker = -1 };
  remove_left(clean, heal);
  bool is_made = folder_make(parent, made) && g_mkdtemp_full(template, 0777);
  if (is_made) f->fd = open(template, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (f->fd >= 0 && set_identity(f)) {
    f->path = g_steal_pointer(&template);
    f->marker = make_marker(f->fd);
    atomic_store(&f->state, OWN_FOLDER_OURS);
    return NULL;
  }
  int error_no = errno;
  if (f->fd >= 0) close(f->fd);
  if (is_made) rmdir(template);
  /* other errors are not about the name */
  const char *what = error_no == ENAMETOOLONG ? clean : parent;
  Error *e = error_new(EXIT_OUTPUT, error_no == ENOSPC ? "OUT-05" : "OUT-03",
                       "nothing can be written %s %s: %s", what == clean ? "to" : "in", what,
                       g_strerror(error_no));
  return error_of_errno(e, error_no);
}

bool own_folder_release(OwnFolder *f)
{
  int ours = OWN_FOLDER_OURS;
  return atomic_compare_exchange_strong(&f->state, &ours, OWN_FOLDER_NOT_OURS);
}

void own_folder_reclaim(OwnFolder *f)
{
  atomic_store(&f->state, f->path ? OWN_FOLDER_OURS : OWN_FOLDER_NOT_OURS);
}

/* ----------------------------------------------------------------- removing */

static bool is_dots(const char *name)
{
  return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* The marker says that the folder may be removed, so it is removed last. */
static bool is_marker(const char *name)
{
  return !strcmp(name, MARKER) || !strcmp(name, REPLACING_MARKER);
}

static bool empty(int fd, int depth);

static bool remove_at(int fd, const char *name, int depth)
{
  if (unlinkat(fd, name, 0) == 0) return true;
  int inside = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return false;
  empty(inside, depth + 1);
  close(inside);
  return unlinkat(fd, name, AT_REMOVEDIR) == 0;
}

typedef struct Round { /* one pass through a folder */
  bool removed, left;  /* something was */
} Round;

/* readdir takes locks of the allocator, which a crash may have left taken. */
static Round empty_once(int fd, int depth)
{
  _Alignas(struct dirent64) char buffer[2048];
  Round r = { false, false };
  long n;
  if (lseek(fd, 0, SEEK_SET) < 0) return (Round){ false, true };
  while ((n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < n;) {
      const struct dirent64 *entry = (const struct dirent64 *)(buffer + at);
      at += entry->d_reclen;
      if (is_dots(entry->d_name) || (!depth && is_marker(entry->d_name))) continue;
      bool gone = remove_at(fd, entry->d_name, depth);
      r.removed = r.removed || gone;
      r.left = r.left || !gone;
    }
  }
  r.left = r.left || n < 0;
  return r;
}

/* Removes all but markers; false: something is left. */
static bool empty(int fd, int depth)
{
  Round r = { .removed = depth < MAX_DEPTH, .left = true };
  while (r.removed) r = empty_once(fd, depth);
  return !r.left;
}

/* A folder that cannot be emptied keeps its marker, for a later run. */
static bool remove_all(const OwnFolder *f)
{
  struct stat st;
  if (!empty(f->fd, 0)) return false;
  unlinkat(f->fd, MARKER, 0);
  unlinkat(f->fd, REPLACING_MARKER, 0);
  /* If the folder cannot be looked at, it is removed by its name: at worst that removes an empty
   * folder of somebody else. */
  bool there = lstat(f->path, &st) || (st.st_dev == f->device && st.st_ino == f->inode);
  return !there || rmdir(f->path) == 0 || errno == ENOENT;
}

bool own_folder_remove(OwnFolder *f)
{
  int state = OWN_FOLDER_OURS;
  bool gone = false;
  if (!f->path) return true;
  atomic_compare_exchange_strong(&f->state, &state, OWN_FOLDER_REMOVING);
  if (state == OWN_FOLDER_NOT_OURS) return true;
  /* Each thread that saw it open may make one more file. */
  for (int i = 0; i < MOST_ROUNDS && !gone; i++) gone = remove_all(f);
  atomic_store(&f->state, OWN_FOLDER_NOT_OURS);
  return gone;
}

void own_folder_clear(OwnFolder *f)
{
  if (f->path) close(f->fd);
  if (f->path && f->marker >= 0) close(f->marker);
  g_clear_pointer(&f->path, g_free);
}
