/* A first pass for names: a document may have them after the records that they belong to.
 *
 * It begins where records are met before all names are known, and reads the file once more from its start.  What comes
 * through a pipe is read once: then kernels and operations have their numbers for names. */
#include <string.h>
#include <sys/stat.h>

#include "lib/input.h"
#include "rocprof-json.h"

static bool can_read_again(const Source *s, MillLane *out)
{
  struct stat st;
  *out = (MillLane){ .size = sizeof *out };
  s->common->lane(s->common, MILL_NO_LANE, out);
  return out->path && !stat(out->path, &st) && S_ISREG(st.st_mode);
}

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

/* To where the bytes end that were read before. */
static bool go_back(const Source *s, const char *path)
{
  const char *why = NULL;
  uint64_t wanted = s->window.n_read;
  char skipped[4096];
  if (s->host->enter(s->host, path, &why)) return false;
  while (wanted) {
    int64_t n = s->host->read(s->host, skipped, MIN(wanted, sizeof skipped));
    if (n <= 0) return false;
    wanted -= (uint64_t)n;
  }
  return true;
}

int survey_names(Source *s)
{
  MillLane lane;
  const char *why = NULL;
  s->is_surveyed = true;
  if (!can_read_again(s, &lane)) return 0;
  Source survey = { .host = s->host, .common = s->common, .scratch = g_string_new(NULL) };
  window_init(&survey.window, s->host, &roc_window_notices);
  survey.window.is_quiet = true;
  s->surveyed = g_ptr_array_new_with_free_func(free_names);
  if (!s->host->enter(s->host, lane.path, &why)) read_all(&survey, s->surveyed);
  window_clear(&survey.window);
  g_string_free(survey.scratch, TRUE);
  if (go_back(s, lane.path)) return 0;
  return input_fail(s->common, roc_notices, ROC_CHANGED, MILL_BAD_INPUT, NULL, NULL, NULL);
}
