/* Matching of graph launches; see match.h. */
/* SPDX-License-Identifier: MIT */
#include "match.h"

#include <string.h>

#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/state/search.h"
#include "torch/lib/blocks.h"

enum { NAME_UNKNOWN = 0 };
enum { MOST_TRIED = 64 };   /* captures that are compared with one sequence */
enum { MOST_STREAMS = 64 }; /* that are told apart */

typedef struct Group { /* captures of the same sequence */
  uint32_t first, n;   /* of `members` */
  uint32_t taken;      /* turns so far */
  const uint32_t *names;
  uint32_t n_names;
} Group;

/* What a sequence of names and streams matches: worked out once. */
typedef struct Found {
  uint32_t group;   /* plus 1; 0: nothing matches */
  uint32_t *to;     /* of each piece: place in the capture, plus 1 */
  uint32_t matched; /* pieces */
  bool is_done;
} Found;

typedef struct Matcher {
  const MillHost *common;
  const Captures *of;
  Replays *replays;
  uint32_t *names;    /* of all launches, plus 1 */
  uint32_t *begins;   /* of captures: their first launch */
  uint32_t *captures; /* that may be used */
  uint32_t n_captures;
  uint32_t *members;
  Group *groups;
  uint32_t n_groups;
  Keyed *by_names;  /* uint32_t: group plus 1 */
  Keyed *by_pieces; /* Found */
  PairMap by_ids;   /* launch plus 1 */
  PairMap turns;    /* of group and graph, plus 1 */
  uint32_t *left;   /* of each name: so many are not yet found */
  uint32_t *sequence, *streams, *tried, *places, *rest;
  uint32_t n_streams;
  Found **found; /* of each replay */
} Matcher;

/* ---- captures */

static bool any_of_rank(const Captures *c, int64_t rank)
{
  bool any = false;
  for (size_t i = 0; i < c->n && rank >= 0; i++) any |= c->captures[i].rank == rank;
  return any;
}

static bool choose_captures(Matcher *m, int64_t rank)
{
  const Captures *c = m->of;
  const bool own = any_of_rank(c, rank);
  uint32_t at = 0;
  m->begins = mill_new(m->common, (c->n + 1) * sizeof *m->begins);
  m->captures = mill_new(m->common, (c->n + 1) * sizeof *m->captures);
  m->names = mill_new(m->common, (c->n_launches + 1) * sizeof *m->names);
  if (!m->begins || !m->captures || !m->names) return false;
  for (size_t i = 0; i < c->n_launches; i++) m->names[i] = c->launches[i].name + 1;
  for (size_t i = 0; i < c->n; at += c->captures[i++].n) {
    m->begins[i] = at;
    if (!own || c->captures[i].rank == rank) m->captures[m->n_captures++] = (uint32_t)i;
  }
  return true;
}

static uint32_t *group_of(Matcher *m, uint32_t capture)
{
  return keyed_get(m->by_names, (const char *)&m->names[m->begins[capture]],
                   m->of->captures[capture].n * sizeof *m->names);
}

static bool make_groups(Matcher *m)
{
  uint32_t at = 0;
  m->groups = mill_new(m->common, (m->n_captures + 1) * sizeof *m->groups);
  m->members = mill_new(m->common, (m->n_captures + 1) * sizeof *m->members);
  if (!m->groups || !m->members) return false;
  for (uint32_t i = 0; i < m->n_captures; i++) {
    const uint32_t capture = m->captures[i];
    uint32_t *number = group_of(m, capture);
    if (!number) return false;
    if (*number == 0) {
      *number = ++m->n_groups;
      m->groups[*number - 1] =
          (Group){ .names = &m->names[m->begins[capture]], .n_names = m->of->captures[capture].n };
    }
    m->groups[*number - 1].n++;
  }
  for (uint32_t g = 0; g < m->n_groups; g++) {
    m->groups[g].first = at;
    at += m->groups[g].n;
    m->groups[g].n = 0;
  }
  for (uint32_t i = 0; i < m->n_captures; i++) {
    Group *g = &m->groups[*group_of(m, m->captures[i]) - 1];
    m->members[g->first + g->n++] = m->captures[i];
  }
  return true;
}

static bool list_ids(Matcher *m)
{
  for (uint32_t i = 0; i < m->n_captures; i++) {
    const uint32_t first = m->begins[m->captures[i]];
    for (uint32_t k = first; k < first + m->of->captures[m->captures[i]].n; k++) {
      const CaptureLaunch *launch = &m->of->launches[k];
      if (launch->graph < 0 || launch->node < 0) continue;
      uint64_t *known = pairmap_at(&m->by_ids, (uint64_t)launch->graph, (uint64_t)launch->node);
      if (!known) return false;
      if (!*known) *known = (uint64_t)k + 1;
    }
  }
  return true;
}

