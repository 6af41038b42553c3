/* The sweep-tree source: which traces lie in a sweep, and of which configuration and rank each is. */
/* SPDX-License-Identifier: MIT */
#include "sweep-tree.h"

#include <glib.h>
#include <string.h>

#include "base/num.h"
#include "kit/text/fail.h"

enum { NAME_MAX_TAG = 40, NONE = -1 };

typedef struct Tree {
  const MillSourceHost *host;
  size_t base_len; /* of the folder that was given: places are said from there */
  int n_inputs;
} Tree;

typedef struct Config {
  int64_t threads, channels; /* or NONE */
} Config;

typedef struct Numbered {
  int64_t number;
  char *path;
} Numbered;

/* ------------------------------------------------------------------- names */

/* before, digits, after; the digits give *out.  False with *out_alike: it is so but for the digits. */
static bool is_numbered(const char *name, const char *before, const char *after, int64_t *out,
                        bool *out_alike)
{
  size_t len = strlen(name), start = strlen(before), end = strlen(after);
  *out_alike =
      len >= start + end && g_str_has_prefix(name, before) && g_str_has_suffix(name, after);
  if (!*out_alike) return false;
  size_t digits = len - start - end;
  return strspn(name + start, "0123456789") >= digits && digits > 0 &&
         num_int(name + start, digits, out);
}

static bool is_rank(const char *name, int64_t *out, bool *out_alike)
{
  return is_numbered(name, "rank_", "", out, out_alike) ||
         is_numbered(name, "rank", "", out, out_alike);
}

static bool is_thread(const char *name, int64_t *out, bool *out_alike)
{
  return is_numbered(name, "", "thread", out, out_alike);
}

static bool is_channel(const char *name, int64_t *out, bool *out_alike)
{
  return is_numbered(name, "nccl_", "channels", out, out_alike);
}

/* The configuration that the folders on the way say. */
static Config config_of(const char *path)
{
  Config c = { NONE, NONE };
  bool alike;
  g_auto(GStrv) names = g_strsplit(path, "/", -1);
  for (char **name = names; *name; name++) {
    int64_t number;
    if (is_thread(*name, &number, &alike)) c = (Config){ number, NONE };
    if (is_channel(*name, &number, &alike)) c.channels = number;
  }
  return c;
}

/* ----------------------------------------------------------------- folders */

static void note(const Tree *t, uint32_t number, const char *path)
{
  const char *place = path + MIN(t->base_len, strlen(path));
  while (*place == '/') place++;
  const MillNamed named[] = { { "place", mill_text(place, strlen(place)) } };
  t->host->common->note(t->host->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

static MillEntryRows entries_of(const Tree *t, const char *path)
{
  MillEntryRows entries;
  return t->host->list(t->host, path, &entries) < 0 ? (MillEntryRows){ 0 } : entries;
}

static void numbered_free(gpointer data)
{
  Numbered *n = data;
  g_free(n->path);
  g_free(n);
}

static gint by_number(gconstpointer a, gconstpointer b)
{
  const Numbered *x = *(const Numbered *const *)a, *y = *(const Numbered *const *)b;
  if (x->number != y->number) return x->number < y->number ? -1 : 1;
  return strcmp(x->path, y->path);
}

/* The folders of a kind, by number. */
static GPtrArray *numbered_in(const Tree *t, const char *path,
                              bool (*is)(const char *, int64_t *, bool *))
{
  GPtrArray *found = g_ptr_array_new_with_free_func(numbered_free);
  MillEntryRows entries = entries_of(t, path);
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    int64_t number;
    bool alike;
    if (!e->is_folder) continue;
    char *below = g_build_filename(path, e->name, NULL);
    bool fits = is(e->name, &number, &alike);
    if (fits) {
      Numbered *n = g_new(Numbered, 1);
      *n = (Numbered){ number, below };
      g_ptr_array_add(found, n);
      continue;
    }
    if (alike) note(t, TREE_NO_NUMBER, below);
    g_free(below);
  }
  g_ptr_array_sort(found, by_number);
  return found;
}

static bool has_folder(const Tree *t, const char *path, const char *name)
{
  MillEntryRows entries = entries_of(t, path);
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (e->is_folder && !strcmp(e->name, name)) return true;
  }
  return false;
}

/* ------------------------------------------------------------------ traces */

typedef struct Kind { /* of traces */
  const char *source;
  const char *ending; /* before .gz or .zst */
} Kind;

static const Kind kineto = { "chrome-json", ".json" },
                  rocprof = { "rocprof-json", "_results.json" };

