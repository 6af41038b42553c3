/* stagemill new: the files of a module that builds and passes its test at once. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "cmd/commands.h"
#include "cmd/groups.h"
#include "cmd/setup.h"
#include "output/output.h"

static const CliOption options[] = {
  { .name = "vendor",
    .value = "NAME",
    .type = MILL_OPT_STRING,
    .default_text = "prefix of NAME, else local",
    .help = "who makes the module; the first part of its name" },
  { .name = "cpp", .help = "write a stage in C++20; not in the source tree, which is C" },
};
static const CliGroup own = GROUP("New module", options);

typedef struct Kind {
  const char *word, *shape, *example;
  const char *folder;     /* of the source tree, with a list of its own in meson.build */
  const char *list_start; /* of the list */
  const char *template;   /* of the module's meson.build in the tree */
  bool has_family;
} Kind;

static const Kind kinds[] = {
  { "stage", "FAMILY/NAME", "clean/slow-calls", "stages", "foreach stage_path : [",
    "stage-tree-meson.build.in", true },
  { "source", "NAME", "call-lines", "plugins/source", "foreach name : [",
    "plugin-tree-meson.build.in", false },
  { "sink", "NAME", "call-lines", "plugins/sink", "foreach name : [", "plugin-tree-meson.build.in",
    false },
};

