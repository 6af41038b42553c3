/* Tags that names of folders and labels give; see run-names.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/run-names.h"

#include <string.h>

#include "base/num.h"

void tags_add(GPtrArray *tags, const char *name, const char *value)
{
  g_ptr_array_add(tags, g_strconcat(name, "=", value, NULL));
}

bool tags_have(const GPtrArray *tags, const char *name)
{
  size_t len = strlen(name);
  for (guint i = 0; i < tags->len; i++) {
    const char *pair = tags->pdata[i];
    if (!strncmp(pair, name, len) && pair[len] == '=') return true;
  }
  return false;
}

char *names_of_run(const char *path)
{
  g_autofree char *base = g_path_get_basename(path);
  if (strcmp(base, ".") != 0 && strcmp(base, "..") != 0) return g_steal_pointer(&base);
  g_autofree char *whole = g_canonicalize_filename(path, NULL);
  return g_path_get_basename(whole);
}

char *names_folder_of(const char *path)
{
  if (!strchr(path, '/')) return NULL;
  g_autofree char *folder = g_path_get_dirname(path), *base = g_path_get_basename(folder);
  return strcmp(base, "results_json") ? g_steal_pointer(&folder) : g_path_get_dirname(folder);
}

static const char *eplb_of(const char *text)
{
  g_autofree char *lower = g_ascii_strdown(text, -1);
  if (strstr(lower, "_eplbon")) return "on";
  return strstr(lower, "_eplboff") ? "off" : NULL;
}

/* [..._SEQS_TOKENS]: at least three fields, of which the last two are numbers. */
static void hints_in_brackets(const char *name, GPtrArray *hints)
{
  const char *open = strrchr(name, '['), *close = open ? strchr(open, ']') : NULL;
  int64_t seqs, tokens;
  if (!close) return;
  g_autofree char *inner = g_strndup(open + 1, (gsize)(close - open - 1));
  g_auto(GStrv) fields = g_strsplit(inner, "_", -1);
  guint n = g_strv_length(fields);
  if (n < 3) return;
  const char *seqs_text = fields[n - 2], *tokens_text = fields[n - 1];
  if (!num_int(seqs_text, strlen(seqs_text), &seqs) || seqs < 0) return;
  if (!num_int(tokens_text, strlen(tokens_text), &tokens) || tokens < 0) return;
  tags_add(hints, "max_num_seqs", seqs_text);
  tags_add(hints, "max_num_batched_tokens", tokens_text);
}

void names_hints(const char *run_name, GPtrArray *hints)
{
  const char *eplb = eplb_of(run_name);
  if (strstr(run_name, "vllmTP4"))
    tags_add(hints, "implementation", "Baseline");
  else if (strstr(run_name, "vllmEP4"))
    tags_add(hints, "implementation", "DefaultAll2All");
  if (eplb) tags_add(hints, "eplb", eplb);
  hints_in_brackets(run_name, hints);
}

/* off=A on=B compares one implementation with itself: such a label gives eplb, any other one the
 * implementation. */
void names_label_tags(const char *label, GPtrArray *tags)
{
  const char *eplb = eplb_of(label);
  if (!*label) return;
  if (!g_ascii_strcasecmp(label, "on")) eplb = "on";
  if (!g_ascii_strcasecmp(label, "off")) eplb = "off";
  if (eplb)
    tags_add(tags, "eplb", eplb);
  else
    tags_add(tags, "implementation", label);
}
