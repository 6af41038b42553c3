/* What the names of gate logs say, and whether a file is one. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/folder.h"
#include "base/json.h"
#include "gate-log.h"

/* ----------------------------------------------------------------- names */

static bool is_file_name(const char *name)
{
  static const char ending[] = ".json";
  size_t len = name_plain_len(name), more = sizeof ending - 1;
  return g_str_has_prefix(name, "gate_logs_") && len > more &&
         !memcmp(name + len - more, ending, more);
}

bool gate_is_log(const MillEntry *e) { return !e->is_folder && is_file_name(e->name); }

/* Names are sorted, so the plain one comes first. */
bool gate_is_copy(const char *name, const char *before)
{
  size_t len = name_plain_len(name);
  return name[len] && name_plain_len(before) == len && !memcmp(name, before, len);
}

/* The first digits after gate_logs_: those of gate_logs_12.json, or of a module's name. */
int64_t gate_layer(const char *path, int64_t otherwise)
{
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  uint64_t layer;
  if (!g_str_has_prefix(name, "gate_logs_")) return otherwise;
  const char *p = name + strcspn(name, "0123456789");
  return *p && digits_scan(p, p + strlen(p), 10, INT32_MAX, &layer) ? (int64_t)layer : otherwise;
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

/* An object that begins with one of the keys, with a list after it. */
int gate_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  g_autofree char *text = g_memdup2(bytes, len);
  len = json_unescape_plain(text, len);
  const char *p = text, *end = text + len;
  if (len >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) p += 3;
  p = pass_space(p, end);
  if (p == end || *p++ != '{') return 0;
  p = pass_space(p, end);
  size_t key = known_key(p, end);
  p = pass_space(p + key, end);
  if (!key || p == end || *p++ != ':') return 0;
  p = pass_space(p, end);
  if (p == end || *p != '[') return 0;
  if (holds(text, len, "\"expert_loads\"")) return 95;
  g_autofree char *base = g_path_get_basename(name ? name : "");
  return holds(text, len, "\"num_tokens\"") || is_file_name(base) ? 80 : 40;
}
