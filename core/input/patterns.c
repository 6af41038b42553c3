/* Paths that match a pattern; see patterns.h. glob(3) frees its matches twice when memory ends. */
/* SPDX-License-Identifier: MIT */
#include "input/patterns.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "base/folder.h"
#include "base/num.h"
#include "model/printable.h"

#define RANK "{rank}"
#define MAX_DIGITS 18 /* of a rank */

typedef struct Walk {
  GPtrArray *found; /* PatternMatch */
  char *unseen;     /* why some matches of the pattern may be missing, or NULL */
  int unseen_why;
} Walk;

/* A point of the walk: in the folder `path`, which ends with a slash or is the current one. */
typedef struct Step {
  const char *path;
  int64_t rank; /* -1: none so far */
} Step;

static void descend(Walk *w, Step at, const char *rest);

bool patterns_has(const char *text) { return strpbrk(text, "*?[") || strstr(text, RANK); }

static void match_free(void *match)
{
  g_free(((PatternMatch *)match)->path);
  g_free(match);
}

static void note_unseen(Walk *w, const char *path, int why)
{
  if (w->unseen) return;
  g_autofree char *safe = printable(path);
  w->unseen =
      g_strdup_printf("%s: %s", safe, why == ENOENT ? "a link to a missing file" : g_strerror(why));
  w->unseen_why = why;
}

static bool fits(const char *pattern, const char *name)
{
  return !fnmatch(pattern, name, FNM_NOESCAPE | FNM_PERIOD);
}

/* The rank for which this name of a pattern matches that name of a file; -1: none. */
static int64_t rank_in(const char *pattern, const char *name)
{
  for (const char *p = name; *p; p++)
    for (size_t n = MIN(strspn(p, "0123456789"), MAX_DIGITS); n; n--) {
      int64_t rank;
      g_autofree char *digits = g_strndup(p, n);
      g_autoptr(GString) plain = g_string_new(pattern);
      g_string_replace(plain, RANK, digits, 0);
      if (fits(plain->str, name) && num_int(digits, n, &rank)) return rank;
    }
  return -1;
}

/* Also the rank, which must be the same wherever the pattern has one. */
static bool fits_ranked(const char *pattern, const char *name, int64_t *rank)
{
  if (!strstr(pattern, RANK)) return fits(pattern, name);
  int64_t found = rank_in(pattern, name);
  if (found < 0 || (*rank >= 0 && found != *rank)) return false;
  *rank = found;
  return true;
}

/* `path` is a match of the whole pattern. */
static void add(Walk *w, Step at)
{
  struct stat st;
  int seen = folder_look(at.path, &st);
  if (seen < 0 && errno != ENOTDIR) note_unseen(w, at.path, errno);
  if (seen <= 0) return;
  PatternMatch *m = g_new(PatternMatch, 1);
  *m = (PatternMatch){ g_strdup(at.path), at.rank };
  g_ptr_array_add(w->found, m);
}

/* `rest` begins with a name that is a pattern. */
static void match_names(Walk *w, Step at, const char *rest)
{
  const char *after = rest + strcspn(rest, "/");
  g_autofree char *pattern = g_strndup(rest, (size_t)(after - rest));
  const char *folder = *at.path ? at.path : ".";
  g_autoptr(GPtrArray) names = folder_names(folder);
  if (!names && errno != ENOENT && errno != ENOTDIR) note_unseen(w, folder, errno);
  for (guint i = 0; names && i < names->len; i++) {
    Step next = { NULL, at.rank };
    if (!fits_ranked(pattern, names->pdata[i], &next.rank)) continue;
    g_autofree char *path = g_strconcat(at.path, names->pdata[i], NULL);
    next.path = path;
    descend(w, next, after);
  }
}

/* Names without a pattern are taken at once, so that the depth is limited by folders that exist. */
static void descend(Walk *w, Step at, const char *rest)
{
  size_t len = strlen(rest), plain = 0;
  while (plain < len) {
    size_t name = strcspn(rest + plain, "/");
    g_autofree char *text = g_strndup(rest + plain, name);
    if (patterns_has(text)) break;
    plain += name + strspn(rest + plain + name, "/");
  }
  g_autofree char *path = g_strdup_printf("%s%.*s", at.path, (int)plain, rest);
  at.path = path;
  if (plain == len)
    add(w, at);
  else
    match_names(w, at, rest + plain);
}

static int by_rank(const void *a, const void *b)
{
  const PatternMatch *x = *(PatternMatch *const *)a, *y = *(PatternMatch *const *)b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return strcmp(x->path, y->path);
}

static Error *unseen(const Walk *w, const char *safe)
{
  Error *e =
      error_new(EXIT_INPUT, "RUN-91", "some files that \"%s\" may match cannot be seen", safe);
  return error_why(error_of_errno(e, w->unseen_why), "%s", w->unseen);
}

static Error *none_found(const char *safe)
{
  Error *e = error_new(EXIT_INPUT, "RUN-91", "no file matches \"%s\"", safe);
  return error_help(e, "* and ? stand for parts of one name, {rank} for the digits of a rank");
}

Error *patterns_match(const char *pattern, GPtrArray **out)
{
  Walk w = { .found = g_ptr_array_new_with_free_func(match_free) };
  g_autofree char *safe = printable(pattern);
  descend(&w, (Step){ "", -1 }, pattern);
  g_autofree char *why = w.unseen;
  Error *e = why ? unseen(&w, safe) : w.found->len ? NULL : none_found(safe);
  if (e) {
    g_ptr_array_unref(w.found);
    return e;
  }
  qsort(w.found->pdata, w.found->len, sizeof(void *), by_rank);
  *out = w.found;
  return NULL;
}