/* ---- pieces */

static Piece *piece_at(const Matcher *m, const Replay *r, uint32_t i)
{
  return &m->replays->pieces[m->replays->order[r->first + i]];
}

static uint32_t name_of(const Matcher *m, const Piece *p)
{
  size_t len;
  const char *text = m->common->symbol_text(m->common, p->key, &len);
  const uint32_t *number = keyed_find(m->of->texts.numbers, text, len);
  return number ? *number : NAME_UNKNOWN;
}

/* Streams count by their first piece, so that the same work on other streams is the same. */
static uint32_t stream_of(Matcher *m, const Replay *r, uint32_t i)
{
  const uint32_t track = piece_at(m, r, i)->track;
  for (uint32_t s = 0; s < m->n_streams; s++)
    if (m->rest[s] == track) return s;
  if (m->n_streams == MOST_STREAMS) return MOST_STREAMS - 1;
  m->rest[m->n_streams] = track;
  return m->n_streams++;
}

static void read_sequence(Matcher *m, const Replay *r)
{
  m->n_streams = 0;
  for (uint32_t i = 0; i < r->n; i++) {
    m->sequence[i] = name_of(m, piece_at(m, r, i));
    m->streams[i] = stream_of(m, r, i);
  }
}

static uint64_t launch_by_ids(const Matcher *m, const Piece *p)
{
  if (p->graph < 0 || p->node < 0) return 0;
  const uint64_t at = pairmap_get(&m->by_ids, (uint64_t)p->graph, (uint64_t)p->node);
  return at && m->names[at - 1] == name_of(m, p) ? at : 0;
}

/* All pieces, or none. */
static bool match_ids(const Matcher *m, const Replay *r)
{
  if (m->by_ids.n == 0) return false;
  for (uint32_t i = 0; i < r->n; i++)
    if (launch_by_ids(m, piece_at(m, r, i)) == 0) return false;
  for (uint32_t i = 0; i < r->n; i++) {
    Piece *p = piece_at(m, r, i);
    p->launch = (uint32_t)launch_by_ids(m, p);
  }
  return true;
}

/* ---- sequences */

/* How many pieces could be found at most: names that both have, as often as both have them. */
static uint32_t most_of(Matcher *m, const Group *g, uint32_t n)
{
  uint32_t most = 0;
  for (uint32_t i = 0; i < n; i++) m->left[m->sequence[i]]++;
  m->left[NAME_UNKNOWN] = 0;
  for (uint32_t i = 0; i < g->n_names; i++) {
    uint32_t *left = &m->left[g->names[i]];
    if (*left == 0) continue;
    (*left)--;
    most++;
  }
  for (uint32_t i = 0; i < n; i++) m->left[m->sequence[i]] = 0;
  return most;
}

static uint32_t pick_stream(const Matcher *m, uint32_t stream, uint32_t n, uint32_t *out)
{
  uint32_t picked = 0;
  for (uint32_t i = 0; i < n; i++)
    if (m->streams[i] == stream) out[picked++] = i;
  return picked;
}

typedef struct Trial { /* of a group */
  const Group *group;
  uint32_t n; /* pieces */
  uint32_t *to, matched;
} Trial;

/* Each piece with the first launch of its name behind that of the piece before; false: one has none. */
static bool match_in_order(BlockSide launches, BlockSide pieces, uint32_t *out,
                           uint32_t *out_matched)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < launches.n && found < pieces.n; i++)
    if (launches.items[i] == pieces.items[found]) out[found++] = i + 1;
  *out_matched = found;
  return found == pieces.n;
}

