/* Which run the folder of --state is of; see shared-job.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/shared-job.h"

#include <string.h>
#include <sys/stat.h>

#include "plan/module-id.h"

/* What an input is, in this order; a file that another one replaced has another time of change. */
static const struct {
  const char *name;
  bool is_text;
} members[] = {
  { "path", true },  { "size", false }, { "time of change", false }, { "rank", false },
  { "label", true }, { "tags", true },  { "dialect", true },         { "source", true },
};

static int64_t changed_ns(const InputSpec *spec)
{
  struct stat st;
  const char *path = spec->no_file && spec->from ? spec->from : spec->path;
  if (stat(path, &st)) return 0;
  return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static char *tags_text(const GPtrArray *tags)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < tags->len; i++) {
    const Tag *tag = tags->pdata[i];
    g_string_append_printf(text, "%s%s=%s", i ? "," : "", tag->name, tag->value);
  }
  return g_string_free(text, FALSE);
}

static void save_input(const Input *in, Summary *out)
{
  g_autofree char *tags = tags_text(in->lane->tags);
  g_autofree char *build = module_build_id(in->source->given);
  g_autofree char *source =
      g_strdup_printf("%s %s %s", in->source->name, in->source->version, build ? build : "");
  summary_put_string(out, in->spec->path);
  summary_put_int(out, (int64_t)in->size_bytes);
  summary_put_int(out, changed_ns(in->spec));
  summary_put_int(out, in->lane->rank);
  summary_put_string(out, in->lane->label);
  summary_put_string(out, tags);
  summary_put_string(out, in->lane->dialect);
  summary_put_string(out, source);
}

void shared_job_save(const Inputs *inputs, const char *plan_hash, Summary *out)
{
  summary_put_string(out, STAGEMILL_VERSION);
  summary_put_string(out, plan_hash);
  summary_put_int(out, inputs->list->len);
  for (guint i = 0; i < inputs->list->len; i++) save_input(inputs->list->pdata[i], out);
}

/* ------------------------------------------------------------------ difference */

static char *value_text(Summary *from, bool is_text)
{
  if (!is_text) return g_strdup_printf("%" G_GINT64_FORMAT, summary_get_int(from));
  char *text = summary_get_string(from);
  if (!text) from->broken = true;
  return text ? text : g_strdup("");
}

/* of: what has the value. NULL: they are the same. */
static char *compare(const char *of, Summary *theirs, Summary *ours, bool is_text)
{
  g_autofree char *one = value_text(theirs, is_text), *other = value_text(ours, is_text);
  if (theirs->broken || !strcmp(one, other)) return NULL;
  return g_strdup_printf("%s %s -> %s", of, one, other);
}

static char *compare_input(unsigned number, Summary *theirs, Summary *ours)
{
  char *found = NULL;
  for (size_t m = 0; m < G_N_ELEMENTS(members) && !found && !theirs->broken; m++) {
    g_autofree char *of = g_strdup_printf("input %u: %s", number, members[m].name);
    found = compare(of, theirs, ours, members[m].is_text);
  }
  return found;
}

static char *compare_inputs(Summary *theirs, Summary *ours)
{
  int64_t n_theirs = summary_get_int(theirs), n_ours = summary_get_int(ours);
  char *found = NULL;
  for (int64_t i = 0; i < MIN(n_theirs, n_ours) && !found && !theirs->broken; i++)
    found = compare_input((unsigned)i + 1, theirs, ours);
  if (found || n_theirs == n_ours || theirs->broken) return found;
  return g_strdup_printf("inputs %" G_GINT64_FORMAT " -> %" G_GINT64_FORMAT, n_theirs, n_ours);
}

char *shared_job_difference(Summary *theirs, Summary *ours)
{
  g_autofree char *version = compare("stagemill", theirs, ours, true);
  g_autofree char *plan = compare("plan", theirs, ours, true);
  g_autofree char *inputs = compare_inputs(theirs, ours);
  char *found = version ? version : plan ? plan : inputs;
  return theirs->broken || !found ? NULL : g_strdup(found);
}
