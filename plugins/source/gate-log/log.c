/* One gate log: its members, and its rows in one pass or two. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "gate-log.h"

#define MAX_ROWS (1u << 19) /* that are held: 4 bytes each */

void gate_log_init(GateLog *g, const MillSourceHost *host)
{
  memset(g, 0, sizeof *g);
  g->text.host = host;
  g->text.bytes = g_malloc(GATE_WINDOW + SCAN_PAD);
}

void gate_log_clear(GateLog *g)
{
  g_free(g->text.bytes);
  g_free(g->step.at);
  g_free(g->tokens.at);
  g_free(g->loads.at);
  g_free(g->row_ends);
}

static void forget(GateNumbers *v)
{
  v->n = 0;
  v->dropped = 0;
  v->is_there = false;
}

static void forget_rows(GateLog *g)
{
  forget(&g->loads);
  g->row_start = 0;
  g->n_rows = 0;
  g->two_passes = false;
}

/* ------------------------------------------------------------------- rows */

static void hold_row(GateLog *g)
{
  g->n_rows++;
  if (!g->two_passes && g->n_rows > MAX_ROWS) g->two_passes = true;
  if (g->two_passes) {
    g->loads.n = g->row_start = 0;
    return;
  }
  if (g->n_rows > g->max_rows) {
    g->max_rows = MIN(MAX(g->max_rows * 2, 256u), MAX_ROWS);
    g->row_ends = g_renew(uint32_t, g->row_ends, g->max_rows);
  }
  g->row_ends[g->n_rows - 1] = (uint32_t)g->loads.n;
  g->row_start = g->loads.n;
}

/* What is not a value at all is damage rather than a wrong value. */
static bool begins_value(int c) { return c > 0 && strchr("[{\"-0123456789tfnNI", c); }

/* A row, or null in place of one. */
static bool read_row(GateLog *g)
{
  int c = gate_text_space(&g->text);
  if (c == '[') {
    g->text.p++;
    return gate_numbers(g, &g->loads);
  }
  if (!begins_value(c)) return gate_damaged(g, "this is not a value");
  return gate_literal(g, "null") || gate_bad_value(g, "this is not a row");
}

static bool end_of_item(GateLog *g, bool *out_more)
{
  int c = gate_text_space(&g->text);
  if (c != ']' && c != ',') return gate_damaged(g, "a comma or a closing bracket is missing");
  g->text.p++;
  *out_more = c == ',';
  return true;
}

/* Rows that follow each other as the ones before did. */
static bool read_like_rows(GateLog *g)
{
  while (gate_gap_is_at(&g->next_row, g->text.p)) {
    g->text.p += g->next_row.len;
    if (!gate_numbers(g, &g->loads)) return false;
    hold_row(g);
  }
  return true;
}

/* From after a row to the first number of the next, if that is where it is. */
static void learn_row_gap(GateLog *g, uint64_t from)
{
  GateText *t = &g->text;
  if (gate_text_space(t) != '[' || from < t->offset) return;
  const char *to = scan_space(t->p + 1);
  if (is_digit(*to)) gate_gap_learn(&g->next_row, t->bytes + (from - t->offset), to);
}

/* After the bracket of expert_loads. */
static bool read_rows(GateLog *g)
{
  bool more = true;
  g->rows_at = gate_text_at(&g->text);
  if (gate_text_space(&g->text) == ']') {
    g->text.p++;
    return true;
  }
  while (more) {
    if (!read_row(g)) return false;
    hold_row(g);
    if (!read_like_rows(g)) return false;
    uint64_t after = gate_text_at(&g->text);
    if (!end_of_item(g, &more)) return false;
    if (more) learn_row_gap(g, after);
  }
  return true;
}

/* ---------------------------------------------------------------- members */

/* A list, or null, which is as good as no list. */
static bool open_list(GateLog *g, bool *out_is_list)
{
  int c = gate_text_space(&g->text);
  *out_is_list = c == '[';
  g->text.p += c == '[';
  if (c == '[' || gate_literal(g, "null")) return true;
  if (!begins_value(c)) return gate_damaged(g, "this is not a value");
  return gate_bad_value(g, "this is not a list");
}

static bool read_known(GateLog *g, GateMember which)
{
  GateNumbers *const lists[] = { &g->step, &g->tokens, &g->loads };
  GateNumbers *v = lists[which];
  if (v->is_there) g->n_twice++;
  if (which == GATE_LOADS)
    forget_rows(g);
  else
    forget(v);
  if (!open_list(g, &v->is_there)) return false;
  if (!v->is_there) return true;
  return which == GATE_LOADS ? read_rows(g) : gate_numbers(g, v);
}

static bool read_member(GateLog *g)
{
  if (gate_text_space(&g->text) != '"') return gate_damaged(g, "a key is missing");
  g->text.p++;
  GateMember which = gate_key(g);
  if (which == GATE_NO_KEY) return false;
  if (gate_text_space(&g->text) != ':') return gate_damaged(g, "a colon is missing");
  g->text.p++;
  return which == GATE_OTHER ? gate_skip_value(g, 0) : read_known(g, which);
}

/* After the brace that opens the log. */
static bool read_members(GateLog *g)
{
  if (gate_text_space(&g->text) == '}') {
    g->text.p++;
    return true;
  }
  for (;;) {
    if (!read_member(g)) return false;
    int c = gate_text_space(&g->text);
    if (c != '}' && c != ',') return gate_damaged(g, "a comma or a closing brace is missing");
    g->text.p++;
    if (c == '}') return true;
  }
}

static void pass_bom(GateText *t)
{
  if (t->end - t->p >= 3 && !memcmp(t->p, "\xef\xbb\xbf", 3)) t->p += 3;
}

/* After the brace, or at what is there instead. */
static void read_all(GateLog *g)
{
  int c = gate_text_space(&g->text);
  g->text.p += c == '{';
  if (!(c == '{' ? read_members(g) : gate_skip_value(g, 0))) return;
  if (gate_text_space(&g->text) >= 0) gate_damaged(g, "text follows the end");
}

/* Compressed data that breaks off is a text that does, even after its last brace. */
static void judge_end(GateLog *g)
{
  const GateText *t = &g->text;
  bool at_end = g->stop == GATE_GOES_ON || (g->stop == GATE_STOP_DAMAGED && t->p == t->end);
  if (t->status == 0 || !at_end) return;
  gate_damaged(g, NULL);
  const char *why = t->host->read_why(t->host);
  g->why = why ? why : "it cannot be read";
}

void gate_log_read(GateLog *g)
{
  forget(&g->step);
  forget(&g->tokens);
  forget_rows(g);
  g->n_twice = 0;
  g->n_nan = 0;
  g->stop = GATE_GOES_ON;
  gate_text_start(&g->text);
  pass_bom(&g->text);
  read_all(g);
  judge_end(g);
}

/* ------------------------------------------------------------ second pass */

bool gate_log_second_pass(GateLog *g)
{
  g->loads.n = 0;
  gate_text_start(&g->text);
  return gate_text_skip(&g->text, g->rows_at);
}

bool gate_log_row(GateLog *g)
{
  g->loads.n = 0;
  if (!read_row(g)) return false;
  int c = gate_text_space(&g->text);
  g->text.p += c == ',';
  return true;
}
