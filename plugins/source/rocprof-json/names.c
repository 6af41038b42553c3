/* What a process says once: names of kernels, of operations and of markers, and its agents. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num-digits.h"
#include "base/trees.h"
#include "kit/read/json-members.h"
#include "rocprof-json.h"

#define MAX_KINDS 4096u /* of which there are some thirty */
#define MAX_OPERATIONS 65536u
#define PASS_DEPTH 4u

void names_init(Names *n)
{
  *n = (Names){ 0 };
  n->kernels = g_tree_new_full(trees_by_int64, NULL, g_free, NULL);
  n->markers = g_tree_new_full(trees_by_int64, NULL, g_free, NULL);
  n->agents = g_tree_new_full(trees_by_int64, NULL, g_free, g_free);
  n->kinds = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
}

void names_clear(Names *n)
{
  if (!n->kernels) return;
  g_tree_unref(n->kernels);
  g_tree_unref(n->markers);
  g_tree_unref(n->agents);
  g_ptr_array_unref(n->kinds);
  *n = (Names){ 0 };
}

bool names_complete(const Names *n)
{
  return n->has_metadata && n->has_kernels && n->has_strings && n->has_agents;
}

const Names *names_now(const Source *s)
{
  bool known = s->surveyed && s->n_processes && s->n_processes <= s->surveyed->len;
  return known ? s->surveyed->pdata[s->n_processes - 1] : &s->own;
}

/* -------------------------------------------------------------- passing */

bool roc_value(Window *w, JsonToken *out)
{
  w->not_finite = false;
  if (!window_value(w, out)) return false;
  if (w->not_finite && !w->is_quiet) mill_note(w->common, ROC_TEXT);
  return true;
}

static bool pass_deep(Window *w, unsigned depth)
{
  JsonToken t;
  bool first = true;
  int c = window_peek(w);
  if (depth == 0 || (c != '{' && c != '[')) return roc_value(w, &t);
  if (!window_open(w, (char)c)) return false;
  while (c == '{' ? window_key(w, &first) : window_element(w, &first))
    if (!pass_deep(w, c == '{' ? depth - 1 : 0)) return false;
  return w->status == 0;
}

bool roc_pass(Window *w) { return pass_deep(w, PASS_DEPTH); }

