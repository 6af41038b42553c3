/* A host for one sink or source under test; see fake-host.h. */
#include "fake-host.h"

#include <string.h>

static FakeHost *fake_of(const MillHost *host) { return (FakeHost *)(gpointer)host; }

static MillSym intern(const MillHost *host, const char *text, size_t len)
{
  FakeHost *f = fake_of(host);
  for (guint i = 0; i < f->symbols->len; i++) {
    const GString *s = f->symbols->pdata[i];
    if (s->len == len && !memcmp(s->str, text, len)) return i;
  }
  g_ptr_array_add(f->symbols, g_string_new_len(text, (gssize)len));
  return f->symbols->len - 1;
}

static const char *symbol_text(const MillHost *host, MillSym sym, size_t *out_len)
{
  const GString *s = fake_of(host)->symbols->pdata[sym];
  if (out_len) *out_len = s->len;
  return s->str;
}

static void lane_info(const MillHost *host, uint32_t index, MillLane *out)
{
  FakeHost *f = fake_of(host);
  uint32_t lane = index == MILL_NO_LANE ? f->own_lane : index;
  *out = (MillLane){
    .size = sizeof(*out), .index = lane, .rank = -1, .name = "", .label = "", .dialect = ""
  };
  if (lane >= f->n_lanes) return;
  const FakeLane *l = &f->lanes[lane];
  out->rank = l->rank;
  out->base_ns = l->base_ns;
  out->name = l->name ? l->name : "";
  out->label = l->label ? l->label : "";
  out->dialect = l->dialect ? l->dialect : "";
}

static const char *lane_tag(const MillHost *host, uint32_t lane, const char *name)
{
  const FakeLane *l = &fake_of(host)->lanes[lane];
  return l->tag_name && !strcmp(l->tag_name, name) ? l->tag_value : NULL;
}

static uint32_t n_lanes(const MillHost *host) { return fake_of(host)->n_lanes; }

static uint32_t find_track(const MillHost *host, MillValue process, MillValue thread)
{
  GArray *tracks = fake_of(host)->tracks;
  MillTrack t = { .size = sizeof(t), .process = process, .thread = thread };
  for (guint i = 0; i < tracks->len; i++) {
    const MillTrack *old = &g_array_index(tracks, MillTrack, i);
    if (old->process.type == process.type && old->process.u.i == process.u.i &&
        old->thread.type == thread.type && old->thread.u.i == thread.u.i)
      return i;
  }
  g_array_append_val(tracks, t);
  return tracks->len - 1;
}

static void track_info(const MillHost *host, uint32_t track, MillTrack *out)
{
  *out = g_array_index(fake_of(host)->tracks, MillTrack, track);
}

static uint32_t track_lane(const MillHost *host, uint32_t track)
{
  return g_array_index(fake_of(host)->tracks, MillTrack, track).lane;
}

static void note(const MillHost *host, uint32_t number, const MillBatch *b, uint32_t index,
                 const MillNamed *named, uint32_t n)
{
  (void)b, (void)index, (void)named, (void)n;
  if (number < FAKE_NOTES) fake_of(host)->notes[number]++;
}

static int fail(const MillHost *host, const MillFailure *failure)
{
  (void)host;
  return -(int)failure->status;
}

static bool lane_member(const MillHost *host, uint32_t lane, uint32_t index, bool *out_after,
                        MillValue *out_key, MillValue *out_json)
{
  const FakeHost *f = fake_of(host);
  if (lane >= f->n_lanes || index >= f->lanes[lane].n_members) return false;
  const FakeMember *m = &f->lanes[lane].members[index];
  *out_after = m->after;
  *out_key = mill_text(m->key, strlen(m->key));
  *out_json = mill_text(m->json, strlen(m->json));
  return true;
}

static FakeOutput *find_output(const FakeHost *f, const char *name)
{
  for (guint i = 0; i < f->outputs->len; i++) {
    FakeOutput *o = f->outputs->pdata[i];
    if (!strcmp(o->name, name)) return o;
  }
  return NULL;
}

static int output(const MillHost *host, const char *name, const char *join, const void *bytes,
                  size_t len)
{
  FakeHost *f = fake_of(host);
  FakeOutput *o = find_output(f, name);
  f->output_calls++;
  if (f->fail_output) return f->fail_output;
  if (!o) {
    o = g_new0(FakeOutput, 1);
    o->name = g_strdup(name);
    o->join = g_strdup(join);
    o->bytes = g_string_new(NULL);
    g_ptr_array_add(f->outputs, o);
  }
  g_string_append_len(o->bytes, bytes, (gssize)len);
  return 0;
}

