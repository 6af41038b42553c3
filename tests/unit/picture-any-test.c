/* Any figure of any table gives a sound picture or a reason: axes that can be drawn, columns of one length,
 * valid JSON, no more marks than can be seen, and the same bytes again. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/figure.h"
#include "base/json.h"
#include "picture-make.h"

static uint32_t next(uint64_t *seed, uint32_t n)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*seed >> 33) % n;
}

static const char *const names[] = { "*rank:int", "*input:text",  "*label:text",
                                     "*tp:text",  "name:text",    "n:int:count:key",
                                     "t:int:ns",  "r:real:bytes", "s:real:percent",
                                     "b:bool",    "w:text" };
enum { N_NAMES = G_N_ELEMENTS(names) };
static const char *const plain[] = { "rank", "input", "label", "tp", "name", "n",
                                     "t",    "r",     "s",     "b",  "w",    "gone" };
enum { N_PLAIN = G_N_ELEMENTS(plain) };

static MillValue any_text(Made *m, uint64_t *seed)
{
  static const char *const odd[] = {
    "",         "a",         "NCCL",      "layer 10", "layer 2", "8",    "1e3",
    "\xff\xfe", "tab\there", "</script>", "`id`",     "$(id)",   "EOD",  "../../x",
    "a/b",      "\x1b[31m",  "核心",      "|",        "=1+1",    "0x10", "\xe2\x80\xae x"
  };
  uint32_t i = next(seed, G_N_ELEMENTS(odd) + 2);
  if (i < G_N_ELEMENTS(odd)) return mill_text(odd[i], strlen(odd[i]));
  g_autofree char *longer = g_strnfill(100000, 'x');
  longer[next(seed, 100000)] = 'y';
  const char *kept = made_keep(m, longer);
  return mill_text(kept, strlen(kept));
}

static MillValue any_number(uint64_t *seed, uint32_t way, bool real)
{
  static const double extreme[] = {
    0, -1, 1e300, -1e300, 5e-324, 1e-300, 1.7e308, -1.7e308, 1e15, 3
  };
  double v = way == 0   ? (double)next(seed, 1000) - 100
             : way == 1 ? 7
             : way == 2 ? extreme[next(seed, G_N_ELEMENTS(extreme))]
                        : (double)next(seed, 20);
  if (!real) return mill_int(fabs(v) < 1e18 ? (int64_t)v : INT64_MAX);
  return mill_real(v);
}

static void fill(Made *m, MadeTable *t, uint64_t *seed, uint32_t rows)
{
  uint32_t way = next(seed, 4), ranks = 1 + next(seed, 20), holes = next(seed, 3) ? 30 : 3;
  for (uint32_t r = 0; r < rows; r++) {
    MillValue cells[N_NAMES];
    for (uint32_t c = 0; c < t->n_columns; c++) {
      uint32_t type = t->columns[c].type;
      cells[c] = type == MILL_TEXT   ? any_text(m, seed)
                 : type == MILL_BOOL ? mill_bool(next(seed, 2))
                                     : any_number(seed, way, type == MILL_REAL);
      if (!next(seed, holes)) cells[c] = mill_none();
    }
    if (t->n_lead) cells[0] = mill_int(next(seed, ranks));
    MillValue *row = sheet_add_row(t->sheet, cells + t->n_lead);
    memcpy(row, cells, t->n_lead * sizeof *row);
  }
}

static const char *any_column(uint64_t *seed, uint32_t of)
{
  uint32_t i = next(seed, of);
  return i < N_PLAIN ? plain[i] : NULL;
}

static void any_figure(uint64_t *seed, MillFigure *out)
{
  static const char *const scales[] = { "linear", "log", "log2", NULL };
  static const char *const reduces[] = { "mean", "median", "sum", "min", "max", "count" };
  static const char *const palettes[] = { "magnitude", "worse", "change", "ramps", NULL };
  static const char *const formats[] = { "0.1", "0.01x", "0%", NULL, NULL };
  const char **const columns[] = { &out->series, &out->facet,  &out->annotation, &out->value,
                                   &out->x_low,  &out->x_high, &out->y_low,      &out->y_high,
                                   &out->group,  &out->note,   &out->value_low };
  *out = (MillFigure){ .kind = 1 + next(seed, MILL_FIGURE_HISTOGRAM), .name = "f", .title = "F" };
  out->table = "t";
  out->x = next(seed, 8) ? any_column(seed, N_PLAIN + 1) : "n,t,name";
  out->y = any_column(seed, N_PLAIN + 1);
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) *columns[i] = any_column(seed, 4 * N_PLAIN);
  out->x_end = next(seed, 2) ? "+t" : "n";
  out->flags = next(seed, 16);
  out->top = next(seed, 3) ? 0 : 1 + next(seed, 5);
  out->x_scale = scales[next(seed, 4)];
  out->y_scale = scales[next(seed, 4)];
  out->value_scale = scales[next(seed, 4)];
  out->reduce = next(seed, 2) ? NULL : reduces[next(seed, 6)];
  out->palette = palettes[next(seed, 5)];
  out->format = formats[next(seed, 5)];
  out->where = next(seed, 4) ? NULL : "name!=a;rank=0|1|2";
  out->pages = next(seed, 8) ? NULL : "w";
  out->file = next(seed, 2) ? NULL : "../{w}/./{name}";
  out->colors = next(seed, 4) ? NULL : "NCCL=#009e73,a=#ff0000,b=red";
  out->x_label = next(seed, 6) ? NULL : "$facet";
  out->over = next(seed, 4) ? NULL : "g";
}

/* ------------------------------------------------------------------ checks */

