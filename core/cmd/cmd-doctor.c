/* stagemill doctor: versions, search paths, what was refused, limits, and the environment. */
/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/child.h"
#include "base/num.h"
#include "cmd/commands.h"
#include "cmd/describe.h"
#include "cmd/groups.h"
#include "cmd/help.h"
#include "cmd/setup.h"
#include "plan/paths.h"
#include "model/budget.h"

static char *open_files_text(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY)
    return g_strdup("no limit");
  return g_strdup_printf("%" G_GUINT64_FORMAT, (uint64_t)limit.rlim_cur);
}

static void add_fact(GPtrArray *rows, const char *name, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
static void add_fact(GPtrArray *rows, const char *name, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_ptr_array_add(rows, g_strdup(name));
  g_ptr_array_add(rows, g_strdup_vprintf(format, args));
  va_end(args);
}

/* The first line that the program prints; or why there is none. */
static char *first_line_of(const char *program, const char *argument)
{
  g_autofree char *path = child_find(program, paths_env("PATH"));
  const char *const argv[] = { program, argument, NULL };
  if (!path) return g_strdup_printf("%s is not installed, or not on PATH", program);
  Child c = { .path = path, .argv = argv, .limit_ms = 5000 };
  children_run(&c, 1, 1, NULL, NULL);
  g_autofree char *failed = child_why(&c);
  g_autofree char *text = g_strndup(c.out->len ? (const char *)c.out->data : "", c.out->len);
  child_clear(&c);
  text[strcspn(text, "\n")] = 0;
  g_autofree char *line = g_utf8_make_valid(g_strstrip(text), -1);
  return g_strdup_printf("%s (%s)", failed ? failed : line, path);
}

/* Name and value of each line about this machine and this program. */
static GPtrArray *facts_of(void)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func(g_free);
  struct utsname system = { .sysname = "?" };
  char memory[NUM_BUF];
  g_autofree char *open_files = open_files_text(), *data = paths_data();
  uname(&system);
  num_format_size(memory, budget_default());
  add_fact(rows, "version", "%s", STAGEMILL_VERSION);
  add_fact(rows, "abi", "%u.%u", MILL_ABI_MAJOR, MILL_ABI_MINOR);
  add_fact(rows, "glib", "%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  add_fact(rows, "system", "%s %s %s", system.sysname, system.release, system.machine);
  add_fact(rows, "processors", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
  add_fact(rows, "max-memory", "%s", memory);
  add_fact(rows, "open-files", "%s", open_files);
  add_fact(rows, "data", "%s", data);
  g_autofree char *font = first_line_of("fc-match", "DejaVu Sans");
  add_fact(rows, "pictures", "%s",
           *STAGEMILL_PAINTER ? STAGEMILL_PAINTER : "as text alone: built without cairo and pango");
  add_fact(rows, "font", "%s", font);
  add_fact(rows, "pages", "%s", STAGEMILL_CHARTS);
  return rows;
}

static guint count_kind(Modules *modules, uint32_t kind)
{
  g_autoptr(GPtrArray) all = modules_all(modules, kind);
  return all->len;
}

static guint count_profiles(const Cli *cli, Error **out_unseen)
{
  g_autoptr(GPtrArray) all = setup_profiles(cli, out_unseen);
  return all->len;
}

static void put_text(const Cli *cli, Modules *modules, GString *out)
{
  g_autoptr(GPtrArray) facts = facts_of(), refused = NULL;
  g_autoptr(Error) unseen = NULL;
  const GPtrArray *folders = modules_folders(modules);
  CliGrid *grid = cli_grid_new(2);
  for (guint i = 0; i < facts->len; i += 2)
    cli_grid_add(grid, facts->pdata[i], facts->pdata[i + 1], NULL);
  cli_grid_write(grid, "  ", out);
  g_string_append(out, "\nfolders searched for stages\n");
  grid = cli_grid_new(2);
  for (guint i = 0; i < folders->len; i++) {
    const SearchFolder *folder = folders->pdata[i];
    cli_grid_add(grid, folder->origin, folder->path, NULL);
  }
  cli_grid_write(grid, "  ", out);
  g_string_append_printf(out, "\nfound\n  %u stages, %u sources, %u sinks, %u profiles\n",
                         count_kind(modules, MILL_KIND_STAGE),
                         count_kind(modules, MILL_KIND_SOURCE), count_kind(modules, MILL_KIND_SINK),
                         count_profiles(cli, &unseen));
  refused = modules_refused(modules);
  g_string_append_printf(out, "\nrefused\n%s", refused->len || unseen ? "" : "  nothing\n");
  for (guint i = 0; i < refused->len; i++)
    error_format(refused->pdata[i], false, cli->colour_out, out);
  error_format(unseen, false, cli->colour_out, out);
  g_string_append(out, "\nenvironment\n");
  grid = cli_grid_new(3);
  for (const CliVariable *v = cli_variables; v->name; v++) {
    const char *value = paths_env(v->name);
    cli_grid_add(grid, v->name, v->effect, value ? value : "-", NULL);
  }
  cli_grid_write(grid, "  ", out);
}

static void put_refused(GPtrArray *refused, JsonWriter *out)
{
  json_put_open(out, "refused", '[');
  for (guint i = 0; i < refused->len; i++) describe_error_json(out, refused->pdata[i]);
  json_put_close(out);
}

static void put_json(Modules *modules, GString *text)
{
  JsonWriter writer = { .text = text, .layout = JSON_COMPACT }, *out = &writer;
  g_autoptr(GPtrArray) facts = facts_of(), all = modules_all(modules, 0),
                       refused = modules_refused(modules);
  const GPtrArray *folders = modules_folders(modules);
  json_put_open(out, NULL, '{');
  for (guint i = 0; i < facts->len; i += 2)
    json_put_text(out, facts->pdata[i], facts->pdata[i + 1]);
  json_put_open(out, "folders", '[');
  for (guint i = 0; i < folders->len; i++) {
    const SearchFolder *folder = folders->pdata[i];
    json_put_open(out, NULL, '{');
    json_put_text(out, "path", folder->path);
    json_put_text(out, "origin", folder->origin);
    json_put_close(out);
  }
  json_put_close(out);
  json_put_int(out, "modules", all->len);
  put_refused(refused, out);
  json_put_open(out, "environment", '{');
  for (const CliVariable *v = cli_variables; v->name; v++)
    json_put_text(out, v->name, paths_env(v->name));
  json_put_close(out);
  json_put_end(out);
}

static int run(Cli *cli)
{
  Modules *modules = setup_modules(cli);
  GString *out = g_string_new(NULL);
  g_autoptr(GPtrArray) all =
      modules_all(modules, 0); /* opens everything, so that refusals are known */
  if (cli_flag(cli, "json"))
    put_json(modules, out);
  else
    put_text(cli, modules, out);
  bool usable = all->len > 0;
  modules_free(modules);
  int status = cli_print_string(cli, out);
  if (status || usable) return status;
  Error *e = error_new(EXIT_STAGE, "STG-01", "no stage, source or sink was found");
  return cli_fail(cli, error_help(e, "name the folder with --stage-path or STAGEMILL_STAGE_PATH"));
}

static const CliGroup *const groups[] = { &group_json, &group_profiles, &group_modules,
                                          &group_common, NULL };
static const char *const examples[] = {
  "is all well?|stagemill doctor", "a stage is not found|stagemill doctor --stage-path ./build",
  NULL
};
static const int statuses[] = { EXIT_DONE, EXIT_USAGE, EXIT_STAGE, EXIT_OUTPUT, -1 };

const CliCommand command_doctor = {
  .name = "doctor",
  .section = "Help",
  .arguments = "",
  .title = "check this installation",
  .about =
      "Shows versions, the folders that are searched for stages, every refused module with its "
      "reason, limits, and the environment variables that have an effect. The status is 5 if no "
      "module could be loaded.",
  .examples = examples,
  .groups = groups,
  .statuses = statuses,
  .min_words = 0,
  .max_words = 0,
  .run = run,
};
