/* Whole values in the window: found with wide scans, checked, and read as numbers and texts. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/num.h"
#include "kit/read/json-window.h"

static bool is_word_byte(char c) { return g_ascii_isalnum(c) || c == '+' || c == '-' || c == '.'; }

/* What the tolerant tokeniser may repair without a doubt about what was meant. */
#define NO_DOUBT \
  (JSON_FIX_CONTROL | JSON_FIX_UTF8 | JSON_FIX_ESCAPE | JSON_FIX_SURROGATE | JSON_FIX_NAN)
#define MENDED (JSON_FIX_CONTROL | JSON_FIX_UTF8 | JSON_FIX_ESCAPE)

static bool check(Window *w, const JsonToken *value)
{
  JsonCursor c;
  JsonToken t;
  JsonKind kind;
  json_open(&c, value->start, value->len, false);
  do {
    kind = json_next(&c, &t);
    if (kind == JSON_ERROR) return window_fail(w, w->notices->not_json, c.error_at, NULL, c.error);
    if (c.fixes & ~(unsigned)NO_DOUBT)
      return window_fail(w, w->notices->not_json, t.start, NULL,
                         c.fixes & JSON_FIX_COMMA ? "an extra comma" : "not a JSON number");
  } while (kind != JSON_END);
  if (c.fixes & JSON_FIX_NAN) w->not_finite = true;
  if (c.fixes & MENDED && !w->is_quiet) mill_note(w->common, w->notices->text);
  return true;
}

static bool give(Window *w, JsonKind kind, const char *after, JsonToken *out)
{
  *out = (JsonToken){ kind, w->p, (size_t)(after - w->p) };
  w->p = after;
  return true;
}

static bool read_string(Window *w, JsonToken *out)
{
  for (;;) {
    unsigned flags = 0;
    const char *quote = scan_string(w->p + 1, w->end, &flags);
    if (quote) {
      give(w, JSON_STRING, quote + 1, out);
      return flags & SCAN_ODD ? check(w, out) : true;
    }
    if (!window_more(w)) return w->status ? false : window_fail_end(w);
  }
}

static bool read_container(Window *w, JsonToken *out)
{
  for (;;) {
    bool odd = false;
    const char *after = window_container(w, &odd);
    if (after) {
      give(w, *w->p == '{' ? JSON_OBJECT : JSON_ARRAY, after, out);
      return check(w, out);
    }
    if (!window_more(w)) return w->status ? false : window_fail_end(w);
  }
}

static JsonKind scalar_kind(const char *p, size_t len)
{
  JsonCursor c;
  JsonToken t;
  json_open(&c, p, len, true);
  JsonKind kind = json_next(&c, &t);
  return t.len == len ? kind : JSON_ERROR;
}

/* NaN and Infinity are not JSON, but what Python writes; whoever needs a number refuses them. */
static bool read_scalar(Window *w, JsonToken *out)
{
  size_t len = 0;
  for (;;) {
    while (w->p + len < w->end && is_word_byte(w->p[len])) len++;
    if (w->p + len < w->end || !window_more(w)) break;
  }
  if (w->status) return false;
  if (len == 0) return window_fail(w, w->notices->not_json, w->p, NULL, "expected a value");
  give(w, scalar_kind(w->p, len), w->p + len, out);
  bool finite = !value_is(out, "NaN") && !value_is(out, "Infinity") && !value_is(out, "-Infinity");
  if (!finite) w->not_finite = true;
  if (!finite || out->kind != JSON_ERROR) return true;
  return window_fail(w, w->notices->not_json, out->start, NULL, "expected a value");
}

bool window_value(Window *w, JsonToken *out)
{
  int c = window_peek(w);
  if (c == '"') return read_string(w, out);
  if (c == '{' || c == '[') return read_container(w, out);
  if (c < 0) return w->status ? false : window_fail_end(w);
  return read_scalar(w, out);
}

/* Lists may be longer than memory: their elements one by one. */
bool window_pass(Window *w)
{
  JsonToken t;
  bool first = true;
  if (window_peek(w) != '[') return window_value(w, &t);
  w->p++;
  while (window_element(w, &first))
    if (!window_value(w, &t)) return false;
  return w->status == 0;
}

bool window_skip(Window *w)
{
  w->not_finite = false;
  bool passed = window_pass(w);
  if (passed && w->not_finite) mill_note(w->common, w->notices->nan);
  return passed;
}

/* ----------------------------------------------------------------- numbers */
static bool not_a_number(Window *w, const char *name, const JsonToken *t, const char *why)
{
  char found[64] = "it is missing";
  int shown = (int)MIN(t->len, 32);
  g_autofree char *what = g_strdup_printf("\"%s\" needs a number that is not negative", name);
  if (t->len)
    snprintf(found, sizeof found, "found %.*s%s%s", shown, t->start, t->len > 32 ? "..." : "", why);
  return window_fault(w, name, t->start, what, found);
}

static bool is_below_zero(const JsonToken *t)
{
  if (*t->start != '-') return false;
  for (size_t i = 1; i < t->len && (t->start[i] | 0x20) != 'e'; i++)
    if (t->start[i] >= '1' && t->start[i] <= '9') return true;
  return false;
}

static bool is_number(const JsonToken *t)
{
  JsonKind kind = t->kind == JSON_NUMBER ? scalar_kind(t->start, t->len) : t->kind;
  return kind == JSON_NUMBER && !is_below_zero(t);
}

bool value_scaled(Window *w, const char *name, const JsonToken *t, int decimals, int64_t *out)
{
  unsigned flags = 0;
  int64_t v;
  *out = 0;
  if (!is_number(t)) return not_a_number(w, name, t, "");
  num_scan_scaled(t->start, t->start + t->len, decimals, &v, &flags);
  if (flags & NUM_RANGE) return not_a_number(w, name, t, ", which is too large");
  if (decimals == 0 && flags & NUM_INEXACT) return not_a_number(w, name, t, ", which is not whole");
  *out = v;
  return true;
}

bool value_real(Window *w, const char *name, const JsonToken *t, double *out)
{
  double v;
  *out = 0;
  if (!is_number(t)) return not_a_number(w, name, t, "");
  if (!num_real(t->start, t->len, &v)) return not_a_number(w, name, t, ", which is too large");
  if (v != 0) *out = v; /* no negative zero */
  return true;
}

bool value_wrong(Window *w, const char *name, const char *needs)
{
  JsonToken t;
  if (!window_value(w, &t)) return false;
  g_autofree char *what = g_strdup_printf("\"%s\" needs %s", name, needs);
  g_autofree char *found =
      g_strdup_printf("found %.*s%s", (int)MIN(t.len, 32), t.start, t.len > 32 ? "..." : "");
  return window_fault(w, name, t.start, what, found);
}

void json_value_text(const JsonToken *t, GString *out)
{
  if (t->kind == JSON_STRING || t->kind == JSON_KEY)
    json_decode(t, out);
  else
    g_string_append_len(out, t->start, (gssize)t->len);
}
