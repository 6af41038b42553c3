/* stagemill test: cases of a module, as text. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/groups.h"
#include "cmd/setup.h"
#include "cmd/xml-text.h"
#include "harness/cases.h"
#include "output/output.h"

static const CliOption options[] = {
  { .name = "case",
    .value = "NAME",
    .repeat = CLI_MANY,
    .help = "run only the case of this name" },
  { .name = "update", .help = "write what came into the files, instead of what does not hold" },
  { .name = "junit",
    .value = "FILE",
    .type = MILL_OPT_PATH,
    .words = "files",
    .help = "write the results as JUnit" },
};
static const CliGroup own = GROUP("Cases", options);

typedef struct Job {
  const Cli *cli;
  const char *name;          /* of the module */
  const MillModule *module;
  GPtrArray *files;          /* CaseFile */
  GPtrArray *seen;           /* char *: attributes that events had */
  GString *said, *xml;       /* lines, and elements, one for each case */
  guint n, n_failed, n_updated;
  const char *failed;        /* the name of the first */
} Job;

/* ------------------------------------------------------------------ opening */

static bool is_path(const char *word) { return g_str_has_suffix(word, ".so"); }

static Modules *find_modules(const Cli *cli, const char *word)
{
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  g_ptr_array_add(paths, (gpointer)word);
  const ModuleSearch search = { .paths = paths,
                                .no_user = true,
                                .no_env = true,
                                .allow_unsafe = cli_flag(cli, "allow-unsafe-stages") };
  return is_path(word) ? modules_new(&search) : setup_modules(cli);
}

/* A path is that of the module itself, whatever else has its name. */
static Error *open_module(Modules *modules, const char *word, const Module **out)
{
  Error *e = NULL;
  if (!is_path(word)) {
    *out = modules_find(modules, 0, word, &e);
    return e;
  }
  if (!g_file_test(word, G_FILE_TEST_EXISTS))
    return error_new(EXIT_STAGE, "STG-01", "there is no file %s", word);
  g_autofree char *base = g_path_get_basename(word);
  g_autofree char *name = g_strndup(base, strlen(base) - strlen(".so"));
  for (uint32_t kind = MILL_KIND_STAGE; kind <= MILL_KIND_SINK; kind++) {
    const Module *found = modules_get(modules, kind, name);
    g_autofree char *file = found ? g_path_get_basename(found->path) : NULL;
    bool given = found && !strcmp(found->origin, "--stage-path") && !strcmp(file, base);
    if (given) *out = found;
  }
  if (*out) return NULL;
  const Module *none = modules_find(modules, 0, name, &e);
  return none ? error_new(EXIT_STAGE, "STG-05", "%s is not the module \"%s\"", word, name) : e;
}

static Error *read_files(Job *job)
{
  const GPtrArray *words = job->cli->words;
  Error *e = NULL;
  for (guint i = 1; i < words->len; i++) {
    CaseFile *f = NULL;
    e = error_join(e, case_file_read(words->pdata[i], &f));
    if (f) g_ptr_array_add(job->files, f);
  }
  return e;
}

static bool has_case(const Job *job, const char *name)
{
  for (guint i = 0; i < job->files->len; i++) {
    const CaseFile *f = job->files->pdata[i];
    for (guint k = 0; k < f->cases->len; k++)
      if (!strcmp(((const WrittenCase *)f->cases->pdata[k])->name, name)) return true;
  }
  return false;
}

static Error *check_names(const Job *job)
{
  const GPtrArray *only = cli_list(job->cli, "case");
  for (guint i = 0; only && i < only->len; i++)
    if (!has_case(job, only->pdata[i]))
      return cli_usage(job->cli->command, "--case: no case is called \"%s\"",
                       (const char *)only->pdata[i]);
  return NULL;
}

/* ------------------------------------------------------------------ results */

static void put_xml(Job *job, const char *class, const char *name, const char *said)
{
  GString *out = job->xml;
  g_string_append(out, "    <testcase");
  xml_put_attribute(out, "classname", class);
  xml_put_attribute(out, "name", name);
  if (!*said) {
    g_string_append(out, "/>\n");
    return;
  }
  g_auto(GStrv) lines = g_strsplit(said, "\n", -1);
  g_string_append(out, ">\n      <failure");
  xml_put_attribute(out, "message", g_strstrip(lines[0]));
  g_string_append_c(out, '>');
  for (char **line = lines; *line && (*line)[0]; line++) {
    xml_put_text(out, *line);
    g_string_append_c(out, '\n');
  }
  g_string_append(out, "</failure>\n    </testcase>\n");
}

static void add_result(Job *job, const char *class, const char *name, const char *said,
                       bool updated)
{
  const char *verdict = *said ? "FAILED" : updated ? "update" : "ok    ";
  g_string_append_printf(job->said, "%s %s\n%s", verdict, name, said);
  put_xml(job, class, name, said);
  job->n++;
  job->n_failed += *said != 0;
  job->n_updated += updated;
  if (*said && !job->failed) job->failed = name;
}

static Error *write_file(const char *path, const GString *text)
{
  Output *o = NULL;
  g_autofree char *name = g_path_get_basename(path);
  Error *e = output_file(path, true, &o);
  if (!e) e = output_add(o, name, text->str, text->len);
  if (!e) e = output_commit(o);
  if (e && o) e = output_abort(o, e, false);
  output_free(o);
  return e;
}

