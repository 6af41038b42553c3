/* Results of a run that has ended, from its summary.json; see load.h. */
/* SPDX-License-Identifier: MIT */
#include "results/load.h"

#include <string.h>

#include "base/hash-seed.h"
#include "base/num.h"
#include "base/stream.h"
#include "model/printable.h"
#include "results/load-file.h"
#include "results/load-parts.h"

#define SCHEMA_OLDEST 2 /* it has no tables in files of their own */
#define SCHEMA_MAJOR 3
#define SUMMARY_HEAD 4096u /* bytes in which a summary shows that it is one */

/* ---------------------------------------------------------------- document */

static bool take_version(JsonIn *in, void *load)
{
  (void)load;
  return load_version(in, SCHEMA_OLDEST, SCHEMA_MAJOR);
}

static bool take_program(JsonIn *in, void *load)
{
  static const JsonMember members[] = { JSON_FIELD(Load, program, "name", TEXT, true),
                                        JSON_FIELD(Load, version, "version", TEXT, true) };
  return json_in_object(in, members, G_N_ELEMENTS(members), load);
}

static bool take_name(JsonIn *in, void *out)
{
  GString *names = out;
  const char *name;
  if (!json_in_text(in, &name)) return false;
  if (names->len) g_string_append_c(names, ',');
  g_string_append(names, name);
  return true;
}

static bool take_tags(JsonIn *in, void *load)
{
  ((Load *)load)->tags = g_string_new(NULL);
  return json_in_array(in, take_name, ((Load *)load)->tags);
}

static bool take_views(JsonIn *in, void *load)
{
  ((Load *)load)->views = g_string_new(NULL);
  return json_in_array(in, take_name, ((Load *)load)->views);
}

static const JsonMember members[] = {
  JSON_TAKE("schema_version", true, take_version),
  JSON_TAKE("program", true, take_program),
  JSON_FIELD(Load, profile, "profile", TEXT, true),
  JSON_FIELD(Load, title, "title", TEXT, false),
  JSON_FIELD(Load, n_inputs, "inputs", LARGE, false),
  JSON_FIELD(Load, n_events, "events", LARGE, false),
  JSON_FIELD(Load, start, "start_ns", TEXT, false),
  JSON_TAKE("tags", false, take_tags),
  JSON_FIELD(Load, verdict, "verdict", TEXT, false),
  JSON_FIELD(Load, no_findings, "no_findings", TEXT, false),
  JSON_TAKE("views", false, take_views),
  JSON_TAKE("lanes", true, load_lanes),
  JSON_TAKE("left_out", false, load_left_out),
  JSON_TAKE("findings", false, load_findings),
  JSON_TAKE("definitions", false, load_definitions),
  JSON_TAKE("metrics", true, load_metrics),
  JSON_TAKE("tables", true, load_tables),
  JSON_TAKE("figures", false, load_figures),
  JSON_TAKE("notices", true, load_notices),
};

static bool take_summary(JsonIn *in, void *load)
{
  return json_in_object(in, members, G_N_ELEMENTS(members), load);
}

static void set_count(Results *r, const char *key, uint64_t n)
{
  char text[NUM_BUF];
  if (n == UINT64_MAX) return;
  num_format_uint(text, n);
  results_set_info(r, key, text);
}

static void add_info(const Load *load)
{
  Results *r = load->results;
  results_set_info(r, "program", load->program);
  results_set_info(r, "version", load->version);
  results_set_info(r, "profile", load->profile);
  results_set_info(r, "title", load->title);
  if (load->verdict) results_set_info(r, "verdict", load->verdict);
  if (load->no_findings) results_set_info(r, "no-findings", load->no_findings);
  if (load->views) results_set_info(r, "views", load->views->str);
  results_set_info(r, "tags", load->tags ? load->tags->str : "");
  results_set_info(r, "left-out", load->left_out ? load->left_out->str : "");
  set_count(r, "inputs", load->n_inputs);
  set_count(r, "lanes", results_n_lanes(r));
  set_count(r, "events", load->n_events);
}

