/* Events as short lines of text, both ways; see harness.h for the form. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "harness-internal.h"

static const char phases[MILL_N_KINDS + 1] = "?XBEiCMbnestfPN-";

/* ---- reading */

/* The next token: up to a space outside quotes; braces run to the end of the line. */
static char *take_token(const char **io_text)
{
  const char *p = *io_text;
  while (*p == ' ') p++;
  const char *start = p;
  if (*p == '{') {
    *io_text = p + strlen(p);
    return g_strdup(start);
  }
  for (bool quoted = false; *p && (quoted || *p != ' '); p++) {
    if (quoted && *p == '\\' && p[1]) p++;
    else if (*p == '"') quoted = !quoted;
  }
  *io_text = p;
  return p == start ? NULL : g_strndup(start, (gsize)(p - start));
}

/* What stands behind a backslash in quotes; 0: it stands for itself, and so does the backslash. */
static char escaped(char letter)
{
  switch (letter) {
  case 'n': return '\n';
  case 't': return '\t';
  case 'r': return '\r';
  case '"': return '"';
  case '\\': return '\\';
  default: return 0;
  }
}

/* Text without its quotes, in place; true if there were any. */
static bool unquote(char *text)
{
  size_t len = strlen(text);
  char *to = text;
  if (len < 2 || text[0] != '"' || text[len - 1] != '"') return false;
  for (const char *p = text + 1, *end = text + len - 1; p < end; p++) {
    char c = *p == '\\' && p + 1 < end ? escaped(p[1]) : 0;
    if (c) p++;
    *to++ = c ? c : *p;
  }
  *to = 0;
  return true;
}

MillValue harness_value_copy(const MillHost *host, MillValue v)
{
  size_t len = v.len;
  if (v.type == MILL_TEXT || v.type == MILL_JSON) {
    v.u.text = g_strndup(v.u.text, len);
  } else if (v.type == MILL_SYM) {
    const char *text = host->symbol_text(host, v.u.sym, &len);
    return mill_text(g_strndup(text, len), len);
  }
  return v;
}

static void value_clear(MillValue *v)
{
  if (v->type == MILL_TEXT || v->type == MILL_JSON) g_free((char *)(uintptr_t)v->u.text);
}

static MillValue value_parse(const char *text, bool quoted)
{
  size_t len = strlen(text);
  MillValue v = mill_text(text, len);
  int64_t i;
  double r;
  if (quoted) return harness_value_copy(NULL, v);
  if (num_int(text, len, &i)) return mill_int(i);
  if (num_real(text, len, &r)) return mill_real(r);
  if (g_str_equal(text, "true") || g_str_equal(text, "false")) return mill_bool(text[0] == 't');
  if (g_str_equal(text, "-")) return mill_none();
  if (text[0] == '[' || text[0] == '{') v.type = MILL_JSON;
  return harness_value_copy(NULL, v);
}

/* Splits at commas outside quotes and brackets. */
static GPtrArray *split(const char *text, size_t len)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
  const char *start = text, *end = text + len;
  int depth = 0;
  bool quoted = false;
  for (const char *p = text; p <= end; p++) {
    if (p == end || (*p == ',' && !quoted && depth == 0)) {
      if (p > start) g_ptr_array_add(parts, g_strstrip(g_strndup(start, (gsize)(p - start))));
      start = p + 1;
    } else if (quoted && *p == '\\' && p + 1 < end)
      p++;
    else if (*p == '"')
      quoted = !quoted;
    else if (!quoted && strchr("[{", *p))
      depth++;
    else if (!quoted && strchr("]}", *p))
      depth--;
  }
  return parts;
}

static void add_attr(GArray *attrs, const char *key, char *text)
{
  bool quoted = unquote(text);
  HarnessAttr attr = { g_strdup(key), value_parse(text, quoted) };
  g_array_append_val(attrs, attr);
}

static bool parse_attrs(const char *text, GArray *attrs)
{
  size_t len = strlen(text);
  if (len < 2 || text[len - 1] != '}') return false;
  g_autoptr(GPtrArray) parts = split(text + 1, len - 2);
  for (guint i = 0; i < parts->len; i++) {
    char *part = parts->pdata[i], *equal = strchr(part, '=');
    if (!equal) return false;
    *equal = 0;
    char *value = equal + 1;
    size_t value_len = strlen(value);
    if (value[0] != '[' || strpbrk(value + 1, "[{")) {
      add_attr(attrs, part, value);
      continue;
    }
    g_autoptr(GPtrArray) items = split(value + 1, value_len - 2);
    for (guint k = 0; k < items->len; k++) add_attr(attrs, part, items->pdata[k]);
  }
  return true;
}

