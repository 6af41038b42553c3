/* What rules found in the runs of two sides; see found.h. */
/* SPDX-License-Identifier: MIT */
#include "compare/found.h"

#include <math.h>
#include <string.h>

#include "base/json-value.h"

/* ------------------------------------------------------------------- places */

static void put_member(GString *out, const JsonValue *v)
{
  const char *text = json_text(v);
  g_string_append_printf(out, "%s%s ", out->len ? ", " : "", v->key);
  g_string_append_len(out, text ? text : v->at, text ? -1 : (gssize)v->len);
}

char *found_place(const char *where)
{
  JsonPlace place;
  g_autofree char *why = NULL;
  GString *out = g_string_new(NULL);
  JsonDoc *doc = json_doc_parse(where, strlen(where), &place, &why);
  const JsonValue *root = doc ? json_doc_root(doc) : NULL;
  for (guint i = 0; json_holds(root, JSON_OBJECT) && i < json_count(root); i++)
    put_member(out, json_item(root, i));
  if (doc) json_doc_free(doc);
  return g_string_free(out, FALSE);
}

/* ----------------------------------------------------------------- findings */

static bool worst_at(Results *run, const char *name, const char *where, MillFindingResult *out)
{
  const MillResults *r = results_view(run);
  bool found = false;
  for (uint32_t i = 0; i < r->n_findings; i++) {
    MillFindingResult f = { .size = sizeof f };
    r->finding(r, i, &f);
    if (strcmp(f.name, name) || (where && strcmp(f.where_json, where))) continue;
    if (!found || f.share > out->share) *out = f;
    found = true;
  }
  return found;
}

bool found_worst(Results *run, const char *name, MillFindingResult *out)
{
  return worst_at(run, name, NULL, out);
}

static bool is_listed(const GArray *list, const MillFindingResult *f)
{
  for (guint i = 0; i < list->len; i++) {
    const FoundChange *c = &g_array_index(list, FoundChange, i);
    if (!strcmp(c->name, f->name) && !strcmp(c->where, f->where_json)) return true;
  }
  return false;
}

static void add_names(GArray *list, const CompareSide *side)
{
  for (guint k = 0; k < side->runs->len; k++) {
    const MillResults *r = results_view(side->runs->pdata[k]);
    for (uint32_t i = 0; i < r->n_findings; i++) {
      MillFindingResult f = { .size = sizeof f };
      r->finding(r, i, &f);
      const FoundChange c = { .name = f.name, .where = f.where_json, .text = f.text };
      if (!is_listed(list, &f)) g_array_append_val(list, c);
    }
  }
}

static void add_shares(const FoundChange *c, const CompareSide *side, bool is_base, Meter *meter)
{
  for (guint k = 0; k < side->runs->len; k++) {
    MillFindingResult f;
    if (worst_at(side->runs->pdata[k], c->name, c->where, &f)) meter_add(meter, is_base, f.share);
  }
}

/* In points of a percent; one that is not there has no share. */
static double moved(const Measure *m)
{
  return fabs((m->n_changed ? m->changed : 0) - (m->n_base ? m->base : 0));
}

static gint by_change(gconstpointer a, gconstpointer b)
{
  const FoundChange *x = a, *y = b;
  const double one = moved(&x->measure), other = moved(&y->measure);
  if (one > other || one < other) return one > other ? -1 : 1;
  const int order = strcmp(x->name, y->name);
  return order ? order : strcmp(x->where, y->where);
}

GArray *found_compare(const CompareSide *base, const CompareSide *other, Meter *meter)
{
  GArray *list = g_array_new(FALSE, FALSE, sizeof(FoundChange));
  add_names(list, other);
  add_names(list, base);
  for (guint i = 0; i < list->len; i++) {
    FoundChange *c = &g_array_index(list, FoundChange, i);
    add_shares(c, base, true, meter);
    add_shares(c, other, false, meter);
    c->measure = meter_take(meter, MILL_LOWER);
  }
  g_array_sort(list, by_change);
  return list;
}

const char *found_word(const Measure *m)
{
  if (m->verdict == COMPARE_APPEARED) return "came";
  if (m->verdict == COMPARE_VANISHED) return "went";
  if (m->verdict <= COMPARE_NEUTRAL) return "same";
  return m->change > 0 ? "grew" : "shrank";
}
