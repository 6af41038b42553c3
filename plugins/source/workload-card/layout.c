/* What lies in a run folder: card, results, gate logs, tables; see workload-card.md. */
/* SPDX-License-Identifier: MIT */
#include "card.h"

#include <string.h>

#include "base/folder.h"
#include "kit/read/bench-kind.h"

enum { MOST_LOOKED_AT = 16 }; /* files, until one of them is a result */

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

static void add_found(GPtrArray *to, char *path, const char *source)
{
  Found *f = g_new0(Found, 1);
  f->path = path;
  f->source = source;
  g_ptr_array_add(to, f);
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
        add_found(run->found, g_build_filename(folder, e->name, NULL), "bench-json");
    }
  }
}

static bool add_gate_folders(RunFolder *run, const char *path, MillEntryRows entries)
{
  guint before = run->found->len;
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = entry(entries, i);
    if (is_gate_folder(e)) add_found(run->found, g_build_filename(path, e->name, NULL), "gate-log");
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
    add_found(run->found, g_strdup(run->path), "gate-log");
    return true;
  }
  return false;
}

/* "run=3.json" of vllm bench sweep. */
static bool is_sweep_run(const MillEntry *e)
{
  static const char start[] = "run=";
  const char *p = e->name + sizeof start - 1;
  if (!is_file(e) || !g_str_has_prefix(e->name, start)) return false;
  while (g_ascii_isdigit(*p)) p++;
  return p > e->name + sizeof start - 1 && !strncmp(p, ".json", 5) &&
         has_extension(e->name, ".json");
}

static bool is_named(const MillEntry *e, const char *stem, const char *extension)
{
  size_t len = strlen(stem);
  return is_file(e) && g_str_has_prefix(e->name, stem) &&
         !strncmp(e->name + len, extension, strlen(extension)) &&
         has_extension(e->name, extension) && name_plain_len(e->name) == len + strlen(extension);
}

static void note_file(const MillSourceHost *host, const RunFolder *run, uint32_t number,
                      const char *name)
{
  g_autofree char *path = g_build_filename(run->path, name, NULL);
  const MillNamed named[] = { { "place", mill_text(path, strlen(path)) } };
  host->common->note(host->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

/* The runs of one point of a vLLM sweep.  Its summary.json repeats them. */
static bool find_sweep(const MillSourceHost *host, RunFolder *run, MillEntryRows entries)
{
  guint before = run->found->len;
  for (uint32_t i = 0; i < entries.n; i++)
    if (is_sweep_run(entry(entries, i)))
      add_found(run->found, g_build_filename(run->path, entry(entries, i)->name, NULL),
                "bench-json");
  for (uint32_t i = 0; i < entries.n && run->found->len > before; i++)
    if (is_named(entry(entries, i), "summary", ".json"))
      note_file(host, run, CARD_SUMMARY, entry(entries, i)->name);
  return run->found->len > before;
}

/* What AIPerf leaves of one run: its requests, whose reader looks for the totals beside them; else its totals. */
static bool find_aiperf(const MillSourceHost *host, RunFolder *run, MillEntryRows entries)
{
  const MillEntry *totals = NULL, *requests = NULL;
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = entry(entries, i);
    if (is_named(e, "profile_export_aiperf", ".json")) totals = e;
    if (is_named(e, "profile_export", ".jsonl")) requests = e;
  }
  if (!totals) return false;
  if (requests) note_file(host, run, CARD_TWICE, totals->name);
  add_found(run->found, g_build_filename(run->path, (requests ? requests : totals)->name, NULL),
            "bench-json");
  return true;
}

static const char *const beside_card[] = { ".csv", ".sqlite", ".json", ".jsonl", NULL };

/* Traces beside runs; beside a card also tables, databases and results: for whichever source knows them. */
static void find_loose_files(RunFolder *run, MillEntryRows entries, bool sweep, bool aiperf)
{
  static const char *const traces[] = { ".json", NULL };
  const char *const *extensions = run->card_path ? beside_card : traces;
  GPtrArray *to = run->card_path || run->has_signs ? run->found : run->loose;
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = entry(entries, i);
    if (!is_file(e) || !has_one_of(e->name, extensions)) continue;
    if (is_companion(e->name) || is_gate_file(e)) continue;
    if (sweep && (is_sweep_run(e) || is_named(e, "summary", ".json"))) continue;
    if (aiperf && g_str_has_prefix(e->name, "profile_export")) continue;
    add_found(to, g_build_filename(run->path, e->name, NULL), NULL);
  }
}

static bool is_result(const MillSourceHost *host, const RunFolder *run, const char *name)
{
  g_autofree char *path = g_build_filename(run->path, name, NULL);
  const char *bytes;
  int64_t len = host->read_head(host, path, &bytes);
  return len > 0 && kind_of(bytes, (size_t)len).format != FORMAT_NONE;
}

static bool has_result(const MillSourceHost *host, const RunFolder *run, MillEntryRows entries)
{
  static const char *const extensions[] = { ".json", ".jsonl", NULL };
  unsigned looked_at = 0;
  for (uint32_t i = 0; i < entries.n && looked_at < MOST_LOOKED_AT; i++) {
    const MillEntry *e = entry(entries, i);
    if (!is_file(e) || !has_one_of(e->name, extensions) || is_companion(e->name)) continue;
    if (is_result(host, run, e->name)) return true;
    looked_at++;
  }
  return false;
}

/* The results of one configuration that lie in a folder as they are: all its files, as where it is read flat. */
static void find_own_files(const MillSourceHost *host, RunFolder *run, MillEntryRows entries)
{
  for (uint32_t i = 0; i < entries.n && !run->has_inputs; i++)
    run->has_inputs =
        is_file(entry(entries, i)) && has_one_of(entry(entries, i)->name, beside_card);
  if (run->card_path || run->has_signs || !has_result(host, run, entries)) return;
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = entry(entries, i);
    if (!e->is_folder && *e->name != '.')
      add_found(run->own, g_build_filename(run->path, e->name, NULL), NULL);
  }
}

void run_folder_adopt(RunFolder *run)
{
  GPtrArray *before = run->found;
  run->found = run->own;
  run->own = before;
  run->has_signs = run->is_flat = true;
}

bool run_folder_look(const MillSourceHost *host, const char *path, RunFolder *out)
{
  MillEntryRows entries;
  if (host->list(host, path, &entries) < 0) return false;
  *out = (RunFolder){ .path = g_strdup(path) };
  out->found = g_ptr_array_new_with_free_func(found_free);
  out->loose = g_ptr_array_new_with_free_func(found_free);
  out->own = g_ptr_array_new_with_free_func(found_free);
  find_card(out, entries);
  find_results(host, out, entries);
  if (find_gate_folders(host, out, entries) || find_gate_files(out, entries)) out->has_signs = true;
  bool sweep = find_sweep(host, out, entries), aiperf = find_aiperf(host, out, entries);
  out->has_signs = out->has_signs || sweep || aiperf;
  find_loose_files(out, entries, sweep, aiperf);
  find_own_files(host, out, entries);
  return true;
}

void run_folder_clear(RunFolder *run)
{
  g_free(run->path);
  g_free(run->card_path);
  g_ptr_array_unref(run->found);
  g_ptr_array_unref(run->loose);
  g_ptr_array_unref(run->own);
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
