/* Checking figures; see figure-check.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/figure-check.h"

#include <string.h>

#include "base/figure.h"
#include "base/num.h"

bool table_has_column(const MillTable *table, const char *name)
{
  static const char *const of_lanes[] = { "rank", "input", "label", NULL };
  for (uint32_t i = 0; i < table->columns.n; i++)
    if (!g_strcmp0(table->columns.at[i].name, name)) return true;
  return table->per == MILL_PER_LANE && g_strv_contains(of_lanes, name);
}

typedef struct Check {
  const MillFigure *figure;
  const MillTable *table;
  const FigureField *field; /* at hand */
  TakeFigureFault take;
  void *context;
} Check;

/* word: one that should be among `known` (ends in NULL), or NULL. */
static void fault(const Check *c, const char *word, const char *const *known, const char *format,
                  ...) G_GNUC_PRINTF(4, 5);
static void fault(const Check *c, const char *word, const char *const *known, const char *format,
                  ...)
{
  va_list args;
  va_start(args, format);
  g_autofree char *what = g_strdup_vprintf(format, args);
  va_end(args);
  FigureFault out = { c->field ? c->field->name : "name", what, word, known };
  c->take(c->context, &out);
}

static void check_column(const Check *c, const char *name)
{
  if (table_has_column(c->table, name)) return;
  g_autofree const char **known = g_new0(const char *, c->table->columns.n + 1);
  for (uint32_t i = 0; i < c->table->columns.n; i++) known[i] = c->table->columns.at[i].name;
  fault(c, name, known, "shows column \"%s\", which table \"%s\" does not have", name,
        c->table->name);
}

static void check_list(const Check *c, const char *names)
{
  g_auto(GStrv) list = g_strsplit(names, ",", -1);
  for (char **name = list; *name; name++) check_column(c, *name);
}

/* "type=a|b;layer!=all" */
static void check_condition(const Check *c, const char *text)
{
  g_auto(GStrv) parts = g_strsplit(text, ";", -1);
  for (char **part = parts; *part; part++) {
    char *equals = strchr(*part, '=');
    if (!equals) {
      fault(c, NULL, NULL, "where: \"%s\": expected COLUMN=VALUE", *part);
      continue;
    }
    equals[equals > *part && equals[-1] == '!' ? -1 : 0] = '\0';
    check_column(c, *part);
  }
}

static void unknown_choice(const Check *c, const FigureField *f, const char *text)
{
  g_auto(GStrv) known = g_strsplit(f->words, "|", -1);
  fault(c, text, (const char *const *)known, "%s: \"%s\" is not one of %s", f->name, text,
        f->words);
}

static void check_text(const Check *c, const FigureField *f, const char *text)
{
  double number;
  switch (f->type) {
  case FIGURE_FIELD_COLUMN: check_column(c, text); break;
  case FIGURE_FIELD_COLUMNS: check_list(c, text); break;
  case FIGURE_FIELD_LENGTH: check_column(c, text + (*text == '+')); break;
  case FIGURE_FIELD_CONDITION: check_condition(c, text); break;
  case FIGURE_FIELD_END:
    if (!num_real(text, strlen(text), &number)) check_column(c, text);
    break;
  case FIGURE_FIELD_CHOICE:
    if (figure_word(f->words, text) < 0) unknown_choice(c, f, text);
    break;
  default: break;
  }
}

static bool is_known(const FigureField *f, uint32_t number)
{
  size_t words = 0;
  for (const char *p = f->words; p; p = strchr(p + 1, '|')) words++;
  return f->type == FIGURE_FIELD_COUNT ||
         (f->type == FIGURE_FIELD_FLAGS ? !(number >> words) : number < words);
}

static const MillTable *table_named(const Descriptor *s, const char *name)
{
  for (uint32_t i = 0; name && i < s->n_tables; i++)
    if (!g_strcmp0(s->tables[i].name, name)) return &s->tables[i];
  return NULL;
}

static void check_over(const FigureList *all, Check *c)
{
  const char *over = c->figure->over;
  g_autofree const char **known = g_new0(const char *, all->n + 1);
  uint32_t n = 0;
  if (!over) return;
  for (uint32_t i = 0; i < all->n; i++) {
    if (&all->at[i] == c->figure) continue;
    if (!g_strcmp0(all->at[i].name, over)) return;
    known[n++] = all->at[i].name;
  }
  c->field = figure_field("over");
  fault(c, over, known, "is drawn over \"%s\", which is no other figure of the stage", over);
}

static void no_table(const Descriptor *s, Check *c)
{
  const char *name = c->figure->table ? c->figure->table : "";
  g_autofree const char **known = g_new0(const char *, s->n_tables + 1);
  for (uint32_t i = 0; i < s->n_tables; i++) known[i] = s->tables[i].name;
  c->field = figure_field("table");
  fault(c, name, known, "shows table \"%s\", which is not declared", name);
}

void figure_faults(const Descriptor *stage, const MillFigure *figure, const FigureList *all,
                   TakeFigureFault take, void *context)
{
  uint32_t n;
  const FigureField *fields = figure_fields(&n);
  Check c = { figure, table_named(stage, figure->table), NULL, take, context };
  if (!c.table) return no_table(stage, &c);
  if (!figure->kind) fault(&c, NULL, NULL, "has no kind");
  for (uint32_t i = 0; i < n; i++) {
    const FigureField *f = c.field = &fields[i];
    if (!figure_field_is_text(f)) {
      uint32_t number = figure_get_number(figure, f);
      if (!is_known(f, number))
        fault(&c, NULL, NULL, "has an unknown value of %s: %u", f->name, number);
    } else if (figure_get_text(figure, f))
      check_text(&c, f, figure_get_text(figure, f));
  }
  check_over(all, &c);
}

typedef struct Texts {
  const MillFigure *figure;
  GPtrArray *out;
} Texts;

static void add_text(void *context, const FigureFault *fault)
{
  const Texts *to = context;
  g_ptr_array_add(to->out, g_strdup_printf("figure \"%s\" %s", to->figure->name, fault->what));
}

void figure_check(const Descriptor *stage, const MillFigure *figure, GPtrArray *out)
{
  FigureList all = { stage->figures, stage->n_figures };
  Texts to = { figure, out };
  figure_faults(stage, figure, &all, add_text, &to);
}
