/* Whether a file or folder of modules may be trusted; see module-trust.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-trust.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/printable.h"

typedef struct Asked {
  const char *what, *path, *origin;
} Asked;

Error *module_unfit(const char *what, const char *path, const char *origin, const char *why)
{
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_STAGE, "STG-03", "%s \"%s\" is not trusted", what, safe);
  error_at(e, "from %s", origin);
  return error_why(e, "it %s", why);
}

/* `part` is the component that the system did not let us look at: the path itself or a folder above it. */
static Error *unseen(const char *what, const char *path, const char *origin, const char *part)
{
  int error_no = errno;
  g_autofree char *safe = printable(path), *safe_part = printable(part);
  Error *e = error_new(EXIT_STAGE, "STG-09", "%s \"%s\" cannot be read", what, safe);
  error_at(e, "from %s", origin);
  if (!strcmp(part, path))
    error_why(e, "%s", g_strerror(error_no));
  else
    error_why(e, "\"%s\": %s", safe_part, g_strerror(error_no));
  if (!error_is_answer(error_no)) error_of_errno(error_of_kind(e, ERROR_UNSEEN_MODULE), error_no);
  return error_help(e, "remove it or the link to it, or make it readable for you");
}

Error *distrust(const char *what, const char *path, const char *origin, const char *why)
{
  return error_help(module_unfit(what, path, origin, why),
                    "correct its owner and mode, or add --allow-unsafe-stages");
}

Error *distrust_unreadable(const char *what, const char *path, const char *origin)
{
  return unseen(what, path, origin, path);
}

/* ------------------------------------------------------------------- writers */

/* A group of the user alone: the primary one, named as the user, with no other members. */
static bool is_own_group(gid_t gid)
{
  enum { MAX_ENTRY = 1 << 16 };
  g_autofree char *user_text = g_malloc(MAX_ENTRY), *group_text = g_malloc(MAX_ENTRY);
  struct passwd user, *found_user = NULL;
  struct group group, *found_group = NULL;
  if (getpwuid_r(geteuid(), &user, user_text, MAX_ENTRY, &found_user) || !found_user) return false;
  if (user.pw_gid != gid) return false;
  if (getgrgid_r(gid, &group, group_text, MAX_ENTRY, &found_group) || !found_group) return false;
  if (strcmp(group.gr_name, user.pw_name) != 0) return false;
  for (char *const *member = group.gr_mem; *member; member++)
    if (strcmp(*member, user.pw_name) != 0) return false;
  return true;
}

/* What lets somebody else change the file, or exchange what is in the folder; NULL: nothing does. */
static const char *why_distrusted(const struct stat *st, bool last)
{
  bool sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX) && !last;
  if (st->st_uid != 0 && st->st_uid != geteuid()) return "belongs to neither you nor root";
  if (sticky)
    return NULL; /* only the owner can exchange what is in it, and the owner is looked at next */
  if (st->st_mode & S_IWOTH) return "can be written by everyone";
  if ((st->st_mode & S_IWGRP) && !is_own_group(st->st_gid)) return "can be written by its group";
  return NULL;
}

static const char *how_to_mend(const char *why)
{
  if (g_str_has_suffix(why, "everyone")) return "o-w";
  return g_str_has_suffix(why, "group") ? "g-w" : NULL;
}

/* ---------------------------------------------------------------------- walk */

/* `part` is the component at fault: the path itself or a folder above it. */
static Error *fault(const Asked *a, const char *part, const char *why)
{
  g_autofree char *safe = printable(part);
  if (!strcmp(part, a->path)) return distrust(a->what, a->path, a->origin, why);
  g_autofree char *below = g_strdup_printf("is in \"%s\", which %s", safe, why);
  Error *e = distrust(a->what, a->path, a->origin, below);
  const char *mode = how_to_mend(why);
  return mode ? error_help(e, "chmod %s '%s'    closes it", mode, safe) : e;
}

static Error *fault_of_errno(const Asked *a, const char *part)
{
  return unseen(a->what, a->path, a->origin, part);
}

static Error *judge(const Asked *a, const char *part, int fd, bool last)
{
  struct stat st;
  if (fstat(fd, &st)) return fault_of_errno(a, part);
  if (S_ISLNK(st.st_mode)) return fault(a, part, "is a link now");
  const char *why = why_distrusted(&st, last);
  return why ? fault(a, part, why) : NULL;
}

/* From the root on, each component is opened in the one before: what was looked at is what is walked through. */
static Error *walk(const Asked *a)
{
  g_auto(GStrv) names = g_strsplit(a->path, "/", -1);
  g_autoptr(GString) part = g_string_new("/");
  int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  Error *e = fd < 0 ? fault_of_errno(a, "/") : judge(a, "/", fd, false);
  for (char **name = names; *name && !e; name++) {
    if (!**name) continue;
    g_string_append_printf(part, "%s%s", part->len > 1 ? "/" : "", *name);
    int next = openat(fd, *name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool last = !name[1];
    e = next < 0 ? fault_of_errno(a, part->str) : judge(a, part->str, next, last);
    close(fd);
    fd = next;
  }
  if (fd >= 0) close(fd);
  return e;
}

Error *search_distrust(const char *path, const char *origin, bool folder, bool allow_unsafe)
{
  struct stat st;
  const Asked a = { folder ? "the folder" : "the file", path, origin };
  if (stat(path, &st) != 0) return distrust_unreadable(a.what, path, origin);
  if (folder ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
    return module_unfit(a.what, path, origin, folder ? "is not a folder" : "is not a regular file");
  return allow_unsafe ? NULL : walk(&a);
}
