/* What a stage sees of a batch under --verify; see verify-view.h. */
/* SPDX-License-Identifier: MIT */
#include "host/verify-view.h"

#include <string.h>

#include "base/guard.h"

/* ------------------------------------------------------------------- hiding */

static const MillAttr hidden_row = { .key = 0, .type = MILL_NONE, .u.i = INT64_MIN + 1 };

static bool is_hidden(const MillAttr *a) { return !memcmp(a, &hidden_row, sizeof *a); }

/* What stages set is there for all, whoever asks. */
static bool is_asked_for(const Instance *i, const MillAttr *a)
{
  if (!i->asked || a->type & MILL_ATTR_SET) return true;
  size_t len;
  const char *key = symbols_text(i->env->symbols, a->key, &len);
  for (guint k = 0; k < i->asked->len; k++) {
    const char *name = g_array_index(i->asked, MillRead, k).name;
    if (!strcmp(name, "*") || !strcmp(name, key)) return true;
  }
  return false;
}

static void hide_rows(View *v, const Instance *i, Batch *b, uint32_t from, uint32_t n)
{
  MillAttr *attrs = b->pub.attrs_;
  for (uint32_t k = from; k < from + n; k++) {
    if (is_asked_for(i, &attrs[k])) continue;
    if (k >= v->hidden->len) g_array_set_size(v->hidden, k + 1);
    g_array_index(v->hidden, MillAttr, k) = attrs[k];
    attrs[k] = hidden_row;
  }
}

static void reveal_rows(const View *v, Batch *b, uint32_t from, uint32_t n)
{
  uint32_t end = MIN(MIN(from + n, b->pub.n_attrs), v->hidden->len);
  for (uint32_t k = from; k < end; k++)
    if (is_hidden(&b->pub.attrs[k])) b->pub.attrs_[k] = g_array_index(v->hidden, MillAttr, k);
}

void view_reveal(const View *v, Batch *b, const MillEvent *e)
{
  reveal_rows(v, b, e->attrs, e->n_attrs);
}

void view_hide(View *v, const Instance *i, Batch *b, const MillEvent *e)
{
  if (e->n_attrs) hide_rows(v, i, b, e->attrs, e->n_attrs);
}

void view_reveal_all(const View *v, Batch *b) { reveal_rows(v, b, 0, b->pub.n_attrs); }

/* ------------------------------------------------------------------- copies */

static void *copy(const void *rows, size_t bytes)
{
  void *to = guard_new(bytes);
  if (!to) g_error("failed to allocate %zu bytes", bytes);
  if (bytes) memcpy(to, rows, bytes);
  return to;
}

void view_begin(View *v, const Instance *i, Batch *b)
{
  MillBatch *p = &b->pub;
  *v = (View){ .own_events = p->events_,
               .own_attrs = p->attrs_,
               .n_events = p->n_events,
               .n_attrs = p->n_attrs,
               .hidden = g_array_new(FALSE, TRUE, sizeof(MillAttr)) };
  p->events_ = v->events = copy(p->events, p->n_events * sizeof *p->events);
  p->attrs_ = v->attrs = copy(p->attrs, p->n_attrs * sizeof *p->attrs);
  hide_rows(v, i, b, 0, p->n_attrs);
}

void view_leave_attrs(View *v, Batch *b)
{
  if (!v->attrs) return;
  if (v->n_attrs) memcpy(v->own_attrs, v->attrs, v->n_attrs * sizeof *v->attrs);
  guard_free(v->attrs, v->n_attrs * sizeof *v->attrs);
  v->attrs = NULL;
  b->pub.attrs_ = v->own_attrs;
}

void view_end(View *v, Batch *b)
{
  view_leave_attrs(v, b);
  if (v->n_events) memcpy(v->own_events, v->events, v->n_events * sizeof *v->events);
  guard_free(v->events, v->n_events * sizeof *v->events);
  b->pub.events_ = v->own_events;
  g_array_unref(v->hidden);
}
