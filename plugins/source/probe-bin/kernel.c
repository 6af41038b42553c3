/* Which kernel a trace is of: the log beside it names each launch's function, and the file that it was saved to. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe-bin.h"

typedef struct Line {
  const char *at, *end;
} Line;

/* The next word; empty at the end of the line. */
static Line next_word(Line *rest)
{
  while (rest->at < rest->end && g_ascii_isspace(*rest->at)) rest->at++;
  Line word = { rest->at, rest->at };
  while (word.end < rest->end && !g_ascii_isspace(*word.end)) word.end++;
  rest->at = word.end;
  return word;
}

static bool is_word(Line word, const char *text)
{
  size_t len = strlen(text);
  return (size_t)(word.end - word.at) == len && !memcmp(word.at, text, len);
}

static char *text_of(Line word) { return g_strndup(word.at, (gsize)(word.end - word.at)); }

/* "[probe] finish POINTER name NAME n_param N": a name may have blanks in it. */
static void take_name(GTree *names, Line rest)
{
  Line pointer = next_word(&rest);
  if (!is_word(next_word(&rest), "name")) return;
  while (rest.at < rest.end && *rest.at == ' ') rest.at++;
  const char *last = g_strrstr_len(rest.at, rest.end - rest.at, " n_param ");
  if (!last || last == rest.at) return;
  g_tree_replace(names, text_of(pointer), g_utf8_make_valid(rest.at, last - rest.at));
}

/* "[exec] save PATH size N" of that file. */
static bool saves(Line rest, const char *file)
{
  size_t len = strlen(file);
  Line path = next_word(&rest);
  if ((size_t)(path.end - path.at) < len || memcmp(path.end - len, file, len) != 0) return false;
  return (size_t)(path.end - path.at) == len || path.end[-(ptrdiff_t)len - 1] == '/';
}

static gint compare_texts(gconstpointer a, gconstpointer b, gpointer data)
{
  (void)data;
  return strcmp(a, b);
}

char *kernel_of(const char *log, size_t len, const char *file)
{
  g_autoptr(GTree) names = g_tree_new_full(compare_texts, NULL, g_free, g_free);
  g_autofree char *pointer = NULL; /* of the launch at hand */
  for (const char *at = log, *end; at < log + len; at = end + 1) {
    end = memchr(at, '\n', (size_t)(log + len - at));
    if (!end) end = log + len;
    Line rest = { at, end };
    Line kind = next_word(&rest), what = next_word(&rest);
    if ((is_word(kind, "[probe]") || is_word(kind, "[jit]")) && is_word(what, "finish"))
      take_name(names, rest);
    if (!is_word(kind, "[exec]")) continue;
    if (is_word(what, "funcmap-find")) {
      g_free(pointer);
      pointer = text_of(next_word(&rest));
    }
    if (pointer && is_word(what, "save") && saves(rest, file))
      return g_strdup(g_tree_lookup(names, pointer));
  }
  return NULL;
}
