/* Inputs as the command line names them: files, folders, patterns, lists, labels and tags. */
/* SPDX-License-Identifier: MIT */
#include "input/input-words.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/num.h"
#include "base/stream.h"
#include "base/suggest.h"
#include "input/input.h"
#include "input/patterns.h"
#include "model/printable.h"

#define MAX_LIST ((size_t)16 << 20)
#define MOST_WRONG 8        /* wrong lines of a list, after which reading it ends */
#define MAX_LINE (16 << 10) /* of a list: path, label and tags */

typedef struct Expand {
  GPtrArray *specs;
  const char *label; /* of the current word */
  GPtrArray *tags;   /* char *, or NULL */
  bool in_list;      /* inside @FILE: lists in lists are refused */
} Expand;

static Error *expand_word(Expand *x, const char *word);

static bool exists(const char *path) { return g_file_test(path, G_FILE_TEST_EXISTS); }

static bool is_folder(const char *path)
{
  return strcmp(path, "-") && g_file_test(path, G_FILE_TEST_IS_DIR);
}

/* "rank=N" is not a tag: it sets the input's rank. */
static bool take_rank(InputSpec *s, const char *pair)
{
  static const char rank[] = "rank=";
  int64_t value;
  if (!g_str_has_prefix(pair, rank)) return false;
  const char *digits = pair + strlen(rank);
  if (!num_int(digits, strlen(digits), &value) || value < 0) return false;
  s->rank = value;
  return true;
}

/* "source=NAME" is not a tag: it names the source that reads the input. */
static void add_tag(InputSpec *s, const char *pair)
{
  if (take_rank(s, pair)) return;
  static const char source[] = "source=";
  if (!g_str_has_prefix(pair, source)) {
    g_ptr_array_add(s->tags, g_strdup(pair));
    return;
  }
  g_free(s->source);
  s->source = g_strdup(pair + strlen(source));
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
  for (guint i = 0; x->tags && i < x->tags->len; i++) add_tag(s, x->tags->pdata[i]);
  g_ptr_array_add(x->specs, s);
}

static Error *expand_pattern(Expand *x, const char *pattern)
{
  g_autoptr(GPtrArray) found = NULL;
  Error *e = patterns_match(pattern, &found);
  for (guint i = 0; !e && i < found->len; i++) {
    const PatternMatch *m = found->pdata[i];
    add_spec(x, m->path, m->rank);
  }
  return e;
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

/* tag=value,...:PATH; *out_known: the word has this form. */
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

/* Why it is not a list; NULL: it is one. */
static const char *why_no_list(const char *text, size_t len)
{
  if (memchr(text, '\0', len)) return "it is not a text file";
  if (len > MAX_LIST) return "it is longer than 16 MiB";
  for (const char *p = text, *end = text + len; p < end; p++) {
    const char *next = memchr(p, '\n', (size_t)(end - p));
    if (!next) next = end;
    if (next - p > MAX_LINE) return "a line of it is longer than 16 KiB";
    p = next;
  }
  return NULL;
}

static Error *read_list(const char *path, char **out)
{
  g_autofree char *text = NULL, *why = NULL, *safe = printable(path);
  Reader *r = reader_open(path, &why);
  int64_t len = -1;
  text = r ? g_try_malloc(MAX_LIST + 2) : NULL;
  if (text) len = reader_read(r, text, MAX_LIST + 1);
  if (r && len < 0) why = g_strdup(text ? reader_why(r) : "there is not enough memory");
  reader_close(r);
  if (len >= 0) why = g_strdup(why_no_list(text, (size_t)len));
  if (why)
    return error_why(
        error_new(EXIT_INPUT, "RUN-91", "the list of files \"%s\" cannot be read", safe), "%s",
        why);
  text[len] = '\0';
  *out = g_steal_pointer(&text);
  return NULL;
}

static Error *no_list(const char *path)
{
  g_autofree char *safe = printable(path);
  Error *e = error_new(EXIT_INPUT, "RUN-91",
                       "\"%s\" names too many missing files; the rest was not checked", safe);
  return error_help(e, "@FILE is a list of inputs; to read the file itself, leave out the @");
}

static Error *expand_list(Expand *x, const char *path)
{
  g_autofree char *text = NULL, *safe = printable(path);
  Error *errors = read_list(path, &text);
  if (errors) return errors;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  int n_wrong = 0;
  x->in_list = true;
  for (char **line = lines; *line && n_wrong < MOST_WRONG; line++) {
    g_strstrip(*line);
    Error *e = **line && **line != '#' ? expand_word(x, *line) : NULL;
    if (e) n_wrong++;
    error_at(e, "in the list \"%s\"", safe);
    errors = error_join(errors, e);
  }
  x->in_list = false;
  return n_wrong < MOST_WRONG ? errors : error_join(errors, no_list(path));
}

/* --------------------------------------------------------------------- words */

static Error *missing(const char *path)
{
  g_autofree char *safe = printable(path), *folder = g_path_get_dirname(path),
                  *name = g_path_get_basename(path);
  struct stat st;
  bool is_link = !lstat(path, &st);
  int why = stat(path, &st) ? errno : 0;
  if (is_link || (why && why != ENOENT && why != ENOTDIR)) {
    Error *e = error_new(EXIT_INPUT, "RUN-91", "there is no file \"%s\"", safe);
    error_why(e, "%s%s", is_link ? "it is a link to a missing file: " : "", g_strerror(why));
    return e;
  }
  Error *e = error_new(EXIT_INPUT, "RUN-91", "there is no file \"%s\"", safe);
  g_autoptr(GPtrArray) names = folder_names(folder);
  if (names) {
    g_ptr_array_add(names, NULL);
    const char *near = suggest_nearest(name, (const char *const *)names->pdata);
    g_autofree char *printable_near = near ? printable(near) : NULL;
    if (near) error_help(e, "did you mean \"%s\"?", printable_near);
  } else {
    g_autofree char *safe_folder = printable(folder);
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
  return patterns_has(word) ? expand_pattern(x, word) : missing(word);
}

static Error *empty_lists(const GPtrArray *words)
{
  Error *e = error_new(EXIT_INPUT, "RUN-91", "the lists name no file");
  for (guint i = 0; i < words->len; i++) error_at(e, "%s", (const char *)words->pdata[i]);
  return e;
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
  if (!errors && !x.specs->len) errors = empty_lists(words);
  if (!errors) {
    *out_specs = x.specs;
    return NULL;
  }
  g_ptr_array_unref(x.specs);
  return errors;
}

Error *inputs_say_how(const GPtrArray *words, const char *how, Error *e)
{
  if (!e || words->len || !how || e->status != EXIT_INPUT) return e;
  g_auto(GStrv) lines = g_strsplit(how, "\n", -1);
  for (char **line = lines; *line; line++) error_help(e, "%s", *line);
  return e;
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