/* Each gives NULL, or what is wrong. */
static const char *axis_fault(const PictureAxis *a)
{
  bool log = a->scale == SCALE_LOG || a->scale == SCALE_LOG2;
  if (!a->label || !a->unit || !g_utf8_validate(a->label, -1, NULL)) return "label";
  if (!isfinite(a->low) || !isfinite(a->high)) return "limits are not finite";
  if (!(a->low < a->high) || (log && a->low <= 0)) return "limits are no range";
  if (!isfinite(a->factor) || a->factor <= 0) return "factor";
  return (a->scale == SCALE_CATEGORIES) == (a->categories != NULL) ? NULL : "categories";
}

static const char *numbers_fault(const PictureAxis *a, const PictureNumbers *n)
{
  for (guint i = 0; n && i < n->len; i++) {
    double v = g_array_index(n, double, i), room = 1e-9 * fabs(v);
    if (isnan(v)) continue;
    if (!isfinite(v)) return "a number is not finite";
    if (!a) continue;
    if (a->scale == SCALE_CATEGORIES && !(v >= 0 && v < a->categories->len)) return "no category";
    if (v < a->low - room || v > a->high + room) return "a number is outside of its axis";
  }
  return NULL;
}

static const char *series_fault(const PicturePanel *p, const PictureSeries *s)
{
  const PictureNumbers *columns[] = { s->x_low,     s->x_high,     s->y,     s->low, s->high,
                                      s->error_low, s->error_high, s->value, s->q1,  s->median,
                                      s->q3,        s->mean,       s->n };
  const struct {
    const PictureAxis *axis;
    const PictureNumbers *numbers;
  } on[] = { { &p->x, s->x },   { &p->x, s->x_high }, { &p->y, s->y },
             { &p->y, s->low }, { &p->y, s->high },   { NULL, s->mean } };
  guint n = s->x ? s->x->len : 0;
  for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
    if (columns[i] && columns[i]->len != n) return "columns of several lengths";
  if (s->field) return s->field->value->len == s->field->n_x * s->field->n_y ? NULL : "field";
  if ((s->text && s->text->len != n) || (s->shapes && s->shapes->len != n)) return "texts";
  if (!n || n > 20000 || s->slot >= s->n_slots) return "nothing, too much, or no slot";
  for (size_t i = 0; i < G_N_ELEMENTS(on); i++) {
    const char *fault = numbers_fault(on[i].axis, on[i].numbers);
    if (fault) return fault;
  }
  return NULL;
}