static bool is_trace(const Kind *kind, const char *name)
{
  g_autofree char *gz = g_strconcat(kind->ending, ".gz", NULL);
  g_autofree char *zst = g_strconcat(kind->ending, ".zst", NULL);
  return g_str_has_suffix(name, kind->ending) || g_str_has_suffix(name, gz) ||
         g_str_has_suffix(name, zst);
}

/* customer_trace* before others, then 2 before 10. */
static bool is_better(const char *path, const char *than)
{
  if (!than) return true;
  g_autofree char *name = g_path_get_basename(path), *other = g_path_get_basename(than);
  bool a = g_str_has_prefix(name, "customer_trace"), b = g_str_has_prefix(other, "customer_trace");
  return a != b ? a : strverscmp(name, other) < 0;
}

/* Of the traces in the folder the best one takes the place of *io_best; how many there are. */
static int look_for_traces(const Tree *t, const char *path, char **io_best)
{
  int n = 0;
  MillEntryRows entries = entries_of(t, path);
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (e->is_folder || *e->name == '.' || !is_trace(&kineto, e->name)) continue;
    char *below = g_build_filename(path, e->name, NULL);
    n++;
    if (is_better(below, *io_best)) {
      g_free(*io_best);
      *io_best = below;
    } else {
      g_free(below);
    }
  }
  return n;
}

static int add_trace(Tree *t, const Kind *kind, const char *path, const Config *c, int64_t rank)
{
  char threads[NAME_MAX_TAG], channels[NAME_MAX_TAG], own[NAME_MAX_TAG];
  const char *tags[4];
  int n = 0;
  g_snprintf(threads, sizeof threads, "threads=%" G_GINT64_FORMAT, c->threads);
  g_snprintf(channels, sizeof channels, "channels=%" G_GINT64_FORMAT, c->channels);
  g_snprintf(own, sizeof own, "rank=%" G_GINT64_FORMAT, rank);
  if (c->threads >= 0) tags[n++] = threads;
  if (c->channels >= 0) tags[n++] = channels;
  tags[n++] = own;
  tags[n] = NULL;
  const MillInput input = {
    .size = sizeof input, .path = path, .source = kind->source, .tags = tags
  };
  int status = t->host->add_input(t->host, &input);
  if (status >= 0) t->n_inputs++;
  return status;
}

static int add_rank(Tree *t, const Numbered *rank, const Config *c)
{
  char *best = NULL;
  g_autofree char *inner = g_build_filename(rank->path, "trace", NULL);
  int n = look_for_traces(t, rank->path, &best), status = 0;
  if (has_folder(t, rank->path, "trace")) n += look_for_traces(t, inner, &best);
  if (n == 0) note(t, TREE_NO_TRACE, rank->path);
  if (n > 1) note(t, TREE_SEVERAL, rank->path);
  if (best) status = add_trace(t, &kineto, best, c, rank->number);
  g_free(best);
  return status;
}

/* ------------------------------------------------------------------ rocprof */

enum { ROCPROF_DEPTH = 4 }; /* of the host's folder, and of a user's own below it */

/* 2 before 10, in each part of the path. */
static gint by_path(gconstpointer a, gconstpointer b)
{
  return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_results(const Tree *t, const char *path, int depth, GPtrArray *found)
{
  MillEntryRows entries = entries_of(t, path);
  g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(g_free);
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    if (*e->name == '.') continue;
    if (e->is_folder)
      g_ptr_array_add(folders, g_build_filename(path, e->name, NULL));
    else if (is_trace(&rocprof, e->name))
      g_ptr_array_add(found, g_build_filename(path, e->name, NULL));
  }
  for (guint i = 0; i < folders->len && depth > 1; i++)
    find_results(t, folders->pdata[i], depth - 1, found);
}

static bool is_pass(const char *name, int64_t *out, bool *out_alike)
{
  return is_numbered(name, "pass_", "", out, out_alike);
}

/* Each pass repeats the run, with other counters: the first one that holds results is taken. */
static GPtrArray *results_in(const Tree *t, const char *path)
{
  GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) passes = numbered_in(t, path, is_pass);
  guint n_used = 0;
  if (passes->len == 0) find_results(t, path, ROCPROF_DEPTH, found);
  for (guint i = 0; i < passes->len && found->len == 0; i++, n_used++)
    find_results(t, ((const Numbered *)passes->pdata[i])->path, ROCPROF_DEPTH, found);
  if (n_used < passes->len) note(t, TREE_PASSES, path);
  g_ptr_array_sort(found, by_path);
  return found;
}

/* A result has no rank: its place among the others, which are named by their processes. */
static int add_results(Tree *t, const char *path, const Config *c)
{
  int status = 0;
  g_autoptr(GPtrArray) found = results_in(t, path);
  if (found->len == 0) note(t, TREE_NO_TRACE, path);
  for (guint i = 0; i < found->len && status >= 0; i++)
    status = add_trace(t, &rocprof, found->pdata[i], c, i);
  return status;
}

