/* The run.json of a finished run; see run-file.h. */
/* SPDX-License-Identifier: MIT */
#include "output/run-file.h"

#include <string.h>

#include "base/json-members.h"
#include "results/load-file.h"

#define SCHEMA_MAJOR 1

/* ----------------------------------------------------------------- members */

static bool take_version(JsonIn *in, void *file)
{
  (void)file;
  return load_version(in, SCHEMA_MAJOR, SCHEMA_MAJOR);
}

static bool take_program(JsonIn *in, void *file)
{
  static const JsonMember members[] = { JSON_FIELD(RunFile, provenance.program, "name", TEXT, true),
                                        JSON_FIELD(RunFile, provenance.version, "version", TEXT,
                                                   true) };
  return json_in_object(in, members, G_N_ELEMENTS(members), file);
}

static bool take_text(JsonIn *in, void *list)
{
  const char *text;
  if (!json_in_text(in, &text)) return false;
  g_ptr_array_add(list, (gpointer)text);
  return true;
}

static bool take_arguments(JsonIn *in, void *file)
{
  return json_in_array(in, take_text, ((RunFile *)file)->provenance.arguments);
}

static bool take_sink_settings(JsonIn *in, void *file)
{
  return json_in_array(in, take_text, ((RunFile *)file)->sink_settings);
}

static bool take_rules(JsonIn *in, void *file)
{
  return json_in_array(in, take_text, ((RunFile *)file)->provenance.rules);
}

static bool take_profile(JsonIn *in, void *file)
{
  static const JsonMember members[] = { JSON_FIELD(RunFile, provenance.profile, "name", TEXT, true),
                                        JSON_TAKE("sink_settings", false, take_sink_settings),
                                        JSON_TAKE("rules", false, take_rules) };
  return json_in_object(in, members, G_N_ELEMENTS(members), file);
}

static bool take_stage(JsonIn *in, void *file)
{
  static const JsonMember members[] = { JSON_FIELD(ProvenanceModule, name, "name", TEXT, true),
                                        JSON_FIELD(ProvenanceModule, version, "version", TEXT,
                                                   true) };
  ProvenanceModule m = { NULL };
  if (!json_in_object(in, members, G_N_ELEMENTS(members), &m)) return false;
  provenance_add_module(&((RunFile *)file)->provenance, "stage", m.name, m.version);
  return true;
}

static bool take_stages(JsonIn *in, void *file) { return json_in_array(in, take_stage, file); }

typedef struct InputRead {
  ProvenanceInput input;
  ProvenanceModule source;
} InputRead;

static bool take_source(JsonIn *in, void *input)
{
  static const JsonMember members[] = { JSON_FIELD(InputRead, source.name, "name", TEXT, true),
                                        JSON_FIELD(InputRead, source.version, "version", TEXT,
                                                   true) };
  return json_in_object(in, members, G_N_ELEMENTS(members), input);
}

static bool take_input(JsonIn *in, void *file)
{
  static const JsonMember members[] = {
    JSON_FIELD(InputRead, input.name, "name", TEXT, true), JSON_TAKE("source", true, take_source),
    JSON_FIELD(InputRead, input.size_bytes, "size_bytes", NUMBER, false),
    JSON_FIELD(InputRead, input.hash, "hash", TEXT, false)
  };
  InputRead i = { .input = { .size_bytes = -1 } };
  if (!json_in_object(in, members, G_N_ELEMENTS(members), &i)) return false;
  provenance_add_module(in->context, "source", i.source.name, i.source.version);
  g_array_append_val(((RunFile *)file)->provenance.inputs, i.input);
  return true;
}

static bool take_inputs(JsonIn *in, void *file) { return json_in_array(in, take_input, file); }

static bool take_output(JsonIn *in, void *file)
{
  typedef struct OutputRead {
    const char *name, *sha256;
    uint64_t size;
  } OutputRead;
  static const JsonMember members[] = { JSON_FIELD(OutputRead, name, "name", TEXT, true),
                                        JSON_FIELD(OutputRead, size, "size_bytes", LARGE, true),
                                        JSON_FIELD(OutputRead, sha256, "sha256", TEXT, true) };
  OutputRead o;
  if (!json_in_object(in, members, G_N_ELEMENTS(members), &o)) return false;
  OutputEntry *entry = g_new(OutputEntry, 1);
  *entry = (OutputEntry){ g_strdup(o.name), o.size, g_strdup(o.sha256) };
  g_ptr_array_add(((RunFile *)file)->outputs, entry);
  return true;
}

static bool take_outputs(JsonIn *in, void *file)
{
  RunFile *f = file;
  f->outputs_from = (size_t)(in->token.start - in->text);
  if (!json_in_array(in, take_output, f)) return false;
  f->outputs_to = (size_t)(in->cursor.pos - in->text);
  return true;
}

