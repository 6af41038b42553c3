/* Which profiles fit the inputs at hand; see fits.h. */
/* SPDX-License-Identifier: MIT */
#include "cmd/fits.h"

#include <string.h>

#include "base/columns.h"
#include "cmd/setup.h"
#include "model/printable.h"
#include "plan/facts.h"
#include "sched/planning.h"

static void fit_free(gpointer data)
{
  Fit *f = data;
  g_free(f->name);
  g_free(f->description);
  g_free(f->made_for);
  g_free(f->why);
  error_free(f->refused);
  g_free(f);
}

static void add_word(GString *list, const char *word)
{
  g_string_append_printf(list, "%s%s", list->len ? ", " : "", word);
}

/* ------------------------------------------------------------- made for what */

static bool lists_word(const char *list, const char *word)
{
  g_auto(GStrv) words = g_strsplit(list, ", ", -1);
  return g_strv_contains((const char *const *)words, word);
}

/* Formats whose inputs may have all these facts. */
static char *formats_with(Modules *modules, const GPtrArray *facts)
{
  GString *formats = g_string_new(NULL);
  g_autoptr(GPtrArray) all = modules_all(modules, MILL_KIND_SOURCE);
  for (guint i = 0; i < all->len; i++) {
    const Descriptor *s = ((const Module *)all->pdata[i])->stage;
    bool has = true;
    for (guint k = 0; k < facts->len; k++)
      has = has &&
            (fact_in_list(s->provides, facts->pdata[k]) || fact_in_list(s->wants, facts->pdata[k]));
    if (has) add_word(formats, s->family);
  }
  return g_string_free(formats, FALSE);
}

static char *words_of(const GPtrArray *texts)
{
  GString *words = g_string_new(NULL);
  for (guint i = 0; i < texts->len; i++) add_word(words, texts->pdata[i]);
  return g_string_free(words, FALSE);
}

/* By dialect or format where that tells the inputs apart, else by facts, too. */
static char *made_for(const Run *run, const Profile *p)
{
  if (!p->made_for) return NULL;
  g_autofree char *dialects = words_of(p->made_for->dialects);
  g_autofree char *facts = words_of(p->made_for->facts);
  g_autofree char *formats = formats_with(run->modules, p->made_for->facts);
  bool same_dialect = false, same_format = false;
  for (guint i = 0; i < run->inputs->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(run->inputs, i);
    same_dialect |= lists_word(dialects, lane->dialect);
    same_format |= lists_word(formats, inputs_reader(run->inputs, i)->source->family);
  }
  if (*dialects)
    return g_strdup_printf("inputs of dialect %s%s%s", dialects, same_dialect ? " with " : "",
                           same_dialect ? facts : "");
  if (same_format) return g_strdup_printf("inputs with %s", facts);
  return *formats ? g_strdup_printf("inputs of format %s", formats) : NULL;
}

char *fits_inputs(const Run *run)
{
  g_autoptr(GPtrArray) seen = g_ptr_array_new_with_free_func(g_free);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < run->inputs->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(run->inputs, i);
    const char *format = inputs_reader(run->inputs, i)->source->family, *dialect = lane->dialect;
    bool says = *dialect && strcmp(dialect, format);
    g_autofree char *kind =
        g_strdup_printf("%s%s%s", format, says ? ", dialect " : "", says ? dialect : "");
    if (g_ptr_array_find_with_equal_func(seen, kind, g_str_equal, NULL)) continue;
    g_string_append_printf(text, "%s%s", text->len ? "; " : "", kind);
    g_ptr_array_add(seen, g_steal_pointer(&kind));
  }
  return g_string_free(text, FALSE);
}

/* ------------------------------------------------------------------ ranking */

Suits fits_suits(const Run *run, const Profile *p)
{
  Suits s = { .is_for_others = p->made_for && run->inputs->lanes->len };
  for (guint i = 0; i < run->inputs->lanes->len; i++) {
    const LaneInfo *lane = inputs_lane(run->inputs, i);
    unsigned how_well = profile_suits(p, lane->label, lane->dialect, lane->facts);
    s.n_lanes += how_well > 0;
    s.is_for_others &= profile_is_for_others(p, lane->dialect, lane->facts);
    s.how_well = MAX(s.how_well, how_well);
  }
  return s;
}

int fits_compare(const Suits *a, const Suits *b)
{
  if (a->is_for_others != b->is_for_others) return a->is_for_others ? 1 : -1;
  if (a->n_lanes != b->n_lanes) return a->n_lanes > b->n_lanes ? -1 : 1;
  if (a->how_well != b->how_well) return a->how_well > b->how_well ? -1 : 1;
  return 0;
}

static char *why_not(const Error *e, const char *for_what)
{
  if (e->kind == ERROR_WRONG_INPUT)
    return g_strdup_printf("is for %s", for_what ? for_what : "other inputs");
  return g_strdup(e->what);
}

static Fit *try_profile(const Cli *cli, const Run *run, const ProfileFound *found, bool explain)
{
  Profile *p = NULL;
  Fit *f = g_new0(Fit, 1);
  f->name = g_strdup(found->name);
  f->description = g_strdup(found->description);
  ProfileSearch search = setup_search(cli);
  g_autoptr(Error) e = profile_load(found->name, &search, &p);
  if (p) f->suits = fits_suits(run, p);
  if (p && explain) f->made_for = made_for(run, p);
  if (p && f->suits.is_for_others && !explain) {
    profile_free(p);
    return f;
  }
  if (!e) e = setup_loaded(cli, run->modules, g_steal_pointer(&p), NULL, NULL, NULL, &p);
  bool refused = e && e->status == EXIT_USAGE;
  if (!e) e = run_fits(run, p);
  f->fits = !e && !f->suits.is_for_others;
  if (e) f->why = why_not(e, f->made_for);
  if (!e && f->suits.is_for_others)
    f->why = g_strdup_printf("is for %s", f->made_for ? f->made_for : "other inputs");
  if (refused) f->refused = g_steal_pointer(&e);
  return f;
}