/* ----------------------------------------------------------------- the tree */

static int add_ranks(Tree *t, const char *path, const Config *c)
{
  int status = 0;
  g_autoptr(GPtrArray) ranks = numbered_in(t, path, is_rank);
  for (guint i = 0; i < ranks->len && status >= 0; i++) status = add_rank(t, ranks->pdata[i], c);
  return status;
}

static int add_configuration(Tree *t, const char *path, const Config *c)
{
  g_autofree char *profiles = g_build_filename(path, "torch_profiler", NULL);
  g_autofree char *results = g_build_filename(path, "rocprof_traces", NULL);
  bool has_results = has_folder(t, path, "rocprof_traces");
  if (has_folder(t, path, "torch_profiler")) {
    if (has_results) note(t, TREE_BOTH, results);
    return add_ranks(t, profiles, c);
  }
  if (has_results) return add_results(t, results, c);
  note(t, TREE_NO_PROFILER, path);
  return 0;
}

static int add_channels(Tree *t, const char *path, int64_t threads)
{
  int status = 0;
  g_autoptr(GPtrArray) channels = numbered_in(t, path, is_channel);
  for (guint i = 0; i < channels->len && status >= 0; i++) {
    const Numbered *n = channels->pdata[i];
    const Config c = { threads, n->number };
    status = add_configuration(t, n->path, &c);
  }
  return status;
}

static int add_threads(Tree *t, const char *path)
{
  int status = 0;
  g_autoptr(GPtrArray) threads = numbered_in(t, path, is_thread);
  for (guint i = 0; i < threads->len && status >= 0; i++) {
    const Numbered *n = threads->pdata[i];
    status = add_channels(t, n->path, n->number);
  }
  return status;
}

/* ------------------------------------------------------------------- expand */

static bool has_numbered(const Tree *t, const char *path,
                         bool (*is)(const char *, int64_t *, bool *))
{
  MillEntryRows entries = entries_of(t, path);
  for (uint32_t i = 0; i < entries.n; i++) {
    const MillEntry *e = MILL_AT(MillEntry, entries, i);
    int64_t number;
    bool alike;
    if (e->is_folder && is(e->name, &number, &alike)) return true;
  }
  return false;
}

static bool is_named(const char *path, const char *name)
{
  g_autofree char *base = g_path_get_basename(path);
  return !strcmp(base, name);
}

static int expand(const MillSource *self, const MillSourceHost *host, const char *folder)
{
  Tree t = { host, strlen(folder), 0 };
  const Config c = config_of(folder);
  int status;
  (void)self;
  if (has_numbered(&t, folder, is_thread))
    status = add_threads(&t, folder);
  else if (has_numbered(&t, folder, is_channel))
    status = add_channels(&t, folder, c.threads);
  else if (is_named(folder, "rocprof_traces"))
    status = add_results(&t, folder, &c);
  else if (has_folder(&t, folder, "torch_profiler") || has_folder(&t, folder, "rocprof_traces"))
    status = add_configuration(&t, folder, &c);
  else if (has_numbered(&t, folder, is_rank))
    status = add_ranks(&t, folder, &c);
  else
    return 0;
  if (status < 0) return status;
  if (t.n_inputs) return 1;
  return fail_input_at(
      host->common, TREE_NOTHING, "the sweep holds no trace", folder,
      "a trace lies in rankN/ or rankN/trace/, and ends in .json, .json.gz or .json.zst, or in "
      "rocprof_traces/, and ends in _results.json",
      "check that the traces were copied, and that the folder is the right one");
}

/* The instance is the host: there is nothing to remember. */
static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  *out_instance = (void *)(uintptr_t)host;
  return 0;
}

static int describe(void *instance)
{
  return fail_input_at(((const MillSourceHost *)instance)->common, TREE_A_FILE,
                       "a sweep is a folder", NULL, NULL, "give the folder that the ranks lie in");
}

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps), .expand = expand, .open = open_source, .describe = describe
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "sweep-tree",
  .version = "1.0.0",
  .tag = "SWDIR",
  .title = "Sweeps of training runs over threads, channels and ranks",
  .help = "Finds the traces of a sweep in "
          "THREADSthread/nccl_CHANNELSchannels/torch_profiler/rankN, or in any part of this, down "
          "to a folder of rank folders; rocprof_traces of rocprofv3 may be in place of "
          "torch_profiler. Each rank's trace becomes an input with the tags threads and channels.",
  .notices = MILL_ROWS(tree_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
