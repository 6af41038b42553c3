/* Cutting names; see cut.h. */
/* SPDX-License-Identifier: MIT */
#include "cut.h"

#include <stdbool.h>
#include <string.h>

#include "base/columns.h"
#include "kit/sink/cell.h"

#define ELLIPSIS "…"

/* What is alike at both ends of all names, in bytes; never within a character. */
typedef struct Alike {
  size_t head, tail;
} Alike;

static const char *at(const GPtrArray *names, guint i) { return names->pdata[i]; }

static size_t shortest(const GPtrArray *names)
{
  size_t least = SIZE_MAX;
  for (guint i = 0; i < names->len; i++) least = MIN(least, strlen(at(names, i)));
  return least;
}

static bool same_at(const GPtrArray *names, size_t offset, bool from_end)
{
  const char *first = at(names, 0);
  char wanted = from_end ? first[strlen(first) - 1 - offset] : first[offset];
  for (guint i = 1; i < names->len; i++) {
    const char *name = at(names, i);
    if ((from_end ? name[strlen(name) - 1 - offset] : name[offset]) != wanted) return false;
  }
  return true;
}

static bool inside_character(const char *p) { return ((unsigned char)*p & 0xc0) == 0x80; }

static Alike find_alike(const GPtrArray *names)
{
  Alike a = { 0, 0 };
  size_t least = shortest(names);
  const char *first = at(names, 0);
  while (a.head < least && same_at(names, a.head, false)) a.head++;
  while (a.head && inside_character(first + a.head)) a.head--;
  while (a.tail < least - a.head && same_at(names, a.tail, true)) a.tail++;
  while (a.tail && inside_character(first + strlen(first) - a.tail)) a.tail--;
  return a;
}

/* ------------------------------------------------------------ ways of cutting */

static char *cut_middle(const char *name, size_t width)
{
  size_t len = strlen(name), tail = (width - 1) / 2, head = width - 1 - tail;
  if (columns_of(name, len) <= width) return g_strdup(name);
  GString *out = g_string_new_len(name, (gssize)columns_head(name, len, head));
  g_string_append(out, ELLIPSIS);
  g_string_append(out, name + len - columns_tail(name, len, tail));
  return g_string_free(out, FALSE);
}

static char *cut_head(const char *name, size_t width)
{
  size_t len = strlen(name);
  if (columns_of(name, len) <= width) return g_strdup(name);
  return g_strconcat(ELLIPSIS, name + len - columns_tail(name, len, width - 1), NULL);
}

/* Without what is alike in all; an end of one character is not worth an ellipsis. */
static char *cut_alike(const char *name, Alike a, size_t width)
{
  g_autoptr(GString) out = g_string_new(a.head > 3 ? ELLIPSIS : NULL);
  size_t from = a.head > 3 ? a.head : 0, tail = a.tail > 3 ? a.tail : 0;
  g_string_append_len(out, name + from, (gssize)(strlen(name) - from - tail));
  if (tail) g_string_append(out, ELLIPSIS);
  return cut_middle(out->str, width);
}

/* Parts of paths that are alike in all: an ellipsis stands for those between others. */
static GPtrArray *cut_parts(const GPtrArray *names)
{
  g_autoptr(GPtrArray) split = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  for (guint i = 0; i < names->len; i++) g_ptr_array_add(split, g_strsplit(at(names, i), "/", -1));
  guint n_parts = g_strv_length(split->pdata[0]);
  for (guint i = 1; i < names->len; i++)
    if (g_strv_length(split->pdata[i]) != n_parts) return NULL;
  GPtrArray *cut = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < names->len; i++) {
    GString *out = g_string_new(NULL);
    char **own = split->pdata[i], **first = split->pdata[0];
    bool hidden = false;
    for (guint p = 0; p < n_parts; p++) {
      bool alike = true;
      for (guint k = 1; k < names->len && alike; k++)
        alike = !strcmp(first[p], ((char **)split->pdata[k])[p]);
      if (alike && hidden) continue;
      g_string_append_printf(out, "%s%s", p ? "/" : "", alike ? ELLIPSIS : own[p]);
      hidden = alike;
    }
    g_ptr_array_add(cut, g_string_free(out, FALSE));
  }
  return cut;
}