static int better(const Fit *a, const Fit *b)
{
  if (a->fits != b->fits) return a->fits ? -1 : 1;
  return a->fits ? fits_compare(&a->suits, &b->suits) : 0;
}

static int by_fit(gconstpointer a, gconstpointer b)
{
  const Fit *x = *(Fit *const *)a, *y = *(Fit *const *)b;
  int order = better(x, y);
  return order ? order : strcmp(x->name, y->name);
}

GPtrArray *fits_rank(const Cli *cli, const Run *run, bool explain, Error **io_unseen)
{
  GPtrArray *ranked = g_ptr_array_new_with_free_func(fit_free);
  g_autoptr(GPtrArray) all = setup_profiles(cli, io_unseen);
  for (guint i = 0; i < all->len; i++) {
    const ProfileFound *found = all->pdata[i];
    if (!found->shadowed) g_ptr_array_add(ranked, try_profile(cli, run, found, explain));
  }
  g_ptr_array_sort(ranked, by_fit);
  return ranked;
}

guint fits_best(const GPtrArray *ranked)
{
  guint n = 0;
  for (; n < ranked->len; n++) {
    const Fit *f = ranked->pdata[n];
    if (!f->fits || !f->suits.n_lanes || better(ranked->pdata[0], f)) break;
  }
  return n;
}

char *fits_names(const GPtrArray *ranked, const char *except)
{
  GString *names = g_string_new(NULL);
  for (guint i = 0; i < ranked->len; i++) {
    const Fit *f = ranked->pdata[i];
    if (f->fits && (!except || strcmp(f->name, except))) add_word(names, f->name);
  }
  return g_string_free(names, FALSE);
}

void fits_put_next(const char *profile, const GPtrArray *words, const char *does, unsigned width,
                   GString *out)
{
  g_autoptr(GString) files = g_string_new(NULL);
  for (guint i = 0; i < words->len; i++) {
    g_autofree char *quoted = cli_word(words->pdata[i]);
    g_string_append_c(files, ' ');
    cli_append_name(files, quoted);
  }
  g_autofree char *command = g_strdup_printf("next: stagemill run -p %s", profile);
  const size_t len = strlen(command) + columns_of(files->str, files->len) + strlen(does);
  g_string_append_printf(out, "%s%s%s\n", command, len > width ? " FILE..." : files->str, does);
}

/* ------------------------------------------------------------------- errors */

/* Of the profile that is made for the inputs: it was not taken because of what else the command line says. */
static Error *take_refusal(const GPtrArray *ranked)
{
  Fit *best = NULL;
  for (guint i = 0; i < ranked->len; i++) {
    Fit *f = ranked->pdata[i];
    bool closer = !best || fits_compare(&f->suits, &best->suits) < 0;
    if (f->refused && f->suits.n_lanes && closer) best = f;
  }
  if (!best) return NULL;
  Error *e = g_steal_pointer(&best->refused);
  return error_help(e, "the profile is \"%s\", which is made for these inputs", best->name);
}

Error *fits_choose(const Cli *cli, const Run *run, const GPtrArray *ranked, const char **out)
{
  guint n = fits_best(ranked);
  if (n == 1) {
    *out = ((const Fit *)ranked->pdata[0])->name;
    return NULL;
  }
  Error *refused = n ? NULL : take_refusal(ranked);
  if (refused) return refused;
  g_autofree char *inputs = fits_inputs(run), *names = fits_names(ranked, NULL);
  Error *e = n ? cli_usage(cli->command, "%u profiles fit these inputs equally well", n)
               : cli_usage(cli->command, "no profile is made for these inputs");
  error_why(e, "they are %s", inputs);
  for (guint i = 0; i < n; i++) {
    const Fit *f = ranked->pdata[i];
    error_help(e, "-p %s    %s", f->name, f->description);
  }
  if (!n && *names) error_help(e, "name one with -p; these fit: %s", names);
  return error_help(e, "stagemill list profiles    shows them all");
}

Error *fits_explain(const Cli *cli, const Run *run, const char *profile, Error *e)
{
  if (!e || e->kind != ERROR_WRONG_INPUT) return e;
  Error *unseen = NULL;
  g_autoptr(GPtrArray) ranked = fits_rank(cli, run, true, &unseen);
  g_autofree char *inputs = fits_inputs(run), *names = fits_names(ranked, profile),
                  *safe = printable(profile);
  const char *for_what = NULL;
  for (guint i = 0; i < ranked->len; i++) {
    const Fit *f = ranked->pdata[i];
    if (!strcmp(f->name, profile)) for_what = f->made_for;
  }
  Error *wrong = error_new(EXIT_PROFILE, e->code, "the profile \"%s\" does not fit %s", safe,
                           run->inputs->lanes->len == 1 ? "this input" : "these inputs");
  error_of_kind(wrong, ERROR_WRONG_INPUT);
  error_why(wrong, "%s %s%s%s", run->inputs->lanes->len == 1 ? "it is" : "they are", inputs,
            for_what ? "; the profile is for " : "", for_what ? for_what : "");
  if (*names) error_help(wrong, "these fit: %s", names);
  error_help(wrong, "stagemill plan -p %s INPUT...    says which stage lacks what", safe);
  error_free(e);
  return error_join(wrong, unseen);
}