/* One stream, with the launches that are not yet found. */
static bool match_stream(Matcher *m, Trial *t, uint32_t stream, bool *used)
{
  uint32_t *launches = m->places, *pieces = m->rest, matched, n_a = 0;
  const uint32_t n_b = pick_stream(m, stream, t->n, pieces);
  uint32_t *a = mill_new(m->common, (t->group->n_names + 2 * (size_t)n_b + 1) * sizeof *a);
  uint32_t *b = a ? a + t->group->n_names : NULL, *to = a ? b + n_b : NULL;
  if (!a) return false;
  for (uint32_t i = 0; i < t->group->n_names; i++)
    if (!used[i]) {
      launches[n_a] = i;
      a[n_a++] = t->group->names[i];
    }
  for (uint32_t i = 0; i < n_b; i++) b[i] = m->sequence[pieces[i]];
  const BlockSide of_capture = { a, n_a }, of_stream = { b, n_b };
  const bool fits = match_in_order(of_capture, of_stream, to, &matched) ||
                    blocks_match(m->common, of_capture, of_stream, to, &matched);
  for (uint32_t i = 0; i < n_b && fits; i++) {
    if (to[i] == 0) continue;
    used[launches[to[i] - 1]] = true;
    t->to[pieces[i]] = launches[to[i] - 1] + 1;
  }
  t->matched += fits ? matched : 0;
  array_free(m->common, a);
  return fits;
}

/* Those with the most pieces first: a few of many launches may be found in wrong places. */
static void order_streams(const Matcher *m, uint32_t n, OrderKey *out)
{
  for (uint32_t s = 0; s < m->n_streams; s++) out[s] = (OrderKey){ .i = s };
  for (uint32_t i = 0; i < n; i++) out[m->streams[i]].a--;
  order_sort(out, m->n_streams);
}

static bool match_streams(Matcher *m, Trial *t)
{
  OrderKey streams[MOST_STREAMS];
  bool *used = mill_new(m->common, t->group->n_names + 1), fits = used != NULL;
  memset(t->to, 0, t->n * sizeof *t->to);
  t->matched = 0;
  order_streams(m, t->n, streams);
  for (uint32_t s = 0; s < m->n_streams && fits; s++) fits = match_stream(m, t, streams[s].i, used);
  array_free(m->common, used);
  return fits;
}

static void take_better(const Trial *t, uint32_t group, Found *io)
{
  const bool is_first = t->matched > 0 && t->matched == io->matched && group + 1 < io->group;
  if (t->matched <= io->matched && !is_first) return;
  memcpy(io->to, t->to, t->n * sizeof *t->to);
  io->matched = t->matched;
  io->group = group + 1;
}

static bool try_group(Matcher *m, uint32_t group, uint32_t n, Found *io)
{
  Trial t = { .group = &m->groups[group], .n = n, .to = m->tried };
  if (!blocks_match(m->common, (BlockSide){ t.group->names, t.group->n_names },
                    (BlockSide){ m->sequence, n }, t.to, &t.matched))
    return false;
  take_better(&t, group, io);
  if (t.matched == n || m->n_streams < 2) return true;
  if (!match_streams(m, &t)) return false;
  take_better(&t, group, io);
  return true;
}

/* From that on which could match most, to those that cannot match as much as was found. */
static bool search(Matcher *m, uint32_t n, Found *io)
{
  bool fits = true;
  OrderKey *keys = mill_new(m->common, (m->n_groups + 1) * sizeof *keys);
  if (!keys) return false;
  for (uint32_t g = 0; g < m->n_groups; g++)
    keys[g] = (OrderKey){ -(int64_t)most_of(m, &m->groups[g], n), 0, 0, g };
  order_sort(keys, m->n_groups);
  for (uint32_t i = 0; i < m->n_groups && i < MOST_TRIED && fits; i++) {
    if (keys[i].a == 0 || -keys[i].a < (int64_t)io->matched) break;
    fits = try_group(m, keys[i].i, n, io);
  }
  array_free(m->common, keys);
  return fits;
}

static bool find(Matcher *m, uint32_t n, Found *io)
{
  io->is_done = true;
  io->to = mill_new(m->common, (n + 1) * sizeof *io->to);
  if (!io->to) return false;
  const uint32_t *equal =
      keyed_find(m->by_names, (const char *)m->sequence, n * sizeof *m->sequence);
  if (!equal) return search(m, n, io);
  *io = (Found){ *equal, io->to, n, true };
  for (uint32_t i = 0; i < n; i++) io->to[i] = i + 1;
  return true;
}

static Found *found_of(Matcher *m, const Replay *r)
{
  read_sequence(m, r);
  memcpy(m->places, m->sequence, r->n * sizeof *m->places);
  memcpy(m->places + r->n, m->streams, r->n * sizeof *m->places);
  Found *f = keyed_get(m->by_pieces, (const char *)m->places, 2 * (size_t)r->n * sizeof *m->places);
  return f && (f->is_done || find(m, r->n, f)) ? f : NULL;
}

/* ---- turns of equal captures */

static int64_t graph_of(const Matcher *m, const Replay *r)
{
  return r->n ? piece_at(m, r, 0)->graph : -1;
}

