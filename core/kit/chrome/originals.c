/* What ids and names were before ranks were merged: kept in arguments, so that nothing is lost, and taken from
 * there when a merged trace is merged again. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/event.h"
#include "kit/chrome/rows.h"

#include "base/num.h"
#include "base/scan.h"

/* Producers spell the second in two ways. */
bool originals_is_correlation(const char *key, size_t len)
{
  if (len != 11) return false;
  return !memcmp(key, "correlation", 11) || !memcmp(key, "External id", 11) ||
         !memcmp(key, "external id", 11);
}

static bool is_key(const Member *m, const char *key)
{
  return m->key_len == strlen(key) && !memcmp(m->key, key, m->key_len);
}

static void add(EventWriter *w, const Member *m)
{
  Original o = { m->key, m->key_len, m->value, m->value_len, false };
  g_array_append_val(w->originals, o);
}

static bool changes(const EventWriter *w, const Member *m)
{
  uint64_t id;
  if (ranks_read_id(m->value, m->value_len, &id)) return !ranks_keeps_id(w->view.place, id);
  return *m->value == '"' || *m->value == '{';
}

/* A correlation that is negative stands for "none" and is not an id. */
static bool is_changed_argument(EventWriter *w, const Member *m)
{
  if (w->is_thread_name && is_key(m, "name")) return *m->value == '"';
  return originals_is_correlation(m->key, m->key_len) && is_digit(*m->value) && changes(w, m) &&
         !args_change_of(w, m);
}

static void take_told(EventWriter *w, const Member *m)
{
  const size_t word = sizeof(ORIGINAL) - 1;
  for (guint i = 0; i < w->originals->len; i++) {
    Original *o = &g_array_index(w->originals, Original, i);
    if (o->key_len != m->key_len - word || memcmp(o->key, m->key + word, o->key_len) != 0) continue;
    o->value = m->value;
    o->value_len = m->value_len;
    o->told = true;
  }
}

typedef void (*Visit)(EventWriter *w, const Member *m);

static void visit_arguments(EventWriter *w, Visit visit)
{
  for (guint i = 0; i < w->members->len; i++) {
    const Member *args = &g_array_index(w->members, Member, i);
    if (!args->n_inner || !is_key(args, w->has_args ? "args" : "attr")) continue;
    for (unsigned k = 0; k < args->n_inner; k++) visit(w, args_at(w, args, k));
  }
}

static void add_argument(EventWriter *w, const Member *m)
{
  if (is_changed_argument(w, m)) add(w, m);
}

static void look_for_told(EventWriter *w, const Member *m)
{
  const size_t word = sizeof(ORIGINAL) - 1;
  if (m->key_len > word && !memcmp(m->key, ORIGINAL, word)) take_told(w, m);
}

void originals_collect(EventWriter *w, const MillEvent *e)
{
  g_array_set_size(w->originals, 0);
  if (!w->view.rename) return;
  for (guint i = 0; i < w->members->len; i++) {
    const Member *m = &g_array_index(w->members, Member, i);
    if (!m->is_id) continue;
    bool changed_by_stage = (e->dirty & MILL_DIRTY_ID) && !is_key(m, "bind_id");
    if (!changed_by_stage && changes(w, m)) add(w, m);
  }
  visit_arguments(w, add_argument);
  if (w->originals->len) visit_arguments(w, look_for_told);
}

Member originals_value(const EventWriter *w, const Member *m)
{
  Member now = *m;
  for (guint i = 0; i < w->originals->len; i++) {
    const Original *o = &g_array_index(w->originals, Original, i);
    if (o->key_len != m->key_len || memcmp(o->key, m->key, o->key_len) != 0 || !o->told) continue;
    now.value = o->value;
    now.value_len = o->value_len;
  }
  return now;
}

bool originals_told(const EventWriter *w, const char *key)
{
  for (guint i = 0; i < w->originals->len; i++) {
    const Original *o = &g_array_index(w->originals, Original, i);
    if (o->told && o->key_len == strlen(key) && !memcmp(o->key, key, o->key_len)) return true;
  }
  return false;
}

bool originals_any(const EventWriter *w)
{
  for (guint i = 0; i < w->originals->len; i++)
    if (!g_array_index(w->originals, Original, i).told) return true;
  return false;
}

void originals_put(EventWriter *w, bool *first)
{
  for (guint i = 0; i < w->originals->len; i++) {
    Original *o = &g_array_index(w->originals, Original, i);
    if (o->told) continue;
    if (!*first) text_char(w->text, ',');
    *first = false;
    text_literal(w->text, "\"" ORIGINAL);
    text_put(w->text, o->key, o->key_len);
    text_literal(w->text, "\":");
    text_put(w->text, o->value, o->value_len);
    o->told = true;
  }
}
