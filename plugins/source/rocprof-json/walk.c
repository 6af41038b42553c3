/* From the document to the records of its processes, piece by piece: each call goes on where the batch was full. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/read/input.h"
#include "rocprof-json.h"

typedef enum Turn { TURN_ON, TURN_FULL, TURN_LANE, TURN_FAILED } Turn;

static const struct {
  const char *member;
  ListKind kind;
} lists[] = {
  { "kernel_dispatch", LIST_DISPATCHES },
  { "memory_copy", LIST_COPIES },
  { "hip_api", LIST_RUNTIME },
  { "hip_runtime_api", LIST_RUNTIME },
  { "hip_compiler_api", LIST_RUNTIME },
  { "hsa_api", LIST_DRIVER },
  { "rccl_api", LIST_RCCL },
  { "marker_api", LIST_MARKERS },
};

static Turn enter(Source *s, Section section, char bracket)
{
  if (!window_open(&s->window, bracket)) return TURN_FAILED;
  s->section = section;
  s->first[section] = true;
  return TURN_ON;
}

static Turn turn(bool read) { return read ? TURN_ON : TURN_FAILED; }

/* The container is closed; what is around it goes on. */
static Turn leave(Source *s, Section outer)
{
  if (s->window.status) return TURN_FAILED;
  s->section = outer;
  return TURN_ON;
}

static Turn in_root(Source *s)
{
  Window *w = &s->window;
  if (!window_key(w, &s->first[IN_ROOT])) return leave(s, AT_END);
  if (strcmp(w->key->str, "rocprofiler-sdk-tool") != 0) return turn(roc_pass(w));
  if (window_peek(w) != '[') return turn(roc_pass_odd(s, "rocprofiler-sdk-tool"));
  s->has_tool = true;
  return enter(s, IN_TOOL, '[');
}

/* Lanes of one process each are told apart only where there are several. */
static void tell_process(Source *s)
{
  g_autofree char *tag = g_strdup_printf("process=%" G_GUINT64_FORMAT, s->n_processes - 1);
  input_describe(s->host, "tag", tag);
}

static Turn begin_process(Source *s)
{
  s->next_process = false;
  s->n_processes++;
  names_clear(&s->own);
  names_init(&s->own);
  return enter(s, IN_PROCESS, '{');
}

static Turn in_tool(Source *s)
{
  Window *w = &s->window;
  if (s->next_process) return begin_process(s);
  if (!window_element(w, &s->first[IN_TOOL])) return leave(s, IN_ROOT);
  if (window_peek(w) != '{') return turn(roc_pass_odd(s, "a process"));
  if (s->n_processes == 0) return begin_process(s);
  tell_process(s);
  s->next_process = true;
  return TURN_LANE;
}

static Turn enter_buffers(Source *s)
{
  bool knows = names_complete(&s->own) || s->is_surveyed;
  if (window_peek(&s->window) != '{') return turn(roc_pass_odd(s, "buffer_records"));
  if (!knows) {
    int status = survey_names(s);
    if (status < 0) return s->window.status = status, TURN_FAILED;
  }
  return enter(s, IN_BUFFERS, '{');
}

static Turn in_process(Source *s)
{
  Window *w = &s->window;
  bool known;
  if (!window_key(w, &s->first[IN_PROCESS])) return leave(s, IN_TOOL);
  if (!strcmp(w->key->str, "buffer_records")) return enter_buffers(s);
  g_autofree char *member = g_strdup(w->key->str);
  if (!names_take(s, &s->own, member, &known)) return TURN_FAILED;
  return known ? TURN_ON : turn(roc_pass(w));
}

/* A list that no event is made of; one without elements says nothing. */
static Turn pass_list(Source *s, const char *name)
{
  Window *w = &s->window;
  bool first = true;
  uint64_t n = 0;
  JsonToken t;
  g_autofree char *own = g_strdup(name);
  if (window_peek(w) != '[') return turn(roc_pass_odd(s, own));
  if (!window_open(w, '[')) return TURN_FAILED;
  for (; window_element(w, &first); n++)
    if (!roc_value(w, &t)) return TURN_FAILED;
  if (w->status) return TURN_FAILED;
  const MillNamed named[] = { { "list", mill_text(own, strlen(own)) },
                              { "records", mill_int((int64_t)n) } };
  if (n) s->common->note(s->common, ROC_OTHER, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
  return TURN_ON;
}

static Turn in_buffers(Source *s)
{
  Window *w = &s->window;
  if (!window_key(w, &s->first[IN_BUFFERS])) return leave(s, IN_PROCESS);
  s->list = LIST_OTHER;
  for (size_t i = 0; i < MILL_COUNT(lists); i++)
    if (!strcmp(w->key->str, lists[i].member)) s->list = lists[i].kind;
  if (s->list == LIST_OTHER || window_peek(w) != '[') return pass_list(s, w->key->str);
  return enter(s, IN_LIST, '[');
}

static Turn in_list(Source *s, MillBatch *b)
{
  JsonToken record;
  if (b->n_events == b->max_events) return TURN_FULL;
  if (!window_element(&s->window, &s->first[IN_LIST])) return leave(s, IN_BUFFERS);
  if (!roc_value(&s->window, &record)) return TURN_FAILED;
  return event_add(s, b, &record) ? TURN_ON : TURN_FAILED;
}

static Turn step(Source *s, MillBatch *b)
{
  switch (s->section) {
  case AT_DOCUMENT: return enter(s, IN_ROOT, '{');
  case IN_ROOT: return in_root(s);
  case IN_TOOL: return in_tool(s);
  case IN_PROCESS: return in_process(s);
  case IN_BUFFERS: return in_buffers(s);
  case IN_LIST: return in_list(s, b);
  default: return TURN_FULL;
  }
}

/* Nothing may follow the document. */
static int end_document(Source *s)
{
  Window *w = &s->window;
  if (w->status == 0 && window_peek(w) >= 0) {
    window_fail(w, ROC_NOT_JSON, w->p, NULL, "something follows the document");
    return w->status;
  }
  if (w->status < 0) return w->status;
  if (!s->has_tool)
    return input_fail(s->common, roc_notices, ROC_NO_TOOL, MILL_BAD_INPUT, NULL, NULL, NULL);
  if (s->n_processes > 1) tell_process(s);
  mill_note(s->common, ROC_NO_OPERATORS);
  return MILL_NEXT_END;
}

static int end_early(Source *s)
{
  Window *w = &s->window;
  if (w->status != WINDOW_CUT) return w->status;
  WindowPlace place = window_place(w, w->end);
  const MillNamed named[] = { { "line", mill_int((int64_t)place.line) } };
  s->common->note(s->common, ROC_RECOVERED, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
  s->section = AT_END;
  return end_document(s);
}

int roc_next(void *instance, MillBatch *b)
{
  Source *s = instance;
  while (s->section != AT_END) {
    Turn turn = step(s, b);
    if (turn == TURN_FULL) return MILL_NEXT_MORE;
    if (turn == TURN_LANE) return MILL_NEXT_LANE;
    if (turn == TURN_FAILED) return end_early(s);
  }
  return end_document(s);
}
