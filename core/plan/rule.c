/* Rules: their heads and parameters; see rule.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/rule.h"

#include <string.h>

#include "base/num.h"
#include "model/printable.h"

static void param_clear(gpointer data)
{
  RuleParam *p = data;
  g_free(p->name);
  g_free(p->text);
  g_free(p->origin);
  g_free(p->help);
  g_free(p);
}

void rule_free(Rule *r)
{
  if (!r) return;
  g_free(r->name);
  g_free(r->file);
  g_free(r->title);
  g_free(r->help);
  g_ptr_array_unref(r->params);
  g_free(r->text);
  g_free(r);
}

/* ------------------------------------------------------------------- the head */

static Error *bad_head(const Rule *r, unsigned line, const char *what)
{
  g_autofree char *safe = printable(r->file);
  Error *e = error_new(EXIT_PROFILE, "PRF-21", "the head of the rule \"%s\" is wrong", r->name);
  error_why(error_at(e, "at %s:%u", safe, line), "%s", what);
  return error_help(e, "write it as: -- param: NAME = 60 [0, 100] What it is");
}

static bool is_param_name(const char *name)
{
  if (!g_ascii_islower(*name)) return false;
  for (; *name; name++)
    if (!g_ascii_islower(*name) && !g_ascii_isdigit(*name) && *name != '_') return false;
  return true;
}

static bool number_of(char *text, double *out)
{
  g_strstrip(text);
  return num_real(text, strlen(text), out);
}

static RuleParam *param_of(const Rule *r, const char *name)
{
  for (guint i = 0; i < r->params->len; i++)
    if (!strcmp(((RuleParam *)r->params->pdata[i])->name, name)) return r->params->pdata[i];
  return NULL;
}

/* "NAME = 60 [0, 100] help" */
static const char *take_param(Rule *r, const char *text)
{
  g_auto(GStrv) sides = g_strsplit(text, "=", 2);
  if (!sides[0] || !sides[1] || !is_param_name(g_strstrip(sides[0])))
    return "a parameter has no name";
  g_auto(GStrv) open = g_strsplit(sides[1], "[", 2);
  g_auto(GStrv) closed = g_strsplit(open[0] && open[1] ? open[1] : "", "]", 2);
  g_auto(GStrv) ends = g_strsplit(closed[0] ? closed[0] : "", ",", 2);
  RuleParam p = { 0 };
  if (!ends[0] || !ends[1] || !number_of(open[0], &p.value) || !number_of(ends[0], &p.min) ||
      !number_of(ends[1], &p.max))
    return "a parameter needs a value and a range";
  if (p.min > p.max || p.value < p.min || p.value > p.max)
    return "the value of a parameter is not in its range";
  if (param_of(r, sides[0])) return "two parameters have one name";
  p.name = g_strdup(sides[0]);
  p.text = g_strdup(open[0]);
  p.origin = g_strdup("default");
  p.help = printable(g_strstrip(closed[1]));
  g_ptr_array_add(r->params, g_memdup2(&p, sizeof p));
  return NULL;
}

static const char *take_screen(Rule *r, const char *text)
{
  int64_t rows;
  if (!num_int(text, strlen(text), &rows) || rows < 0) return "\"screen\" is not a number of rows";
  r->screen_rows = (uint64_t)rows;
  return NULL;
}

static void take_text(char **to, const char *text)
{
  if (!*to) *to = printable(text);
}

/* NULL, or what is wrong with a line of the comment. */
static const char *take_line(Rule *r, char *line)
{
  if (g_str_has_prefix(line, "title:"))
    take_text(&r->title, g_strstrip(line + strlen("title:")));
  else if (g_str_has_prefix(line, "help:"))
    take_text(&r->help, g_strstrip(line + strlen("help:")));
  else if (g_str_has_prefix(line, "param:"))
    return take_param(r, line + strlen("param:"));
  else if (g_str_has_prefix(line, "screen:"))
    return take_screen(r, g_strstrip(line + strlen("screen:")));
  return NULL;
}

static Error *read_head(Rule *r)
{
  g_auto(GStrv) lines = g_strsplit(r->text, "\n", -1);
  for (unsigned i = 0; lines[i]; i++) {
    char *line = g_strstrip(lines[i]);
    if (!g_str_has_prefix(line, "--")) break;
    const char *wrong = take_line(r, g_strstrip(line + 2));
    if (wrong) return bad_head(r, i + 1, wrong);
  }
  if (!r->title) return bad_head(r, 1, "it has no line \"-- title: ...\"");
  if (!r->help) r->help = g_strdup("");
  return NULL;
}

Error *rule_read(const char *name, const char *file, char *text, size_t len, Rule **out)
{
  g_autoptr(Rule) r = g_new0(Rule, 1);
  r->screen_rows = UINT64_MAX;
  r->params = g_ptr_array_new_with_free_func(param_clear);
  r->file = g_strdup(file);
  r->name = g_strdup(name);
  r->text = text;
  r->len = len;
  Error *e = strlen(text) == len ? read_head(r) : bad_head(r, 1, "it has a byte that is 0");
  *out = e ? NULL : g_steal_pointer(&r);
  return e;
}

/* ------------------------------------------------------------------ parameters */

static Error *unknown_param(const Rule *r, const char *param)
{
  g_autofree char *safe = printable(param);
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < r->params->len; i++)
    g_ptr_array_add(names, ((RuleParam *)r->params->pdata[i])->name);
  g_ptr_array_add(names, NULL);
  Error *e =
      error_new(EXIT_USAGE, "PRF-23", "the rule \"%s\" has no parameter \"%s\"", r->name, safe);
  error_suggest(e, param, (const char *const *)names->pdata);
  return error_help(e, "stagemill show %s    lists its parameters", r->name);
}

Error *rule_set(Rule *r, const char *param, const char *text, const char *origin)
{
  double value;
  g_autofree char *safe = printable(text);
  RuleParam *p = param_of(r, param);
  if (!p) return unknown_param(r, param);
  if (!num_real(text, strlen(text), &value) || value < p->min || value > p->max) {
    Error *e =
        error_new(EXIT_USAGE, "PRF-23", "\"%s\" is not a value of %s.%s", safe, r->name, p->name);
    return error_help(e, "give a number from %g to %g", p->min, p->max);
  }
  p->value = value;
  g_free(p->text);
  g_free(p->origin);
  p->text = g_strdup(text);
  p->origin = g_strdup(origin);
  return NULL;
}
