/* The attribute that names the job of a slice; see job.h. */
/* SPDX-License-Identifier: MIT */
#include "input/job.h"

#include <string.h>

#include "model/printable.h"

void job_name(Input *in, uint32_t place)
{
  Symbols *symbols = in->env->host->symbols;
  bool standard = !strcmp(in->spec->path, "-");
  g_autofree char *base = standard ? g_strdup("stdin") : g_path_get_basename(in->spec->path);
  g_autofree char *safe = printable(base), *name = g_strdup_printf("%s(%u)", safe, place);
  in->job_key = symbols_intern(symbols, JOB_ATTR, strlen(JOB_ATTR));
  in->job = symbols_intern(symbols, name, strlen(name));
}

/* Also begins, because they become slices. */
void job_mark(const Input *in, Batch *b)
{
  for (uint32_t i = 0; i < b->pub.n_events; i++) {
    MillEvent *e = &b->pub.events_[i];
    if (e->kind != MILL_SLICE && e->kind != MILL_BEGIN) continue;
    batch_set_attr(b, e, in->job_key, mill_sym(in->job));
  }
}
