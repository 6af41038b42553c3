/* What results call the inputs of a run; see lane-names.h. */
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
