/* What sinks of results have in common; see result.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/sink/result.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/trees.h"

char *result_header(const MillColumn *c)
{
  bool named =
      c->unit && *c->unit && strcmp(c->unit, "count") != 0 && strcmp(c->unit, c->name) != 0;
  return named ? g_strdup_printf("%s_%s", c->name, c->unit) : g_strdup(c->name);
}

static bool find_column(const MillTableResult *table, const char *name, uint32_t *out)
{
  for (uint32_t i = 0; i < table->columns.n; i++)
    if (!strcmp(MILL_AT(MillColumn, table->columns, i)->name, name)) {
      *out = i;
      return true;
    }
  return false;
}

bool result_columns(const MillTableResult *table, const char *const *names, uint32_t n,
                    uint32_t *out)
{
  for (uint32_t c = 0; c < n; c++)
    if (!find_column(table, names[c], &out[c])) return false;
  return true;
}

/* ------------------------------------------------------------------- texts */

const char *result_text(const MillHost *common, const MillValue *v, size_t *out_len)
{
  *out_len = v->len;
  if (v->type == MILL_SYM) return common->symbol_text(common, v->u.sym, out_len);
  return v->type == MILL_TEXT || v->type == MILL_JSON ? v->u.text : NULL;
}

/* ASCII without NUL, eight bytes at a time: nothing in it can be wrong. */
static bool is_plain(const char *text, size_t len)
{
  const uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
  uint64_t odd = 0, v;
  for (; len >= sizeof v; text += sizeof v, len -= sizeof v) {
    memcpy(&v, text, sizeof v);
    odd |= (v | ((v - ones) & ~v)) & high;
  }
  for (; len; text++, len--) odd |= !*text || (signed char)*text < 0;
  return !odd;
}

const char *result_valid(const char *text, size_t *len, char **out_mended)
{
  *out_mended = NULL;
  if (is_plain(text, *len) || g_utf8_validate(text, (gssize)*len, NULL)) return text;
  *out_mended = g_utf8_make_valid(text, (gssize)*len);
  *len = strlen(*out_mended);
  return *out_mended;
}

size_t result_cut(const char *text, size_t len, size_t max_units)
{
  if (len <= max_units) return len;
  const char *at = text, *end = text + len;
  for (size_t units = 0; at < end; at = g_utf8_next_char(at)) {
    units += (unsigned char)*at >= 0xf0 ? 2 : 1; /* four bytes: beyond the first plane */
    if (units > max_units) break;
  }
  return (size_t)(at - text);
}

/* ------------------------------------------------------------------- words */

const char *result_absence(const MillValue *v, const char *reason)
{
  const char *at, *why;
  if (reason) return *reason ? reason : "not applicable";
  if (v->type == MILL_INT) return NULL;
  if (v->type == MILL_REAL) return isfinite(v->u.r) ? NULL : "not a finite number";
  if (v->type != MILL_JSON) return "not applicable";
  if (v->len && *v->u.text == '{' && json_check(v->u.text, v->len, &at, &why)) return NULL;
  return "not a valid JSON object";
}

MillValue result_samples(const MillMetricResult *m)
{
  if (!m->n && result_absence(&m->value, m->reason)) return mill_none();
  return mill_int((int64_t)MIN(m->n, INT64_MAX));
}

const char *result_unit(const MillMetricResult *m)
{
  const char *unit = !strcmp(m->stat, "n") ? "count" : m->metric->unit;
  return unit ? unit : "";
}

const char *result_better(uint32_t better)
{
  if (better == MILL_LOWER) return "lower";
  return better == MILL_HIGHER ? "higher" : "";
}

const char *result_type(const MillColumn *column)
{
  switch (column->type) {
  case MILL_INT: return "int";
  case MILL_REAL: return "real";
  case MILL_BOOL: return "bool";
  default: return "text";
  }
}

const char *result_level(const MillNotice *n)
{
  static const char *const levels[] = { "trace", "error", "warning", "info", "debug", "trace" };
  return levels[n->level <= MILL_LEVEL_TRACE ? n->level : 0];
}

char *result_lane(const MillHost *common, uint32_t index, MillLane *out)
{
  *out = (MillLane){ .size = sizeof *out };
  common->lane(common, index, out);
  return out->name && *out->name ? g_path_get_basename(out->name) : NULL;
}

/* ------------------------------------------------------------------- names */

void result_names_init(ResultNames *n, const char *suffix, size_t max_units)
{
  *n = (ResultNames){ text_set_new(), suffix, max_units };
}

void result_names_clear(ResultNames *n) { g_tree_unref(n->taken); }

/* The first of a name has none. */
static char *suffix_of(const ResultNames *n, unsigned number)
{
  const char *at = strstr(n->suffix, "%u");
  if (number == 1) return g_strdup("");
  return g_strdup_printf("%.*s%u%s", (int)(at - n->suffix), n->suffix, number, at + 2);
}

static char *with_suffix(const ResultNames *n, const char *name, unsigned number)
{
  g_autofree char *suffix = suffix_of(n, number);
  size_t len = strlen(name);
  if (n->max_units) len = result_cut(name, len, n->max_units - strlen(suffix));
  return g_strdup_printf("%.*s%s", (int)len, name, suffix);
}

char *result_names_take(ResultNames *n, const char *name)
{
  for (unsigned number = 1;; number++) {
    char *one = with_suffix(n, name, number), *folded = g_utf8_casefold(one, -1);
    if (!text_set_has(n->taken, folded)) {
      text_set_add(n->taken, folded);
      return one;
    }
    g_free(folded);
    g_free(one);
  }
}
