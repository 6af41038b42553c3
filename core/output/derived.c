/* A folder of results that come from finished runs; see derived.h. */
/* SPDX-License-Identifier: MIT */
#include "output/derived.h"

#include <string.h>
#include <sys/stat.h>

#include "model/usage.h"
#include "output/present.h"
#include "output/run-file.h"
#include "output/run-members.h"
#include "results/provenance.h"

typedef struct InputFile {
  int64_t size_bytes; /* -1: unknown */
  char *hash;         /* or NULL */
} InputFile;

static InputFile look_at(const char *path)
{
  struct stat st;
  if (stat(path, &st) || !S_ISREG(st.st_mode)) return (InputFile){ -1, NULL };
  return (InputFile){ st.st_size, provenance_file_hash(path, (uint64_t)st.st_size) };
}

/* --------------------------------------------------------------- provenance */

/* "provenance", as sinks may show it. */
static char *provenance_of(void *job)
{
  const DerivedJob *j = job;
  Provenance p;
  g_autoptr(GPtrArray) hashes = g_ptr_array_new_with_free_func(g_free);
  provenance_init(&p);
  p.program = "stagemill";
  p.version = STAGEMILL_VERSION;
  p.profile = j->profile;
  g_ptr_array_extend(p.arguments, j->arguments, NULL, NULL);
  provenance_add_module(&p, "source", "stagemill", STAGEMILL_VERSION);
  for (guint i = 0; i < j->inputs->len; i++) {
    InputFile file = look_at(j->inputs->pdata[i]);
    ProvenanceInput input = { j->inputs->pdata[i], file.hash, file.size_bytes };
    g_ptr_array_add(hashes, file.hash);
    g_array_append_val(p.inputs, input);
  }
  char *text = provenance_text(&p);
  provenance_clear(&p);
  return text;
}

/* ----------------------------------------------------------------- run.json */

static void put_profile(JsonWriter *out, const DerivedJob *job)
{
  json_put_open(out, "profile", '{');
  json_put_text(out, "name", job->profile);
  json_put_open(out, "chain", '[');
  json_put_text(out, NULL, job->profile);
  json_put_close(out);
  json_put_open(out, "params", '[');
  json_put_close(out);
  json_put_open(out, "stages", '[');
  json_put_close(out);
  json_put_list(out, "formats", job->formats);
  json_put_array(out, "sink_settings", job->settings);
  json_put_close(out);
}

static void put_input(JsonWriter *out, const char *path)
{
  InputFile file = look_at(path);
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", path);
  json_put_open(out, "source", '{');
  json_put_text(out, "name", "stagemill");
  json_put_text(out, "version", STAGEMILL_VERSION);
  json_put_close(out);
  if (file.size_bytes < 0)
    json_put_text(out, "size_bytes", NULL);
  else
    json_put_int(out, "size_bytes", file.size_bytes);
  json_put_text(out, "hash", file.hash);
  json_put_open(out, "lanes", '[');
  json_put_close(out);
  json_put_close(out);
  g_free(file.hash);
}

static void put_empty(JsonWriter *out, const char *key)
{
  json_put_open(out, key, '[');
  json_put_close(out);
}

static void put_clock(JsonWriter *out, const DerivedJob *job)
{
  json_put_open(out, "clock", '{');
  run_members_put_times(out, job->started_ns);
  json_put_int(out, "jobs", job->jobs);
  json_put_int(out, "peak_memory_bytes", (int64_t)usage_peak_bytes());
  json_put_close(out);
}

static Error *write_run_json(const DerivedJob *job, Output *o)
{
  g_autoptr(GPtrArray) entries = NULL;
  g_autoptr(GString) text = g_string_new(NULL);
  JsonWriter writer = { .text = text, .layout = JSON_LINES }, *out = &writer;
  Error *e = output_seal(o, &entries);
  if (e) return e;
  json_put_open(out, NULL, '{');
  json_put_text(out, "schema_version", RUN_FILE_VERSION);
  run_members_put_program(out);
  json_put_array(out, "command", job->command_line);
  json_put_array(out, "arguments", job->arguments);
  put_profile(out, job);
  json_put_open(out, "inputs", '[');
  for (guint i = 0; i < job->inputs->len; i++) put_input(out, job->inputs->pdata[i]);
  json_put_close(out);
  put_empty(out, "lanes");
  put_empty(out, "stages");
  if (job->results)
    run_members_put_notices(out, job->results);
  else
    put_empty(out, "notices");
  run_file_put_outputs(out, entries);
  put_clock(out, job);
  json_put_end(out);
  return output_add(o, RUN_FILE_NAME, text->str, text->len);
}

/* -------------------------------------------------------------------- whole */

static Error *write_results(const DerivedJob *job, Output *o, Error **unwritten)
{
  results_offer_info(job->results, "provenance", provenance_of, (void *)job);
  PresentJob present = { .modules = job->modules,
                         .formats = job->formats,
                         .settings = job->settings,
                         .results = job->results,
                         .output = o,
                         .pass_missing = job->pass_missing,
                         .unwritten = unwritten };
  return present_results(&present);
}

static Error *write_files(const DerivedJob *job, Output *o)
{
  Error *e = NULL;
  for (size_t i = 0; i < job->n_files && !e; i++)
    e = output_write(o, job->files[i].name, OUTPUT_TAIL, NULL, job->files[i].text,
                     job->files[i].len);
  return e;
}

static Error *write_all(const DerivedJob *job, Output *o, Error **unwritten)
{
  Error *e = NULL;
  for (guint i = 0; i < job->inputs->len && !e; i++) e = output_spare(o, job->inputs->pdata[i]);
  if (!e && job->sync) output_sync(o);
  if (!e && job->results) e = write_results(job, o, unwritten);
  if (!e && job->n_files) {
    output_begin_tail(o);
    e = write_files(job, o);
  }
  if (!e) e = write_run_json(job, o);
  return e ? e : output_commit(o);
}

Error *derived_write(const DerivedJob *job, Output **out)
{
  *out = NULL;
  Error *e = job->results ? present_check(job->modules, job->formats, job->settings) : NULL;
  if (!e) e = output_folder(job->folder, job->profile, job->force, out);
  if (e) return e;
  Error *unwritten = NULL;
  e = write_all(job, *out, &unwritten);
  if (!e) return unwritten;
  error_free(unwritten);
  return output_abort(*out, e, false);
}
