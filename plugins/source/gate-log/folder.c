/* Where gate logs lie, what their names say, and whether a file is one. */
#include <string.h>

#include "gate-log.h"

/* ----------------------------------------------------------------- names */

static bool is_file_name(const char *name)
{
  return g_str_has_prefix(name, "gate_logs_") && g_str_has_suffix(name, ".json");
}

bool gate_is_log(const MillEntry *e) { return !e->is_folder && is_file_name(e->name); }

/* The first digits behind gate_logs_: those of gate_logs_12.json, or of a module's name. */
int64_t gate_layer(const char *path, int64_t otherwise)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  int64_t layer = 0;
  if (!g_str_has_prefix(name, "gate_logs_")) return otherwise;
  const char *p = name + strcspn(name, "0123456789");
  if (!*p) return otherwise;
  for (; scan_is_digit(*p); p++) {
    layer = layer * 10 + (*p - '0');
    if (layer > INT32_MAX) return otherwise;
  }
  return layer;
}

/* ---------------------------------------------------------------- folders */

typedef struct Look {
  const MillHost *host;
  const char *run, *folder;
  const MillEntry *entries;
  int64_t n;
} Look;

static bool look_in(const MillHost *host, const char *run, const char *folder, Look *out)
{
  *out = (Look){ .host = host, .run = run, .folder = folder };
  out->n = host->list(host, folder, &out->entries);
  return out->n > 0;
}

static bool is_of_card_runs(const MillEntry *e)
{
  if (e->is_folder) return !strcmp(e->name, "results_json");
  return g_str_has_suffix(e->name, ".yaml") || g_str_has_suffix(e->name, ".yml");
}

static bool has_card_or_results(const Look *l)
{
  for (int64_t i = 0; i < l->n; i++)
    if (is_of_card_runs(&l->entries[i])) return true;
  return false;
}

static bool has_logs(const Look *l)
{
  for (int64_t i = 0; i < l->n; i++)
    if (gate_is_log(&l->entries[i])) return true;
  return false;
}

/* One lane: `run` is the folder that was given. */
static int add_folder(const Look *l, const char *path)
{
  g_autofree char *run = g_path_get_basename(l->run), *file = g_path_get_basename(path);
  g_autofree char *run_tag = g_strconcat("run=", run, NULL);
  g_autofree char *file_tag = g_strconcat("file=", file, NULL);
  const char *const hints[] = { file_tag, run_tag, NULL };
  const MillInput input = {
    .size = sizeof input, .path = path, .source = "gate-log", .hints = hints
  };
  int status = l->host->add_input(l->host, &input);
  return status < 0 ? status : 1;
}

/* The folders gates_logs_*, or this folder itself if it holds logs. */
static int add_runs(const Look *l)
{
  int status = 0;
  for (int64_t i = 0; i < l->n && status >= 0; i++) {
    const MillEntry *e = &l->entries[i];
    if (!e->is_folder || !g_str_has_prefix(e->name, "gates_logs_")) continue;
    g_autofree char *path = g_build_filename(l->folder, e->name, NULL);
    status = add_folder(l, path);
  }
  return status == 0 && has_logs(l) ? add_folder(l, l->folder) : status;
}

/* A folder with a workload card, or with results too, is laid out by the source that reads cards. */
int gate_expand(const MillStage *self, const MillHost *host, const char *folder)
{
  Look here, below;
  (void)self;
  if (!look_in(host, folder, folder, &here) || has_card_or_results(&here)) return 0;
  int status = add_runs(&here);
  for (int64_t i = 0; i < here.n && status == 0; i++) {
    const MillEntry *e = &here.entries[i];
    if (!e->is_folder || !strstr(e->name, "gates_logs")) continue;
    g_autofree char *path = g_build_filename(folder, e->name, NULL);
    return look_in(host, folder, path, &below) ? add_runs(&below) : 0;
  }
  return status;
}

/* ------------------------------------------------------------------ probe */

static bool holds(const char *bytes, size_t len, const char *key)
{
  return memmem(bytes, len, key, strlen(key)) != NULL;
}

static const char *pass_space(const char *p, const char *end)
{
  while (p < end && scan_is_space(*p)) p++;
  return p;
}

static size_t known_key(const char *p, const char *end)
{
  static const char *const keys[] = { "\"expert_loads\"", "\"num_tokens\"", "\"step\"" };
  for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
    size_t len = strlen(keys[i]);
    if ((size_t)(end - p) >= len && !memcmp(p, keys[i], len)) return len;
  }
  return 0;
}

/* An object that begins with one of the keys, with a list behind it. */
int gate_probe(const MillStage *self, const char *bytes, size_t len, const char *name)
{
  const char *p = bytes, *end = bytes + len;
  (void)self;
  if (len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) p += 3;
  p = pass_space(p, end);
  if (p == end || *p++ != '{') return 0;
  p = pass_space(p, end);
  size_t key = known_key(p, end);
  p = pass_space(p + key, end);
  if (!key || p == end || *p++ != ':') return 0;
  p = pass_space(p, end);
  if (p == end || *p != '[') return 0;
  if (holds(bytes, len, "\"expert_loads\"")) return 95;
  g_autofree char *base = g_path_get_basename(name ? name : "");
  return holds(bytes, len, "\"num_tokens\"") || is_file_name(base) ? 80 : 40;
}
