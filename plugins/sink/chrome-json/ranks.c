/* Several ranks in one trace; see ranks.h. */
#include "ranks.h"

#include "base/num.h"

#define PIDS_OF_LANE 100000
#define ID_BITS 40
#define ID_LANES (1u << 13) /* lane * 2^40 + id stays below 2^53, which every viewer can hold */
#define MAX_RANK ((int64_t)1 << 20)

typedef struct Process {
  uint32_t lane;
  uint32_t order; /* of its first event in its lane */
  MillValue value;
  int64_t sort_index; /* of the input */
  bool named;
} Process;

struct Ranks {
  const MillHost *common;
  uint32_t lane;     /* of all events; MILL_NO_LANE: each track has its own */
  int64_t shift_ns;  /* from the lane's base to that of the trace */
  GArray *tracks;    /* uint32_t: process + 1; 0: not met yet */
  GArray *processes; /* Process */
  GTree *found;      /* key to process + 1 */
  GArray *per_lane;  /* uint32_t: processes */
};

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

uint32_t ranks_base_lane(const MillHost *common)
{
  uint32_t n = common->n_lanes(common);
  for (uint32_t i = 0; i < n; i++) {
    MillLane lane = { .size = sizeof(lane) };
    common->lane(common, i, &lane);
    if (lane.base_ns != MILL_NO_BASE) return i;
  }
  return 0;
}

/* What puts times of the lane on the base of the trace; 0 when a base is unknown. */
static int64_t shift_of(const MillLane *lane, const MillLane *trace)
{
  int64_t shift_ns;
  if (lane->base_ns == MILL_NO_BASE || trace->base_ns == MILL_NO_BASE) return 0;
  return __builtin_sub_overflow(lane->base_ns, trace->base_ns, &shift_ns) ? 0 : shift_ns;
}

Ranks *ranks_new(const MillHost *common, uint32_t level)
{
  MillLane own = { .size = sizeof(own) }, trace = { .size = sizeof(trace) };
  Ranks *r = g_new0(Ranks, 1);
  common->lane(common, MILL_NO_LANE, &own);
  common->lane(common, ranks_base_lane(common), &trace);
  r->common = common;
  r->lane = level == MILL_MERGED ? MILL_NO_LANE : own.index;
  r->shift_ns = shift_of(&own, &trace);
  r->tracks = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  r->processes = g_array_new(FALSE, FALSE, sizeof(Process));
  r->found = g_tree_new_full(compare_keys, NULL, g_free, NULL);
  r->per_lane = g_array_new(FALSE, TRUE, sizeof(uint32_t));
  return r;
}

void ranks_free(Ranks *r)
{
  if (!r) return;
  g_array_free(r->tracks, TRUE);
  g_array_free(r->processes, TRUE);
  g_tree_destroy(r->found);
  g_array_free(r->per_lane, TRUE);
  g_free(r);
}

/* --------------------------------------------------------------- processes */

static uint32_t *slot(GArray *array, uint32_t index)
{
  if (index >= array->len) g_array_set_size(array, MAX(index + 1, array->len * 2));
  return &g_array_index(array, uint32_t, index);
}

static uint32_t find_process(Ranks *r, uint32_t lane, MillValue value)
{
  /* Viewers take a missing pid for 0. */
  if (value.type == MILL_NONE) value = mill_int(0);
  bool is_text = value.type == MILL_SYM;
  ProcessKey key = { lane, value.type, is_text ? (int64_t)value.u.sym : value.u.i };
  uint32_t found = GPOINTER_TO_UINT(g_tree_lookup(r->found, &key));
  if (found) return found - 1;
  Process p = { .lane = lane, .order = (*slot(r->per_lane, lane))++, .value = value };
  g_array_append_val(r->processes, p);
  g_tree_insert(r->found, g_memdup2(&key, sizeof(key)), GUINT_TO_POINTER(r->processes->len));
  return r->processes->len - 1;
}

static uint32_t process_of_track(Ranks *r, uint32_t track)
{
  uint32_t *known = slot(r->tracks, track);
  if (*known) return *known - 1;
  MillTrack row = { .size = sizeof(row) };
  r->common->track_info(r->common, track, &row);
  uint32_t lane = r->lane == MILL_NO_LANE ? r->common->track_lane(r->common, track) : r->lane;
  uint32_t process = find_process(r, lane, row.process);
  *known = process + 1;
  return process;
}

/* Lanes share no pid, however many processes one has. */
static int64_t pid_of(const Process *p)
{
  int64_t lane = (int64_t)p->lane + 1;
  if (p->order < PIDS_OF_LANE) return lane * PIDS_OF_LANE + p->order;
  return ((int64_t)1 << 52) + (lane << 32) + p->order;
}

RankView ranks_view(Ranks *r, const MillEvent *e)
{
  uint32_t process = process_of_track(r, e->track);
  const Process *p = &g_array_index(r->processes, Process, process);
  /* A stage that made an event of the merged stream chose its id for the whole run. */
  bool run_wide = r->lane == MILL_NO_LANE && !e->raw_len;
  return (RankView){ p->lane, process, pid_of(p), r->shift_ns, !run_wide };
}

void ranks_sort_index(Ranks *r, uint32_t process, int64_t index)
{
  g_array_index(r->processes, Process, process).sort_index = index;
}

void ranks_named(Ranks *r, uint32_t process)
{
  g_array_index(r->processes, Process, process).named = true;
}

/* ---------------------------------------------------------------- metadata */

