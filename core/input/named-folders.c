/* Folders that were named as inputs; see named-folders.h. */
/* SPDX-License-Identifier: MIT */
#include "input/named-folders.h"

#include "model/printable.h"

typedef struct Named {
  char *path; /* a GRefString */
  char *advice;
  bool is_used;
} Named;

struct NamedFolders {
  GPtrArray *list;     /* Named *, in their order */
  GHashTable *by_path; /* Named * by its address */
};

static void named_free(gpointer data)
{
  Named *n = data;
  g_ref_string_release(n->path);
  g_free(n->advice);
  g_free(n);
}

NamedFolders *named_folders_of(const GPtrArray *specs)
{
  NamedFolders *f = g_new0(NamedFolders, 1);
  f->list = g_ptr_array_new_with_free_func(named_free);
  f->by_path = g_hash_table_new(NULL, NULL);
  for (guint i = 0; i < specs->len; i++) {
    char *from = ((const InputSpec *)specs->pdata[i])->from;
    if (!from || g_hash_table_contains(f->by_path, from)) continue;
    Named *n = g_new0(Named, 1);
    n->path = g_ref_string_acquire(from);
    g_ptr_array_add(f->list, n);
    g_hash_table_insert(f->by_path, n->path, n);
  }
  return f;
}

void named_folders_free(NamedFolders *f)
{
  g_ptr_array_unref(f->list);
  g_hash_table_unref(f->by_path);
  g_free(f);
}

static Named *named_of(const NamedFolders *f, const InputSpec *spec)
{
  return spec->from ? g_hash_table_lookup(f->by_path, spec->from) : NULL;
}

void named_folders_use(NamedFolders *f, const InputSpec *spec)
{
  Named *n = named_of(f, spec);
  if (n) n->is_used = true;
}

void named_folders_advise(NamedFolders *f, const InputSpec *spec, const char *what_to_type)
{
  Named *n = named_of(f, spec);
  if (n && !n->advice) n->advice = g_strdup(what_to_type);
}

static Error *adds_nothing(const Named *n)
{
  g_autofree char *safe = printable(n->path);
  Error *e =
      error_new(EXIT_INPUT, "RUN-92", "no source can read a file in the folder \"%s\"", safe);
  if (n->advice) return error_help(e, "%s", n->advice);
  return error_help(e, "remove it; for files in subfolders quote a pattern, '%s/*/*.json'", safe);
}

Error *named_folders_judge(const NamedFolders *f, SetAside *aside)
{
  Error *errors = NULL;
  for (guint i = 0; i < f->list->len; i++) {
    const Named *n = f->list->pdata[i];
    if (!n->is_used) errors = error_join(errors, aside_put(aside, adds_nothing(n)));
  }
  return errors;
}
