/* stagemill new: the files of a stage that builds and passes its test at once. */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/commands.h"
#include "cmd/setup.h"

#define BUILD_LIST "stages/meson.build"

static const CliOption options[] = {
  { "vendor", 0, "NAME", MILL_OPT_STRING, NULL, "the prefix of NAME", NULL, CLI_ONCE, NULL,
    "who makes the stage, for its descriptor" },
};
static const CliGroup own = GROUP("New stage", options);

typedef struct Names {
  char *family, *name; /* "clean", "slow-calls" or "acme.slow-calls" */
  char *table;         /* name without vendor */
  char *ident;         /* for C */
  char *project;       /* for files: acme-slow-calls */
  char *tag, *title, *vendor;
} Names;

/* -------------------------------------------------------------------- names */

static bool tag_is_taken(const GPtrArray *all, const char *tag)
{
  static const char *const engine[] = { "RUN", "PRF", "JSN", "STG", "OUT", NULL };
  if (g_strv_contains(engine, tag)) return true;
  for (guint i = 0; i < all->len; i++)
    if (!strcmp(((const Module *)all->pdata[i])->stage->tag, tag)) return true;
  return false;
}

/* Up to six letters of the name; the last one changes until the tag is free. */
static char *make_tag(const char *name, Modules *modules)
{
  g_autoptr(GPtrArray) all = modules_all(modules, 0);
  char tag[7] = { 0 };
  size_t n = 0;
  for (const char *p = name; *p && n < 6; p++)
    if (g_ascii_isalpha(*p)) tag[n++] = g_ascii_toupper(*p);
  while (n < 2) tag[n++] = 'X';
  for (char last = 'A'; tag_is_taken(all, tag) && last <= 'Z'; last++) tag[n - 1] = last;
  return g_strdup(tag);
}

static char *make_title(const char *name)
{
  char *title = g_strdup(name);
  g_strdelimit(title, "-", ' ');
  *title = g_ascii_toupper(*title);
  return title;
}

static void names_clear(Names *n)
{
  char **all[] = { &n->family,  &n->name, &n->table, &n->ident,
                   &n->project, &n->tag,  &n->title, &n->vendor };
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) g_free(*all[i]);
}

static Error *read_names(const Cli *cli, const char *word, Names *out)
{
  g_auto(GStrv) part = g_strsplit(word, "/", -1);
  const char *name = g_strv_length(part) == 2 ? part[1] : "", *dot = strchr(name, '.');
  g_autofree char *vendor = dot ? g_strndup(name, (size_t)(dot - name)) : NULL;
  const char *bare = dot ? dot + 1 : name;
  if (!*name || !module_is_kebab(part[0]) || !module_is_kebab(bare) ||
      (vendor && !module_is_kebab(vendor))) {
    Error *e = cli_usage(cli->command, "\"%s\" is not FAMILY/NAME", word);
    return error_help(e, "lower case with dashes: clean/slow-calls; outside of stagemill with a "
                         "vendor: clean/acme.slow-calls");
  }
  out->family = g_strdup(part[0]);
  out->name = g_strdup(name);
  out->table = g_strdup(bare);
  out->ident = g_strdelimit(g_strdup(bare), "-", '_');
  out->project = g_strdelimit(g_strdup(name), ".", '-');
  out->title = make_title(bare);
  Modules *modules = setup_modules(cli);
  out->tag = make_tag(bare, modules);
  modules_free(modules);
  const char *given = cli_text(cli, "vendor");
  out->vendor = g_strdup(given ? given : vendor ? vendor : "stagemill");
  return NULL;
}

/* -------------------------------------------------------------------- files */

static char *fill_in(const char *text, const Names *n)
{
  const struct {
    const char *mark, *value;
  } marks[] = { { "@NAME@", n->name },     { "@FAMILY@", n->family },  { "@TABLE@", n->table },
                { "@IDENT@", n->ident },   { "@TAG@", n->tag },        { "@TITLE@", n->title },
                { "@VENDOR@", n->vendor }, { "@PROJECT@", n->project } };
  GString *out = g_string_new(text);
  for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
    g_string_replace(out, marks[i].mark, marks[i].value, 0);
  return g_string_free(out, FALSE);
}

static Error *cannot_write(const char *path, const char *why)
{
  return error_new(EXIT_OUTPUT, "OUT-03", "%s cannot be written: %s", path, why);
}

static Error *write_file(const char *folder, const char *name, const char *template, const Names *n,
                         GString *out)
{
  g_autofree char *path = g_build_filename(folder, name, NULL),
                  *text = fill_in(embedded_find(template)->text, n);
  g_autoptr(GError) why = NULL;
  if (!g_file_set_contents(path, text, -1, &why)) return cannot_write(path, why->message);
  g_string_append_printf(out, "  %s\n", path);
  return NULL;
}

static Error *make_folder(const char *folder)
{
  if (g_file_test(folder, G_FILE_TEST_EXISTS)) {
    Error *e = error_new(EXIT_OUTPUT, "OUT-02", "%s exists already", folder);
    return error_help(e, "choose another name, or remove it");
  }
  return g_mkdir_with_parents(folder, 0777) ? cannot_write(folder, g_strerror(errno)) : NULL;
}

