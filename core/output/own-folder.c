/* A folder that this run made for itself; see own-folder.h. */
#include "output/own-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_DEPTH 64 /* names of outputs have fewer parts */

Error *own_folder_make(OwnFolder *f, const char *path)
{
  g_autofree char *clean = g_canonicalize_filename(path, NULL);
  g_autofree char *parent = g_path_get_dirname(clean);
  g_autofree char *name = g_path_get_basename(clean);
  g_autofree char *template = g_strdup_printf("%s/.%s.XXXXXX", parent, name);
  struct stat st;
  *f = (OwnFolder){ .fd = -1 };
  bool made = g_mkdir_with_parents(parent, 0777) == 0 && g_mkdtemp_full(template, 0777);
  if (made) f->fd = open(template, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (f->fd >= 0 && fstat(f->fd, &st) == 0) {
    f->path = g_steal_pointer(&template);
    f->device = st.st_dev;
    f->inode = st.st_ino;
    atomic_store(&f->ours, true);
    return NULL;
  }
  int error_no = errno;
  if (f->fd >= 0) close(f->fd);
  if (made) rmdir(template);
  Error *e = error_new(EXIT_OUTPUT, error_no == ENOSPC ? "OUT-05" : "OUT-03",
                       "nothing can be written in %s: %s", parent, g_strerror(error_no));
  return error_help(e, "choose another place with -o");
}

bool own_folder_release(OwnFolder *f) { return atomic_exchange(&f->ours, false); }

void own_folder_reclaim(OwnFolder *f) { atomic_store(&f->ours, f->path != NULL); }

static bool is_dots(const char *name)
{
  return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static void empty(int fd, int depth);

static bool remove_at(int fd, const char *name, int depth)
{
  if (unlinkat(fd, name, 0) == 0) return true;
  int inside = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return false;
  empty(inside, depth + 1);
  close(inside);
  return unlinkat(fd, name, AT_REMOVEDIR) == 0;
}

/* readdir takes locks of the allocator, which a crash may have left taken. */
static void empty(int fd, int depth)
{
  _Alignas(struct dirent64) char buffer[2048];
  bool progress = depth < MAX_DEPTH;
  while (progress) {
    progress = false;
    if (lseek(fd, 0, SEEK_SET) < 0) return;
    for (long n; (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;) {
      for (long at = 0; at < n;) {
        const struct dirent64 *entry = (const struct dirent64 *)(buffer + at);
        at += entry->d_reclen;
        if (!is_dots(entry->d_name) && remove_at(fd, entry->d_name, depth)) progress = true;
      }
    }
  }
}

void own_folder_remove(OwnFolder *f)
{
  struct stat st;
  if (!f->path || !atomic_exchange(&f->ours, false)) return;
  empty(f->fd, 0);
  if (lstat(f->path, &st) == 0 && st.st_dev == f->device && st.st_ino == f->inode) rmdir(f->path);
}

void own_folder_clear(OwnFolder *f)
{
  if (f->path) close(f->fd);
  g_clear_pointer(&f->path, g_free);
}
