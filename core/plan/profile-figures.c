/* Figures that a profile adds to its stages, changes or switches off. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/figure.h"
#include "base/num.h"
#include "model/printable.h"
#include "plan/figure-check.h"
#include "plan/profile-parts.h"

static ProfileEntry *figure_named(const GPtrArray *figures, const char *use, const char *name)
{
  for (guint i = 0; i < figures->len; i++) {
    ProfileEntry *f = figures->pdata[i];
    if (!strcmp(f->use, use) && !strcmp(f->id, name)) return f;
  }
  return NULL;
}

void figures_merge(GPtrArray *into, GPtrArray *from)
{
  while (from->len) {
    ProfileEntry *f = g_ptr_array_steal_index(from, 0), *known = figure_named(into, f->use, f->id);
    if (!known) {
      g_ptr_array_add(into, f);
      continue;
    }
    for (guint i = 0; i < f->with->len; i++) {
      const ProfileSetting *s = f->with->pdata[i];
      setting_put(known->with, s->name, s->text, s->origin, s->place);
    }
    known->enabled = f->enabled;
    entry_free(f);
  }
}

/* -------------------------------------------------------------------- errors */

static Error *wrong(const ProfileEntry *f, const char *place, char *what)
{
  Error *e = error_new(EXIT_PROFILE, "PRF-18", "figure \"%s\" %s", f->id, what);
  g_free(what);
  return error_at(e, "at %s", place ? place : f->place);
}

static const char *place_of(const ProfileEntry *f, const char *field)
{
  const ProfileSetting *s = named_find(f->with, field);
  return s ? s->place : f->place;
}

static Error *unknown_word(const ProfileEntry *f, const ProfileSetting *s, const FigureField *field,
                           const char *word)
{
  const char *words = field->words;
  if (field->type == FIGURE_FIELD_KIND) words = strchr(words, '|') + 1;
  g_auto(GStrv) known = g_strsplit(words, "|", -1);
  g_autofree char *safe = printable(word), *all = g_strjoinv(", ", known);
  Error *e = wrong(f, s->place, g_strdup_printf("has no %s \"%s\"", field->name, safe));
  error_suggest(e, word, (const char *const *)known);
  return error_help(e, "known here: %s", all);
}

/* -------------------------------------------------------------------- fields */

static Error *read_flags(const ProfileEntry *f, const ProfileSetting *s, const FigureField *field,
                         uint32_t *out)
{
  g_auto(GStrv) words = g_strsplit(s->text, ",", -1);
  *out = 0;
  for (char **word = words; *word; word++) {
    int flag = figure_word(field->words, *word);
    if (flag < 0) return unknown_word(f, s, field, *word);
    *out |= 1u << flag;
  }
  return NULL;
}

static Error *read_number(const ProfileEntry *f, const ProfileSetting *s, const FigureField *field,
                          uint32_t *out)
{
  int64_t count;
  if (field->type == FIGURE_FIELD_FLAGS) return read_flags(f, s, field, out);
  if (field->type == FIGURE_FIELD_COUNT) {
    bool good = num_int(s->text, strlen(s->text), &count) && count >= 0 && count <= UINT32_MAX;
    if (!good)
      return wrong(f, s->place, g_strdup_printf("needs a whole number as %s", field->name));
    *out = (uint32_t)count;
    return NULL;
  }
  int position = figure_word(field->words, s->text);
  bool kind = field->type == FIGURE_FIELD_KIND; /* its first word stands for none */
  if (position < (kind ? 1 : 0)) return unknown_word(f, s, field, s->text);
  *out = (uint32_t)position;
  return NULL;
}

/* Texts stay in the settings, which live as long as the profile. */
static Error *read_fields(const ProfileEntry *f, MillFigure *io_figure)
{
  Error *errors = NULL;
  for (guint i = 0; i < f->with->len; i++) {
    const ProfileSetting *s = f->with->pdata[i];
    const FigureField *field = figure_field(s->name);
    uint32_t number = 0;
    if (figure_field_is_text(field)) {
      figure_set_text(io_figure, field, *s->text ? s->text : NULL);
      continue;
    }
    Error *e = read_number(f, s, field, &number);
    errors = error_join(errors, e);
    if (!e) figure_set_number(io_figure, field, number);
  }
  return errors;
}

/* --------------------------------------------------------------------- checks */

typedef struct Faults {
  const ProfileEntry *figure;
  Problems *problems;
} Faults;

static void take_fault(void *context, const FigureFault *fault)
{
  const Faults *to = context;
  g_autofree char *safe = printable(fault->what);
  Error *e = problems_add(to->problems,
                          wrong(to->figure, place_of(to->figure, fault->field), g_strdup(safe)));
  if (e && fault->word) error_suggest(e, fault->word, (const char *const *)fault->known);
}

