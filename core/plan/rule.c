/* Rules and where they are found; see rule.h. */
#include "plan/rule.h"

#include <string.h>

#include "base/folder.h"
#include "base/hash-seed.h"
#include "base/num.h"
#include "model/printable.h"
#include "plan/profile-parts.h"

#define SUFFIX ".sql"

static void param_clear(gpointer data)
{
  RuleParam *p = data;
  g_free(p->name);
  g_free(p->text);
  g_free(p->origin);
  g_free(p->help);
  g_free(p);
}

void rule_free(Rule *r)
{
  if (!r) return;
  g_free(r->name);
  g_free(r->file);
  g_free(r->title);
  g_free(r->help);
  g_ptr_array_unref(r->params);
  g_free(r->text);
  g_free(r);
}

/* ------------------------------------------------------------------- the head */

static Error *bad_head(const Rule *r, unsigned line, const char *what)
{
  g_autofree char *safe = printable(r->file);
  Error *e = error_new(EXIT_PROFILE, "PRF-21", "the head of the rule \"%s\" is wrong", r->name);
  error_why(error_at(e, "at %s:%u", safe, line), "%s", what);
  return error_help(e, "write it as: -- param: NAME = 60 [0, 100] What it is");
}

static bool is_param_name(const char *name)
{
  if (!g_ascii_islower(*name)) return false;
  for (; *name; name++)
    if (!g_ascii_islower(*name) && !g_ascii_isdigit(*name) && *name != '_') return false;
  return true;
}

static bool number_of(char *text, double *out)
{
  g_strstrip(text);
  return num_real(text, strlen(text), out);
}

/* "NAME = 60 [0, 100] help" */
static const char *take_param(Rule *r, const char *text)
{
  g_auto(GStrv) sides = g_strsplit(text, "=", 2);
  if (!sides[0] || !sides[1] || !is_param_name(g_strstrip(sides[0])))
    return "a parameter has no name";
  g_auto(GStrv) open = g_strsplit(sides[1], "[", 2);
  g_auto(GStrv) closed = g_strsplit(open[0] && open[1] ? open[1] : "", "]", 2);
  g_auto(GStrv) ends = g_strsplit(closed[0] ? closed[0] : "", ",", 2);
  RuleParam p = { 0 };
  if (!ends[0] || !ends[1] || !number_of(open[0], &p.value) || !number_of(ends[0], &p.min) ||
      !number_of(ends[1], &p.max))
    return "a parameter needs a value and a range";
  if (p.min > p.max || p.value < p.min || p.value > p.max)
    return "the value of a parameter is not in its range";
  if (named_find(r->params, sides[0])) return "two parameters have one name";
  p.name = g_strdup(sides[0]);
  p.text = g_strdup(open[0]);
  p.origin = g_strdup("default");
  p.help = printable(g_strstrip(closed[1]));
  g_ptr_array_add(r->params, g_memdup2(&p, sizeof p));
  return NULL;
}

static void take_text(char **to, const char *text)
{
  if (!*to) *to = printable(text);
}

/* NULL, or what is wrong with a line of the comment. */
static const char *take_line(Rule *r, char *line)
{
  if (g_str_has_prefix(line, "title:"))
    take_text(&r->title, g_strstrip(line + strlen("title:")));
  else if (g_str_has_prefix(line, "help:"))
    take_text(&r->help, g_strstrip(line + strlen("help:")));
  else if (g_str_has_prefix(line, "param:"))
    return take_param(r, line + strlen("param:"));
  return NULL;
}

static Error *read_head(Rule *r)
{
  g_auto(GStrv) lines = g_strsplit(r->text, "\n", -1);
  for (unsigned i = 0; lines[i]; i++) {
    char *line = g_strstrip(lines[i]);
    if (!g_str_has_prefix(line, "--")) break;
    const char *wrong = take_line(r, g_strstrip(line + 2));
    if (wrong) return bad_head(r, i + 1, wrong);
  }
  if (!r->title) return bad_head(r, 1, "it has no line \"-- title: ...\"");
  if (!r->help) r->help = g_strdup("");
  return NULL;
}

/* -------------------------------------------------------------------- finding */

static char *stem_of(const char *path)
{
  char *name = g_path_get_basename(path);
  if (g_str_has_suffix(name, SUFFIX)) name[strlen(name) - strlen(SUFFIX)] = '\0';
  return name;
}

bool rule_is_file(const char *name)
{
  return g_str_has_suffix(name, SUFFIX) && strlen(name) > strlen(SUFFIX);
}

/* A folder of profiles, and `rules` beside it. */
static GPtrArray *rule_folders(const ProfileSearch *search)
{
  GPtrArray *out = g_ptr_array_new_with_free_func((GDestroyNotify)search_folder_free);
  g_autoptr(GPtrArray) folders = profile_folders(search);
  for (guint i = 0; i < folders->len; i++) {
    const SearchFolder *f = folders->pdata[i];
    g_autofree char *parent = g_path_get_dirname(f->path);
    g_ptr_array_add(out, search_folder_new(g_strdup(f->path), f->origin));
    g_ptr_array_add(out, search_folder_new(g_build_filename(parent, "rules", NULL), f->origin));
  }
  return out;
}

