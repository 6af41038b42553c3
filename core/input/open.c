/* Opening the inputs of a run; see open.h. */
/* SPDX-License-Identifier: MIT */
#include "input/open.h"

#include "input/expand.h"
#include "input/named-folders.h"
#include "model/engine.h"
#include "model/log.h"

#define INPUT_BYTES 2048u /* that an input takes until the end, with its lane */

/* -------------------------------------------------------------- left out */

/* A file beside the traces in a folder: empty, or of an unknown format. */
static bool may_skip(const InputSpec *spec, const Error *e)
{
  return spec->optional && (e->kind == ERROR_UNKNOWN_FORMAT || e->kind == ERROR_SIDE_INPUT ||
                            e->kind == ERROR_EMPTY_INPUT);
}

static void drop(Input *one)
{
  lane_info_clear(one->lane);
  g_free(one->lane);
  input_free(one);
}

static void skip(Inputs *in, NamedFolders *folders, Input *one, Error *e)
{
  const char *path = one->spec->path;
  log_format(MILL_LEVEL_INFO, "RUN", "%s was skipped: %s", path, e->what);
  if (e->kind == ERROR_SIDE_INPUT) {
    const char *what_to_type = e->help->pdata[0];
    engine_note(&in->aside->notices, ENGINE_NO_LABEL, 0, "what", path, "remedy", what_to_type,
                NULL);
    named_folders_advise(folders, one->spec, what_to_type);
  }
  expand_leave_out(in, path);
  error_free(e);
  drop(one);
}

static Error *nothing_recognised(void)
{
  Error *e = error_new(EXIT_INPUT, "RUN-92", "no source can read any of the files found");
  return error_help(e, "stagemill list sources    shows the formats");
}

/* ----------------------------------------------------------------- how many */

static Error *too_many(const Budget *budget, guint n)
{
  g_autofree char *uses = budget_text(budget);
  Error *e =
      error_new(EXIT_LIMIT, "RUN-12", "%s take more than --max-memory", budget_largest(budget));
  error_why(e, "%s, of %u inputs", uses, n);
  return error_help(e, "raise --max-memory, or give fewer inputs");
}

/* An error, without any input left, if the inputs alone need more memory than there is. */
static Error *charge(Budget *budget, GPtrArray *specs)
{
  budget_take(budget, USE_INPUTS, (uint64_t)specs->len * INPUT_BYTES);
  if (!budget_is_full(budget)) return NULL;
  Error *e = too_many(budget, specs->len);
  g_ptr_array_set_size(specs, 0);
  return e;
}

/* Each lane of a file reads the file by itself; these inputs replace that of the file. */
static void add_parts(Budget *budget, GPtrArray *specs, guint at, uint32_t n_parts)
{
  const InputSpec *spec = specs->pdata[at];
  for (uint32_t part = 1; part < n_parts; part++)
    g_ptr_array_insert(specs, (gint)(at + part), input_spec_part(spec, part));
  if (n_parts > 1) budget_take(budget, USE_INPUTS, (uint64_t)(n_parts - 1) * INPUT_BYTES);
}

/* -------------------------------------------------------------- side inputs */

static bool is_side(Sources *sources, const InputSpec *spec)
{
  Error *unknown = NULL;
  if (!spec->source) return sources_of_side(sources, spec->label) != NULL;
  const Descriptor *source = sources_find(sources, spec->source, &unknown);
  error_free(unknown); /* opening the input reports it */
  return source && source_side(source);
}

/* So that lanes of traces have the same numbers as without side inputs. */
static void put_sides_last(Sources *sources, GPtrArray *specs)
{
  g_autoptr(GPtrArray) sides = g_ptr_array_new();
  guint n = 0;
  for (guint i = 0; i < specs->len; i++) {
    if (is_side(sources, specs->pdata[i]))
      g_ptr_array_add(sides, specs->pdata[i]);
    else
      specs->pdata[n++] = specs->pdata[i];
  }
  for (guint i = 0; i < sides->len; i++) specs->pdata[n++] = sides->pdata[i];
}

/* ------------------------------------------------------------------ opening */

/* Takes the spec. */
static Error *open_one(Inputs *in, NamedFolders *folders, GPtrArray *specs, guint at)
{
  Input *one;
  InputSpec *spec = specs->pdata[at];
  Error *e = input_open(&in->env, spec, in->lanes->len, &one);
  if (e && may_skip(spec, e)) {
    skip(in, folders, one, e);
    return NULL;
  }
  if (e && !(e = aside_put(in->aside, e))) {
    drop(one);
    return NULL;
  }
  named_folders_use(folders, spec);
  g_ptr_array_add(in->list, one);
  inputs_add_lane(in, one);
  if (!spec->part) add_parts(in->env.host->budget, specs, at, one->n_parts);
  return e;
}

Error *inputs_open(Inputs *in, Modules *modules, GPtrArray *specs)
{
  Error *errors = expand_folders(in, specs);
  g_autoptr(NamedFolders) folders = named_folders_of(specs);
  put_sides_last(in->env.sources, specs);
  errors = error_join(errors, charge(in->env.host->budget, specs));
  for (guint i = 0; i < specs->len; i++)
    errors = error_join(errors, open_one(in, folders, specs, i));
  errors = error_join(modules_unseen(modules), errors); /* it may be the source that knows them */
  if (!errors) errors = named_folders_judge(folders, in->aside);
  if (!errors && !in->lanes->len) errors = aside_take_errors(in->aside);
  if (!errors && !in->lanes->len) errors = nothing_recognised();
  g_free(g_ptr_array_steal(specs, NULL)); /* the inputs own them now */
  return errors;
}

Error *inputs_open_more(Inputs *in, GPtrArray *specs)
{
  Error *errors = NULL;
  error_free(expand_folders(in, specs));
  g_autoptr(NamedFolders) folders = named_folders_of(specs);
  for (guint i = 0; i < specs->len; i++) {
    ((InputSpec *)specs->pdata[i])->optional = true;
    errors = error_join(errors, open_one(in, folders, specs, i));
  }
  g_free(g_ptr_array_steal(specs, NULL));
  return errors;
}
