/* Several ranks in one trace; see ranks.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/ranks.h"

#include "base/num.h"
#include "base/tag-text.h"

#define MANY_PIDS 10000000 /* of each of the first lanes: the largest pid of Linux is 4194304 */
#define MANY_LANES 300u
#define HOST_PIDS 1000 /* from a rank to the number of its host's processes */
#define FEW_PIDS 100000
#define FEW_LANES 12000u     /* pids stay below 2^32, which every viewer can hold */
#define TEXT_PIDS 4000000000 /* beyond those of any system */
#define MAX_TRACKS (1u << 24)
#define ID_BITS 40
#define ID_LANES (1u << 13) /* lane * 2^40 + id stays below 2^53, which every viewer can hold */

typedef struct ProcessKey {
  uint32_t lane, type;
  int64_t value;
} ProcessKey;

static uint64_t mix(uint64_t v)
{
  v ^= v >> 33;
  v *= 0xff51afd7ed558ccdu;
  v ^= v >> 33;
  v *= 0xc4ceb9fe1a85ec53u;
  return v ^ v >> 33;
}

static gint compare_keys(gconstpointer p, gconstpointer q, gpointer unused)
{
  const ProcessKey *a = p, *b = q;
  (void)unused;
  if (a->lane != b->lane) return a->lane < b->lane ? -1 : 1;
  if (a->type != b->type) return a->type < b->type ? -1 : 1;
  return (a->value > b->value) - (a->value < b->value);
}

uint32_t ranks_base_lane(const MillHost *common, TraceLanes lanes)
{
  uint32_t n = lanes_count(common, lanes);
  for (uint32_t i = 0; i < n; i++) {
    MillLane lane = { .size = sizeof(lane) };
    common->lane(common, lanes_at(lanes, i), &lane);
    if (lane.base_ns != MILL_NO_BASE) return lanes_at(lanes, i);
  }
  return lanes_at(lanes, 0);
}

static int64_t shift_of(const MillLane *lane, const MillLane *trace)
{
  int64_t shift_ns;
  if (lane->base_ns == MILL_NO_BASE || trace->base_ns == MILL_NO_BASE) return 0;
  return __builtin_sub_overflow(lane->base_ns, trace->base_ns, &shift_ns) ? 0 : shift_ns;
}

int64_t ranks_shift_ns(const MillHost *common, TraceLanes lanes)
{
  MillLane own = { .size = sizeof(own) }, trace = { .size = sizeof(trace) };
  common->lane(common, MILL_NO_LANE, &own);
  if (own.base_ns == MILL_NO_BASE)
    return 0; /* of very many lanes without one, each would look at all */
  common->lane(common, ranks_base_lane(common, lanes), &trace);
  return shift_of(&own, &trace);
}

static void process_free(gpointer process)
{
  Process *p = process;
  g_free(p->name);
  g_free(p->labels);
  g_free(p);
}

Ranks *ranks_new(const MillHost *common, TraceLanes lanes, uint32_t level, bool merging, bool keep)
{
  MillLane own = { .size = sizeof(own) };
  Ranks *r = g_new0(Ranks, 1);
  common->lane(common, MILL_NO_LANE, &own);
  r->common = common;
  r->lanes = lanes;
  r->merging = merging;
  r->keep = merging && keep;
  r->lane = level == MILL_MERGED ? MILL_NO_LANE : own.index;
  r->shift_ns = merging ? ranks_shift_ns(common, lanes) : 0;
  r->tracks = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  r->processes = g_ptr_array_new_with_free_func(process_free);
  r->found = g_tree_new_full(compare_keys, NULL, g_free, NULL);
  r->others = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  return r;
}

void ranks_free(Ranks *r)
{
  if (!r) return;
  g_array_free(r->tracks, TRUE);
  g_ptr_array_free(r->processes, TRUE);
  g_tree_destroy(r->found);
  g_array_free(r->others, TRUE);
  g_free(r);
}

/* --------------------------------------------------------------- processes */

LanePids ranks_pids(uint32_t place)
{
  int64_t n = MANY_PIDS, first = ((int64_t)place + 1) * MANY_PIDS;
  if (place >= MANY_LANES) {
    n = FEW_PIDS;
    first = (int64_t)(MANY_LANES + 2) * MANY_PIDS + (int64_t)(place - MANY_LANES) * FEW_PIDS;
  }
  if (place >= FEW_LANES) {
    n = (int64_t)1 << 20;
    first = ((int64_t)1 << 51) + place * n;
  }
  return (LanePids){ first, n / 10 * 9, n };
}

/* Ranks of PyTorch number their processes alike. */
static bool owns(const MillLane *lane, int64_t pid)
{
  if (lane->rank < 0 || lane->rank > MANY_PIDS || !strcmp(lane->dialect, "kineto")) return false;
  return pid == lane->rank || pid == lane->rank + HOST_PIDS;
}