/* Of each group its graphs by their ids. */
static bool give_turns(Matcher *m)
{
  size_t n = 0;
  OrderKey *keys = mill_new(m->common, (m->replays->n + 1) * sizeof *keys);
  if (!keys) return false;
  for (size_t i = 0; i < m->replays->n; i++) {
    const int64_t graph = graph_of(m, &m->replays->items[i]);
    if (m->found[i] && m->found[i]->group && graph >= 0)
      keys[n++] = (OrderKey){ m->found[i]->group, graph, 0, (uint32_t)i };
  }
  order_sort(keys, n);
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && keys[i - 1].a == keys[i].a && keys[i - 1].b == keys[i].b) continue;
    uint64_t *turn = pairmap_at(&m->turns, (uint64_t)keys[i].a, (uint64_t)keys[i].b);
    if (!turn) return false;
    *turn = (uint64_t)++m->groups[keys[i].a - 1].taken;
  }
  array_free(m->common, keys);
  for (uint32_t g = 0; g < m->n_groups; g++) m->groups[g].taken = 0;
  return true;
}

static uint32_t capture_for(Matcher *m, const Replay *r, const Found *f)
{
  Group *g = &m->groups[f->group - 1];
  const int64_t graph = graph_of(m, r);
  const uint64_t turn =
      graph >= 0 ? pairmap_get(&m->turns, f->group, (uint64_t)graph) - 1 : g->taken++;
  return m->members[g->first + turn % g->n];
}

static void take(Matcher *m, Replay *r, const Found *f)
{
  if (f->group == 0) return;
  const uint32_t capture = capture_for(m, r, f);
  for (uint32_t i = 0; i < r->n; i++)
    if (f->to[i]) piece_at(m, r, i)->launch = m->begins[capture] + f->to[i];
}

/* ---- all */

/* Of all captures that launches are of, the one that the first matched is of. */
static void sum_up(const Matcher *m, Replay *r)
{
  for (uint32_t i = 0; i < r->n; i++) {
    const Piece *p = piece_at(m, r, i);
    if (p->launch == 0) continue;
    if (r->capture == 0) r->capture = (uint32_t)FIRST_NOT(m->of->n, c, m->begins[c] < p->launch);
    r->matched++;
    r->matched_ns = add_clipped(r->matched_ns, p->dur_ns);
  }
}

static bool make_room(Matcher *m)
{
  uint32_t most = 0;
  for (size_t i = 0; i < m->replays->n; i++)
    if (m->replays->items[i].n > most) most = m->replays->items[i].n;
  const size_t places = m->of->n_launches > 2 * (size_t)most ? m->of->n_launches : 2 * (size_t)most;
  m->sequence = mill_new(m->common, (most + 1) * sizeof *m->sequence);
  m->streams = mill_new(m->common, (most + 1) * sizeof *m->streams);
  m->tried = mill_new(m->common, (most + 1) * sizeof *m->tried);
  m->rest = mill_new(m->common, (most + 1) * sizeof *m->rest);
  m->places = mill_new(m->common, (places + 1) * sizeof *m->places);
  m->left = mill_new(m->common, (m->of->texts.n + 2) * sizeof *m->left);
  m->found = mill_new(m->common, (m->replays->n + 1) * sizeof *m->found);
  return m->sequence && m->streams && m->tried && m->rest && m->places && m->left && m->found;
}

static bool prepare(Matcher *m, int64_t rank)
{
  m->by_names = keyed_new(m->common, sizeof(uint32_t));
  m->by_pieces = keyed_new(m->common, sizeof(Found));
  pairmap_open(&m->by_ids, m->common);
  pairmap_open(&m->turns, m->common);
  return m->by_names && m->by_pieces && choose_captures(m, rank) && make_groups(m) && list_ids(m) &&
         make_room(m);
}

bool match_replays(const Captures *captures, int64_t rank, Replays *replays)
{
  Matcher m = { .common = replays->common, .of = captures, .replays = replays };
  if (captures->n == 0 || replays->n == 0) return true;
  bool fits = prepare(&m, rank);
  for (size_t i = 0; i < replays->n && fits; i++)
    if (replays->items[i].n && !match_ids(&m, &replays->items[i]))
      fits = (m.found[i] = found_of(&m, &replays->items[i])) != NULL;
  fits = fits && give_turns(&m);
  for (size_t i = 0; i < replays->n && fits; i++) {
    if (m.found[i]) take(&m, &replays->items[i], m.found[i]);
    sum_up(&m, &replays->items[i]);
  }
  return fits;
}