static bool parse_id(const char *text, HarnessLine *line)
{
  int64_t id;
  if (!num_int(text, strlen(text), &id)) return false;
  line->id = (uint64_t)id;
  line->id_kind = g_str_has_prefix(text, "0x") ? MILL_ID_HEX : MILL_ID_INT;
  return true;
}

/* Tokens after the times: p= t= cat= id= bp= {...} */
static bool parse_extra(char *token, HarnessLine *line)
{
  if (token[0] == '{') return parse_attrs(token, line->attrs);
  char *value = strchr(token, '=');
  if (!value) return false;
  *value++ = 0;
  bool quoted = unquote(value);
  if (g_str_equal(token, "p")) {
    line->process = value_parse(value, quoted);
  } else if (g_str_equal(token, "t")) {
    line->thread = value_parse(value, quoted);
  } else if (g_str_equal(token, "cat")) {
    line->cat = g_strdup(value);
  } else if (g_str_equal(token, "id")) {
    return parse_id(value, line);
  } else if (g_str_equal(token, "bp")) {
    line->flags |= MILL_FLAG_BIND_END;
  } else {
    return false;
  }
  return true;
}

static bool parse_time(const char *text, int64_t *out_ns)
{
  return text && num_duration(text, strlen(text), out_ns);
}

static const char *parse_head(const char **io_text, HarnessLine *line)
{
  g_autofree char *phase = take_token(io_text);
  const char *known = phase && phase[0] && !phase[1] ? strchr(phases, phase[0]) : NULL;
  if (!known) return "an event begins with its phase";
  line->kind = (uint8_t)(known - phases);
  line->name = take_token(io_text);
  if (!line->name) return "the name is missing";
  unquote(line->name);
  g_autofree char *ts = take_token(io_text);
  if (ts && g_str_equal(ts, "-"))
    line->flags |= MILL_FLAG_NO_TS;
  else if (!parse_time(ts, &line->ts_ns))
    return "the time is missing or no time";
  if (line->kind != MILL_SLICE) return NULL;
  g_autofree char *dur = take_token(io_text);
  if (dur && !g_str_equal(dur, "-") && !parse_time(dur, &line->dur_ns))
    return "the duration is none";
  return dur ? NULL : "a slice needs a duration";
}

static void free_attr(gpointer attr)
{
  HarnessAttr *a = attr;
  g_free(a->key);
  value_clear(&a->value);
}

HarnessLine *harness_line_new(void)
{
  HarnessLine *line = g_new0(HarnessLine, 1);
  line->dur_ns = -1;
  line->process = line->thread = mill_int(0);
  line->attrs = g_array_new(FALSE, TRUE, sizeof(HarnessAttr));
  g_array_set_clear_func(line->attrs, free_attr);
  return line;
}

HarnessLine *harness_line_parse(const char *text, char **out_why)
{
  HarnessLine *line = harness_line_new();
  const char *rest = text, *why = parse_head(&rest, line);
  while (!why) {
    g_autofree char *token = take_token(&rest);
    if (!token) return line;
    if (!parse_extra(token, line)) why = "one of p= t= cat= id= bp= {...} was expected";
  }
  *out_why = g_strdup_printf("\"%s\": %s", text, why);
  harness_line_free(line);
  return NULL;
}

void harness_line_free(HarnessLine *line)
{
  if (!line) return;
  g_free(line->name);
  g_free(line->cat);
  value_clear(&line->process);
  value_clear(&line->thread);
  g_array_unref(line->attrs);
  g_free(line);
}

/* ---- writing */

static void append_time(GString *out, int64_t ns)
{
  static const struct {
    int64_t ns;
    const char *unit;
  } units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
  for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
    if (ns % units[i].ns) continue;
    g_string_append_printf(out, "%" G_GINT64_FORMAT "%s", ns / units[i].ns,
                           ns ? units[i].unit : "");
    return;
  }
}

static void append_quoted(GString *out, const char *text)
{
  static const char plain[] = "ntr\"\\", meant[] = "\n\t\r\"\\";
  g_string_append_c(out, '"');
  for (; *text; text++) {
    const char *at = strchr(meant, *text);
    if (at)
      g_string_append_printf(out, "\\%c", plain[at - meant]);
    else
      g_string_append_c(out, *text);
  }
  g_string_append_c(out, '"');
}