static void free_symbol(gpointer symbol) { g_string_free(symbol, TRUE); }

static void free_output(gpointer data)
{
  FakeOutput *o = data;
  g_free(o->name);
  g_free(o->join);
  g_string_free(o->bytes, TRUE);
  g_free(o);
}

void fake_host_init(FakeHost *f, const FakeLane *lanes, uint32_t lane_count, uint32_t own_lane)
{
  *f = (FakeHost){ .own_lane = own_lane, .lanes = lanes, .n_lanes = lane_count };
  f->symbols = g_ptr_array_new_with_free_func(free_symbol);
  f->tracks = g_array_new(FALSE, FALSE, sizeof(MillTrack));
  f->outputs = g_ptr_array_new_with_free_func(free_output);
  f->host = (MillHost){ .size = sizeof(MillHost),
                        .abi = MILL_ABI,
                        .intern = intern,
                        .symbol_text = symbol_text,
                        .lane = lane_info,
                        .tag = lane_tag,
                        .n_lanes = n_lanes,
                        .track = find_track,
                        .track_info = track_info,
                        .track_lane = track_lane,
                        .note = note,
                        .fail = fail,
                        .lane_member = lane_member,
                        .output = output };
  intern(&f->host, "", 0);
}

void fake_host_clear(FakeHost *f)
{
  g_ptr_array_free(f->symbols, TRUE);
  g_array_free(f->tracks, TRUE);
  g_ptr_array_free(f->outputs, TRUE);
}

MillSym fake_symbol(FakeHost *f, const char *text) { return intern(&f->host, text, strlen(text)); }

const char *fake_output(const FakeHost *f, const char *name)
{
  const FakeOutput *o = find_output(f, name);
  return o ? o->bytes->str : NULL;
}

static const FakeResults *results_of(const MillResults *r) { return r->impl; }

static const MillTable *table(const MillResults *r, uint32_t index, const char **out_name,
                              uint64_t *out_rows)
{
  const FakeTable *t = &results_of(r)->tables[index];
  *out_name = t->name;
  *out_rows = t->n_rows;
  return t->table;
}

static uint32_t columns(const MillResults *r, uint32_t index, const MillColumn **out)
{
  *out = results_of(r)->tables[index].columns;
  return results_of(r)->tables[index].n_columns;
}

static const MillValue *row(const MillResults *r, uint32_t index, uint64_t number)
{
  const FakeTable *t = &results_of(r)->tables[index];
  return t->cells + number * t->n_columns;
}

static const MillMetric *metric(const MillResults *r, uint32_t index, const char **out_name,
                                const char **out_stat, MillValue *out_value, uint64_t *out_n,
                                uint32_t *out_lane, const char **out_reason)
{
  const FakeMetric *m = &results_of(r)->metrics[index];
  *out_name = m->metric->name;
  *out_stat = m->stat;
  *out_value = m->value;
  *out_n = m->n;
  *out_lane = m->lane;
  *out_reason = m->reason;
  return m->metric;
}

static const MillNotice *notice(const MillResults *r, uint32_t index, const char **out_code,
                                uint64_t *out_count, const char **out_what, const char **out_effect,
                                const char **out_help)
{
  const FakeNotice *n = &results_of(r)->notices[index];
  *out_code = n->code;
  *out_count = n->count;
  *out_what = n->notice->what;
  *out_effect = n->notice->effect;
  *out_help = n->notice->help;
  return n->notice;
}

static const char *info(const MillResults *r, const char *key)
{
  const char *const *pair = results_of(r)->info;
  for (; pair && *pair; pair += 2)
    if (!strcmp(*pair, key)) return pair[1];
  return NULL;
}

static const char *group(const MillResults *r, uint32_t index)
{
  const char *text = results_of(r)->metrics[index].group;
  return text ? text : "";
}

void fake_results_init(FakeResults *r)
{
  MillResults *v = &r->results;
  v->size = sizeof(*v);
  v->impl = r;
  v->table = table;
  v->columns = columns;
  v->row = row;
  v->metric = metric;
  v->notice = notice;
  v->info = info;
  v->group = group;
}
