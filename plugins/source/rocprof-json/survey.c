/* A first pass for names: a document may have them after the records that they belong to.
 *
 * It begins where records are met before all names are known, and reads the file once more from its start.  What comes
 * through a pipe is read once: then kernels and operations have their numbers for names. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/read/input.h"
#include "rocprof-json.h"

static void free_names(gpointer p)
{
  names_clear(p);
  g_free(p);
}

static bool take_process(Source *s, GPtrArray *all)
{
  Window *w = &s->window;
  bool first = true;
  Names *n = g_new(Names, 1);
  names_init(n);
  g_ptr_array_add(all, n);
  if (!window_open(w, '{')) return false;
  while (window_key(w, &first)) {
    bool known;
    g_autofree char *member = g_strdup(w->key->str);
    if (!names_take(s, n, member, &known) || (!known && !roc_pass(w))) return false;
  }
  return w->status == 0;
}

static bool take_processes(Source *s, GPtrArray *all)
{
  Window *w = &s->window;
  bool first = true;
  if (window_peek(w) != '[') return roc_pass(w);
  if (!window_open(w, '[')) return false;
  while (window_element(w, &first))
    if (!(window_peek(w) == '{' ? take_process(s, all) : roc_pass(w))) return false;
  return w->status == 0;
}

/* What cannot be read ends it silently: the pass that gives events says so. */
static void read_all(Source *survey, GPtrArray *all)
{
  Window *w = &survey->window;
  bool first = true;
  if (!window_open(w, '{')) return;
  while (window_key(w, &first)) {
    bool is_tool = !strcmp(w->key->str, "rocprofiler-sdk-tool");
    if (!(is_tool ? take_processes(survey, all) : roc_pass(w))) return;
  }
}

int survey_names(Source *s)
{
  MillLane lane;
  const char *why = NULL;
  s->is_surveyed = true;
  if (!input_can_read_again(s->common, &lane)) return 0;
  Source survey = { .host = s->host, .common = s->common, .scratch = g_string_new(NULL) };
  window_init(&survey.window, s->host, &roc_window_notices);
  survey.window.is_quiet = true;
  s->surveyed = g_ptr_array_new_with_free_func(free_names);
  if (!s->host->enter(s->host, lane.path, &why)) read_all(&survey, s->surveyed);
  window_clear(&survey.window);
  g_string_free(survey.scratch, TRUE);
  if (input_go_back(s->host, lane.path, s->window.n_read)) return 0;
  return input_fail(s->common, roc_notices, ROC_CHANGED, MILL_BAD_INPUT, NULL, NULL, NULL);
}
