/* A trace in which this program merged several ranks: each part of it is a lane again, with the pids that it had.
 *
 * The member "stagemill" in front of the events says whose a pid is.  The input is read once for each lane;
 * what is not its own is passed over. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/num.h"
#include "parser.h"

enum { MAX_MERGED = 1u << 20, MAX_KEPT = 2 };

typedef struct MergedLane {
  int64_t rank; /* -1: none */
  PidRange same, other;
  int64_t kept[MAX_KEPT];
  uint32_t n_kept;
  const char *json; /* its entry */
  size_t json_len;
} MergedLane;

static bool read_int(JsonCursor *r, int64_t *out)
{
  JsonToken t;
  return json_next(r, &t) == JSON_NUMBER && num_int(t.start, t.len, out);
}

static bool read_pids(JsonCursor *r, PidRange *out)
{
  JsonToken t;
  return json_next(r, &t) == JSON_ARRAY && read_int(r, &out->first) && read_int(r, &out->last) &&
         json_next(r, &t) == JSON_ARRAY_END && out->first >= 0 && out->first <= out->last;
}

static bool read_kept(JsonCursor *r, MergedLane *out)
{
  JsonToken t;
  JsonKind kind;
  if (json_next(r, &t) != JSON_ARRAY) return false;
  while ((kind = json_next(r, &t)) == JSON_NUMBER && out->n_kept < MAX_KEPT)
    if (!num_int(t.start, t.len, &out->kept[out->n_kept++])) return false;
  return kind == JSON_ARRAY_END;
}

static bool read_lane_member(JsonCursor *r, const JsonToken *key, MergedLane *out)
{
  JsonToken value;
  if (jsn_is(key->start, key->len, "\"pids\"")) return read_pids(r, &out->same);
  if (jsn_is(key->start, key->len, "\"other_pids\"")) return read_pids(r, &out->other);
  if (jsn_is(key->start, key->len, "\"kept_pids\"")) return read_kept(r, out);
  JsonKind kind = json_skip(r, &value);
  if (kind == JSON_NUMBER && jsn_is(key->start, key->len, "\"rank\"") &&
      !num_int(value.start, value.len, &out->rank))
    out->rank = -1;
  return kind != JSON_ERROR;
}

static bool read_lane(const JsonToken *entry, MergedLane *out)
{
  JsonCursor r;
  JsonToken key;
  JsonKind kind;
  *out = (MergedLane){
    .rank = -1, .same = { 1, 0 }, .other = { 1, 0 }, .json = entry->start, .json_len = entry->len
  };
  json_open(&r, entry->start, entry->len, false);
  if (json_next(&r, &key) != JSON_OBJECT) return false;
  while ((kind = json_next(&r, &key)) == JSON_KEY)
    if (!read_lane_member(&r, &key, out)) return false;
  return kind == JSON_OBJECT_END && out->same.first <= out->same.last;
}

/* Lanes share no pid: theirs come one after the other.  False: an event would be of two. */
static bool follows(const MergedLane *lane, int64_t *io_last)
{
  bool has_other = lane->other.first <= lane->other.last;
  if (lane->same.first <= *io_last || (has_other && lane->other.first <= lane->same.last))
    return false;
  *io_last = has_other ? lane->other.last : lane->same.last;
  return true;
}

/* The value of a member named `key` of the object; false: there is none. */
static bool find_member(const char *json, size_t len, const char *key, JsonCursor *out)
{
  JsonToken name, value;
  json_open(out, json, len, false);
  if (json_next(out, &name) != JSON_OBJECT) return false;
  while (json_next(out, &name) == JSON_KEY) {
    if (jsn_is(name.start, name.len, key)) return true;
    if (json_skip(out, &value) == JSON_ERROR) return false;
  }
  return false;
}

/* How many lanes the member names, and the one with this number; 0: it is not ours.  foreign, or NULL: gets what
 * the others have kept. */