/* The program knows it of all lanes of the run, so that each of very many need not look at the others. */
bool ranks_shares(const Ranks *r, uint32_t index, int64_t rank)
{
  const MillHost *h = r->common;
  MillLane other = { .size = sizeof(other) };
  const char *known = r->lanes.index ? NULL : h->tag(h, index, TAG_OTHER_OF_RANK);
  if (known) return *known != 0;
  for (uint32_t i = 0; i < lanes_count(h, r->lanes); i++) {
    h->lane(h, lanes_at(r->lanes, i), &other);
    if (lanes_at(r->lanes, i) != index && other.rank == rank) return true;
  }
  return false;
}

/* Whether another lane of that rank has the pid; -1: that one has not, or nobody knows. */
static int is_taken(const MillHost *common, uint32_t index, int64_t rank, int64_t pid)
{
  MillLane lane = { .size = sizeof(lane) };
  int64_t other;
  g_autofree char *tag = g_strdup_printf(TAG_OTHER_OF_RANK "%" G_GINT64_FORMAT, rank);
  const char *found = rank < 0 ? "" : common->tag(common, index, tag);
  if (!found || !*found) return found ? 0 : -1;
  if (!num_int(found, strlen(found), &other)) return -1;
  common->lane(common, (uint32_t)other, &lane);
  return owns(&lane, pid) ? 1 : -1;
}

/* Lanes are written before all is known of the others, but for their ranks: so a pid is of one lane when it is that
 * lane's rank, or its host's number, and no other's. */
static bool keeps(const MillHost *common, TraceLanes lanes, uint32_t index, int64_t pid)
{
  MillLane lane = { .size = sizeof(lane) };
  common->lane(common, index, &lane);
  if (!owns(&lane, pid) || pid >= MANY_PIDS) return false;
  if (!lanes.index) { /* all of the run, of which the program knows the ranks */
    int as_rank = is_taken(common, index, pid, pid);
    int as_host = is_taken(common, index, pid - HOST_PIDS, pid);
    if (as_rank > 0 || as_host > 0) return false;
    if (as_rank == 0 && as_host == 0) return true;
  }
  for (uint32_t i = 0; i < lanes_count(common, lanes); i++) {
    common->lane(common, lanes_at(lanes, i), &lane);
    if (lanes_at(lanes, i) != index && owns(&lane, pid)) return false;
  }
  return true;
}

static void describe_kept(const MillHost *common, TraceLanes lanes, uint32_t index, Text *text)
{
  MillLane lane = { .size = sizeof(lane) };
  common->lane(common, index, &lane);
  const int64_t pids[] = { lane.rank, lane.rank + HOST_PIDS };
  bool any = false;
  for (int i = 0; i < 2; i++) {
    if (lane.rank < 0 || !keeps(common, lanes, index, pids[i])) continue;
    text_put(text, any ? "," : ", \"kept_pids\": [", any ? 1 : 16);
    text_int(text, pids[i]);
    any = true;
  }
  if (any) text_char(text, ']');
}

char *ranks_describe(const MillHost *common, TraceLanes lanes, bool keep)
{
  Text text = { 0 };
  text_literal(&text, "{\"merged\": [");
  for (uint32_t i = 0; i < lanes_count(common, lanes); i++) {
    MillLane lane = { .size = sizeof(lane) };
    LanePids pids = ranks_pids(i);
    common->lane(common, lanes_at(lanes, i), &lane);
    text_put(&text, ",\n", i ? 2 : 0);
    text_literal(&text, "{\"rank\": ");
    if (lane.rank < 0)
      text_literal(&text, "null");
    else
      text_int(&text, lane.rank);
    text_literal(&text, ", \"pids\": [");
    text_int(&text, pids.first);
    text_char(&text, ',');
    text_int(&text, pids.first + pids.n_same - 1);
    text_literal(&text, "], \"other_pids\": [");
    text_int(&text, pids.first + pids.n_same);
    text_char(&text, ',');
    text_int(&text, pids.first + pids.n - 1);
    text_char(&text, ']');
    if (keep) describe_kept(common, lanes, lanes_at(lanes, i), &text);
    text_char(&text, '}');
  }
  text_put(&text, "]}", 3);
  return text.bytes;
}

static uint32_t *slot(GArray *array, uint32_t index)
{
  if (index >= array->len) g_array_set_size(array, MAX(index + 1, array->len * 2));
  return &g_array_index(array, uint32_t, index);
}

/* Lanes share no pid, however many processes one has. */
static int64_t pid_of(Ranks *r, uint32_t place, MillValue value)
{
  LanePids pids = ranks_pids(place);
  if (!r->merging) return TEXT_PIDS + (*slot(r->others, 0))++;
  bool same = value.type == MILL_INT && value.u.i >= 0 && value.u.i < pids.n_same;
  if (same) return pids.first + value.u.i;
  uint32_t order = (*slot(r->others, place))++;
  if (order < pids.n - pids.n_same) return pids.first + pids.n_same + order;
  return ((int64_t)1 << 52) + ((int64_t)place << 32) + order;
}

