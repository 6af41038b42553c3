/* The sources that inputs may choose from; see sources.h. */
/* SPDX-License-Identifier: MIT */
#include "input/sources.h"

#include <pthread.h>
#include <string.h>

#define SURE 95   /* no other source is asked */
#define LIKELY 50 /* the input is hardly of another kind */

struct Sources {
  Modules *modules;
  const char *named;
  const GPtrArray *allowed;
  GPtrArray *names;   /* char *: of all modules */
  GPtrArray *opened;  /* const Descriptor *: those that may be tried */
  GPtrArray *untried; /* the same for the others */
  guint next_name;
  pthread_mutex_t notices_lock;
  GHashTable *notices; /* Notices * by descriptor */
};

static void notices_free(gpointer data)
{
  notices_clear(data);
  g_free(data);
}

Sources *sources_new(Modules *modules, const char *named, const GPtrArray *allowed)
{
  Sources *s = g_new0(Sources, 1);
  s->modules = modules;
  s->named = named;
  s->allowed = allowed;
  s->names = modules_names(modules);
  s->opened = g_ptr_array_new();
  s->untried = g_ptr_array_new();
  pthread_mutex_init(&s->notices_lock, NULL);
  s->notices = g_hash_table_new_full(NULL, NULL, NULL, notices_free);
  return s;
}

void sources_free(Sources *s)
{
  if (!s) return;
  g_ptr_array_unref(s->names);
  g_ptr_array_unref(s->opened);
  g_ptr_array_unref(s->untried);
  g_hash_table_unref(s->notices);
  pthread_mutex_destroy(&s->notices_lock);
  g_free(s);
}

void sources_add_notices(Sources *s, const Notices *of)
{
  pthread_mutex_lock(&s->notices_lock);
  Notices *sum = g_hash_table_lookup(s->notices, of->descriptor);
  if (!sum) {
    sum = g_new0(Notices, 1);
    notices_init(sum, of->descriptor);
    g_hash_table_insert(s->notices, (gpointer)of->descriptor, sum);
  }
  notices_merge(sum, of, 0);
  pthread_mutex_unlock(&s->notices_lock);
}

const Notices *sources_notices(Sources *s, const Descriptor *source)
{
  return g_hash_table_lookup(s->notices, source);
}

/* Code from outside sees the bytes of an input only if the user or the profile names it. */
static bool may_try(const Sources *s, const Descriptor *d)
{
  if (!d->vendor) return true;
  return s->allowed &&
         g_ptr_array_find_with_equal_func((GPtrArray *)s->allowed, d->name, g_str_equal, NULL);
}

const Descriptor *sources_at(Sources *s, guint index)
{
  while (s->opened->len <= index && s->next_name < s->names->len) {
    const char *name = s->names->pdata[s->next_name++];
    const Module *m = modules_get(s->modules, MILL_KIND_SOURCE, name);
    if (m) g_ptr_array_add(may_try(s, m->stage) ? s->opened : s->untried, (gpointer)m->stage);
  }
  return index < s->opened->len ? s->opened->pdata[index] : NULL;
}

const char *source_side(const Descriptor *source) { return source->side; }

const Descriptor *sources_of_side(Sources *s, const char *label)
{
  const Descriptor *d;
  for (guint i = 0; label && (d = sources_at(s, i)); i++) {
    const char *side = source_side(d);
    if (side && !strcmp(side, label)) return d;
  }
  return NULL;
}

bool source_is_beside(const Descriptor *d, const char *name)
{
  for (const char *const *p = d->side ? d->beside : NULL; p && *p; p++)
    if (g_pattern_match_simple(*p, name)) return true;
  return false;
}

const Descriptor *sources_beside(Sources *s, const char *fact)
{
  const Descriptor *d;
  for (guint i = 0; (d = sources_at(s, i)); i++)
    if (d->side && d->beside && d->provides && g_strv_contains(d->provides, fact)) return d;
  return NULL;
}

const Descriptor *sources_of_name(Sources *s, const char *name)
{
  const Descriptor *d;
  for (guint i = 0; (d = sources_at(s, i)); i++)
    if (source_is_beside(d, name)) return d;
  return NULL;
}

const Descriptor *sources_find(Sources *s, const char *name, Error **out_error)
{
  const Module *m = modules_find(s->modules, MILL_KIND_SOURCE, name, out_error);
  return m ? m->stage : NULL;
}

static bool magic_matches(const Descriptor *s, const char *bytes, size_t len)
{
  for (uint32_t i = 0; i < s->n_magic; i++) {
    const MillMagic *m = &s->magic[i];
    if (m->offset + (size_t)m->len <= len && !memcmp(bytes + m->offset, m->bytes, m->len))
      return true;
  }
  return s->n_magic == 0;
}

int source_sureness(const Descriptor *source, const char *bytes, size_t len, const char *name)
{
  bool may = source->source_ops->probe && magic_matches(source, bytes, len);
  return may ? source->source_ops->probe(source->given, bytes, len, name) : 0;
}

const char *sources_named(const Sources *s) { return s->named; }

static char *names_of(const GPtrArray *list)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < list->len; i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "", ((const Descriptor *)list->pdata[i])->name);
  return g_string_free(text, FALSE);
}

typedef struct Probed { /* an input whose source is searched */
  const char *input, *bytes;
  size_t len;
} Probed;

/* The surest of them; sides: of those that read side inputs, or of the others. */
static const Descriptor *surest(Sources *s, const Probed *p, bool sides, int *out_sure)
{
  const Descriptor *found = NULL, *d;
  *out_sure = 0;
  for (guint i = 0; *out_sure < SURE && (d = sources_at(s, i)); i++) {
    if ((source_side(d) != NULL) != sides) continue;
    int sure = source_sureness(d, p->bytes, p->len, p->input);
    if (sure <= *out_sure) continue;
    *out_sure = sure;
    found = d;
  }
  return found;
}

static Error *unknown_format(Sources *s, const Probed *p)
{
  int sure;
  const Descriptor *side = surest(s, p, true, &sure);
  g_autofree char *known = names_of(s->opened), *untried = names_of(s->untried);
  Error *e = error_new(EXIT_INPUT, "RUN-03", "no source here can read the format of %s", p->input);
  error_of_kind(e, sure >= LIKELY ? ERROR_SIDE_INPUT : ERROR_UNKNOWN_FORMAT);
  if (side)
    error_help(e, "write %s=%s, so that \"%s\" reads it as a side input of the traces",
               source_side(side), p->input, side->name);
  if (sure >= LIKELY) return e;
  if (*known)
    error_help(e, "formats: %s", known);
  else
    error_help(e, "no source was found; stagemill doctor says why");
  if (*untried)
    error_help(e, "sources from outside stagemill must be named: source=NAME:PATH, with one of %s",
               untried);
  return e;
}

const Descriptor *sources_choose(Sources *s, const char *named, const char *input,
                                 const char *bytes, size_t len, Error **out_error)
{
  const Probed p = { input, bytes, len };
  int sure;
  if (!named) named = s->named;
  if (named) return sources_find(s, named, out_error);
  const Descriptor *found = surest(s, &p, false, &sure);
  if (!found) *out_error = unknown_format(s, &p);
  return found;
}