static const JsonMember members[] = {
  JSON_TAKE("schema_version", true, take_version),
  JSON_TAKE("program", true, take_program),
  JSON_TAKE("arguments", false, take_arguments),
  JSON_TAKE("profile", true, take_profile),
  JSON_FIELD(RunFile, provenance.plan, "plan_hash", TEXT, false),
  JSON_TAKE("inputs", true, take_inputs),
  JSON_TAKE("stages", true, take_stages),
  JSON_TAKE("outputs", true, take_outputs),
};

static bool take_run(JsonIn *in, void *file)
{
  return json_in_object(in, members, G_N_ELEMENTS(members), file);
}

/* ------------------------------------------------------------------ reading */

static RunFile *file_new(void)
{
  RunFile *f = g_new0(RunFile, 1);
  provenance_init(&f->provenance);
  f->sink_settings = g_ptr_array_new();
  f->outputs = g_ptr_array_new_with_free_func((GDestroyNotify)output_entry_free);
  f->texts = g_string_chunk_new(4096);
  return f;
}

void run_file_free(RunFile *f)
{
  if (!f) return;
  provenance_clear(&f->provenance);
  g_ptr_array_unref(f->sink_settings);
  g_ptr_array_unref(f->outputs);
  g_string_chunk_free(f->texts);
  g_free(f->text);
  g_free(f);
}

/* Sources come after stages, as in the run itself. */
static void add_sources(RunFile *f, const Provenance *sources)
{
  for (guint i = 0; i < sources->modules->len; i++) {
    const ProvenanceModule *m = &g_array_index(sources->modules, ProvenanceModule, i);
    provenance_add_module(&f->provenance, m->kind, m->name, m->version);
  }
}

Error *run_file_load_text(const char *name, char *text, size_t len, RunFile **out)
{
  RunFile *f = file_new();
  Provenance sources;
  JsonIn in;
  Error *e = NULL;
  f->text = text;
  f->len = len;
  provenance_init(&sources);
  json_in_open(&in, text, len, f->texts);
  in.context = &sources;
  if (!json_in_document(&in, take_run, f)) e = load_fault(name, &in);
  add_sources(f, &sources);
  json_in_close(&in);
  provenance_clear(&sources);
  if (e) g_clear_pointer(&f, run_file_free);
  *out = f;
  return e;
}

Error *run_file_load(const char *folder, RunFile **out)
{
  g_autofree char *path = g_build_filename(folder, RUN_FILE_NAME, NULL);
  char *text;
  size_t len;
  *out = NULL;
  Error *e = load_file(path, &text, &len);
  return e ? e : run_file_load_text(path, text, len, out);
}

/* ------------------------------------------------------------------ writing */

void run_file_put_outputs(JsonWriter *out, const GPtrArray *entries)
{
  json_put_open(out, "outputs", '[');
  for (guint i = 0; i < entries->len; i++) {
    const OutputEntry *entry = entries->pdata[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", entry->name);
    json_put_uint(out, "size_bytes", entry->size);
    json_put_text(out, "sha256", entry->sha256 ? entry->sha256 : "");
    json_put_close(out);
  }
  json_put_close(out);
}

static const OutputEntry *entry_of(const GPtrArray *entries, const char *name)
{
  for (guint i = 0; i < entries->len; i++) {
    const OutputEntry *entry = entries->pdata[i];
    if (!strcmp(entry->name, name)) return entry;
  }
  return NULL;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
  return strcmp((*(OutputEntry *const *)a)->name, (*(OutputEntry *const *)b)->name);
}

char *run_file_with(const RunFile *f, const GPtrArray *entries, bool alone)
{
  static const char before[] = "{\n  \"outputs\": ";
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  JsonWriter list = { .text = g_string_new(NULL), .layout = JSON_LINES };
  for (guint i = 0; i < entries->len; i++) g_ptr_array_add(all, entries->pdata[i]);
  for (guint i = 0; i < f->outputs->len && !alone; i++) {
    OutputEntry *entry = f->outputs->pdata[i];
    if (!entry_of(entries, entry->name)) g_ptr_array_add(all, entry);
  }
  g_ptr_array_sort(all, by_name);
  json_put_open(&list, NULL, '{'); /* indented as in the document */
  run_file_put_outputs(&list, all);
  GString *out = g_string_new_len(f->text, (gssize)f->outputs_from);
  g_string_append(out, list.text->str + strlen(before));
  g_string_append_len(out, f->text + f->outputs_to, (gssize)(f->len - f->outputs_to));
  g_string_free(list.text, TRUE);
  return g_string_free(out, FALSE);
}
