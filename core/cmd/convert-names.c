/* Names of the files that convert writes; see convert-names.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/convert-names.h"

#include <string.h>

#include "base/trees.h"
#include "model/printable.h"

/* ------------------------------------------------------------------- pattern */

static Error *refuse(const Cli *cli, NameFault *f)
{
  g_autofree char *what = printable(f->what);
  Error *e = cli_usage(cli->command, "-o: %s", what);
  if (f->where) {
    g_autofree char *where = printable(f->where);
    error_at(e, "%s", where);
  }
  if (f->help) error_help(e, "%s", f->help);
  name_fault_clear(f);
  return e;
}

Error *names_read(const Cli *cli, const char *output, NamePattern **out)
{
  NameFault fault = { 0 };
  *out = name_pattern_read(output, &fault);
  return *out ? NULL : refuse(cli, &fault);
}

size_t names_folder_len(const char *output)
{
  const char *end = output + strcspn(output, "{");
  while (end > output && end[-1] != '/') end--;
  return (size_t)(end - output);
}

/* --------------------------------------------------------------------- lanes */

typedef struct Asked {
  const Run *run;
  char *made; /* the last value that had to be made */
} Asked;

static const LaneInfo *lane_at(const void *asked, uint32_t index)
{
  return inputs_lane(((const Asked *)asked)->run->inputs, index);
}

static const char *name_at(const void *asked, uint32_t index)
{
  return lane_at(asked, index)->name;
}

static int64_t rank_at(const void *asked, uint32_t index) { return lane_at(asked, index)->rank; }

static const char *tag_at(const void *asked, uint32_t index, const char *tag)
{
  Asked *a = (Asked *)asked;
  g_clear_pointer(&a->made, g_free);
  return lane_info_tag(lane_at(asked, index), tag, &a->made);
}

static void add_once(GPtrArray *names, GTree *seen, const char *name)
{
  if (text_set_has(seen, name)) return;
  text_set_add(seen, g_strdup(name));
  g_ptr_array_add(names, g_strdup(name));
}

Error *names_of_run(const Cli *cli, const NamePattern *p, const Run *run, GPtrArray **out)
{
  Asked asked = { run, NULL };
  NameFault fault = { 0 };
  NameLanes lanes = { .context = &asked,
                      .n = inputs_n_traces(run->inputs),
                      .name = name_at,
                      .tag = tag_at,
                      .rank = rank_at };
  g_autoptr(GTree) seen = text_set_new();
  g_autoptr(GPtrArray) all = name_of_lanes(p, &lanes, &fault);
  GPtrArray *names = all ? g_ptr_array_new_with_free_func(g_free) : NULL;
  for (guint i = 0; names && i < all->len; i++) add_once(names, seen, all->pdata[i]);
  lanes.merged = true;
  g_autofree char *merged = names && lanes.n ? name_of_lane(p, &lanes, 0) : NULL;
  if (merged) add_once(names, seen, merged);
  g_free(asked.made);
  *out = names;
  return names ? NULL : refuse(cli, &fault);
}
