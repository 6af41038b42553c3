/* Shards; see shard.h. */
/* SPDX-License-Identifier: MIT */
#include "sched/shard.h"

#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "model/printable.h"

/* -------------------------------------------------------------- which process */

/* The number of a process and how many there are, as launchers tell them; of the first pair that is set. */
typedef struct Launcher {
  const char *index, *n;
  const char *first, *last; /* of an array: the index counts from first, and none is left out */
} Launcher;

static const Launcher launchers[] = {
  { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL },
  { "PMI_RANK", "PMI_SIZE", NULL, NULL },
  { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_MAX" },
  { "SLURM_PROCID", "SLURM_NTASKS", NULL, NULL },
};
static const char job_index[] =
    "JOB_COMPLETION_INDEX"; /* Kubernetes does not say how many there are */

typedef const char *(*ShardEnv)(const char *name);

static bool number_of(const char *text, int64_t *out)
{
  return text && num_int(text, strlen(text), out) && *out >= 0;
}

static Error *wrong(const char *format, ...) G_GNUC_PRINTF(1, 2);
static Error *wrong(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  Error *e = error_new(EXIT_USAGE, "RUN-90", "--shard: %s", text);
  return error_help(e, "write --shard I/N, with I from 0 to N - 1 and N up to %u, or --shard auto",
                    MOST_SHARDS);
}

static Error *check(int64_t index, int64_t n, const char *text, Shard *out)
{
  g_autofree char *safe = printable(text);
  if (index < 0 || n < 1 || n > MOST_SHARDS || index >= n)
    return wrong("\"%s\" names no shard", safe);
  *out = (Shard){ (uint32_t)index, (uint32_t)n };
  return NULL;
}

/* An array of which tasks were left out, or of one task, says nothing of shards. */
static bool is_whole(const Launcher *l, ShardEnv env)
{
  int64_t first, last, n;
  if (!l->first) return true;
  return number_of(env(l->first), &first) && number_of(env(l->last), &last) &&
         number_of(env(l->n), &n) && n > 1 && last - first == n - 1;
}

static bool is_set(const Launcher *l, ShardEnv env)
{
  if (!env(l->index) || !env(l->n)) return false;
  return !l->first || is_whole(l, env);
}

/* n_given 0: the launcher says how many there are. */
static Error *take(const Launcher *l, ShardEnv env, int64_t n_given, Shard *out)
{
  int64_t index, n, first = 0;
  g_autofree char *seen = g_strdup_printf("%s=%s, %s=%s", l->index, env(l->index), l->n, env(l->n));
  g_autofree char *safe = printable(seen);
  if (!number_of(env(l->index), &index) || !number_of(env(l->n), &n) ||
      (l->first && !number_of(env(l->first), &first)))
    return wrong("%s are no numbers", safe);
  return check(index - first, n_given ? n_given : n, seen, out);
}

static Error *nothing_set(bool with_job)
{
  g_autoptr(GString) names = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(launchers); i++)
    g_string_append_printf(names, "%s%s and %s", i ? ", " : "", launchers[i].index, launchers[i].n);
  if (with_job) g_string_append_printf(names, ", %s", job_index);
  Error *e = wrong("auto finds no number of this process");
  error_why(e, "looked at: %s", names->str);
  if (!with_job) error_help(e, "auto/N also takes %s", job_index);
  return e;
}

static Error *parse_auto(ShardEnv env, int64_t n_given, Shard *out)
{
  int64_t index;
  for (size_t i = 0; i < G_N_ELEMENTS(launchers); i++)
    if (is_set(&launchers[i], env)) return take(&launchers[i], env, n_given, out);
  const char *job = n_given ? env(job_index) : NULL;
  if (!job) return nothing_set(n_given != 0);
  g_autofree char *seen = g_strdup_printf("%s=%s", job_index, job);
  g_autofree char *safe = printable(seen);
  if (!number_of(job, &index)) return wrong("%s is no number", safe);
  return check(index, n_given, seen, out);
}

Error *shard_parse(const char *text, ShardEnv env, Shard *out)
{
  const char *slash = strchr(text, '/');
  int64_t index, n = 0;
  g_autofree char *first = g_strndup(text, slash ? (gsize)(slash - text) : strlen(text));
  g_autofree char *safe = printable(text);
  bool is_auto = !strcmp(first, "auto");
  if (slash && (!number_of(slash + 1, &n) || n < 1 || n > MOST_SHARDS))
    return wrong("\"%s\" names no shard", safe);
  if (is_auto) return parse_auto(env, n, out);
  if (!slash || !number_of(first, &index)) return wrong("\"%s\" names no shard", safe);
  return check(index, n, text, out);
}

/* --------------------------------------------------------------------- shares */

uint32_t *shard_of_lanes(const Inputs *in, uint32_t n_shards)
{
  guint n = in->readers->len;
  uint32_t *shards = g_new0(uint32_t, n + 1);
  double all = 0, before = 0;
  for (guint i = 0; i < n; i++) all += (double)MAX(inputs_reader(in, i)->size_bytes, 1u);
  for (guint i = 0; i < n; i++) {
    double size = (double)MAX(inputs_reader(in, i)->size_bytes, 1u);
    shards[i] = MIN((uint32_t)((before + size / 2) / all * n_shards), n_shards - 1);
    before += size;
  }
  return shards;
}

/* --------------------------------------------------------------------- inputs */

static const char *once_only(const InputSpec *spec)
{
  struct stat st;
  if (spec->no_file) return NULL;
  if (!strcmp(spec->path, "-")) return "standard input";
  if (stat(spec->path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) return NULL;
  return S_ISFIFO(st.st_mode) ? "a pipe" : S_ISSOCK(st.st_mode) ? "a socket" : "a device";
}

Error *shard_check_specs(const GPtrArray *specs)
{
  for (guint i = 0; i < specs->len; i++) {
    const InputSpec *spec = specs->pdata[i];
    const char *what = once_only(spec);
    g_autofree char *safe = printable(spec->path);
    if (!what) continue;
    Error *e = error_new(EXIT_USAGE, "RUN-55",
                         "--state needs inputs that are files, and \"%s\" is %s", safe, what);
    return error_help(e, "save it to a file first");
  }
  return NULL;
}
