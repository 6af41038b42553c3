/* A folder of results where inputs are expected; see finished.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/finished.h"

#include "cmd/screen.h"
#include "cmd/sides.h"
#include "model/printable.h"
#include "output/run-file.h"
#include "results/load.h"

static bool has_file(const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  return g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* Other programs write a summary.json, too, and none beside a run.json. */
bool finished_is(const char *path)
{
  return g_file_test(path, G_FILE_TEST_IS_DIR) && has_file(path, SUMMARY_NAME) &&
         has_file(path, RUN_FILE_NAME);
}

static Error *check_options(const Cli *cli, const RunRequest *request, const char *folder)
{
  const CliOption *o = sides_option_of_run(cli);
  const char *given = request->output        ? "output"
                      : request->formats     ? "format"
                      : o                    ? o->name
                      : cli_flag(cli, "set") ? "set"
                                             : NULL;
  if (!given) return NULL;
  g_autofree char *safe = printable(folder), *word = cli_word(folder);
  Error *e = cli_usage(cli->command, "%s holds finished results; --%s needs inputs", safe, given);
  return error_help(e, "stagemill report %s --format FORMATS    writes other formats", word);
}

static void put_next(const RunFile *f, const char *folder, GString *out)
{
  g_autofree char *word = cli_word(folder);
  g_string_append_printf(out,
                         "\nfinished results of the profile %s; in other formats: stagemill report "
                         "%s --format FORMATS\n",
                         f->provenance.profile, word);
}

static Error *put_results(const Cli *cli, const RunRequest *request, const char *folder,
                          GString *out)
{
  Results *r = NULL;
  g_autoptr(RunFile) f = NULL;
  Error *e = check_options(cli, request, folder);
  if (!e) e = run_file_load(folder, &f);
  if (!e) e = results_load(folder, &r);
  Modules *modules = e ? NULL : setup_modules(cli);
  if (!e) e = screen_results(modules, r, f->sink_settings, request->rows, request->json, out);
  if (!e && !request->json) put_next(f, folder, out);
  if (modules) modules_free(modules);
  results_free(r);
  return e;
}

int finished_show(const Cli *cli, const RunRequest *request, const char *folder)
{
  GString *out = g_string_new(NULL);
  Error *e = put_results(cli, request, folder, out);
  if (!e) return cli_print_string(cli, out);
  g_string_free(out, TRUE);
  return cli_fail(cli, e);
}
