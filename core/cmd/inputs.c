/* Inputs as the command line names them: files, folders, patterns, lists, labels and tags. */
#include "cmd/inputs.h"

#include <stdbool.h>
#include <string.h>

#include "base/folder.h"
#include "base/num.h"
#include "base/suggest.h"
#include "model/shown.h"
#include "sched/run.h"

#define RANK "{rank}"

typedef struct Expand {
  GPtrArray *specs;
  const char *label; /* of the word at hand */
  GPtrArray *tags;   /* char *, or NULL */
  bool in_list;      /* inside @FILE: no further lists */
} Expand;

static Error *expand_word(Expand *x, const char *word);

static bool exists(const char *path) { return g_file_test(path, G_FILE_TEST_EXISTS); }

static bool is_folder(const char *path)
{
  return strcmp(path, "-") && g_file_test(path, G_FILE_TEST_IS_DIR);
}

static void add_spec(Expand *x, const char *path, int64_t rank)
{
  InputSpec *s = input_spec_new(path);
  s->rank = rank;
  s->folder = is_folder(path);
  if (x->label) {
    g_free(s->label);
    s->label = g_strdup(x->label);
  }
  if (x->tags) s->tags = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; x->tags && i < x->tags->len; i++)
    g_ptr_array_add(s->tags, g_strdup(x->tags->pdata[i]));
  g_ptr_array_add(x->specs, s);
}

/* Names in a folder without hidden ones, sorted; NULL with errno when it cannot be read. */
static GPtrArray *names_in(const char *folder)
{
  GPtrArray *names = folder_names(folder);
  for (guint i = names ? names->len : 0; i > 0; i--)
    if (*(const char *)names->pdata[i - 1] == '.') g_ptr_array_remove_index(names, i - 1);
  return names;
}

/* ------------------------------------------------------------------ patterns */

static bool is_pattern(const char *text) { return strpbrk(text, "*?[") || strstr(text, RANK); }

/* A bracket expression as a regular expression; the first byte behind it, NULL if it does not
 * end. */
static const char *add_bracket(GString *regex, const char *p)
{
  const char *body = p + 1;
  bool negated = *body == '!' || *body == '^';
  if (negated) body++;
  const char *end = *body ? strchr(body + 1, ']') : NULL;
  if (!end) return NULL;
  g_string_append(regex, negated ? "[^" : "[");
  for (const char *c = body; c < end; c++) {
    if (strchr("\\[]^", *c)) g_string_append_c(regex, '\\');
    g_string_append_c(regex, *c);
  }
  g_string_append_c(regex, ']');
  return end + 1;
}

/* One component of a path; the rank is group 1, and the same wherever it stands again. */
static GRegex *component_regex(const char *pattern)
{
  g_autoptr(GString) regex = g_string_new("^");
  bool ranked = false;
  for (const char *p = pattern; *p;) {
    const char *next = *p == '[' ? add_bracket(regex, p) : NULL;
    if (next) {
      p = next;
    } else if (g_str_has_prefix(p, RANK)) {
      g_string_append(regex, ranked ? "\\1" : "([0-9]{1,18})");
      ranked = true;
      p += strlen(RANK);
    } else {
      char c[2] = { *p++, 0 };
      g_autofree char *plain = g_regex_escape_string(c, 1);
      g_string_append(regex, *c == '*' ? ".*" : *c == '?' ? "." : plain);
    }
  }
  g_string_append(regex, "$");
  return g_regex_new(regex->str, G_REGEX_RAW | G_REGEX_DOTALL, 0, NULL);
}

typedef struct Match {
  char *path;
  int64_t rank;
} Match;

static void match_clear(gpointer data) { g_free(((Match *)data)->path); }

static void match_component(GArray *out, const Match *base, const GRegex *regex)
{
  g_autoptr(GPtrArray) names = names_in(*base->path ? base->path : ".");
  for (guint i = 0; names && i < names->len; i++) {
    g_autoptr(GMatchInfo) info = NULL;
    int64_t rank = base->rank;
    if (!g_regex_match(regex, names->pdata[i], 0, &info)) continue;
    g_autofree char *digits = g_match_info_fetch(info, 1);
    if (digits && *digits) {
      int64_t value;
      if (!num_int(digits, strlen(digits), &value)) continue;
      if (rank >= 0 && rank != value) continue; /* {rank} twice means the same rank */
      rank = value;
    }
    Match m = { g_build_filename(base->path, names->pdata[i], NULL), rank };
    g_array_append_val(out, m);
  }
}