static Error *no_figure(const ProfileEntry *f, const ProfileEntry *entry)
{
  const Descriptor *d = entry->module->stage;
  g_autofree const char **names = g_new0(const char *, d->n_figures + 1);
  for (uint32_t i = 0; i < d->n_figures; i++) names[i] = d->figures[i].name;
  Error *e = wrong(
      f, place_of(f, "name"),
      g_strdup_printf("is not declared by the stage \"%s\", and has no \"table\"", entry->id));
  error_suggest(e, f->id, names);
  return error_help(e, "a new figure needs \"table\" and \"kind\"; stagemill show %s lists both",
                    d->name);
}

static Error *bad_name(const ProfileEntry *f)
{
  if (module_is_name(f->id)) return NULL;
  g_autofree char *safe = printable(f->id);
  Error *e = error_new(EXIT_PROFILE, "PRF-18", "a figure cannot be named \"%s\"", safe);
  error_at(e, "at %s", place_of(f, "name"));
  return error_why(e, "expected lower-case words joined by '-'");
}

/* ------------------------------------------------------------------- resolving */

/* Those that the stage declares, until the profile says otherwise. */
static GArray *figures_of(ProfileEntry *entry)
{
  const Descriptor *d = entry->module->stage;
  if (entry->figures) return entry->figures;
  entry->figures = g_array_new(FALSE, TRUE, sizeof(MillFigure));
  g_array_append_vals(entry->figures, d->figures, d->n_figures);
  return entry->figures;
}

static int index_of(const GArray *figures, const char *name)
{
  for (guint i = 0; i < figures->len; i++)
    if (!strcmp(g_array_index(figures, MillFigure, i).name, name)) return (int)i;
  return -1;
}

static void apply(const ProfileEntry *f, ProfileEntry *entry, Problems *problems)
{
  GArray *figures = figures_of(entry);
  int known = index_of(figures, f->id);
  if (known < 0 && !named_find(f->with, "table")) {
    problems_add(problems, no_figure(f, entry));
    return;
  }
  MillFigure figure = { 0 };
  if (known >= 0) figure = g_array_index(figures, MillFigure, (guint)known);
  Error *e = error_join(bad_name(f), read_fields(f, &figure));
  if (e) {
    problems_add(problems, e);
    return;
  }
  if (known < 0)
    g_array_append_val(figures, figure);
  else
    g_array_index(figures, MillFigure, (guint)known) = figure;
}

/* When all are there: one may be drawn over another. */
static void check(const ProfileEntry *f, const ProfileEntry *entry, Problems *problems)
{
  Faults to = { f, problems };
  int known = entry->figures ? index_of(entry->figures, f->id) : -1;
  if (known < 0) return;
  FigureList all = { (const MillFigure *)(void *)entry->figures->data, entry->figures->len };
  figure_faults(entry->module->stage, &g_array_index(entry->figures, MillFigure, (guint)known),
                &all, take_fault, &to);
}

static void switch_off(const ProfileEntry *f, ProfileEntry *entry)
{
  int known = entry->figures ? index_of(entry->figures, f->id) : -1;
  if (!f->enabled && known >= 0) g_array_remove_index(entry->figures, (guint)known);
}

static ProfileEntry *stage_of(const Profile *p, const ProfileEntry *f, Problems *problems)
{
  ProfileEntry *entry = named_find(p->entries, f->use);
  if (entry) return entry->module ? entry : NULL; /* one that is off has none */
  Error *e =
      error_new(EXIT_PROFILE, "PRF-18",
                "figure \"%s\" uses the stage \"%s\", which is not in the profile", f->id, f->use);
  error_at(e, "at %s", f->place);
  named_suggest(problems_add(problems, e), f->use, p->entries);
  return NULL;
}

/* "$facet" and the like mean something in a figure: only parameters that there are count. */
static void take_params(const Profile *p, const ProfileEntry *f)
{
  for (guint i = 0; i < f->with->len; i++) {
    ProfileSetting *s = f->with->pdata[i];
    const char *name = param_reference(s->text);
    const ProfileParam *param = name ? profile_param(p, name) : NULL;
    if (param) text_replace(&s->text, g_strdup(param->text));
  }
}

void figures_resolve(Profile *p, Problems *problems)
{
  for (guint i = 0; i < p->figures->len; i++) {
    take_params(p, p->figures->pdata[i]);
    ProfileEntry *f = p->figures->pdata[i], *entry = stage_of(p, f, problems);
    if (entry) apply(f, entry, problems);
  }
  for (guint i = 0; i < p->figures->len; i++) {
    const ProfileEntry *f = p->figures->pdata[i], *entry = named_find(p->entries, f->use);
    if (entry && entry->module) check(f, entry, problems);
  }
  for (guint i = 0; !problems->n && i < p->figures->len; i++) {
    const ProfileEntry *f = p->figures->pdata[i];
    switch_off(f, named_find(p->entries, f->use));
  }
}