static void append_text(GString *out, const char *text)
{
  bool plain = *text && !strpbrk(text, " \"={},[]\\\n\t\r");
  if (plain)
    g_string_append(out, text);
  else
    append_quoted(out, text);
}

char *harness_value_format(const MillValue *v)
{
  char number[NUM_BUF];
  switch (v->type) {
  case MILL_INT: num_format_int(number, v->u.i); return g_strdup(number);
  case MILL_REAL: num_format_real(number, v->u.r); return g_strdup(number);
  case MILL_BOOL: return g_strdup(v->u.i ? "true" : "false");
  case MILL_NONE: return g_strdup("-");
  default: return g_strdup(v->u.text);
  }
}

/* A text that could be read as something else is not the same as that. */
static bool looks_like_another(const char *text)
{
  MillValue v = value_parse(text, false);
  bool another = v.type != MILL_TEXT;
  value_clear(&v);
  return another;
}

static void append_value(GString *out, const MillValue *value)
{
  g_autofree char *text = harness_value_format(value);
  if (value->type == MILL_TEXT && looks_like_another(text))
    append_quoted(out, text);
  else if (value->type == MILL_TEXT)
    append_text(out, text);
  else
    g_string_append(out, g_strdelimit(text, "\n\r", ' ')); /* of JSON: blanks, too */
}

static void append_track(GString *out, const char *label, const MillValue *value)
{
  if (value->type == MILL_INT && value->u.i == 0) return;
  g_string_append_printf(out, " %s=", label);
  append_value(out, value);
}

static void append_list(GString *out, const HarnessAttr *attrs, guint n)
{
  g_string_append_c(out, '[');
  for (guint i = 0; i < n; i++) {
    if (i) g_string_append_c(out, ',');
    append_value(out, &attrs[i].value);
  }
  g_string_append_c(out, ']');
}

static void append_json(GString *out, const MillValue *value)
{
  g_autofree char *text = harness_value_format(value);
  if (value->type == MILL_TEXT)
    json_quote(out, text, strlen(text));
  else
    g_string_append(out, value->type == MILL_NONE ? "null" : text);
}

char *harness_list_json(const HarnessAttr *attrs, guint n)
{
  GString *out = g_string_new("[");
  for (guint i = 0; i < n; i++) {
    if (i) g_string_append_c(out, ',');
    append_json(out, &attrs[i].value);
  }
  return g_string_free(g_string_append_c(out, ']'), FALSE);
}

static void append_attrs(GString *out, const GArray *attrs)
{
  for (guint i = 0, n; i < attrs->len; i += n) {
    const HarnessAttr *a = &g_array_index(attrs, HarnessAttr, i);
    for (n = 1; i + n < attrs->len && g_str_equal(a[n].key, a->key);) n++;
    g_string_append_printf(out, "%s%s=", i ? ", " : " {", a->key);
    if (n > 1)
      append_list(out, a, n);
    else
      append_value(out, &a->value);
  }
  if (attrs->len) g_string_append_c(out, '}');
}

char *harness_line_format(const HarnessLine *line)
{
  GString *out = g_string_new(NULL);
  g_string_append_printf(out, "%c ", phases[line->kind]);
  append_text(out, line->name);
  g_string_append_c(out, ' ');
  if (line->flags & MILL_FLAG_NO_TS)
    g_string_append_c(out, '-');
  else
    append_time(out, line->ts_ns);
  if (line->kind == MILL_SLICE) {
    g_string_append_c(out, ' ');
    if (line->dur_ns == -1)
      g_string_append_c(out, '-');
    else
      append_time(out, line->dur_ns);
  }
  append_track(out, "p", &line->process);
  append_track(out, "t", &line->thread);
  if (line->cat && *line->cat) {
    g_string_append(out, " cat=");
    append_text(out, line->cat);
  }
  if (line->id_kind != MILL_ID_NONE)
    g_string_append_printf(out,
                           line->id_kind == MILL_ID_HEX ? " id=0x%" G_GINT64_MODIFIER "x"
                                                        : " id=%" G_GUINT64_FORMAT,
                           line->id);
  if (line->flags & MILL_FLAG_BIND_END) g_string_append(out, " bp=e");
  append_attrs(out, line->attrs);
  return g_string_free(out, FALSE);
}