typedef struct Names {
  const Kind *kind;
  bool cpp;
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

static Error *no_name(const Cli *cli, const Kind *kind, const char *word)
{
  if (!kind->has_family && strchr(word, '/'))
    return error_help(
        cli_usage(cli->command, "a %s has no family: \"%s\" is not NAME", kind->word, word),
        "write %s", strrchr(word, '/') + 1);
  const char *slash = strchr(kind->example, '/'), *bare = slash ? slash + 1 : kind->example;
  Error *e = cli_usage(cli->command, "\"%s\" is not %s", word, kind->shape);
  return error_help(e,
                    "use lower case with dashes: %s; outside stagemill, with a vendor: %.*sacme.%s",
                    kind->example, (int)(bare - kind->example), kind->example, bare);
}

/* Names of the tree are bare; all others have a vendor. */
static Error *choose_vendor(const Cli *cli, const char *prefix, bool in_tree, char **out)
{
  const char *given = cli_text(cli, "vendor");
  if (in_tree && (given || prefix))
    return error_help(cli_usage(cli->command, "names inside stagemill's tree have no vendor"),
                      "leave the vendor out, or go to another folder");
  if (given && !module_is_kebab(given))
    return cli_usage(cli->command, "\"%s\" cannot be a vendor: lower case with dashes", given);
  if (given && prefix && strcmp(given, prefix))
    return cli_usage(cli->command, "two vendors: \"%s\" and \"%s\"", prefix, given);
  *out = g_strdup(in_tree ? "stagemill" : given ? given : prefix ? prefix : "local");
  return NULL;
}

static Error *read_names(const Cli *cli, const char *word, bool in_tree, Names *out)
{
  const Kind *kind = out->kind;
  g_auto(GStrv) part = g_strsplit(word, "/", -1);
  guint n_parts = kind->has_family ? 2 : 1;
  const char *name = g_strv_length(part) == n_parts ? part[n_parts - 1] : "";
  const char *dot = strchr(name, '.'), *bare = dot ? dot + 1 : name;
  g_autofree char *prefix = dot ? g_strndup(name, (size_t)(dot - name)) : NULL;
  if (!*name || !module_is_kebab(bare) || (kind->has_family && !module_is_kebab(part[0])) ||
      (prefix && !module_is_kebab(prefix)))
    return no_name(cli, kind, word);
  Error *e = choose_vendor(cli, prefix, in_tree, &out->vendor);
  if (e) return e;
  out->family = g_strdup(kind->has_family ? part[0] : kind->word);
  out->name = in_tree ? g_strdup(bare) : g_strconcat(out->vendor, ".", bare, NULL);
  out->table = g_strdup(bare);
  out->ident = g_strdelimit(g_strdup(bare), "-", '_');
  out->project = g_strdelimit(g_strdup(out->name), ".", '-');
  out->title = make_title(bare);
  Modules *modules = setup_modules(cli);
  out->tag = make_tag(bare, modules);
  e = modules_unseen(modules);
  modules_free(modules);
  return e;
}

/* -------------------------------------------------------------------- files */

static char *fill_in(const char *text, const Names *n)
{
  g_autofree char *source = g_strconcat(n->name, n->cpp ? ".cpp" : ".c", NULL);
  const struct {
    const char *mark, *value;
  } marks[] = { { "@NAME@", n->name },
                { "@FAMILY@", n->family },
                { "@TABLE@", n->table },
                { "@IDENT@", n->ident },
                { "@TAG@", n->tag },
                { "@TITLE@", n->title },
                { "@VENDOR@", n->vendor },
                { "@PROJECT@", n->project },
                { "@KIND@", n->kind->word },
                { "@LANGUAGES@", n->cpp ? "'c', 'cpp'" : "'c'" },
                { "@STANDARDS@", n->cpp ? "'c_std=c11', 'cpp_std=c++20'" : "'c_std=c11'" },
                { "@SOURCE@", source } };
  GString *out = g_string_new(text);
  for (size_t i = 0; i < G_N_ELEMENTS(marks); i++)
    g_string_replace(out, marks[i].mark, marks[i].value, 0);
  return g_string_free(out, FALSE);
}

static Error *cannot_write(const char *path, const char *why)
{
  return error_new(EXIT_OUTPUT, "OUT-03", "%s cannot be written: %s", path, why);
}

/* What is made now: complete, or not there. */
typedef struct Made {
  const Names *names;
  const char *folder;
  Output *files;
  GString *said;
} Made;

static Error *begin(Made *m)
{
  if (g_file_test(m->folder, G_FILE_TEST_EXISTS)) {
    Error *e = error_new(EXIT_OUTPUT, "OUT-02", "%s exists already", m->folder);
    return error_help(e, "choose another name, or remove it");
  }
  return output_folder(m->folder, m->names->project, false, &m->files);
}

static Error *finish(Made *m, Error *e)
{
  if (!m->files) return e;
  if (!e) e = output_commit(m->files);
  if (e) e = output_abort(m->files, e, false);
  output_free(m->files);
  return e;
}

static Error *write_file(Made *m, const char *name, const char *template)
{
  g_autofree char *text = fill_in(embedded_find(template)->text, m->names);
  g_string_append_printf(m->said, "  %s/%s\n", m->folder, name);
  return output_add(m->files, name, text, strlen(text));
}

/* From the template of its kind: stage.c.in, stage-test.c.in. */
static Error *write_own(Made *m, const char *stem, const char *suffix)
{
  g_autofree char *file = g_strconcat(stem, suffix, NULL),
                  *template = g_strconcat(m->names->kind->word, suffix, ".in", NULL);
  return write_file(m, file, template);
}

/* The three files that a module has inside of the tree and outside. */
static Error *write_module(Made *m)
{
  const char *name = m->names->name;
  Error *e = write_own(m, name, m->names->cpp ? ".cpp" : ".c");
  if (!e) e = write_own(m, name, "-test.c");
  return e ? e : write_own(m, name, ".md");
}

/* One more item at the end of the list of its kind. */
static Error *add_build_line(const char *root, const Names *n, GString *out)
{
  const Kind *kind = n->kind;
  g_autofree char *path = g_build_filename(root, kind->folder, "meson.build", NULL), *text = NULL;
  g_autoptr(GError) why = NULL;
  if (!g_file_get_contents(path, &text, NULL, &why)) return cannot_write(path, why->message);
  const char *list = strstr(text, kind->list_start), *end = list ? strchr(list, ']') : NULL;
  if (!end) return cannot_write(path, "it has no list of modules");
  int before = (int)(end - text);
  g_autofree char *changed =
      kind->has_family
          ? g_strdup_printf("%.*s  '%s/%s',\n%s", before, text, n->family, n->name, end)
          : g_strdup_printf("%.*s, '%s'%s", before, text, n->name, end);
  if (!g_file_set_contents(path, changed, -1, &why)) return cannot_write(path, why->message);
  g_string_append_printf(out, "  %s   one line\n", path);
  return NULL;
}

/* Without its line in the list the folder is of no use. */
static void take_back(const char *folder)
{
  g_autoptr(GPtrArray) names = folder_names(folder);
  for (guint i = 0; names && i < names->len; i++) {
    g_autofree char *path = g_build_filename(folder, names->pdata[i], NULL);
    unlink(path);
  }
  rmdir(folder);
}

static Error *write_in_tree(const char *root, Made *m)
{
  Error *e = begin(m);
  if (!e) e = write_module(m);
  if (!e) e = write_file(m, "meson.build", m->names->kind->template);
  e = finish(m, e);
  if (e) return e;
  e = add_build_line(root, m->names, m->said);
  if (e) take_back(m->folder);
  return e;
}

static Error *add_to_tree(const char *root, const Names *n, GString *out)
{
  const Kind *kind = n->kind;
  g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *family =
                      g_build_filename(root, kind->folder, kind->has_family ? n->family : "", NULL),
                  *folder = g_build_filename(family, n->name, NULL);
  Made m = { .names = n, .folder = folder, .said = out };
  Error *e =
      folder_make(family, made) ? write_in_tree(root, &m) : cannot_write(folder, g_strerror(errno));
  if (e) {
    folder_unmake(made);
    return e;
  }
  g_string_append_printf(out, "next: ./dev test %s%s%s\n", kind->has_family ? "" : kind->word,
                         kind->has_family ? "" : "-", n->name);
  return NULL;
}

static Error *make_project(const Names *n, GString *out)
{
  Made m = { .names = n, .folder = n->project, .said = out };
  Error *e = begin(&m);
  if (!e) e = write_module(&m);
  if (!e) e = write_file(&m, "meson.build", "project-meson.build.in");
  if (!e) e = write_own(&m, n->project, ".json");
  if (!e) e = write_own(&m, n->name, ".cases");
  e = finish(&m, e);
  if (e) return e;
  g_string_append_printf(out, "next: cd %s && meson setup build && meson test -C build\n",
                         n->project);
  g_string_append_printf(out, "      stagemill run --stage-path build -p ./%s.json INPUT\n",
                         n->project);
  g_string_append_printf(out, "      stagemill test build/%s.so %s.cases\n", n->name, n->name);
  return NULL;
}

/* The top of the source tree that the current folder is in, or NULL. */
static char *find_tree(void)
{
  g_autofree char *folder = g_get_current_dir();
  for (;;) {
    g_autofree char *list = g_build_filename(folder, "stages", "meson.build", NULL);
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

/* The parser let no other word pass. */
static const Kind *find_kind(const char *word)
{
  const Kind *kind = kinds;
  while (strcmp(kind->word, word)) kind++;
  return kind;
}

/* Of sources and sinks there is no template in C++. */
static Error *check_language(const Cli *cli, const Names *n, bool in_tree)
{
  if (!n->cpp) return NULL;
  if (in_tree) return cli_usage(cli->command, "modules inside stagemill's tree are in C");
  if (strcmp(n->kind->word, "stage"))
    return cli_usage(cli->command, "--cpp is for stages: a %s is written in C", n->kind->word);
  return NULL;
}

static int run(Cli *cli)
{
  Names n = { .kind = find_kind(cli->words->pdata[0]), .cpp = cli_flag(cli, "cpp") };
  GString *out = g_string_new("wrote\n");
  g_autofree char *tree = find_tree();
  Error *e = check_language(cli, &n, tree != NULL);
  if (!e) e = read_names(cli, cli->words->pdata[1], tree != NULL, &n);
  if (!e) e = tree ? add_to_tree(tree, &n, out) : make_project(&n, out);
  names_clear(&n);
  if (!e) return cli_print_string(NULL, out);
  g_string_free(out, TRUE);
  return cli_fail(cli, e);
}

static const CliGroup *const groups[] = { &own, &group_modules, &group_common, NULL };
static const char *const examples[] = {
  "in the source tree|stagemill new stage clean/slow-calls",
  "a separate project|stagemill new stage clean/acme.slow-calls",
  "a project in C++|stagemill new stage clean/acme.slow-calls --cpp",
  "one that reads a format|stagemill new source acme.lines",
  "one that writes a format|stagemill new sink acme.lines",
  NULL
};
static const char *const files[] = {
  "stages/FAMILY/NAME/|in the source tree: code, test, page, build file, and a line in "
  "stages/meson.build; plugins/source/NAME/ and plugins/sink/NAME/ likewise",
  "VENDOR-NAME/|elsewhere: the same as a Meson project that needs pkg-config only, with a profile, and with "
  "cases for stagemill test",
  NULL
};

const CliCommand command_new = {
  .name = "new",
  .section = "Extend",
  .arguments = "stage FAMILY/NAME | source NAME | sink NAME",
  .title = "start a stage, source or sink",
  .about =
      "Writes a small module with an option, a test and a page: a stage that marks long slices, a "
      "source that reads slices from lines of text, or a sink that writes such lines. It builds "
      "and passes its test; change it to do what you need.",
  .examples = examples,
  .groups = groups,
  .files = files,
  .statuses = statuses_of_modules,
  .words = "stage|source|sink none",
  .min_words = 2,
  .max_words = 2,
  .run = run,
};