/* ------------------------------------------------------------------ choosing */

static guint count_distinct(const GPtrArray *names, size_t *out_widest)
{
  g_autoptr(GTree) seen = g_tree_new((GCompareFunc)strcmp);
  *out_widest = 0;
  for (guint i = 0; i < names->len; i++) {
    g_tree_insert(seen, names->pdata[i], names->pdata[i]);
    *out_widest = MAX(*out_widest, cell_width(at(names, i)));
  }
  return (guint)g_tree_nnodes(seen);
}

static GPtrArray *cut_each(const GPtrArray *names, guint way, Alike a, size_t width)
{
  GPtrArray *cut = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < names->len; i++) {
    const char *name = at(names, i);
    g_ptr_array_add(cut, way == 0   ? cut_middle(name, width)
                         : way == 1 ? cut_head(name, width)
                                    : cut_alike(name, a, width));
  }
  return cut;
}

/* In the way that keeps most of them apart. */
static GPtrArray *cut_best(const GPtrArray *names, size_t width)
{
  size_t widest;
  GPtrArray *best = NULL;
  Alike a = names->len > 1 ? find_alike(names) : (Alike){ 0, 0 };
  guint most = 0;
  for (guint way = 0; way < 3; way++) {
    GPtrArray *cut = cut_each(names, way, a, width);
    guint n = count_distinct(cut, &widest);
    if (best && n <= most) {
      g_ptr_array_unref(cut);
      continue;
    }
    if (best) g_ptr_array_unref(best);
    best = cut;
    most = n;
  }
  return best;
}

/* Paths whose parts are in the same places lose those that are alike; NULL where that does not make them fit. */
static GPtrArray *cut_as_paths(const GPtrArray *names, size_t width)
{
  size_t widest;
  GPtrArray *cut = names->len > 1 ? cut_parts(names) : NULL;
  if (!cut || (count_distinct(cut, &widest) == names->len && widest <= width)) return cut;
  g_ptr_array_unref(cut);
  return NULL;
}

static GPtrArray *distinct_names(const GPtrArray *names, size_t longer_than)
{
  g_autoptr(GTree) seen = g_tree_new((GCompareFunc)strcmp);
  GPtrArray *distinct = g_ptr_array_new();
  for (guint i = 0; i < names->len; i++) {
    if (cell_width(at(names, i)) <= longer_than || g_tree_lookup(seen, at(names, i))) continue;
    g_tree_insert(seen, names->pdata[i], names->pdata[i]);
    g_ptr_array_add(distinct, names->pdata[i]);
  }
  return distinct;
}

GPtrArray *cut_names(const GPtrArray *names, size_t width)
{
  size_t room = MAX(width, 3);
  g_autoptr(GPtrArray) all = distinct_names(names, 0), too_long = distinct_names(names, room);
  g_autoptr(GPtrArray) paths = too_long->len ? cut_as_paths(all, room) : NULL;
  g_autoptr(GPtrArray) best = too_long->len && !paths ? cut_best(too_long, room) : NULL;
  const GPtrArray *from = paths ? all : too_long, *to = paths ? paths : best;
  g_autoptr(GTree) cut = g_tree_new((GCompareFunc)strcmp);
  for (guint i = 0; to && i < from->len; i++) g_tree_insert(cut, from->pdata[i], to->pdata[i]);
  GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < names->len; i++) {
    const char *shorter = g_tree_lookup(cut, at(names, i));
    g_ptr_array_add(out, g_strdup(shorter ? shorter : at(names, i)));
  }
  return out;
}