static Error *write_junit(const Job *job)
{
  const char *path = cli_text(job->cli, "junit");
  if (!path) return NULL;
  g_autoptr(GString) out = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  g_autofree char *counts =
      g_strdup_printf(" tests=\"%u\" failures=\"%u\"", job->n, job->n_failed);
  g_string_append_printf(out, "<testsuites%s>\n  <testsuite", counts);
  xml_put_attribute(out, "name", job->name);
  g_string_append_printf(out, "%s>\n%s  </testsuite>\n</testsuites>\n", counts, job->xml->str);
  return write_file(path, out);
}

/* ------------------------------------------------------------------ running */

static void add_change(const CaseResult *r, guint i, GArray *changes, GPtrArray *texts)
{
  CaseChange change = g_array_index(r->changes, CaseChange, i);
  change.text = g_strdup(change.text);
  g_ptr_array_add(texts, (gpointer)change.text);
  g_array_append_val(changes, change);
}

static void run_case(Job *job, const CaseFile *f, const WrittenCase *c, GArray *changes,
                     GPtrArray *texts)
{
  CaseResult *r = case_run(job->module, f, c, cli_flag(job->cli, "update"));
  add_result(job, f->path, c->name, r->said, r->changes->len > 0);
  for (guint i = 0; i < r->seen->len; i++)
    g_ptr_array_add(job->seen, g_strdup(r->seen->pdata[i]));
  for (guint i = 0; i < r->changes->len; i++) add_change(r, i, changes, texts);
  case_result_free(r);
}

static bool is_asked_for(const Cli *cli, const char *name)
{
  GPtrArray *only = cli_list(cli, "case");
  return !only || g_ptr_array_find_with_equal_func(only, name, g_str_equal, NULL);
}

static Error *run_file(Job *job, const CaseFile *f)
{
  g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(CaseChange));
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < f->cases->len; i++) {
    const WrittenCase *c = f->cases->pdata[i];
    if (is_asked_for(job->cli, c->name)) run_case(job, f, c, changes, texts);
  }
  if (!changes->len) return NULL;
  GString *text = case_file_changed(f, (const CaseChange *)(void *)changes->data, changes->len);
  Error *e = write_file(f->path, text);
  g_string_free(text, TRUE);
  return e;
}

/* Cases that all passed, together. */
static void check_declared(Job *job)
{
  if (job->n_failed || cli_list(job->cli, "case")) return;
  g_autofree char *said = cases_declared(job->module, job->seen);
  if (*said) add_result(job, job->name, "what the stage declares", said, false);
}

static Error *test(Job *job)
{
  Error *e = read_files(job);
  if (!e) e = check_names(job);
  if (e) return e;
  for (guint i = 0; i < job->files->len && !e; i++) e = run_file(job, job->files->pdata[i]);
  if (!e) check_declared(job);
  if (!e) e = write_junit(job);
  g_string_append_printf(job->said, "%s: %u case%s, %u failed", job->name, job->n,
                         job->n == 1 ? "" : "s", job->n_failed);
  if (job->n_updated) g_string_append_printf(job->said, ", %u updated", job->n_updated);
  g_string_append_c(job->said, '\n');
  return e;
}

static Error *judge(const Job *job)
{
  if (!job->n_failed) return NULL;
  Error *e = error_new(EXIT_REGRESSION, "RUN-73", "%u of %u cases of \"%s\" failed", job->n_failed,
                       job->n, job->name);
  return error_at(e, "%s", job->failed);
}

static int run(Cli *cli)
{
  const char *word = cli->words->pdata[0];
  Modules *modules = find_modules(cli, word);
  const Module *module = NULL;
  Error *e = open_module(modules, word, &module);
  Job job = { .cli = cli,
              .files = g_ptr_array_new_with_free_func((GDestroyNotify)case_file_free),
              .seen = g_ptr_array_new_with_free_func(g_free),
              .said = g_string_new(NULL),
              .xml = g_string_new(NULL) };
  if (!e) {
    job.name = module->stage->name;
    job.module = module->own;
    e = test(&job);
  }
  int status = cli_print_string(cli, job.said);
  if (!e) e = judge(&job);
  if (e) status = cli_fail(cli, e);
  g_string_free(job.xml, TRUE);
  g_ptr_array_unref(job.files);
  g_ptr_array_unref(job.seen);
  modules_free(modules);
  return status;
}

static const CliGroup *const groups[] = { &own, &group_modules, &group_common, NULL };
static const char *const examples[] = {
  "a module and its cases|stagemill test build/acme.gaps.so acme.gaps.cases",
  "what came becomes what is expected|stagemill test build/acme.gaps.so acme.gaps.cases --update",
  "for CI|stagemill test build/acme.gaps.so *.cases --junit cases.xml", NULL
};
static const int statuses[] = { EXIT_DONE,   EXIT_REGRESSION, EXIT_USAGE,       EXIT_INPUT,
                                EXIT_STAGE,  EXIT_OUTPUT,     EXIT_LIMIT,       EXIT_INTERNAL,
                                EXIT_INTERRUPTED, EXIT_TERMINATED, -1 };

const CliCommand command_test = {
  .name = "test",
  .section = "Extend",
  .arguments = "MODULE CASES...",
  .title = "run the cases of a stage, source or sink",
  .about =
      "MODULE is a file (acme.gaps.so) or a name; CASES are text files: what a module is given, and "
      "what must come of it. The page cases.md has their form. The program runs each case in a "
      "process of its own, under --verify, and then again in other ways that must give the same: "
      "other batches, other numbers of symbols, several jobs, no events, merged once more. The "
      "status is 1 if a case fails.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses,
  .words = "files",
  .min_words = 2,
  .max_words = -1,
  .run = run,
};
