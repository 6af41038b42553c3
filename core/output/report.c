/* More formats for a finished run; see report.h. */
/* SPDX-License-Identifier: MIT */
#include "output/report.h"

#include <string.h>
#include <sys/stat.h>

#include "output/present.h"
#include "output/run-file.h"
#include "results/load.h"

static char *provenance_of(void *file) { return provenance_text(&((RunFile *)file)->provenance); }

/* What the run knew, but is not in the summary. */
static void add_info(Results *r, RunFile *f)
{
  results_set_info(r, "plan", f->provenance.plan);
  results_offer_info(r, "provenance", provenance_of, f);
}

static Error *check_same_run(const char *folder, const Results *r, const RunFile *f)
{
  const MillResults *view = results_view((Results *)r);
  const char *profile = view->info(view, "profile");
  if (!strcmp(profile, f->provenance.profile)) return NULL;
  Error *e = error_new(EXIT_INPUT, "RUN-31", "%s holds files of two runs", folder);
  return error_why(e, "the profile is \"%s\" in " SUMMARY_NAME " and \"%s\" in " RUN_FILE_NAME,
                   profile, f->provenance.profile);
}

static bool is_same_folder(const char *a, const char *b)
{
  struct stat x, y;
  return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static Error *open_output(const ReportJob *job, const RunFile *f, bool adds, Output **out)
{
  const char *profile = f->provenance.profile;
  if (adds) return output_more(job->folder, profile, job->force, out);
  Error *e = output_folder(job->output, profile, job->force, out);
  g_autofree char *summary = g_build_filename(job->folder, SUMMARY_NAME, NULL);
  return e ? e : output_spare(*out, summary);
}

static Error *write_run_file(Output *o, const RunFile *f, bool adds)
{
  g_autoptr(GPtrArray) entries = NULL;
  Error *e = output_seal(o, &entries);
  if (e) return e;
  g_autofree char *text = run_file_with(f, entries, !adds);
  return output_add(o, RUN_FILE_NAME, text, strlen(text));
}

static Error *write_all(const ReportJob *job, Results *r, RunFile *f, Output **out)
{
  bool adds = !job->output || is_same_folder(job->folder, job->output);
  g_autoptr(GPtrArray) settings = g_ptr_array_new();
  g_ptr_array_extend(settings, f->sink_settings, NULL, NULL);
  for (guint i = 0; job->settings && i < job->settings->len; i++)
    g_ptr_array_add(settings, job->settings->pdata[i]);
  Error *e = present_check(job->modules, job->formats, settings);
  if (!e) e = open_output(job, f, adds, out);
  if (e) return e;
  if (job->sync) output_sync(*out);
  Error *unwritten = NULL;
  PresentJob present = { .modules = job->modules,
                         .formats = job->formats,
                         .settings = settings,
                         .results = r,
                         .output = *out,
                         .verify = job->verify,
                         .unwritten = &unwritten };
  e = present_results(&present);
  if (!e) e = write_run_file(*out, f, adds);
  if (!e) e = output_commit(*out);
  if (!e) return unwritten;
  error_free(unwritten);
  return output_abort(*out, e, false);
}

Error *report_run(const ReportJob *job, Output **out)
{
  Results *r = NULL;
  g_autoptr(RunFile) f = NULL;
  *out = NULL;
  Error *e = results_load(job->folder, &r);
  if (!e) e = run_file_load(job->folder, &f);
  if (!e) e = check_same_run(job->folder, r, f);
  if (e) {
    results_free(r);
    return e;
  }
  add_info(r, f);
  e = write_all(job, r, f, out);
  results_free(r);
  return e;
}
