/* FLEX has its arguments under attr, where no viewer looks: they are written as args. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/event.h"

static Member *find(const EventWriter *w, int field)
{
  for (guint i = 0; i < w->members->len; i++) {
    Member *m = &g_array_index(w->members, Member, i);
    if (m->field == field) return m;
  }
  return NULL;
}

static bool has_key(EventWriter *w, const Member *object, const Member *wanted)
{
  size_t len, wanted_len;
  const char *text = event_key_text(w, wanted, &wanted_len);
  g_autofree char *key = g_strndup(text, wanted_len);
  for (unsigned i = 0; i < object->n_inner; i++) {
    text = event_key_text(w, args_at(w, object, i), &len);
    if (len == wanted_len && !memcmp(text, key, len)) return true;
  }
  return false;
}

/* Their bytes at the end of `joined`: for now, key and value count from its start. */
static void add_member(EventWriter *w, Member m)
{
  GString *out = w->joined;
  if (out->len > 1) g_string_append_c(out, ',');
  g_string_append_c(out, '"');
  size_t key = out->len;
  g_string_append_len(out, m.key, (gssize)m.key_len);
  g_string_append(out, "\":");
  size_t value = out->len;
  g_string_append_len(out, m.value, (gssize)m.value_len);
  m.key = (const char *)key;
  m.value = (const char *)value;
  g_array_append_val(w->arguments, m);
}

/* The members of both as those of attr. */
static void join(EventWriter *w, const Member *args, Member *attr)
{
  unsigned first = w->arguments->len;
  g_string_assign(w->joined, "{");
  for (unsigned i = 0; i < args->n_inner; i++)
    if (!has_key(w, attr, args_at(w, args, i))) add_member(w, *args_at(w, args, i));
  for (unsigned i = 0; i < attr->n_inner; i++) add_member(w, *args_at(w, attr, i));
  g_string_append_c(w->joined, '}');
  for (unsigned i = first; i < w->arguments->len; i++) {
    Member *m = &g_array_index(w->arguments, Member, i);
    m->key = w->joined->str + (size_t)m->key;
    m->value = w->joined->str + (size_t)m->value;
  }
  attr->value = w->joined->str;
  attr->value_len = w->joined->len;
  attr->first_inner = first;
  attr->n_inner = w->arguments->len - first;
}

static void remove_all(EventWriter *w, int field)
{
  for (guint i = w->members->len; i-- > 0;)
    if (g_array_index(w->members, Member, i).field == field) g_array_remove_index(w->members, i);
}

/* Arguments that are neither an object nor null stay, and so does attr beside them. */
void flex_fold(EventWriter *w, int args_field, int attr_field)
{
  Member *attr = find(w, attr_field), *args = find(w, args_field);
  if (!attr || *attr->value != '{') return;
  if (args && *args->value != '{' && *args->value != 'n') return;
  if (args && args->n_inner) join(w, args, attr);
  Member folded = *attr;
  remove_all(w, args_field);
  attr = find(w, attr_field);
  folded.key = "args";
  folded.key_len = 4;
  folded.key_escaped = false;
  folded.field = args_field;
  *attr = folded;
  w->has_args = true;
}