/* All paths that the pattern describes, component by component. */
static GArray *match_pattern(const char *pattern)
{
  g_auto(GStrv) parts = g_strsplit(pattern, "/", -1);
  GArray *bases = g_array_new(FALSE, FALSE, sizeof(Match));
  g_array_set_clear_func(bases, match_clear);
  Match root = { g_strdup(*pattern == '/' ? "/" : ""), -1 };
  g_array_append_val(bases, root);
  for (char **part = parts; *part; part++) {
    if (!**part) continue;
    g_autoptr(GRegex) regex = is_pattern(*part) ? component_regex(*part) : NULL;
    GArray *next = g_array_new(FALSE, FALSE, sizeof(Match));
    g_array_set_clear_func(next, match_clear);
    for (guint i = 0; i < bases->len; i++) {
      const Match *base = &g_array_index(bases, Match, i);
      if (regex) {
        match_component(next, base, regex);
        continue;
      }
      Match m = { g_build_filename(base->path, *part, NULL), base->rank };
      if (exists(m.path))
        g_array_append_val(next, m);
      else
        g_free(m.path);
    }
    g_array_unref(bases);
    bases = next;
  }
  return bases;
}

/* By rank, then by name; without {rank} all ranks are -1. */
static int by_rank(const void *a, const void *b)
{
  const Match *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  return strcmp(x->path, y->path);
}

static Error *expand_pattern(Expand *x, const char *pattern)
{
  g_autoptr(GArray) found = match_pattern(pattern);
  guint before = x->specs->len;
  if (found->len) qsort(found->data, found->len, sizeof(Match), by_rank);
  for (guint i = 0; i < found->len; i++) {
    const Match *m = &g_array_index(found, Match, i);
    if (exists(m->path)) add_spec(x, m->path, m->rank);
  }
  if (x->specs->len > before) return NULL;
  g_autofree char *safe = shown(pattern);
  Error *e = error_new(EXIT_INPUT, "RUN-91", "no file matches \"%s\"", safe);
  return error_help(e, "* and ? stand for parts of one name, {rank} for the digits of a rank");
}

/* ----------------------------------------------------------- labels and tags */

static bool is_word(const char *text, size_t len)
{
  for (size_t i = 0; i < len; i++)
    if (!g_ascii_isalnum(text[i]) && !strchr("_.-", text[i])) return false;
  return len > 0;
}

/* "name=value,name=value": no slash, no second equals sign in a value. */
static GPtrArray *parse_tags(const char *text, size_t len)
{
  g_autofree char *copy = g_strndup(text, len);
  g_auto(GStrv) parts = g_strsplit(copy, ",", -1);
  GPtrArray *tags = g_ptr_array_new_with_free_func(g_free);
  for (char **p = parts; *p; p++) {
    const char *equals = strchr(*p, '=');
    if (equals && is_word(*p, (size_t)(equals - *p)) && equals[1] && !strpbrk(equals + 1, "=/")) {
      g_ptr_array_add(tags, g_strdup(*p));
      continue;
    }
    g_ptr_array_unref(tags);
    return NULL;
  }
  if (tags->len) return tags;
  g_ptr_array_unref(tags);
  return NULL;
}

/* tag=value,...:PATH; *out_known: that was its form. */
static Error *expand_tagged(Expand *x, const char *word, bool *out_known)
{
  const char *colon = strchr(word, ':');
  g_autoptr(GPtrArray) tags =
      colon && colon[1] && !x->tags ? parse_tags(word, (size_t)(colon - word)) : NULL;
  *out_known = tags != NULL;
  if (!tags) return NULL;
  x->tags = tags;
  Error *e = expand_word(x, colon + 1);
  x->tags = NULL;
  return e;
}