bool roc_pass_odd(Source *s, const char *member)
{
  const MillNamed named[] = { { "member", mill_text(member, strlen(member)) } };
  if (!s->window.is_quiet)
    s->common->note(s->common, ROC_ODD, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
  return roc_pass(&s->window);
}

/* -------------------------------------------------------------- finding */

static MillSym find(GTree *table, uint64_t key)
{
  return GPOINTER_TO_UINT(g_tree_lookup(table, &key));
}

MillSym names_kernel(const Names *n, uint64_t id) { return find(n->kernels, id); }
MillSym names_marker(const Names *n, uint64_t correlation) { return find(n->markers, correlation); }

MillSym names_operation(const Names *n, uint64_t kind, uint64_t operation)
{
  if (kind >= n->kinds->len) return 0;
  const GArray *operations = n->kinds->pdata[kind];
  return operation < operations->len ? g_array_index(operations, MillSym, operation) : 0;
}

const Agent *names_agent(const Names *n, uint64_t handle)
{
  return g_tree_lookup(n->agents, &handle);
}

/* -------------------------------------------------------------- reading */

bool roc_number(const JsonToken *t, uint64_t *out)
{
  *out = 0;
  if (t->kind != JSON_NUMBER) return false;
  const char *start = t->start, *end = start + t->len;
  bool minus = *start == '-';
  return digits_scan(start + minus, end, 10, minus ? 0 : UINT64_MAX, out) == end;
}

static MillSym decoded(Source *s, const JsonToken *text)
{
  g_string_truncate(s->scratch, 0);
  json_value_text(text, s->scratch);
  return s->common->intern(s->common, s->scratch->str, s->scratch->len);
}

static void put(GTree *table, uint64_t key, gpointer value)
{
  uint64_t *own = g_new(uint64_t, 1);
  *own = key;
  g_tree_replace(table, own, value);
}

static void take_metadata(Names *n, const JsonToken *object)
{
  static const char *const names[] = { "pid" };
  JsonToken found[1];
  uint64_t pid;
  members_last(object, names, 1, found);
  n->has_pid = roc_number(&found[0], &pid) && pid <= INT64_MAX;
  n->pid = n->has_pid ? (int64_t)pid : 0;
}

/* The name that people write, without arguments that have no meaning for them. */
static void take_kernel(Source *s, Names *n, const JsonToken *object)
{
  static const char *const names[] = { "kernel_id", "formatted_kernel_name",
                                       "demangled_kernel_name", "truncated_kernel_name",
                                       "kernel_name" };
  JsonToken found[5];
  uint64_t id;
  members_last(object, names, 5, found);
  if (!roc_number(&found[0], &id)) return;
  for (int i = 1; i < 5; i++) {
    if (found[i].kind != JSON_STRING || found[i].len <= 2) continue;
    put(n->kernels, id, GUINT_TO_POINTER(decoded(s, &found[i])));
    return;
  }
}

static void take_agent(Source *s, Names *n, const JsonToken *object)
{
  static const char *const names[] = { "id", "type", "node_id", "logical_node_type_id" };
  static const char *const of_id[] = { "handle" };
  enum { TYPE_GPU = 2 };
  JsonToken found[4], handle;
  uint64_t key, type;
  (void)s;
  members_last(object, names, 4, found);
  members_last(&found[0], of_id, 1, &handle);
  if (!roc_number(&handle, &key)) return;
  Agent *a = g_new0(Agent, 1);
  a->is_gpu = roc_number(&found[1], &type) && type == TYPE_GPU;
  if (!roc_number(&found[2], &a->node)) a->node = key;
  if (!roc_number(&found[3], &a->device)) a->device = a->node;
  put(n->agents, key, a);
}

static void take_marker(Source *s, Names *n, const JsonToken *object)
{
  static const char *const names[] = { "key", "value" };
  JsonToken found[2];
  uint64_t key;
  members_last(object, names, 2, found);
  if (!roc_number(&found[0], &key) || found[1].kind != JSON_STRING || found[1].len <= 2) return;
  put(n->markers, key, GUINT_TO_POINTER(decoded(s, &found[1])));
}

static void take_kind(Source *s, Names *n, const JsonToken *object)
{
  static const char *const names[] = { "operations" };
  JsonToken found, operation;
  JsonCursor c;
  GArray *operations = g_array_new(FALSE, FALSE, sizeof(MillSym));
  g_ptr_array_add(n->kinds, operations);
  members_last(object, names, 1, &found);
  if (found.kind != JSON_ARRAY) return;
  members_of(&c, &found);
  while (operations->len < MAX_OPERATIONS && element_next(&c, &operation)) {
    MillSym name = operation.kind == JSON_STRING ? decoded(s, &operation) : 0;
    g_array_append_val(operations, name);
  }
}

static bool each(Source *s, Names *n, const char *member,
                 void (*take)(Source *, Names *, const JsonToken *))
{
  Window *w = &s->window;
  JsonToken element;
  bool first = true;
  if (window_peek(w) != '[') return roc_pass_odd(s, member);
  if (!window_open(w, '[')) return false;
  while (window_element(w, &first)) {
    if (!roc_value(w, &element)) return false;
    if (take == take_kind && n->kinds->len >= MAX_KINDS) continue;
    take(s, n, &element);
  }
  return w->status == 0;
}

static bool take_strings(Source *s, Names *n)
{
  Window *w = &s->window;
  bool first = true;
  if (window_peek(w) != '{') return roc_pass_odd(s, "strings");
  if (!window_open(w, '{')) return false;
  while (window_key(w, &first)) {
    const char *key = w->key->str;
    bool is_kinds = !strcmp(key, "buffer_records");
    if (is_kinds) g_ptr_array_set_size(n->kinds, 0);
    bool read = is_kinds                     ? each(s, n, "buffer_records", take_kind)
                : !strcmp(key, "marker_api") ? each(s, n, "marker_api", take_marker)
                                             : roc_pass(w);
    if (!read) return false;
  }
  return w->status == 0;
}

bool names_take(Source *s, Names *n, const char *member, bool *out_known)
{
  JsonToken object;
  *out_known = true;
  if (!strcmp(member, "strings")) return n->has_strings = true, take_strings(s, n);
  if (!strcmp(member, "agents")) return n->has_agents = true, each(s, n, member, take_agent);
  if (!strcmp(member, "kernel_symbols"))
    return n->has_kernels = true, each(s, n, member, take_kernel);
  if (strcmp(member, "metadata") != 0) return *out_known = false, true;
  if (!roc_value(&s->window, &object)) return false;
  n->has_metadata = true;
  take_metadata(n, &object);
  return true;
}
