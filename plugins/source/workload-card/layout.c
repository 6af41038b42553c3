/* What lies in a run folder: card, results, gate logs, tables; see workload-card.md. */
#include "card.h"

#include <string.h>

#include "base/folder.h"

static const MillEntry *entry(MillEntryRows entries, uint32_t i)
{
  return MILL_AT(MillEntry, entries, i);
}

/* A folder that cannot be read has no entries. */
static MillEntryRows list_folder(const MillSourceHost *host, const char *path)
{
  MillEntryRows entries;
  return host->list(host, path, &entries) < 0 ? (MillEntryRows){ 0 } : entries;
}

/* Companions that macOS leaves beside files on foreign disks are not files of the run. */
static bool is_file(const MillEntry *e)
{
  return !e->is_folder && !g_str_has_prefix(e->name, "._");
}

/* The extension is `extension`, perhaps with that of a compressor after it. */
static bool has_extension(const char *name, const char *extension)
{
  size_t len = name_plain_len(name), more = strlen(extension);
  return len > more && !strncmp(name + len - more, extension, more);
}

static bool has_one_of(const char *name, const char *const *extensions)
{
  for (; *extensions; extensions++)
    if (has_extension(name, *extensions)) return true;
  return false;
}

static bool is_companion(const char *name) { return has_extension(name, ".pytorch.json"); }

static bool is_gate_folder(const MillEntry *e)
{
  return e->is_folder && g_str_has_prefix(e->name, "gates_logs_");
}

static bool is_gate_file(const MillEntry *e)
{
  return is_file(e) && g_str_has_prefix(e->name, "gate_logs_") && has_extension(e->name, ".json");
}

static void add_found(RunFolder *run, char *path, const char *source)
{
  Found *f = g_new0(Found, 1);
  f->path = path;
  f->source = source;
  g_ptr_array_add(run->found, f);
}

static void found_free(gpointer data)
{
  Found *f = data;
  g_free(f->path);
  g_free(f);
}

/* --------------------------------------------------------------------- parts */

/* The first *.yaml by name; *.yml only where there is none. */
static void find_card(RunFolder *run, MillEntryRows entries)
{
  static const char *const endings[] = { ".yaml", ".yml" };
  for (size_t k = 0; k < G_N_ELEMENTS(endings) && !run->card_path; k++) {
    for (uint32_t i = 0; i < entries.n && !run->card_path; i++) {
      const MillEntry *e = entry(entries, i);
      if (!is_file(e) || !g_str_has_suffix(e->name, endings[k])) continue;
      run->card_path = g_build_filename(run->path, e->name, NULL);
    }
  }
}

static void find_results(const MillSourceHost *host, RunFolder *run, MillEntryRows entries)
{
  static const char *const extensions[] = { ".json", ".jsonl", NULL };
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *results_json = entry(entries, i);
    if (!results_json->is_folder || strcmp(results_json->name, "results_json") != 0) continue;
    g_autofree char *folder = g_build_filename(run->path, "results_json", NULL);
    MillEntryRows results = list_folder(host, folder);
    run->has_signs = true;
    for (uint32_t k = 0; k < results.n; k++) {
      const MillEntry *e = entry(results, k);
      if (is_file(e) && has_one_of(e->name, extensions) && !is_companion(e->name))
        add_found(run, g_build_filename(folder, e->name, NULL), "bench-json");
    }
  }
}

static bool add_gate_folders(RunFolder *run, const char *path, MillEntryRows entries)
{
  guint before = run->found->len;
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = entry(entries, i);
    if (is_gate_folder(e)) add_found(run, g_build_filename(path, e->name, NULL), "gate-log");
  }
  return run->found->len > before;
}

/* Folders gates_logs_* here; else those in the first folder *gates_logs* that has any. */
static bool find_gate_folders(const MillSourceHost *host, RunFolder *run, MillEntryRows entries)
{
  if (add_gate_folders(run, run->path, entries)) return true;
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = entry(entries, i);
    if (!e->is_folder || !strstr(e->name, "gates_logs")) continue;
    g_autofree char *path = g_build_filename(run->path, e->name, NULL);
    if (add_gate_folders(run, path, list_folder(host, path))) return true;
  }
  return false;
}

/* This folder is itself one of gate logs when it holds their files. */
static bool find_gate_files(RunFolder *run, MillEntryRows entries)
{
  for (uint32_t i = 0; i < entries.n; i++) {
    if (!is_gate_file(entry(entries, i))) continue;
    add_found(run, g_strdup(run->path), "gate-log");
    return true;
  }
  return false;
}

/* Kernel tables, databases, traces and results beside a card. */
static void find_loose_files(RunFolder *run, MillEntryRows entries)
{
  static const char *const extensions[] = { ".csv", ".sqlite", ".json", ".jsonl", NULL };
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = entry(entries, i);
    if (!is_file(e) || !has_one_of(e->name, extensions)) continue;
    if (!is_companion(e->name) && !is_gate_file(e))
      add_found(run, g_build_filename(run->path, e->name, NULL), NULL);
  }
}

bool run_folder_look(const MillSourceHost *host, const char *path, RunFolder *out)
{
  MillEntryRows entries;
  if (host->list(host, path, &entries) < 0) return false;
  *out = (RunFolder){ .path = g_strdup(path) };
  out->found = g_ptr_array_new_with_free_func(found_free);
  find_card(out, entries);
  find_results(host, out, entries);
  if (find_gate_folders(host, out, entries) || find_gate_files(out, entries)) out->has_signs = true;
  if (out->card_path) find_loose_files(out, entries);
  return true;
}

void run_folder_clear(RunFolder *run)
{
  g_free(run->path);
  g_free(run->card_path);
  g_ptr_array_unref(run->found);
}

GPtrArray *folder_children(const MillSourceHost *host, const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  MillEntryRows entries = list_folder(host, path);
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = entry(entries, i);
    if (e->is_folder && *e->name != '.') g_ptr_array_add(names, g_strdup(e->name));
  }
  return names;
}
