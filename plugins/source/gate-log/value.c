/* Numbers at memory speed, and the passing of everything else in a gate log. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/json.h"
#include "base/num.h"
#include "gate-log.h"

#define MAX_DEPTH 500u
#define LONGEST_KEY 80 /* bytes of expert_loads with every character escaped, and the quote */
#define MAX_WHOLE 9007199254740992.0 /* up to here a double holds every whole number */

static bool stop(GateLog *g, GateStop kind, const char *why)
{
  g->stop = kind;
  g->why = why;
  g->stop_at = gate_text_at(&g->text);
  return false;
}

bool gate_damaged(GateLog *g, const char *why)
{
  bool ended = g->text.p == g->text.end;
  return stop(g, GATE_STOP_DAMAGED, ended ? "the text ends too early" : why);
}

bool gate_bad_value(GateLog *g, const char *why) { return stop(g, GATE_STOP_VALUE, why); }

/* ------------------------------------------------------------------- space */

/* Too many to hold: only the row at hand stays. */
static bool hold_one_row(GateLog *g)
{
  GateNumbers *v = &g->loads;
  g->two_passes = true;
  v->n -= g->row_start;
  memmove(v->at, v->at + g->row_start, v->n * sizeof *v->at);
  g->row_start = 0;
  if (v->n + GATE_SPARE <= v->max) return true;
  return stop(g, GATE_STOP_LONG, "a row has more than 524,288 loads");
}

/* Space for a value at least. */
static bool reserve(GateLog *g, GateNumbers *v)
{
  if (v->n < v->max) return true;
  if (v->max < GATE_KEPT + GATE_SPARE) {
    v->max = MIN(MAX(v->max * 2, 4096u), GATE_KEPT + GATE_SPARE);
    v->at = g_renew(double, v->at, v->max);
    return true;
  }
  if (v == &g->loads) return hold_one_row(g);
  v->n -= GATE_SPARE;
  v->dropped += GATE_SPARE;
  return true;
}

/* ---------------------------------------------------------------- numbers */

void gate_gap_learn(GateGap *gap, const char *from, const char *to)
{
  size_t len = (size_t)(to - from);
  if (len > 16) return;
  size_t second = len > 8 ? len - 8 : 0, first = len - second;
  gap->len = len;
  gap->mask[0] = first == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * first) - 1;
  gap->mask[1] = second == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * second) - 1;
  gap->bytes[0] = scan_load64(from) & gap->mask[0];
  gap->bytes[1] = scan_load64(from + 8) & gap->mask[1];
}

/* Passes numbers of up to seven digits between which the same is as before, and stops at the
 * first byte of a number that is not so; true: it passed the end of the list. */
static bool read_plain(GateLog *g, GateNumbers *v)
{
  const GateGap gap = g->next_number;
  const char *p = g->text.p;
  double *to = v->at + v->n, *last = v->at + v->max - 1; /* leaves space for one */
  bool ended = false;
  while (to < last && !ended) {
    uint32_t value = 0;
    unsigned n = scan_digits(p, &value);
    const char *q = p + n;
    if (n - 1 > 6 || (*p == '0' && n > 1)) break;
    ended = !gate_gap_is_at(&gap, q);
    if (ended && !gate_gap_is_at(&g->list_end, q)) {
      ended = false;
      break;
    }
    *to++ = value;
    p = q + (ended ? g->list_end.len : gap.len);
  }
  v->n = (size_t)(to - v->at);
  g->text.p = p;
  return ended;
}

static const char *digits(const char *p)
{
  while (is_digit(*p)) p++;
  return p;
}

/* After a number by the grammar of JSON; NULL: it breaks off at *io, where it should go on. */
static const char *number_end(const char **io)
{
  const char *p = *io, *from;
  if (*p == '-') p++;
  from = p;
  p = digits(p);
  *io = p;
  if (p == from) return NULL;
  if (*from == '0' && p > from + 1) {
    *io = from;
    return NULL;
  }
  if (*p == '.') {
    from = p + 1;
    *io = p = digits(from);
    if (p == from) return NULL;
  }
  if (*p != 'e' && *p != 'E') return p;
  p++;
  if (*p == '+' || *p == '-') p++;
  from = p;
  *io = p = digits(from);
  return p == from ? NULL : p;
}