static char *find_file(const char *name, const ProfileSearch *search)
{
  if (strchr(name, '/')) return g_strdup(name);
  g_autoptr(GPtrArray) folders = rule_folders(search);
  g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
  for (guint i = 0; i < folders->len; i++) {
    char *path = g_build_filename(((SearchFolder *)folders->pdata[i])->path, file, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) return path;
    g_free(path);
  }
  return NULL;
}

static Error *unknown_rule(const char *name, const ProfileSearch *search)
{
  g_autofree char *safe = printable(name);
  g_autoptr(GPtrArray) all = rule_list(search);
  Error *e = error_new(EXIT_PROFILE, "PRF-22", "unknown rule \"%s\"", safe);
  named_suggest(e, name, all);
  return error_help(e, "stagemill list rules    shows what is found, and where");
}

static Error *unreadable(const char *path, Error *why)
{
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_PROFILE, "PRF-22", "cannot read the rule \"%s\"", safe);
  if (why && why->why && why->why->len) error_why(e, "%s", (const char *)why->why->pdata[0]);
  error_free(why);
  return e;
}

Error *rule_load(const char *name, const ProfileSearch *search, Rule **out)
{
  Error *e = NULL;
  *out = NULL;
  g_autofree char *path = find_file(name, search);
  if (!path) return unknown_rule(name, search);
  g_autoptr(Rule) r = g_new0(Rule, 1);
  r->params = g_ptr_array_new_with_free_func(param_clear);
  r->file = g_strdup(path);
  r->name = stem_of(path);
  r->text = profile_read(path, &r->len, &e);
  if (!r->text) return unreadable(path, e);
  if (strlen(r->text) != r->len) return bad_head(r, 1, "it has a byte that is 0");
  e = read_head(r);
  if (!e) *out = g_steal_pointer(&r);
  return e;
}

Error *rule_set(Rule *r, const char *param, const char *text, const char *origin)
{
  double value;
  g_autofree char *safe = printable(text);
  RuleParam *p = named_find(r->params, param);
  if (!p) {
    g_autofree char *name = printable(param);
    Error *e =
        error_new(EXIT_USAGE, "PRF-23", "the rule \"%s\" has no parameter \"%s\"", r->name, name);
    named_suggest(e, param, r->params);
    return error_help(e, "stagemill show %s    lists its parameters", r->name);
  }
  if (!num_real(text, strlen(text), &value) || value < p->min || value > p->max) {
    Error *e =
        error_new(EXIT_USAGE, "PRF-23", "\"%s\" is not a value of %s.%s", safe, r->name, p->name);
    return error_help(e, "give a number from %g to %g", p->min, p->max);
  }
  p->value = value;
  text_replace(&p->text, g_strdup(text));
  text_replace(&p->origin, g_strdup(origin));
  return NULL;
}

/* ----------------------------------------------------------------------- list */

static void found_free(gpointer data)
{
  RuleFound *f = data;
  g_free(f->name);
  g_free(f->path);
  g_free(f->title);
  g_free(f);
}

static char *title_of(const char *path)
{
  Rule *r = NULL;
  g_autoptr(Error) e = rule_load(path, NULL, &r);
  char *title = g_strdup(r ? r->title : "(cannot be read)");
  rule_free(r);
  return title;
}

static void list_folder(const SearchFolder *folder, GHashTable *names, GPtrArray *out)
{
  g_autoptr(GPtrArray) files = folder_names(folder->path);
  for (guint i = 0; files && i < files->len; i++) {
    const char *file = files->pdata[i];
    if (!g_str_has_suffix(file, SUFFIX) || *file == '.') continue;
    RuleFound *found = g_new(RuleFound, 1);
    found->name = stem_of(file);
    found->path = g_build_filename(folder->path, file, NULL);
    found->title = title_of(found->path);
    found->origin = folder->origin;
    found->shadowed = !g_hash_table_add(names, found->name);
    g_ptr_array_add(out, found);
  }
}

static int by_name(const void *a, const void *b)
{
  return strcmp((*(RuleFound *const *)a)->name, (*(RuleFound *const *)b)->name);
}

GPtrArray *rule_list(const ProfileSearch *search)
{
  GPtrArray *out = g_ptr_array_new_with_free_func(found_free);
  g_autoptr(GPtrArray) folders = rule_folders(search);
  g_autoptr(GHashTable) names = g_hash_table_new(hash_text, g_str_equal);
  for (guint i = 0; i < folders->len; i++) list_folder(folders->pdata[i], names, out);
  g_ptr_array_sort(out, by_name);
  return out;
}