/* The three files that both kinds of stage have. */
static Error *write_stage(const char *folder, const Names *n, GString *out)
{
  g_autofree char *code = g_strconcat(n->name, ".c", NULL),
                  *test = g_strconcat(n->name, "-test.c", NULL),
                  *page = g_strconcat(n->name, ".md", NULL);
  Error *e = write_file(folder, code, "stage.c.in", n, out);
  if (!e) e = write_file(folder, test, "stage-test.c.in", n, out);
  return e ? e : write_file(folder, page, "stage.md.in", n, out);
}

/* One line before the end of the list in stages/meson.build. */
static Error *add_build_line(const char *root, const Names *n, GString *out)
{
  g_autofree char *path = g_build_filename(root, BUILD_LIST, NULL), *text = NULL;
  g_autoptr(GError) why = NULL;
  if (!g_file_get_contents(path, &text, NULL, &why)) return cannot_write(path, why->message);
  const char *list = strstr(text, "foreach stage_path : ["),
             *end = list ? strstr(list, "\n]") : NULL;
  if (!end) return cannot_write(path, "it has no list of stages");
  g_autofree char *changed =
      g_strdup_printf("%.*s\n  '%s/%s',%s", (int)(end - text), text, n->family, n->name, end);
  if (!g_file_set_contents(path, changed, -1, &why)) return cannot_write(path, why->message);
  g_string_append_printf(out, "  %s   one line\n", path);
  return NULL;
}

static Error *add_to_tree(const char *root, const Names *n, GString *out)
{
  g_autofree char *folder = g_build_filename(root, "stages", n->family, n->name, NULL);
  Error *e = make_folder(folder);
  if (!e) e = write_stage(folder, n, out);
  if (!e) e = write_file(folder, "meson.build", "tree-meson.build.in", n, out);
  if (!e) e = add_build_line(root, n, out);
  if (!e) g_string_append_printf(out, "next: ./dev test %s\n", n->name);
  return e;
}

static Error *make_project(const Names *n, GString *out)
{
  g_autofree char *profile = g_strconcat(n->project, ".json", NULL);
  Error *e = make_folder(n->project);
  if (!e) e = write_stage(n->project, n, out);
  if (!e) e = write_file(n->project, "meson.build", "project-meson.build.in", n, out);
  if (!e) e = write_file(n->project, profile, "profile.json.in", n, out);
  if (e) return e;
  g_string_append_printf(out, "next: cd %s && meson setup build && meson test -C build\n",
                         n->project);
  g_string_append_printf(out, "      stagemill run --stage-path build -p ./%s INPUT\n", profile);
  if (!strchr(n->name, '.'))
    g_string_append_printf(out, "note: names of outside stages carry a vendor's prefix: acme.%s\n",
                           n->name);
  return NULL;
}

/* The top of the source tree that the current folder is in, or NULL. */
static char *find_tree(void)
{
  g_autofree char *folder = g_get_current_dir();
  for (;;) {
    g_autofree char *list = g_build_filename(folder, BUILD_LIST, NULL);
    g_autofree char *header =
        g_build_filename(folder, "core", "include", "stagemill", "stage.h", NULL);
    if (g_file_test(list, G_FILE_TEST_IS_REGULAR) && g_file_test(header, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer(&folder);
    char *parent = g_path_get_dirname(folder);
    if (!strcmp(parent, folder)) {
      g_free(parent);
      return NULL;
    }
    g_free(folder);
    folder = parent;
  }
}

static int run(Cli *cli)
{
  Names n = { 0 };
  GString *out = g_string_new("wrote\n");
  g_autofree char *tree = find_tree();
  Error *e = NULL;
  if (strcmp(cli->words->pdata[0], "stage"))
    e = error_suggest(
        cli_usage(cli->command, "new: what? \"%s\" is not known", (char *)cli->words->pdata[0]),
        cli->words->pdata[0], (const char *const[]){ "stage", NULL });
  if (!e) e = read_names(cli, cli->words->pdata[1], &n);
  if (!e) e = tree ? add_to_tree(tree, &n, out) : make_project(&n, out);
  names_clear(&n);
  if (!e) return cli_print_string(out);
  g_string_free(out, TRUE);
  return cli_fail(cli, e);
}

static const CliGroup *const groups[] = { &own, &group_modules, &group_common, NULL };
static const char *const examples[] = {
  "in the source tree|stagemill new stage clean/slow-calls",
  "a project of its own|stagemill new stage clean/acme.slow-calls", NULL
};
static const char *const files[] = {
  "stages/FAMILY/NAME/|in the source tree: code, test, page, build file, and a line in "
  "stages/meson.build",
  "NAME/|elsewhere: the same as a Meson project that needs pkg-config only, with a profile", NULL
};

const CliCommand command_new = {
  .name = "new",
  .section = "Extend",
  .arguments = "stage FAMILY/NAME",
  .title = "start a stage",
  .about = "Writes a small stage that marks long slices, with option, table, test and page. It "
           "builds and passes its test as it is; "
           "change it from there.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses_of_text,
  .min_words = 2,
  .max_words = 2,
  .run = run,
};
