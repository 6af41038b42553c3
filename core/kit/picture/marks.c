/* What is drawn of each series; see marks.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/picture/marks.h"

#include <math.h>
#include <string.h>

PictureNumbers *numbers_new(guint room)
{
  return g_array_sized_new(FALSE, FALSE, sizeof(double), room);
}

PictureNumbers *marks_column(const GArray *points, size_t offset)
{
  PictureNumbers *out = numbers_new(points->len);
  bool some = false;
  for (guint i = 0; i < points->len; i++) {
    double v;
    memcpy(&v, (const char *)&g_array_index(points, Point, i) + offset, sizeof v);
    some |= !isnan(v);
    numbers_add(out, v);
  }
  if (some) return out;
  g_array_unref(out);
  return NULL;
}

/* ------------------------------------------------------------------ series */

static const char *color_of(Marks *m, const Strand *s, const char *label)
{
  if (s->band || (*label && names_find(m->chart->series, "\x1fothers", 7) == s->name))
    return COLOR_MANY;
  if (!*label) return COLOR_ALONE;
  return colors_of(m->colors, label);
}

const char *marks_value_color(Marks *m, uint32_t value)
{
  Names *values = m->chart->values;
  if (names_find(values, "\x1fothers", 7) == value) return COLOR_MANY;
  return colors_of(m->colors, names_label(values, value));
}

PictureSeries *marks_series(Marks *m, const Strand *s, PictureMark mark, PicturePanel *out)
{
  PictureSeries *series = g_new0(PictureSeries, 1);
  const char *label = m->alone ? "" : names_label(m->chart->series, s->name);
  series->mark = mark;
  series->name = g_strdup(label);
  series->color = g_strdup(color_of(m, s, label));
  series->n_slots = 1;
  g_ptr_array_add(out->series, series);
  return series;
}

static bool marks_once(const Pane *p, const Layer *l)
{
  g_autofree guint *owner = g_new0(guint, names_len(p->x_names) + 1); /* series + 1 */
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint i = 0; s->layer == l && i < s->points->len; i++) {
      guint *of = &owner[(uint32_t)strand_point(s, i)->x];
      if (*of && *of != k + 1) return false;
      *of = k + 1;
    }
  }
  return true;
}

/* Whether no name has marks of two series: then none has to stand beside another. */
static bool are_apart(const Marks *m, const Layer *l)
{
  for (guint i = 0; i < m->chart->panes->len; i++) {
    const Pane *p = m->chart->panes->pdata[i];
    if (p->x_place == PLACE_NAMES && !marks_once(p, l)) return false;
  }
  return true;
}

/* Where it stands among the series of a category: in all panels at the same place. */
void marks_slot(const Marks *m, const Pane *p, const Strand *s, PictureSeries *io_series)
{
  uint32_t first = NAMES_NONE, end = 0;
  bool crowded = false;
  if (p->x_place != PLACE_NAMES) return;
  for (guint i = 0; i < m->chart->panes->len; i++) {
    const Pane *pane = m->chart->panes->pdata[i];
    for (guint k = 0; k < pane->strands->len; k++) {
      const Strand *other = pane->strands->pdata[k];
      if (other->layer != s->layer) continue;
      crowded |= other->far;
      first = MIN(first, other->name);
      end = MAX(end, other->name + 1);
    }
  }
  if (crowded || end <= first + 1 || are_apart(m, s->layer)) return;
  io_series->slot = s->name - first;
  io_series->n_slots = end - first;
}

/* ------------------------------------------------------------- annotations */

char *marks_annotation(const Layer *l, const Point *at)
{
  char buf[NUM_BUF];
  size_t len;
  if (!at->row || l->annotation < 0) return g_strdup("");
  const MillValue *cell = &at->row[l->annotation];
  const MillColumn *column = source_column_at(l->source, l->annotation);
  double number = cell_number(l->source, cell);
  bool plain = column->type == MILL_TEXT && !l->figure->format;
  if (!isnan(number) && !plain) return number_text(number, column->unit, l->figure->format);
  const char *text = source_text(l->source, cell, buf, &len);
  return names_clean(text, len, NAMES_LONGEST);
}

/* What stands at a point: the lane that it is, what its annotation says, or both. */
static char *point_text(const Layer *l, const Point *at, bool annotated)
{
  g_autofree char *text = annotated ? marks_annotation(l, at) : g_strdup("");
  if (!l->annotates_lanes || !at->row) return g_steal_pointer(&text);
  const char *name = names_label(l->lanes.names, lanes_of(&l->lanes, at->row));
  return *text ? g_strdup_printf("%s (%s)", name, text) : g_strdup(name);
}

static uint64_t count_points(const Pane *p, const Layer *l)
{
  uint64_t n = 0;
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    if (s->layer == l) n += s->points->len;
  }
  return n;
}

/* The annotation that all points of the panel have; NULL when there are several, or none. */
static char *common_text(const Pane *p, const Layer *l)
{
  if (l->annotation < 0) return NULL;
  g_autofree char *common = NULL;
  uint32_t n = 0;
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint i = 0; s->layer == l && !s->band && i < s->points->len; i++, n++) {
      g_autofree char *text = marks_annotation(l, strand_point(s, i));
      if (common && strcmp(common, text) != 0) return NULL;
      if (!common) common = g_steal_pointer(&text);
    }
  }
  return n > 1 && common && *common ? g_steal_pointer(&common) : NULL;
}