static Error *expand_labelled(Expand *x, const char *word, bool *out_known)
{
  const char *equals = strchr(word, '=');
  *out_known = equals && equals[1] && !x->label && is_word(word, (size_t)(equals - word));
  if (!*out_known) return NULL;
  g_autofree char *label = g_strndup(word, (size_t)(equals - word));
  x->label = label;
  Error *e = expand_word(x, equals + 1);
  x->label = NULL;
  return e;
}

/* -------------------------------------------------------------------- lists */

static Error *expand_list(Expand *x, const char *path)
{
  g_autofree char *text = NULL, *safe = shown(path);
  g_autoptr(GError) why = NULL;
  if (!g_file_get_contents(path, &text, NULL, &why))
    return error_why(
        error_new(EXIT_INPUT, "RUN-91", "the list of files \"%s\" cannot be read", safe), "%s",
        why->message);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  Error *errors = NULL;
  x->in_list = true;
  for (char **line = lines; *line; line++) {
    g_strstrip(*line);
    if (**line && **line != '#') errors = error_join(errors, expand_word(x, *line));
  }
  x->in_list = false;
  return errors;
}

/* --------------------------------------------------------------------- words */

static Error *missing(const char *path)
{
  g_autofree char *safe = shown(path), *folder = g_path_get_dirname(path),
                  *name = g_path_get_basename(path);
  Error *e = error_new(EXIT_INPUT, "RUN-91", "there is no file \"%s\"", safe);
  g_autoptr(GPtrArray) names = names_in(folder);
  if (names) {
    g_ptr_array_add(names, NULL);
    const char *near = suggest_nearest(name, (const char *const *)names->pdata);
    g_autofree char *shown_near = near ? shown(near) : NULL;
    if (near) error_help(e, "did you mean \"%s\"?", shown_near);
  } else {
    g_autofree char *safe_folder = shown(folder);
    error_help(e, "the folder \"%s\" does not exist or cannot be read", safe_folder);
  }
  return error_help(e,
                    "inputs are files, folders, - for standard input, 'patterns*.json' and @LIST");
}

static Error *expand_word(Expand *x, const char *word)
{
  bool known;
  if (!strcmp(word, "-") || exists(word)) {
    add_spec(x, word, -1);
    return NULL;
  }
  if (*word == '@' && word[1] && !x->in_list) return expand_list(x, word + 1);
  Error *e = expand_tagged(x, word, &known);
  if (known) return e;
  e = expand_labelled(x, word, &known);
  if (known) return e;
  return is_pattern(word) ? expand_pattern(x, word) : missing(word);
}

Error *inputs_expand(const GPtrArray *words, GPtrArray **out_specs)
{
  Expand x = { .specs = g_ptr_array_new_with_free_func((GDestroyNotify)input_spec_free) };
  Error *errors = NULL;
  for (guint i = 0; i < words->len; i++)
    errors = error_join(errors, expand_word(&x, words->pdata[i]));
  guint standard = 0;
  for (guint i = 0; i < x.specs->len; i++)
    standard += !strcmp(((InputSpec *)x.specs->pdata[i])->path, "-");
  if (standard > 1)
    errors =
        error_join(errors, error_new(EXIT_INPUT, "RUN-91", "standard input (-) is named twice"));
  if (!errors && !x.specs->len) errors = error_new(EXIT_INPUT, "RUN-91", "the lists name no file");
  if (!errors) {
    *out_specs = x.specs;
    return NULL;
  }
  g_ptr_array_unref(x.specs);
  return errors;
}

char *inputs_stem(const char *word, const GPtrArray *specs)
{
  static const char *const suffixes[] = { ".gz", ".zst", ".json", NULL };
  bool folder = is_folder(word);
  const char *path = folder ? word : ((InputSpec *)specs->pdata[0])->path;
  if (!strcmp(path, "-")) return g_strdup("stdin");
  g_autofree char *whole = folder ? g_canonicalize_filename(path, NULL) : g_strdup(path);
  char *stem = g_path_get_basename(whole);
  for (const char *const *s = suffixes; *s && !folder; s++)
    if (g_str_has_suffix(stem, *s) && strlen(stem) > strlen(*s))
      stem[strlen(stem) - strlen(*s)] = '\0';
  return stem;
}
