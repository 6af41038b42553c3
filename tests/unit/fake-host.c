/* A host for one sink or source under test; see fake-host.h. */
/* SPDX-License-Identifier: MIT */
#include "fake-host.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/hash.h"

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
  *out = (MillLane){ .size = sizeof(*out),
                     .index = lane,
                     .rank = -1,
                     .base_ns = MILL_NO_BASE,
                     .name = "",
                     .label = "",
                     .dialect = "" };
  if (lane == f->n_lanes && lane > 0) out->base_ns = f->lanes[0].base_ns;
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

uint32_t fake_track(FakeHost *f, MillValue process, MillValue thread)
{
  GArray *tracks = f->tracks;
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
  const GArray *tracks = fake_of(host)->tracks;
  *out = track < tracks->len ? g_array_index(tracks, MillTrack, track)
                             : (MillTrack){ .size = sizeof(MillTrack), .lane = MILL_NO_LANE };
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
  FakeHost *f = fake_of(host);
  g_free(f->failed);
  f->failed = g_strdup_printf("%s: %s", failure->what, failure->why ? failure->why : "");
  return -(int)failure->status;
}

static void *resize(const MillHost *host, void *old, size_t bytes)
{
  return fake_memory_resize(&fake_of(host)->memory, old, bytes);
}