static gint by_lane(gconstpointer p, gconstpointer q)
{
  const Process *a = *(const Process *const *)p, *b = *(const Process *const *)q;
  if (a->lane != b->lane) return a->lane < b->lane ? -1 : 1;
  if (a->sort_index != b->sort_index) return a->sort_index < b->sort_index ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static void put_old_pid(const Ranks *r, const Process *p, GString *out)
{
  char number[NUM_BUF];
  if (p->value.type == MILL_SYM) {
    size_t len;
    const char *text = r->common->symbol_text(r->common, p->value.u.sym, &len);
    g_string_append_len(out, text, (gssize)len);
    return;
  }
  num_format_int(number, p->value.u.i);
  g_string_append(out, number);
}

static void open_row(Text *text, const char *join, bool *any, const char *name, const Process *p)
{
  if (*any) text_put(text, join, strlen(join));
  *any = true;
  text_literal(text, "{\"ph\":\"M\",\"name\":\"");
  text_put(text, name, strlen(name));
  text_literal(text, "\",\"pid\":");
  text_int(text, pid_of(p));
  text_literal(text, ",\"args\":");
}

static void put_label(const Ranks *r, Text *text, const Process *p, const MillLane *lane)
{
  g_autoptr(GString) label = g_string_new(NULL);
  char number[NUM_BUF];
  if (lane->rank >= 0) {
    num_format_int(number, lane->rank);
    g_string_append_printf(label, "rank %s", number);
  } else {
    g_string_append(label, *lane->label ? lane->label : lane->name);
  }
  g_string_append(label, ", pid ");
  put_old_pid(r, p, label);
  text_literal(text, "{\"labels\":");
  text_quote(text, label->str, label->len);
  text_literal(text, "}}");
}

/* By rank; lanes without one come last, as they were given. */
static int64_t sort_index(const MillLane *lane, uint32_t index)
{
  int64_t rank = lane->rank >= 0 ? MIN(lane->rank, MAX_RANK - 1) : MAX_RANK - 1;
  return rank * 1000 + MIN(index, 999);
}

static void put_rows(const Ranks *r, Text *text, const char *join, bool *any, const Process *p,
                     uint32_t index)
{
  MillLane lane = { .size = sizeof(lane) };
  r->common->lane(r->common, p->lane, &lane);
  if (p->value.type == MILL_SYM && !p->named) {
    size_t len;
    const char *name = r->common->symbol_text(r->common, p->value.u.sym, &len);
    open_row(text, join, any, "process_name", p);
    text_literal(text, "{\"name\":");
    text_quote(text, name, len);
    text_literal(text, "}}");
  }
  open_row(text, join, any, "process_labels", p);
  put_label(r, text, p, &lane);
  open_row(text, join, any, "process_sort_index", p);
  text_literal(text, "{\"sort_index\":");
  text_int(text, sort_index(&lane, index));
  text_literal(text, "}}");
}

void ranks_write(Ranks *r, Text *text, const char *join, bool any)
{
  g_autoptr(GPtrArray) sorted = g_ptr_array_new();
  uint32_t index = 0;
  for (guint i = 0; i < r->processes->len; i++)
    g_ptr_array_add(sorted, &g_array_index(r->processes, Process, i));
  g_ptr_array_sort(sorted, by_lane);
  for (guint i = 0; i < sorted->len; i++) {
    const Process *p = sorted->pdata[i], *before = i ? sorted->pdata[i - 1] : NULL;
    index = before && before->lane == p->lane ? index + 1 : 0;
    put_rows(r, text, join, &any, p, index);
  }
}

/* --------------------------------------------------------------------- ids */

static bool is_small(uint32_t lane, uint64_t id) { return lane < ID_LANES && id >> ID_BITS == 0; }

int64_t ranks_number(uint32_t lane, uint64_t id)
{
  if (lane >= ID_LANES) return (int64_t)(mix(id ^ mix(lane)) >> 11);
  if (!is_small(lane, id)) id = mix(id) >> (64 - ID_BITS);
  return (int64_t)((uint64_t)lane << ID_BITS | id);
}

/* Bit 63 keeps large ids apart from small ones.  48 bits hold every address, so these stay exact. */
static uint64_t large_id(uint32_t lane, uint64_t id)
{
  const uint64_t top = (uint64_t)1 << 63;
  if (lane >= 1u << 15) return top | mix(id ^ mix(lane)) >> 1;
  if (id >> 48) id = mix(id) >> 16;
  return top | (uint64_t)lane << 48 | id;
}

void ranks_put_id(Text *text, uint32_t lane, uint64_t id)
{
  if (is_small(lane, id))
    text_int(text, ranks_number(lane, id));
  else
    text_hex(text, large_id(lane, id));
}

static uint64_t hash_bytes(const char *bytes, size_t len)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
  return h;
}

void ranks_put_id_value(Text *text, uint32_t lane, const char *value, size_t len)
{
  bool quoted = len >= 2 && *value == '"';
  int64_t v;
  if (!quoted && *value != '-' && (*value < '0' || *value > '9')) {
    text_put(text, value, len);
    return;
  }
  const char *p = value + quoted;
  len -= quoted ? 2 : 0;
  bool is_number = num_int(p, len, &v) && (!quoted || (len > 2 && p[1] == 'x'));
  ranks_put_id(text, lane, is_number ? (uint64_t)v : hash_bytes(p, len) >> 1 | (uint64_t)1 << 62);
}