static bool are_too_many(const Pane *p, const Layer *l)
{
  return count_points(p, l) > (l->kind == MILL_FIGURE_HEATMAP ? 4 * MOST_TEXTS : MOST_TEXTS);
}

GPtrArray *marks_texts(Marks *m, const Pane *p, const Strand *s, const GArray *points)
{
  const Layer *l = s->layer;
  if ((l->annotation < 0 && !l->annotates_lanes) || s->band) return NULL;
  if (are_too_many(p, l)) {
    m->n_texts += points->len;
    return NULL;
  }
  g_autofree char *common = common_text(p, l);
  if (common && !l->annotates_lanes) return NULL;
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < points->len; i++)
    g_ptr_array_add(texts, point_text(l, &g_array_index(points, Point, i), !common));
  return texts;
}

/* ------------------------------------------------------------------- notes */

static void add_note(GString *note, const Layer *l, int column, const char *text)
{
  if (!*text) return;
  g_autofree char *title =
      column < 0 ? NULL : column_title(source_column_at(l->source, column)->name);
  double number;
  if (note->len) g_string_append(note, ", ");
  if (title && num_real(text, strlen(text), &number)) g_string_append_printf(note, "%s ", title);
  g_string_append(note, text);
}

/* The one text of a column in the panel. */
static char *only_text(const Pane *p, const Layer *l, int column)
{
  Layer other = *l;
  g_autofree char *first = NULL;
  other.annotation = column;
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    for (guint i = 0; s->layer == l && !s->band && i < s->points->len; i++) {
      g_autofree char *text = marks_annotation(&other, strand_point(s, i));
      if (first && strcmp(first, text) != 0) return NULL;
      if (!first) first = g_steal_pointer(&text);
    }
  }
  return g_steal_pointer(&first);
}

/* Numbers beside points and lines are of a column that neither axis names. */
static bool has_bare_numbers(const Pane *p, const Layer *l)
{
  bool marks_points = l->kind == MILL_FIGURE_LINE || l->kind == MILL_FIGURE_SCATTER ||
                      l->kind == MILL_FIGURE_PARETO;
  return marks_points && l->annotation >= 0 && count_points(p, l) > 0 && !are_too_many(p, l) &&
         source_column_at(l->source, l->annotation)->type != MILL_TEXT;
}

static void add_meaning(GString *note, const Layer *l)
{
  g_autofree char *title = column_title(source_column_at(l->source, l->annotation)->name);
  g_string_append_printf(note, "%snumbers: %s", note->len ? ", " : "", title);
}

static char *note_of(const Pane *p, const Layer *l)
{
  g_autoptr(GString) note = g_string_new(NULL);
  g_autofree char *common = common_text(p, l);
  g_autofree char *only = l->note < 0 ? NULL : only_text(p, l, l->note);
  if (only) add_note(note, l, -1, only);
  if (common)
    add_note(note, l, l->annotation, common);
  else if (has_bare_numbers(p, l))
    add_meaning(note, l);
  return note->len ? g_strdup(note->str) : NULL;
}

/* ------------------------------------------------------------------- kinds */

static uint32_t count_own(const Pane *p, const Layer *l)
{
  uint32_t n = 0;
  for (guint k = 0; k < p->strands->len; k++)
    n += ((const Strand *)p->strands->pdata[k])->layer == l;
  return n;
}

static void fill_strand(Marks *m, const Pane *p, const Strand *s, PicturePanel *out)
{
  const Layer *l = s->layer;
  switch (l->kind) {
  case MILL_FIGURE_BAR:
  case MILL_FIGURE_STACKED_BAR:
  case MILL_FIGURE_RANKED: marks_bars(m, p, s, out); break;
  case MILL_FIGURE_BOX:
  case MILL_FIGURE_VIOLIN: marks_spread(m, p, s, out); break;
  case MILL_FIGURE_HEATMAP: marks_cells(m, p, s, out); break;
  case MILL_FIGURE_DENSITY:
    if (l->value >= 0 || l->counts)
      marks_field(m, p, s, out);
    else if (l->y < 0 && !s->band)
      marks_curve(m, s, out, count_own(p, l) == 1);
    else
      marks_lines(m, p, s, out);
    break;
  case MILL_FIGURE_SCATTER: marks_points(m, p, s, out); break;
  case MILL_FIGURE_PARETO:
    marks_front(m, s, out);
    marks_points(m, p, s, out);
    break;
  case MILL_FIGURE_TIMELINE: marks_intervals(m, p, s, out); break;
  case MILL_FIGURE_HISTOGRAM:
    if (s->band || (s->far && l->x_end < 0) || l->figure->flags & MILL_FIGURE_CUMULATIVE)
      marks_lines(m, p, s, out);
    else if (count_own(p, l) > 1)
      marks_outline(m, s, out);
    else
      marks_bins(m, s, out);
    break;
  case MILL_FIGURE_RULE: marks_rules(m, p, s, out); break;
  default: marks_lines(m, p, s, out); break;
  }
}

static bool is_stacked(const Layer *l)
{
  return l->kind == MILL_FIGURE_STACKED_BAR || l->kind == MILL_FIGURE_RANKED;
}

void marks_fill(Marks *m, const Pane *p, PicturePanel *out)
{
  const Layer *own = m->chart->layer;
  bool stacks = is_stacked(own);
  for (guint k = 0; k < p->strands->len; k++) {
    const Strand *s = p->strands->pdata[k];
    if (s->layer != own || !stacks) fill_strand(m, p, s, out);
  }
  if (stacks) marks_stacks(m, p, out);
  out->note = note_of(p, own);
}