/* ------------------------------------------------------------------ loading */

static void load_init(Load *load)
{
  *load = (Load){ .results = results_new(),
                  .n_inputs = UINT64_MAX,
                  .n_events = UINT64_MAX,
                  .offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
                  .definitions = g_ptr_array_new(),
                  .metrics = g_array_new(FALSE, FALSE, sizeof(MetricRead)),
                  .figures = g_array_new(FALSE, FALSE, sizeof(FigureRead)),
                  .tables = g_hash_table_new(hash_text, g_str_equal) };
}

/* Frees all but the results. */
static void load_clear(Load *load)
{
  for (guint i = 0; i < load->metrics->len; i++) {
    GString *group = g_array_index(load->metrics, MetricRead, i).group;
    if (group) g_string_free(group, TRUE);
  }
  if (load->tags) g_string_free(load->tags, TRUE);
  if (load->views) g_string_free(load->views, TRUE);
  if (load->left_out) g_string_free(load->left_out, TRUE);
  g_array_unref(load->offsets);
  g_ptr_array_unref(load->definitions);
  g_array_unref(load->metrics);
  g_array_unref(load->figures);
  g_hash_table_unref(load->tables);
}

static Error *load_from(const char *folder, const char *name, const char *text, size_t len,
                        Results **out)
{
  Load load;
  JsonIn in;
  Error *e = NULL;
  load_init(&load);
  load.folder = folder;
  json_in_open(&in, text, len, results_texts(load.results));
  in.context = &load;
  bool good = json_in_document(&in, take_summary, &load) && load_finish_lanes(&in) &&
              load_finish_metrics(&in) && load_finish_figures(&in);
  if (good)
    add_info(&load);
  else
    e = load.fault ? load.fault : load_fault(name, &in);
  json_in_close(&in);
  load_clear(&load);
  if (e) g_clear_pointer(&load.results, results_free);
  *out = load.results;
  return e;
}

Error *results_load_text(const char *name, const char *text, size_t len, Results **out)
{
  return load_from(NULL, name, text, len, out);
}

/* A damaged summary still has the right beginning. */
static bool is_summary(const char *text, size_t len)
{
  static const char word[] = "\"schema_version\"";
  return memmem(text, MIN(len, SUMMARY_HEAD), word, sizeof word - 1) != NULL;
}

static bool has_name(const char *path)
{
  static const char *const endings[] = { SUMMARY_NAME, SUMMARY_NAME ".gz", SUMMARY_NAME ".zst" };
  for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
    if (g_str_has_suffix(path, endings[i])) return true;
  return false;
}

bool results_is_summary(const char *path)
{
  g_autofree char *why = NULL;
  const char *head;
  bool may_be = has_name(path) && g_file_test(path, G_FILE_TEST_IS_REGULAR);
  Reader *r = may_be ? reader_open(path, &why) : NULL;
  size_t len = r ? reader_peek(r, &head) : 0;
  bool is = len && is_summary(head, len);
  reader_close(r);
  return is;
}

static Error *no_summary(const char *file)
{
  g_autofree char *safe = printable(file);
  Error *e = error_new(EXIT_INPUT, "RUN-41", "%s is not a finished run", safe);
  error_why(e, "a run writes a folder with " SUMMARY_NAME " in it");
  error_help(e, "first run stagemill run %s -o DIR, then give the folder DIR", safe);
  return error_help(e, "to compare inputs: stagemill compare -p PROFILE BASE NEW");
}

Error *results_load(const char *path, Results **out)
{
  g_autofree char *inside = g_build_filename(path, SUMMARY_NAME, NULL), *text = NULL;
  const char *file = g_file_test(path, G_FILE_TEST_IS_DIR) ? inside : path;
  size_t len;
  *out = NULL;
  Error *e = load_file(file, &text, &len);
  if (!e && !is_summary(text, len)) e = no_summary(file);
  g_autofree char *folder = g_path_get_dirname(file);
  return e ? e : load_from(folder, file, text, len, out);
}