static const char *panel_fault(const PicturePanel *p)
{
  const char *fault = axis_fault(&p->x);
  if (!fault) fault = axis_fault(&p->y);
  if (!fault && p->color) fault = axis_fault(&p->color->axis);
  for (guint k = 0; !fault && k < p->series->len; k++) fault = series_fault(p, p->series->pdata[k]);
  return fault;
}

static const char *fault_of(const Picture *p)
{
  const char *fault = p->panels->len && *p->description && *p->name ? NULL : "nothing";
  g_auto(GStrv) parts = g_strsplit(p->file, "/", -1);
  for (char **part = parts; *part; part++)
    if (!**part || **part == '.' || strlen(*part) > 255) fault = "path";
  for (guint i = 0; !fault && i < p->panels->len; i++) fault = panel_fault(p->panels->pdata[i]);
  if (!fault && p->legend->len > 40) fault = "a long legend";
  return fault;
}

static GString *all_json(const GPtrArray *sets)
{
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < sets->len; i++) {
    const PictureSet *set = sets->pdata[i];
    CHECK((set->reason != NULL) == (set->pictures->len == 0));
    for (guint k = 0; k < set->pictures->len; k++) {
      gsize start = out->len;
      const char *at, *why;
      picture_json(set->pictures->pdata[k], out);
      CHECK(json_check(out->str + start, out->len - start, &at, &why));
      CHECK(g_utf8_validate(out->str + start, (gssize)(out->len - start), NULL));
      g_string_append_c(out, '\n');
    }
  }
  return out;
}

static void check_sound(const GPtrArray *sets, uint64_t seed)
{
  for (guint i = 0; i < sets->len; i++) {
    const PictureSet *set = sets->pdata[i];
    for (guint k = 0; k < set->pictures->len; k++) {
      const Picture *p = set->pictures->pdata[k];
      const char *fault = fault_of(p);
      if (!CHECK(!fault))
        printf("\n    seed %" G_GUINT64_FORMAT ", %s: %s", seed, fault, p->description);
      if (fault && getenv("PICTURE_SEED")) {
        g_autoptr(GString) json = g_string_new(NULL);
        picture_json(p, json);
        printf("\n%s\n", json->str);
      }
    }
  }
}

static void run(uint64_t seed)
{
  Made m;
  MillFigure f[2];
  uint64_t start = seed;
  made_open(&m);
  GString *columns = g_string_new(NULL);
  uint32_t first = next(&seed, 5), rows = next(&seed, 4) ? next(&seed, 60) : next(&seed, 900);
  for (uint32_t c = first; c < N_NAMES; c++)
    g_string_append_printf(columns, "%s%s", c == first ? "" : " ", names[c]);
  MadeTable *t = made_table(&m, "t", columns->str);
  fill(&m, t, &seed, rows);
  made_end(&m, t);
  any_figure(&seed, &f[0]);
  any_figure(&seed, &f[1]);
  f[1].name = "g";
  for (size_t i = 0; i < 2; i++) made_figure(&m, &f[i]);
  g_autoptr(GPtrArray) sets = made_sets(&m);
  g_autoptr(GPtrArray) again = made_sets(&m);
  GString *json = all_json(sets), *same = all_json(again);
  check_sound(sets, start);
  CHECK(g_string_equal(json, same));
  for (uint32_t i = 0; i < 2; i++) {
    g_autofree char *reason = picture_reason(&m.host, results_view(m.results), i);
    CHECK((reason != NULL) == (((PictureSet *)sets->pdata[i])->reason != NULL));
  }
  g_string_free(columns, TRUE);
  g_string_free(json, TRUE);
  g_string_free(same, TRUE);
  made_close(&m);
}

static void test_any(void)
{
  const char *one = getenv("PICTURE_SEED");
  if (one) return run(strtoull(one, NULL, 10));
  for (uint64_t seed = 1; seed <= 200; seed++) run(seed * 7919);
}

TEST_MAIN({ "any figure of any table", test_any })
