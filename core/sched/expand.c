/* Folders among the inputs; see expand.h. */
#include "sched/expand.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "model/shown.h"
#include "input/input.h"

/* What every input of a folder gets from the folder's own spec. */
static void inherit(InputSpec *s, const InputSpec *folder)
{
  if (folder->label) {
    g_free(s->label);
    s->label = g_strdup(folder->label);
  }
  s->rank = folder->rank;
  if (folder->tags) s->tags = g_ptr_array_ref(folder->tags);
}

/* ------------------------------------------------------------- by a source */

/* 1: the source laid it out; 0: it does not know it. */
static int expand_by(Run *run, const MillStage *source, const InputSpec *folder, GPtrArray *out,
                     Error **out_error)
{
  const MillSourceOps *ops = source->ops;
  Instance *i = instance_new(run, NULL, source, source->name);
  guint before = out->len;
  i->found = out;
  i->folder_label = folder->label;
  instance_current = i;
  int status = ops->expand(source, &i->host, folder->path);
  instance_current = NULL;
  i->found = NULL;
  i->folder_label = NULL;
  instance_end_call(i);
  if (status < 0) *out_error = instance_error(i, "looking through a folder", status);
  for (guint k = before; k < out->len; k++) inherit(out->pdata[k], folder);
  g_ptr_array_add(run->expanders, i); /* its notices are told with the others */
  return status > 0 && out->len > before;
}

static bool may_expand(const Run *run, const Module *m)
{
  const MillSourceOps *ops = m->stage->ops;
  if (!ops->expand) return false;
  if (run->options.source) return !strcmp(run->options.source, m->stage->name);
  return !strchr(m->stage->name, '.');
}

/* -------------------------------------------------------------------- flat */

static Error *expand_flat(const InputSpec *folder, GPtrArray *out)
{
  g_autofree char *safe = shown(folder->path);
  g_autoptr(GPtrArray) names = folder_names(folder->path);
  if (!names)
    return error_new(EXIT_INPUT, "RUN-91", "the folder \"%s\" cannot be read: %s", safe,
                     g_strerror(errno));
  guint before = out->len;
  for (guint i = 0; i < names->len; i++) {
    struct stat st;
    g_autofree char *path = g_build_filename(folder->path, names->pdata[i], NULL);
    if (*(const char *)names->pdata[i] == '.' || stat(path, &st) || !S_ISREG(st.st_mode)) continue;
    InputSpec *s = input_spec_new(path);
    s->optional = true;
    inherit(s, folder);
    g_ptr_array_add(out, s);
  }
  if (out->len > before) return NULL;
  Error *e = error_new(EXIT_INPUT, "RUN-92", "there are no files in the folder \"%s\"", safe);
  return error_help(e, "folders are read flat: for deeper files quote a pattern, '%s/*/*.json'",
                    safe);
}

static Error *expand_one(Run *run, const InputSpec *folder, GPtrArray *out)
{
  Error *e = NULL;
  const Module *m;
  for (guint i = 0; (m = run_source(run, i)); i++) {
    if (!may_expand(run, m)) continue;
    if (expand_by(run, m->stage, folder, out, &e) || e) return e;
  }
  return expand_flat(folder, out);
}

Error *expand_folders(Run *run, GPtrArray *specs)
{
  g_autoptr(GPtrArray) out = g_ptr_array_new();
  Error *errors = NULL;
  for (guint i = 0; i < specs->len; i++) {
    InputSpec *s = specs->pdata[i];
    if (!s->folder) {
      g_ptr_array_add(out, s);
      continue;
    }
    errors = error_join(errors, expand_one(run, s, out));
    input_spec_free(s);
  }
  g_ptr_array_set_size(specs, 0);
  g_ptr_array_extend(specs, out, NULL, NULL);
  return errors;
}
