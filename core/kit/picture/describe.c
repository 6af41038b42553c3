/* What a picture shows, in a sentence or two; see panels.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/picture/panels.h"

static const char *kind_words(uint32_t kind)
{
  static const char *const words[] = { "Picture",
                                       "Line chart",
                                       "Bar chart",
                                       "Stacked bar chart",
                                       "Box plot",
                                       "Violin plot",
                                       "Heatmap",
                                       "Density",
                                       "Scatter plot",
                                       "Timeline",
                                       "Scatter plot with its Pareto front",
                                       "Bars by size with their cumulative share",
                                       "Histogram" };
  return words[kind < G_N_ELEMENTS(words) ? kind : 0];
}

typedef struct Largest {
  double value;
  const PicturePanel *panel;
  const PictureSeries *series;
  guint index;
} Largest;

static const PictureNumbers *values_of(const PictureSeries *s)
{
  switch (s->mark) {
  case MARK_CELLS: return s->value;
  case MARK_FIELD: return s->field->value;
  case MARK_BARS:
  case MARK_BINS: return s->high;
  case MARK_BOXES:
  case MARK_VIOLINS: return s->median;
  case MARK_INTERVALS: return NULL;
  default: return s->y;
  }
}

/* What stands for many, as the last of the names, is no answer to which is the largest. */
static bool stands_for_many(const PicturePanel *panel, const PictureSeries *s, guint index)
{
  const GPtrArray *names = panel->x.categories;
  if (panel->x.scale != SCALE_CATEGORIES || names->len < 2 || s->mark == MARK_FIELD) return false;
  guint x = (guint)g_array_index(s->x, double, index);
  return x == names->len - 1 && g_str_has_prefix(names->pdata[x], "others (");
}

static Largest largest_of(const Picture *p)
{
  Largest best = { -G_MAXDOUBLE, NULL, NULL, 0 };
  guint step = p->kind == MILL_FIGURE_RANKED ? 2 : 1;
  for (guint i = 0; i < p->panels->len; i += step) {
    const PicturePanel *panel = p->panels->pdata[i];
    for (guint k = 0; k < panel->series->len; k++) {
      const PictureSeries *s = panel->series->pdata[k];
      const PictureNumbers *values = values_of(s);
      for (guint v = 0; values && v < values->len; v++) {
        double value = g_array_index(values, double, v);
        if (s->mark == MARK_BARS) value -= g_array_index(s->low, double, v);
        if (value > best.value && !stands_for_many(panel, s, v))
          best = (Largest){ value, panel, s, v };
      }
    }
  }
  return best;
}

static char *number_of(const PictureAxis *a, double value)
{
  if (a->scale == SCALE_LOG2 && !strcmp(a->unit, "bytes"))
    return number_text(value * a->factor, a->unit, NULL);
  g_autofree char *number = number_text(value * a->factor, NULL, NULL);
  return g_strconcat(number, *a->unit ? " " : "", a->unit, NULL);
}

/* "median 5 ms at 8, base" */
static void put_largest(GString *out, const Picture *p)
{
  Largest best = largest_of(p);
  if (!best.panel) return;
  bool heat = best.series->mark == MARK_CELLS || best.series->mark == MARK_FIELD;
  const PictureAxis *a = heat && best.panel->color ? &best.panel->color->axis : &best.panel->y;
  bool spread = best.series->mark == MARK_BOXES || best.series->mark == MARK_VIOLINS;
  if (a->scale == SCALE_CATEGORIES) return;
  g_autofree char *value = number_of(a, best.value);
  g_string_append_printf(out, "  The largest %sis %s", spread ? "median " : "", value);
  if (best.series->mark != MARK_FIELD) {
    double x = g_array_index(best.series->x, double, best.index);
    bool names = best.panel->x.scale == SCALE_CATEGORIES;
    g_autofree char *number = names ? NULL : number_of(&best.panel->x, x);
    g_string_append_printf(
        out, ", at %s", names ? (const char *)best.panel->x.categories->pdata[(guint)x] : number);
  }
  if (*best.series->name) g_string_append_printf(out, ", %s", best.series->name);
  if (*best.panel->title) g_string_append_printf(out, ", %s", best.panel->title);
  g_string_append(out, ".");
}

static void put_count(GString *out, guint n, const char *one, const char *many)
{
  g_string_append_printf(out, ", %u %s", n, n == 1 ? one : many);
}

char *picture_describe(const Marks *m, const Picture *p)
{
  GString *out = g_string_new(kind_words(p->kind));
  const PicturePanel *first = p->panels->pdata[0];
  const char *value = first->color ? first->color->axis.label : "";
  guint n_panels = p->panels->len / (p->kind == MILL_FIGURE_RANKED ? 2 : 1);
  if (*value) g_string_append_printf(out, " of %s", value);
  if (*first->y.label) g_string_append_printf(out, *value ? ": %s" : " of %s", first->y.label);
  if (*first->x.label) g_string_append_printf(out, " by %s", first->x.label);
  if (first->x.scale == SCALE_CATEGORIES) put_count(out, first->x.categories->len, "name", "names");
  if (p->legend->len) put_count(out, p->legend->len, "series", "series");
  if (n_panels > 1) put_count(out, n_panels, "panel", "panels");
  g_string_append(out, ".");
  put_largest(out, p);
  (void)m;
  return g_string_free(out, FALSE);
}