static bool pass_number(GateLog *g, const char **out_end)
{
  GateText *t = &g->text;
  const char *at = t->p, *end = number_end(&at);
  if (!end || (end == t->end && !t->at_end)) {
    t->p = MIN(at, t->end);
    return gate_damaged(g,
                        end ? "a number is longer than 1,024 characters" : "this is not a number");
  }
  *out_end = end;
  return true;
}

/* A number that is negative, long, or has decimals; only loads may have those. */
static bool read_number_slow(GateLog *g, bool whole, double *out)
{
  GateText *t = &g->text;
  const char *end;
  if (t->p[0] == '-' && t->p[1] == 'I') return gate_bad_value(g, "this is not finite");
  const char *start = t->p;
  if (!pass_number(g, &end)) return false;
  if (!num_real(start, (size_t)(end - start), out))
    return gate_bad_value(g, "this is beyond the numbers of a double");
  if (*out < 0) return gate_bad_value(g, "this is negative");
  if (whole && (*out > MAX_WHOLE || *out != (double)(int64_t)*out))
    return gate_bad_value(g, "this is not a whole number");
  if (*out == 0) *out = 0; /* without a sign */
  t->p = end;
  return true;
}

/* Says what is where a number should. */
static bool no_number(GateLog *g)
{
  static const char *const words[][2] = { { "null", "this is null" },
                                          { "true", "this is true" },
                                          { "false", "this is false" },
                                          { "NaN", "this is NaN" },
                                          { "Infinity", "this is not finite" } };
  switch (*g->text.p) {
  case '"': return gate_bad_value(g, "this is a text");
  case '[': return gate_bad_value(g, "this is a list");
  case '{': return gate_bad_value(g, "this is an object");
  default: break;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
    if (!strncmp(g->text.p, words[i][0], strlen(words[i][0])))
      return gate_bad_value(g, words[i][1]);
  return gate_damaged(g, "this is not a value");
}

/* One number; *out_gap is after its digits when the gap that follows may be learned. */
static bool read_number(GateLog *g, GateNumbers *v, const char **out_gap)
{
  bool whole = v != &g->loads;
  double *out = &v->at[v->n++];
  const char *p = g->text.p;
  uint32_t value = 0;
  unsigned n = scan_digits(p, &value);
  const char *q = p + n;
  *out_gap = NULL;
  if (n == 0) return *p == '-' ? read_number_slow(g, whole, out) : no_number(g);
  if (n == 8 || (*p == '0' && n > 1)) return read_number_slow(g, whole, out);
  if (*q == '.') {
    bool plain = q[1] == '0' && !is_digit(q[2]) && (q[2] | 0x20) != 'e';
    if (!plain) return read_number_slow(g, whole, out);
    g->text.p = q + 2;
  } else if ((*q | 0x20) == 'e') {
    return read_number_slow(g, whole, out);
  } else {
    g->text.p = q;
  }
  *out = value;
  *out_gap = q;
  return true;
}

bool gate_numbers(GateLog *g, GateNumbers *v)
{
  GateText *t = &g->text;
  if (gate_text_space(t) == ']') {
    t->p++;
    return true;
  }
  for (;;) {
    const char *gap;
    if (!reserve(g, v)) return false;
    if (read_plain(g, v)) return true;
    if (gate_text_space(t) < 0) return gate_damaged(g, NULL);
    if (!read_number(g, v, &gap)) return false;
    uint64_t window = t->offset;
    int c = gate_text_space(t);
    if (c != ']' && c != ',') return gate_damaged(g, "a comma or a closing bracket is missing");
    t->p++;
    if (c == ',') gate_text_space(t);
    if (gap && window == t->offset)
      gate_gap_learn(c == ',' ? &g->next_number : &g->list_end, gap, t->p);
    if (c == ']') return true;
  }
}

/* ------------------------------------------------------------ other values */

bool gate_literal(GateLog *g, const char *word)
{
  size_t len = strlen(word);
  if (strncmp(g->text.p, word, len)) return false;
  g->text.p += len;
  return true;
}

/* The character at p, which is not plain ASCII: its length, 0 if it is wrong. */
static size_t odd_character(const char *p, const char *end)
{
  if (*p == '\\') return !scan_escapes(p + 1) ? 0 : p[1] == 'u' ? 6 : 2;
  if ((unsigned char)*p < 0x80) return 0;
  gunichar c = g_utf8_get_char_validated(p, MIN(end - p, 4));
  return c >= (gunichar)-2 ? 0 : (size_t)(g_utf8_next_char(p) - p);
}

/* After the opening quote. */
static bool skip_string(GateLog *g)
{
  GateText *t = &g->text;
  for (;;) {
    gate_text_ahead(t);
    if (t->p == t->end) return gate_damaged(g, NULL);
    unsigned char c = (unsigned char)*t->p;
    if (c >= 0x20 && c < 0x80 && c != '\\') {
      t->p++;
      if (c == '"') return true;
      continue;
    }
    size_t len = odd_character(t->p, t->end);
    if (!len) return gate_damaged(g, "this text is not valid");
    t->p += len;
  }
}

static bool skip_literal(GateLog *g)
{
  static const char *const words[] = { "null", "true", "false" };
  static const char *const not_finite[] = { "NaN", "Infinity", "-Infinity" };
  for (size_t i = 0; i < MILL_COUNT(words); i++)
    if (gate_literal(g, words[i])) return true;
  for (size_t i = 0; i < MILL_COUNT(not_finite); i++) {
    if (!gate_literal(g, not_finite[i])) continue;
    g->n_nan += g->n_nan < UINT32_MAX;
    return true;
  }
  const char *end;
  if (*g->text.p != '-' && !is_digit(*g->text.p)) return gate_damaged(g, "this is not a value");
  if (!pass_number(g, &end)) return false;
  g->text.p = end;
  return true;
}

static bool skip_member(GateLog *g, unsigned depth)
{
  if (gate_text_space(&g->text) != '"') return gate_damaged(g, "a key is missing");
  g->text.p++;
  if (!skip_string(g)) return false;
  if (gate_text_space(&g->text) != ':') return gate_damaged(g, "a colon is missing");
  g->text.p++;
  return gate_skip_value(g, depth);
}

/* After the bracket or brace that opens it. */
static bool skip_container(GateLog *g, bool object, unsigned depth)
{
  GateText *t = &g->text;
  const char close = object ? '}' : ']';
  if (depth > MAX_DEPTH) return gate_damaged(g, "it is nested too deeply");
  if (gate_text_space(t) == close) {
    t->p++;
    return true;
  }
  for (;;) {
    if (!(object ? skip_member(g, depth + 1) : gate_skip_value(g, depth + 1))) return false;
    int c = gate_text_space(t);
    if (c != close && c != ',') return gate_damaged(g, "a comma or a closing bracket is missing");
    t->p++;
    if (c == close) return true;
  }
}

bool gate_skip_value(GateLog *g, unsigned depth)
{
  int c = gate_text_space(&g->text);
  if (c != '"' && c != '{' && c != '[') return skip_literal(g);
  g->text.p++;
  return c == '"' ? skip_string(g) : skip_container(g, c == '{', depth);
}

/* A key with escapes, which are at most six characters each. */
static GateMember escaped_key(GateLog *g, const char *const *words)
{
  GateText *t = &g->text;
  unsigned flags = 0;
  if (t->end - t->p < LONGEST_KEY && !t->at_end) gate_text_fill(t);
  const char *quote = scan_string(t->p, t->end, &flags);
  if (!quote || !(flags & SCAN_ESCAPED)) return GATE_OTHER;
  JsonToken token = { JSON_KEY, t->p - 1, (size_t)(quote + 1 - t->p) + 1 };
  for (int i = 0; i < GATE_OTHER; i++)
    if (json_is(&token, words[i])) return (GateMember)i;
  return GATE_OTHER;
}

GateMember gate_key(GateLog *g)
{
  static const char *const quoted[] = { "step\"", "num_tokens\"", "expert_loads\"" };
  static const char *const words[] = { "step", "num_tokens", "expert_loads" };
  for (int i = 0; i < GATE_OTHER; i++)
    if (gate_literal(g, quoted[i])) return (GateMember)i;
  GateMember member = escaped_key(g, words);
  return skip_string(g) ? member : GATE_NO_KEY;
}