static uint32_t find_process(Ranks *r, uint32_t lane, MillValue value)
{
  /* Viewers take a missing pid for 0. */
  if (value.type == MILL_NONE) value = mill_int(0);
  bool is_text = value.type == MILL_SYM;
  ProcessKey key = { lane, value.type, is_text ? (int64_t)value.u.sym : value.u.i };
  uint32_t found = GPOINTER_TO_UINT(g_tree_lookup(r->found, &key));
  if (found) return found - 1;
  Process *p = g_new0(Process, 1);
  uint32_t place = lanes_place(r->lanes, lane);
  bool kept = r->keep && value.type == MILL_INT && keeps(r->common, r->lanes, lane, value.u.i);
  *p = (Process){ .lane = lane,
                  .place = place,
                  .order = r->processes->len,
                  .value = value,
                  .pid = kept ? value.u.i : pid_of(r, place, value),
                  .kept = kept };
  g_ptr_array_add(r->processes, p);
  g_tree_insert(r->found, g_memdup2(&key, sizeof(key)), GUINT_TO_POINTER(r->processes->len));
  return r->processes->len - 1;
}

/* Viewers take the digits for the number. */
static bool is_to_number(const Ranks *r, MillValue process)
{
  size_t len, n = 0;
  if (process.type != MILL_SYM) return false;
  const char *text = r->common->symbol_text(r->common, process.u.sym, &len);
  while (n < len && g_ascii_isdigit(text[n])) n++;
  return !len || n < len;
}

static uint32_t look_at_track(Ranks *r, uint32_t track)
{
  MillTrack row = { .size = sizeof(row) };
  r->common->track_info(r->common, track, &row);
  if (!r->merging && !is_to_number(r, row.process)) return TRACK_PLAIN;
  uint32_t lane = r->lane == MILL_NO_LANE ? r->common->track_lane(r->common, track) : r->lane;
  return find_process(r, lane, row.process) + TRACK_PROCESS;
}

RankView ranks_view(Ranks *r, const MillEvent *e)
{
  uint32_t wild = TRACK_NEW; /* a track that nobody made */
  uint32_t *known = e->track < MAX_TRACKS ? slot(r->tracks, e->track) : &wild;
  if (*known == TRACK_NEW) *known = look_at_track(r, e->track);
  if (*known == TRACK_PLAIN) return (RankView){ .process = NULL };
  Process *p = r->processes->pdata[*known - TRACK_PROCESS];
  return (RankView){ p->place, p, r->shift_ns, r->merging };
}

/* --------------------------------------------------------------------- ids */

static bool is_small(uint32_t place, uint64_t id) { return place < ID_LANES && id >> ID_BITS == 0; }

int64_t ranks_number(uint32_t place, uint64_t id)
{
  if (place >= ID_LANES) return (int64_t)(mix(id ^ mix(place)) >> 11);
  if (!is_small(place, id)) id = mix(id) >> (64 - ID_BITS);
  return (int64_t)((uint64_t)place << ID_BITS | id);
}

/* Bit 63 keeps large ids apart from small ones.  48 bits hold every address, so these stay exact. */
static uint64_t large_id(uint32_t place, uint64_t id)
{
  const uint64_t top = (uint64_t)1 << 63;
  if (place >= 1u << 15) return top | mix(id ^ mix(place)) >> 1;
  if (id >> 48) id = mix(id) >> 16;
  return top | (uint64_t)place << 48 | id;
}

void ranks_put_id(Text *text, uint32_t place, uint64_t id)
{
  if (is_small(place, id))
    text_int(text, ranks_number(place, id));
  else
    text_hex(text, large_id(place, id));
}

static uint64_t hash_bytes(const char *bytes, size_t len)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  return h;
}

bool ranks_keeps_id(uint32_t place, uint64_t id) { return place == 0 && is_small(place, id); }

bool ranks_read_id(const char *value, size_t len, uint64_t *out)
{
  bool quoted = len >= 2 && *value == '"';
  const char *p = value + quoted;
  int64_t v;
  len -= quoted ? 2 : 0;
  bool is_number = num_int(p, len, &v) && (!quoted || (len > 2 && p[1] == 'x'));
  if (is_number) *out = (uint64_t)v;
  return is_number;
}

void ranks_put_id_value(Text *text, uint32_t place, const char *value, size_t len)
{
  bool quoted = len >= 2 && *value == '"';
  uint64_t id;
  if (!quoted && *value != '-' && (*value < '0' || *value > '9')) {
    text_put(text, value, len);
    return;
  }
  if (!ranks_read_id(value, len, &id))
    id = hash_bytes(value + quoted, len - (quoted ? 2 : 0)) >> 1 | (uint64_t)1 << 62;
  ranks_put_id(text, place, id);
}
