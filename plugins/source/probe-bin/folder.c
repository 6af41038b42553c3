/* Which files of a folder belong to traces, and what their places in it say. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe-bin.h"

enum { LEVELS = 6, MAX_NAMES = 5 };

typedef struct Walk {
  const MillSourceHost *host;
  int n_traces, n_inputs;
} Walk;

static MillEntryRows list(const Walk *w, const char *folder)
{
  MillEntryRows entries;
  return w->host->list(w->host, folder, &entries) < 0 ? (MillEntryRows){ 0 } : entries;
}

static bool has(MillEntryRows entries, const char *name, bool folder)
{
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (!e->is_folder == !folder && !strcmp(e->name, name)) return true;
  }
  return false;
}

/* Of an empty file nothing can be read. */
static bool is_empty(const Walk *w, MillEntryRows entries, const char *name)
{
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (e->is_folder || strcmp(e->name, name) != 0 || e->size_bytes) continue;
    mill_note(w->host->common, PB_EMPTY);
    return true;
  }
  return false;
}

static bool is_trace(MillEntryRows entries)
{
  return has(entries, "event.log", false) || has(entries, "result", true);
}

/* Tags from the names of the folders that lead to what has a trace: the last three, by `words` from the last on. */
static int add(Walk *w, const char *path, const char *source, const char *trace,
               const GPtrArray *names, const char *const *words)
{
  g_autoptr(GPtrArray) tags = g_ptr_array_new_with_free_func(g_free);
  if (trace) g_ptr_array_add(tags, g_strconcat("trace=", trace, NULL));
  for (guint k = 0; words && k < 3 && k < names->len; k++)
    g_ptr_array_add(tags, g_strconcat(words[k], "=", names->pdata[names->len - 1 - k], NULL));
  g_ptr_array_add(tags, NULL);
  const MillInput input = { .size = sizeof input,
                            .path = path,
                            .source = source,
                            .tags = (const char *const *)(void *)tags->pdata };
  int status = w->host->add_input(w->host, &input);
  if (status >= 0) w->n_inputs++;
  return status;
}

static const char *const of_overhead[] = { "probe", "op", "group" };
static const char *const of_memory[] = { "sub", "test", "model" };

static int add_results(Walk *w, const char *folder, const char *trace, const GPtrArray *names,
                       const char *const *words)
{
  g_autofree char *result = g_build_filename(folder, "result", NULL);
  MillEntryRows entries = list(w, result);
  int status = 0;
  for (uint32_t i = 0; i < entries.n && status >= 0; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (e->is_folder || *e->name == '.' || !g_str_has_suffix(e->name, ".bin")) continue;
    g_autofree char *path = g_build_filename(result, e->name, NULL);
    status = add(w, path, "probe-bin", trace, names, words);
  }
  return status;
}

/* `names`: of the folders from the one given to the one that holds the trace. */
static int add_trace(Walk *w, const char *folder, MillEntryRows entries, GPtrArray *names)
{
  bool called_so = false; /* GROUP/OP/PROBE/trace/ */
  bool log = has(entries, "event.log", false);
  int status = 0;
  g_autofree char *last = g_strdup(names->pdata[names->len - 1]);
  g_autoptr(GPtrArray) above = g_ptr_array_new();
  for (guint i = 0; i + 1 < names->len; i++) g_ptr_array_add(above, names->pdata[i]);
  called_so = !strcmp(last, "trace");
  if (!called_so && above->len && !strcmp(above->pdata[above->len - 1], "trace")) {
    called_so = true;
    g_ptr_array_set_size(above, (gint)above->len - 1);
  }
  const char *const *words = called_so ? of_overhead : above->len > 2 ? of_memory : NULL;
  w->n_traces++;
  if (log && !is_empty(w, entries, "event.log")) {
    g_autofree char *path = g_build_filename(folder, "event.log", NULL);
    status = add(w, path, "probe-log", last, above, words);
  }
  return status < 0 ? status : add_results(w, folder, last, above, words);
}

static int add_output(Walk *w, const char *folder, MillEntryRows entries, const GPtrArray *names)
{
  g_autofree char *path = g_build_filename(folder, "stdout.log", NULL);
  if (is_empty(w, entries, "stdout.log")) return 0;
  const char *const *words = has(entries, "trace", true) ? of_overhead
                             : names->len > 2            ? of_memory
                                                         : NULL;
  return add(w, path, "probe-log", NULL, names, words);
}

static int walk(Walk *w, const char *folder, GPtrArray *names, int depth)
{
  MillEntryRows entries = list(w, folder);
  int status = 0;
  if (is_trace(entries)) return add_trace(w, folder, entries, names);
  if (has(entries, "stdout.log", false)) status = add_output(w, folder, entries, names);
  g_autoptr(GPtrArray) below = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (e->is_folder && *e->name != '.') g_ptr_array_add(below, g_strdup(e->name));
  }
  for (guint i = 0; i < below->len && depth < LEVELS && status >= 0; i++) {
    g_autofree char *path = g_build_filename(folder, below->pdata[i], NULL);
    g_ptr_array_add(names, below->pdata[i]);
    status = walk(w, path, names, depth + 1);
    g_ptr_array_set_size(names, (gint)names->len - 1);
  }
  return status;
}

/* Whether there is a trace, before anything is added. */
static bool holds_trace(const Walk *w, const char *folder, int depth)
{
  MillEntryRows entries = list(w, folder);
  if (is_trace(entries)) return true;
  g_autoptr(GPtrArray) below = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < entries.n && depth < LEVELS; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (e->is_folder && *e->name != '.')
      g_ptr_array_add(below, g_build_filename(folder, e->name, NULL));
  }
  for (guint i = 0; i < below->len; i++)
    if (holds_trace(w, below->pdata[i], depth + 1)) return true;
  return false;
}

int probe_expand(const MillSource *self, const MillSourceHost *host, const char *folder)
{
  Walk w = { .host = host };
  g_autofree char *real = g_canonicalize_filename(folder, NULL);
  g_autofree char *name = g_path_get_basename(real);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  (void)self;
  if (!holds_trace(&w, folder, 0)) return 0;
  g_ptr_array_add(names, name);
  int status = walk(&w, folder, names, 0);
  if (status < 0) return status;
  if (w.n_inputs) return 1;
  const MillNotice *row = probe_bin_notices;
  while (row->number != PB_NOTHING) row++;
  const MillFailure f = { .size = sizeof f,
                          .status = MILL_BAD_INPUT,
                          .number = PB_NOTHING,
                          .line = __LINE__,
                          .file = __FILE__,
                          .what = row->what,
                          .where = folder,
                          .help = row->help };
  return host->common->fail(host->common, &f);
}
