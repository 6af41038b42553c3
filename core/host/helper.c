/* Programs that sinks have run; see helper.h.  Which program it is, the user says: a name on PATH, or a variable. */
#include "host/helper.h"

#include <string.h>

#include "base/child.h"
#include "host/instance.h"
#include "host/memory.h"
#include "plan/paths.h"

/* Up to and with the last field that every sink knows. */
#define KNOWN_SIZE (offsetof(MillJob, missing) + sizeof(bool))

static char *variable_of(const char *program)
{
  g_autofree char *upper = g_ascii_strup(program, -1);
  return g_strconcat("STAGEMILL_", g_strcanon(upper, G_CSET_A_2_Z G_CSET_DIGITS, '_'), NULL);
}

char *helper_find(const char *program, char **out_why)
{
  g_autofree char *variable = variable_of(program);
  const char *named = paths_env(variable), *path = paths_env("PATH");
  bool given = named && *named;
  char *found = child_find(given ? named : program, path);
  *out_why = NULL;
  if (!found)
    *out_why =
        given ? g_strdup_printf("%s names \"%s\", and there is no such program", variable, named)
              : g_strdup_printf("%s is not installed, or not on PATH", program);
  return found;
}

static bool is_bare(const char *name)
{
  return name && *name && *name != '.' && !strchr(name, '/');
}

/* A sink may know more or fewer fields than the program: its own size says how far they are apart. */
static MillJob *job_at(MillJob *jobs, uint32_t k)
{
  return (MillJob *)(gpointer)((char *)jobs + (size_t)k * jobs->size);
}

static int check_jobs(Instance *i, MillJob *jobs, uint32_t n)
{
  for (uint32_t k = 0; k < n; k++) {
    if (jobs->size < KNOWN_SIZE || job_at(jobs, k)->size != jobs->size)
      return instance_refuse(i, "helper got a job without its size", NULL, "set MillJob.size");
    if (!is_bare(job_at(jobs, k)->program))
      return instance_refuse(i, "helper got a program that is no bare name", NULL,
                             "give the name alone; users say with a variable where it is");
  }
  return 0;
}

/* ------------------------------------------------------------------- running */

typedef struct Helped { /* a job, and the child that does it */
  MillJob *job;
  char *path;        /* NULL: there is no such program */
  const char **argv; /* NULL at the end */
} Helped;

static const char **argv_of(const MillJob *job)
{
  const char **argv = g_new0(const char *, job->arguments.n + 2u);
  argv[0] = job->program;
  for (uint32_t a = 0; a < job->arguments.n; a++) argv[a + 1] = job->arguments.items[a];
  return argv;
}

static void prepare(Instance *i, Helped *h, MillJob *job)
{
  g_autofree char *why = NULL;
  h->job = job;
  h->path = helper_find(job->program, &why);
  h->argv = argv_of(job);
  job->status = h->path ? 0 : -1;
  job->out = NULL;
  job->out_len = 0;
  job->missing = !h->path;
  job->why = why ? memory_scratch_text(i, why) : NULL;
}

/* Bytes of all of them, one after the other, in memory that is counted. */
static int take_output(Instance *i, const Child *children, Helped *const *ran, guint n)
{
  size_t total = 0, at = 0;
  for (guint k = 0; k < n; k++) total += children[k].out->len;
  i->helped = total ? memory_resize(i, NULL, total) : NULL;
  if (total && !i->helped) return -MILL_LIMIT;
  for (guint k = 0; k < n; k++) {
    MillJob *job = ran[k]->job;
    const GByteArray *out = children[k].out;
    g_autofree char *why = child_why(&children[k]);
    if (out->len) memcpy((char *)i->helped + at, out->data, out->len);
    job->out = out->len ? (char *)i->helped + at : NULL;
    job->out_len = out->len;
    job->status = children[k].end == CHILD_EXITED ? children[k].status : -1;
    job->why = why ? memory_scratch_text(i, why) : NULL;
    at += out->len;
  }
  return 0;
}

/* The run says what became of it. */
static int interrupted(Instance *i)
{
  Error *e = error_new(EXIT_INTERRUPTED, "RUN-09", "interrupted");
  i->error = error_join(i->error, error_of_kind(e, ERROR_INTERRUPTED));
  return -MILL_STAGE_FAILED;
}

static int run_prepared(Instance *i, Helped *helped, uint32_t n)
{
  const HostEnv *env = i->env;
  g_autofree Child *children = g_new0(Child, n);
  g_autofree Helped **ran = g_new0(Helped *, n);
  guint n_ran = 0;
  for (uint32_t k = 0; k < n; k++) {
    const MillJob *job = helped[k].job;
    if (!helped[k].path) continue;
    ran[n_ran] = &helped[k];
    children[n_ran++] = (Child){ .path = helped[k].path,
                                 .argv = helped[k].argv,
                                 .in = job->in,
                                 .in_len = job->in_len,
                                 .limit_ms = job->limit_ms };
  }
  children_run(children, n_ran, env->jobs, env->cancelled, env->run);
  int status = env->cancelled(env->run) ? interrupted(i) : take_output(i, children, ran, n_ran);
  for (guint k = 0; k < n_ran; k++) child_clear(&children[k]);
  return status;
}

int helper_run(Instance *i, MillJob *jobs, uint32_t n)
{
  int status = check_jobs(i, jobs, n);
  memory_drop_helped(i);
  if (status || !n) return status;
  g_autofree Helped *helped = g_new0(Helped, n);
  for (uint32_t k = 0; k < n; k++) prepare(i, &helped[k], job_at(jobs, k));
  status = run_prepared(i, helped, n);
  for (uint32_t k = 0; k < n; k++) {
    g_free(helped[k].path);
    g_free(helped[k].argv);
  }
  return status;
}
