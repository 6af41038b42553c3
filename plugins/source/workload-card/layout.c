/* What lies in a run folder: card, results, gate logs, tables; see workload-card.md. */
#include "card.h"

#include <string.h>

#include "base/folder.h"

typedef struct Listing {
  const MillEntry *entries;
  int64_t n;
} Listing;

static Listing list_folder(const MillHost *host, const char *path)
{
  Listing l = { NULL, 0 };
  l.n = host->list(host, path, &l.entries);
  return l;
}

/* Companions that macOS leaves beside files on foreign disks are no files of the run. */
static bool is_file(const MillEntry *e)
{
  return !e->is_folder && !g_str_has_prefix(e->name, "._");
}

/* The extension is `extension`, perhaps with that of a compressor behind it. */
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
static void find_card(RunFolder *run, const Listing *l)
{
  static const char *const endings[] = { ".yaml", ".yml" };
  for (size_t k = 0; k < G_N_ELEMENTS(endings) && !run->card_path; k++) {
    for (int64_t i = 0; i < l->n && !run->card_path; i++) {
      const MillEntry *e = &l->entries[i];
      if (!is_file(e) || !g_str_has_suffix(e->name, endings[k])) continue;
      run->card_path = g_build_filename(run->path, e->name, NULL);
    }
  }
}

static void find_results(const MillHost *host, RunFolder *run, const Listing *l)
{
  static const char *const extensions[] = { ".json", ".jsonl", NULL };
  for (int64_t i = 0; i < l->n; i++) {
    if (!l->entries[i].is_folder || strcmp(l->entries[i].name, "results_json") != 0) continue;
    g_autofree char *folder = g_build_filename(run->path, "results_json", NULL);
    Listing results = list_folder(host, folder);
    run->has_signs = true;
    for (int64_t k = 0; k < results.n; k++) {
      const MillEntry *e = &results.entries[k];
      if (is_file(e) && has_one_of(e->name, extensions) && !is_companion(e->name))
        add_found(run, g_build_filename(folder, e->name, NULL), "bench-json");
    }
  }
}

static bool add_gate_folders(RunFolder *run, const char *path, const Listing *l)
{
  guint before = run->found->len;
  for (int64_t i = 0; i < l->n; i++)
    if (is_gate_folder(&l->entries[i]))
      add_found(run, g_build_filename(path, l->entries[i].name, NULL), "gate-log");
  return run->found->len > before;
}

/* Folders gates_logs_* here; else those in the first folder *gates_logs* that has any. */
static bool find_gate_folders(const MillHost *host, RunFolder *run, const Listing *l)
{
  if (add_gate_folders(run, run->path, l)) return true;
  for (int64_t i = 0; i < l->n; i++) {
    if (!l->entries[i].is_folder || !strstr(l->entries[i].name, "gates_logs")) continue;
    g_autofree char *path = g_build_filename(run->path, l->entries[i].name, NULL);
    Listing inner = list_folder(host, path);
    if (add_gate_folders(run, path, &inner)) return true;
  }
  return false;
}

/* This folder is itself one of gate logs when it holds their files. */
static bool find_gate_files(RunFolder *run, const Listing *l)
{
  for (int64_t i = 0; i < l->n; i++) {
    if (!is_gate_file(&l->entries[i])) continue;
    add_found(run, g_strdup(run->path), "gate-log");
    return true;
  }
  return false;
}

/* Kernel tables, databases, traces and results beside a card. */
static void find_loose_files(RunFolder *run, const Listing *l)
{
  static const char *const extensions[] = { ".csv", ".sqlite", ".json", ".jsonl", NULL };
  for (int64_t i = 0; i < l->n; i++) {
    const MillEntry *e = &l->entries[i];
    if (!is_file(e) || !has_one_of(e->name, extensions)) continue;
    if (!is_companion(e->name) && !is_gate_file(e))
      add_found(run, g_build_filename(run->path, e->name, NULL), NULL);
  }
}

bool run_folder_look(const MillHost *host, const char *path, RunFolder *out)
{
  Listing l = list_folder(host, path);
  if (l.n < 0) return false;
  *out = (RunFolder){ .path = g_strdup(path) };
  out->found = g_ptr_array_new_with_free_func(found_free);
  find_card(out, &l);
  find_results(host, out, &l);
  if (find_gate_folders(host, out, &l) || find_gate_files(out, &l)) out->has_signs = true;
  if (out->card_path) find_loose_files(out, &l);
  return true;
}

void run_folder_clear(RunFolder *run)
{
  g_free(run->path);
  g_free(run->card_path);
  g_ptr_array_unref(run->found);
}

GPtrArray *folder_children(const MillHost *host, const char *path)
{
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  Listing l = list_folder(host, path);
  for (int64_t i = 0; i < l.n; i++)
    if (l.entries[i].is_folder && *l.entries[i].name != '.')
      g_ptr_array_add(names, g_strdup(l.entries[i].name));
  return names;
}