static bool lane_member(const MillSinkHost *host, uint32_t lane, uint32_t index, bool *out_after,
                        MillValue *out_key, MillValue *out_json)
{
  const FakeHost *f = fake_of(host->common);
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

static FakeOutput *need_output(FakeHost *f, const char *name, const char *join)
{
  FakeOutput *o = find_output(f, name);
  if (o) return o;
  o = g_new0(FakeOutput, 1);
  o->name = g_strdup(name);
  o->join = g_strdup(join);
  o->bytes = g_string_new(NULL);
  g_ptr_array_add(f->outputs, o);
  return o;
}

static int output(const MillSinkHost *host, const char *name, const char *join, const void *bytes,
                  size_t len)
{
  FakeHost *f = fake_of(host->common);
  f->output_calls++;
  if (f->fail_output) return f->fail_output;
  g_string_append_len(need_output(f, name, join)->bytes, bytes, (gssize)len);
  return 0;
}

/* ------------------------------------------------------------------- places */

static const char *place(const MillSinkHost *host, const char *name)
{
  FakeHost *f = fake_of(host->common);
  if (f->nowhere) return NULL;
  if (!f->folder) f->folder = g_dir_make_tmp("stagemill-sink-XXXXXX", NULL);
  FakeOutput *o = need_output(f, name, NULL);
  if (!o->path) o->path = g_build_filename(f->no_place ? "/dev/null" : f->folder, name, NULL);
  return o->path;
}

void fake_host_take_placed(FakeHost *f)
{
  for (guint i = 0; i < f->outputs->len; i++) {
    FakeOutput *o = f->outputs->pdata[i];
    gchar *bytes;
    gsize len;
    if (!o->path || !g_file_get_contents(o->path, &bytes, &len, NULL)) continue;
    g_string_truncate(o->bytes, 0);
    g_string_append_len(o->bytes, bytes, (gssize)len);
    g_free(bytes);
    g_unlink(o->path);
  }
}

const GString *fake_output_bytes(const FakeHost *f, const char *name)
{
  const FakeOutput *o = find_output(f, name);
  return o ? o->bytes : NULL;
}

static void free_symbol(gpointer symbol) { g_string_free(symbol, TRUE); }

static void free_output(gpointer data)
{
  FakeOutput *o = data;
  g_free(o->name);
  g_free(o->join);
  if (o->path) g_unlink(o->path);
  g_free(o->path);
  g_string_free(o->bytes, TRUE);
  g_free(o);
}

static const void *extension(const MillHost *host, const char *id)
{
  (void)host;
  (void)id;
  return NULL;
}

void fake_host_init(FakeHost *f, const FakeLane *lanes, uint32_t lane_count, uint32_t own_lane)
{
  *f = (FakeHost){ .own_lane = own_lane, .lanes = lanes, .n_lanes = lane_count };
  fake_memory_init(&f->memory);
  f->symbols = g_ptr_array_new_with_free_func(free_symbol);
  f->tracks = g_array_new(FALSE, FALSE, sizeof(MillTrack));
  f->outputs = g_ptr_array_new_with_free_func(free_output);
  f->common = (MillHost){ .size = sizeof(MillHost),
                          .abi = MILL_ABI,
                          .seed = hash_seed_fixed(), /* tables are the same in every run */
                          .intern = intern,
                          .symbol_text = symbol_text,
                          .lane = lane_info,
                          .tag = lane_tag,
                          .n_lanes = n_lanes,
                          .track_info = track_info,
                          .track_lane = track_lane,
                          .note = note,
                          .fail = fail,
                          .resize = resize,
                          .extension = extension };
  f->sink = (MillSinkHost){ .size = sizeof(MillSinkHost),
                            .common = &f->common,
                            .lane_member = lane_member,
                            .output = output,
                            .place = place };
  intern(&f->common, "", 0);
}

void fake_host_clear(FakeHost *f)
{
  g_ptr_array_free(f->symbols, TRUE);
  g_array_free(f->tracks, TRUE);
  g_ptr_array_free(f->outputs, TRUE);
  fake_memory_clear(&f->memory);
  if (f->folder) g_rmdir(f->folder);
  g_free(f->folder);
  g_free(f->failed);
}

int fake_host_open(FakeHost *f, const void *options, void **out_instance)
{
  const MillSink *sink = sink_under_test();
  uint32_t level = f->own_lane == MILL_NO_LANE ? MILL_RUN
                   : f->own_lane < f->n_lanes  ? MILL_LANE
                                               : MILL_MERGED;
  *out_instance = NULL;
  return sink->ops->open(sink, &f->sink, level, options, out_instance);
}

void fake_host_close(void *instance)
{
  const MillSinkOps *ops = sink_under_test()->ops;
  if (instance && ops->close) ops->close(instance);
}

MillSym fake_symbol(FakeHost *f, const char *text)
{
  return intern(&f->common, text, strlen(text));
}

const char *fake_output(const FakeHost *f, const char *name)
{
  const FakeOutput *o = find_output(f, name);
  return o ? o->bytes->str : NULL;
}

static const FakeResults *results_of(const MillResults *r)
{
  return (const FakeResults *)(gconstpointer)r;
}

static bool table(const MillResults *r, uint32_t index, MillTableResult *out)
{
  g_assert(out->size == sizeof(*out));
  if (index >= r->n_tables) return false;
  const FakeTable *t = &results_of(r)->tables[index];
  *out = (MillTableResult){ .size = sizeof(*out),
                            .table = t->table,
                            .name = t->name,
                            .n_rows = t->n_rows,
                            .columns = t->columns };
  return true;
}

static const MillValue *row(const MillResults *r, uint32_t index, uint64_t number)
{
  const FakeTable *t = &results_of(r)->tables[index];
  return t->cells + number * t->columns.n;
}

static bool metric(const MillResults *r, uint32_t index, MillMetricResult *out)
{
  g_assert(out->size == sizeof(*out));
  if (index >= r->n_metrics) return false;
  const FakeMetric *m = &results_of(r)->metrics[index];
  *out = (MillMetricResult){ .size = sizeof(*out),
                             .lane = m->lane,
                             .metric = m->metric,
                             .name = m->metric->name,
                             .stat = m->stat ? m->stat : "",
                             .value = m->value,
                             .n = m->n,
                             .reason = m->reason,
                             .group = m->group ? m->group : "" };
  return true;
}

static bool notice(const MillResults *r, uint32_t index, MillNoticeResult *out)
{
  g_assert(out->size == sizeof(*out));
  if (index >= r->n_notices) return false;
  const FakeNotice *n = &results_of(r)->notices[index];
  *out = (MillNoticeResult){ .size = sizeof(*out),
                             .notice = n->notice,
                             .code = n->code,
                             .count = n->count,
                             .what = n->notice->what,
                             .effect = n->notice->effect,
                             .help = n->notice->help };
  return true;
}

static const char *info(const MillResults *r, const char *key)
{
  const char *const *pair = results_of(r)->info;
  for (; pair && *pair; pair += 2)
    if (!strcmp(*pair, key)) return pair[1];
  return NULL;
}

static bool figure(const MillResults *r, uint32_t index, MillFigureResult *out)
{
  if (index >= r->n_figures) return false;
  *out = ((const FakeResults *)r)->figures[index];
  return true;
}

void fake_results_init(FakeResults *r)
{
  MillResults *v = &r->results;
  v->size = sizeof(*v);
  v->table = table;
  v->row = row;
  v->metric = metric;
  v->notice = notice;
  v->info = info;
  v->figure = figure;
}