static uint32_t find_lane(const Member *m, int64_t number, MergedLane *out, PidRange *out_all,
                          GArray *foreign)
{
  JsonCursor r;
  JsonToken t;
  JsonKind kind;
  uint32_t n = 0;
  int64_t last = -1;
  MergedLane lane;
  *out_all = (PidRange){ INT64_MAX, INT64_MIN };
  if (!find_member(m->value, (size_t)(m->value_end - m->value), "\"merged\"", &r)) return 0;
  if (json_next(&r, &t) != JSON_ARRAY) return 0;
  for (; (kind = json_skip(&r, &t)) == JSON_OBJECT && n < MAX_MERGED; n++) {
    if (!read_lane(&t, &lane) || !follows(&lane, &last)) return 0;
    if (n == number)
      *out = lane;
    else if (foreign)
      g_array_append_vals(foreign, lane.kept, lane.n_kept);
    out_all->first = MIN(out_all->first, lane.same.first);
    out_all->last = last;
  }
  return kind == JSON_ARRAY_END ? n : 0;
}

void jsn_describe_merged(Source *s, const Member *m)
{
  int64_t part = s->host->part(s->host);
  MergedLane lane;
  PidRange all;
  if (part < 0) return;
  g_autoptr(GArray) foreign = g_array_new(FALSE, FALSE, sizeof(int64_t));
  uint32_t n = find_lane(m, part, &lane, &all, foreign);
  if (part >= n || s->is_part) return;
  s->is_part = true;
  s->own_pids = g_array_new(FALSE, FALSE, sizeof(int64_t));
  g_array_append_vals(s->own_pids, lane.kept, lane.n_kept);
  s->foreign_pids = g_array_ref(foreign);
  s->part = (uint32_t)part;
  s->same = lane.same;
  s->other = lane.other;
  s->all = all;
  s->host->divide(s->host, n);
  if (lane.rank >= 0) s->host->describe(s->host, "rank", mill_int(lane.rank));
}

static bool has(const PidRange *r, int64_t pid) { return pid >= r->first && pid <= r->last; }

static bool is_among(const GArray *pids, int64_t pid)
{
  for (guint i = 0; pids && i < pids->len; i++)
    if (g_array_index(pids, int64_t, i) == pid) return true;
  return false;
}

uint32_t jsn_part_track(const Source *s, MillValue process, MillValue thread)
{
  bool is_number = process.type == MILL_INT;
  int64_t pid = is_number ? process.u.i : 0;
  if (is_number && is_among(s->own_pids, pid)) return s->host->track(s->host, process, thread);
  if (is_number && has(&s->same, pid))
    process = mill_int(pid - s->same.first);
  else if (!is_number || !has(&s->other, pid)) {
    bool nobodys = !is_number || (!has(&s->all, pid) && !is_among(s->foreign_pids, pid));
    if (!nobodys || s->part) return JSN_FOREIGN;
  }
  return s->host->track(s->host, process, thread);
}

/* ----------------------------------------------------------------- members */

/* The part's own of "stagemill", so that what is written of the part alone says what it is. */
static void pass_own_entry(const Source *s, const Member *m)
{
  MergedLane lane;
  PidRange all;
  if (!find_lane(m, s->part, &lane, &all, NULL)) return;
  g_autoptr(GString) json = g_string_new("{\"merged\": [");
  g_string_append_len(json, lane.json, (gssize)lane.json_len);
  g_string_append(json, "]}");
  s->host->member(s->host, s->after_events, m->key, m->key_len, json->str, json->len);
}

static void pass_own_info(const Source *s, const Member *m)
{
  static const char key[] = "distributedInfo";
  JsonCursor r;
  JsonToken t;
  json_open(&r, m->value, (size_t)(m->value_end - m->value), false);
  if (json_next(&r, &t) != JSON_ARRAY) return;
  JsonKind kind = json_skip(&r, &t);
  for (uint32_t i = 0; i < s->part && kind > JSON_ERROR; i++) kind = json_skip(&r, &t);
  if (kind == JSON_OBJECT)
    s->host->member(s->host, s->after_events, key, sizeof key - 1, t.start, t.len);
}

bool jsn_pass_merged(const Source *s, const Member *m)
{
  if (!s->is_part) return false;
  bool entries = jsn_key_is(m->key, m->key_len, "stagemill");
  bool infos = jsn_key_is(m->key, m->key_len, JSN_INFO_OF_RANKS);
  if (entries) pass_own_entry(s, m);
  if (infos) pass_own_info(s, m);
  return entries || infos;
}
