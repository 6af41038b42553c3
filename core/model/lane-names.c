/* What results call the inputs of a run; see lane-names.h. */
/* SPDX-License-Identifier: MIT */
#include "model/lane-names.h"

#include <string.h>

/* The part that both begin with, up to and with a slash. */
static size_t shared_folders(const char *a, size_t len, const char *b)
{
  size_t same = 0;
  while (same < len && a[same] == b[same]) same++;
  while (same > 0 && a[same - 1] != '/') same--;
  return same;
}

static size_t folder_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash + 1 - path) : 0;
}

/* NULL: standard input. */
static char *whole_path(const LaneInfo *lane, const char *here)
{
  return lane->path ? g_canonicalize_filename(lane->path, here) : NULL;
}

static void set_name(LaneInfo *lane, const char *path, size_t shared)
{
  size_t typed = path ? strlen(lane->path) : 0;
  bool is_path = path && !strncmp(lane->name, lane->path, typed);
  if (lane->input) return;
  /* What stands after the path, as "(run 2)", belongs to the name. */
  lane->input =
      is_path ? g_strconcat(path + shared, lane->name + typed, NULL) : g_strdup(lane->name);
}

void lane_names_set(LaneInfo *const *lanes, guint n)
{
  g_autofree char **paths = g_new0(char *, n + 1);
  g_autofree char *here = g_get_current_dir();
  const char *first = NULL;
  size_t shared = 0;
  for (guint i = 0; i < n; i++) {
    paths[i] = whole_path(lanes[i], here);
    if (!paths[i] || lanes[i]->side) continue;
    shared = first ? shared_folders(first, shared, paths[i]) : folder_of(paths[i]);
    if (!first) first = paths[i];
  }
  for (guint i = 0; i < n; i++) {
    bool within = paths[i] && !lanes[i]->side && first;
    set_name(lanes[i], paths[i], within ? shared : paths[i] ? folder_of(paths[i]) : 0);
    g_free(paths[i]);
  }
}

/* --------------------------------------------------------------------- tags */

char **lane_names_tags(const GPtrArray *lanes)
{
  GPtrArray *names = g_ptr_array_new();
  for (guint l = 0; l < lanes->len; l++) {
    const LaneInfo *lane = lanes->pdata[l];
    for (guint t = 0; !lane->side && t < lane->tags->len; t++) {
      const Tag *tag = lane->tags->pdata[t];
      if (!g_ptr_array_find_with_equal_func(names, tag->name, g_str_equal, NULL))
        g_ptr_array_add(names, tag->name);
    }
  }
  g_ptr_array_add(names, NULL);
  return (char **)g_ptr_array_free(names, FALSE);
}

static bool any_lane_has(const GPtrArray *lanes, const char *tag)
{
  for (guint l = 0; l < lanes->len; l++) {
    g_autofree char *made = NULL;
    const LaneInfo *lane = lanes->pdata[l];
    if (!lane->side && lane_info_tag(lane, tag, &made)) return true;
  }
  return false;
}

char **lane_names_groups(const GPtrArray *lanes)
{
  static const char *const others[] = { "label", "input", "rank", "file" };
  char **tags = lane_names_tags(lanes);
  guint n = g_strv_length(tags);
  tags = g_renew(char *, tags, n + G_N_ELEMENTS(others) + 1);
  for (guint i = 0; i < G_N_ELEMENTS(others); i++)
    if (!g_strv_contains((const char *const *)tags, others[i]) && any_lane_has(lanes, others[i])) {
      tags[n++] = (char *)others[i];
      tags[n] = NULL;
    }
  return tags;
}
