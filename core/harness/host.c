/* The host of the harness: the calls of MillHost for one instance, on the models of the program
 * itself. */
#include <stdarg.h>
#include <string.h>

#include "base/num.h"
#include "harness-internal.h"

static HarnessHost *self(const MillHost *host) { return (HarnessHost *)(uintptr_t)host; }

void harness_break(HarnessResult *r, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  g_ptr_array_add(r->broken, g_strdup_vprintf(format, args));
  va_end(args);
}

/* ---- symbols */

static MillSym host_intern(const MillHost *host, const char *text, size_t len)
{
  return symbols_intern(self(host)->symbols, text, len);
}

static const char *host_symbol_text(const MillHost *host, MillSym sym, size_t *out_len)
{
  return symbols_text(self(host)->symbols, sym, out_len);
}

static bool host_match(const MillHost *host, const MillPattern *pattern, const char *text,
                       size_t len)
{
  (void)host;
  return pattern_match(pattern, text, len);
}

static bool host_match_sym(const MillHost *host, const MillPattern *pattern, MillSym sym)
{
  size_t len;
  const char *text = symbols_text(self(host)->symbols, sym, &len);
  return pattern_match(pattern, text, len);
}

/* ---- lanes and tracks */

static const HarnessLane *lane_at(const HarnessHost *h, uint32_t index)
{
  if (index == MILL_NO_LANE) index = h->lane;
  return index < h->test->lanes->len ? h->test->lanes->pdata[index] : NULL;
}

static void host_lane(const MillHost *host, uint32_t index, MillLane *out)
{
  const HarnessLane *lane = lane_at(self(host), index);
  MillLane full = {
    .size = sizeof full, .index = MILL_NO_LANE, .rank = -1, .name = "", .label = "", .dialect = ""
  };
  if (lane) {
    full.index = index == MILL_NO_LANE ? self(host)->lane : index;
    full.rank = lane->rank;
    full.base_ns = lane->base_ns;
    full.name = lane->name;
    full.label = lane->label;
    full.dialect = lane->dialect;
  }
  uint32_t size = out->size;
  memcpy(out, &full, MIN(size, sizeof full));
  out->size = size;
}

static const char *host_tag(const MillHost *host, uint32_t index, const char *name)
{
  const HarnessLane *lane = lane_at(self(host), index);
  return lane ? g_hash_table_lookup(lane->tags, name) : NULL;
}

static uint32_t host_n_lanes(const MillHost *host) { return self(host)->test->lanes->len; }

static uint32_t host_track(const MillHost *host, MillValue process, MillValue thread)
{
  HarnessHost *h = self(host);
  return tracks_find(h->tracks, h->lane == MILL_NO_LANE ? 0 : h->lane, process, thread);
}

static void host_track_info(const MillHost *host, uint32_t track, MillTrack *out)
{
  uint32_t size = out->size;
  if (track >= tracks_count(self(host)->tracks)) {
    harness_break(self(host)->result, "track_info of track %u, which is none", track);
    return;
  }
  memcpy(out, tracks_get(self(host)->tracks, track), MIN(size, sizeof *out));
  out->size = size;
}

static uint32_t host_track_lane(const MillHost *host, uint32_t track)
{
  return track < tracks_count(self(host)->tracks) ? tracks_get(self(host)->tracks, track)->lane
                                                  : MILL_NO_LANE;
}

/* ---- changing events */

static MillEvent *host_event(const MillHost *host, MillBatch *batch, uint32_t index)
{
  (void)host;
  return batch_event(batch_of(batch), index);
}

static int host_set(const MillHost *host, MillBatch *batch, uint32_t index, MillSym key,
                    MillValue value)
{
  MillEvent *e = batch_event(batch_of(batch), index);
  if (!e) {
    harness_break(self(host)->result, "set on event %u, which is none", index);
    return -MILL_STAGE_FAILED;
  }
  batch_set_attr(batch_of(batch), e, key, value);
  return 0;
}

static uint32_t host_emit(const MillHost *host, MillBatch *batch, uint32_t after,
                          const MillEvent *event)
{
  HarnessHost *h = self(host);
  uint32_t index = batch_emit(batch_of(batch), after, event);
  if (after == MILL_AT_END) batch_event(batch_of(batch), index)->seq = h->next_seq++;
  return index;
}

static uint64_t host_keep(const MillHost *host, const MillBatch *batch, uint32_t index)
{
  HarnessHost *h = self(host);
  const MillEvent *e = batch_event((Batch *)(uintptr_t)batch_of_const(batch), index);
  if (!e) {
    harness_break(h->result, "keep of event %u, which is none", index);
    return 0;
  }
  Batch *one = batch_new(1);
  batch_reset(one, batch->lane);
  batch_copy_event(one, batch, e, true)->flags &= (uint8_t)~MILL_FLAG_DROPPED;
  uint64_t handle = h->next_kept++;
  g_hash_table_insert(h->kept, GSIZE_TO_POINTER(handle), one);
  return handle;
}

static uint32_t host_emit_kept(const MillHost *host, MillBatch *batch, uint32_t after,
                               uint64_t kept)
{
  HarnessHost *h = self(host);
  Batch *one = g_hash_table_lookup(h->kept, GSIZE_TO_POINTER(kept));
  if (!one) {
    harness_break(h->result, "emit_kept of what is not kept");
    return MILL_NO_EVENT;
  }
  uint32_t index = batch_emit_copy(batch_of(batch), after, &one->pub, &one->pub.events[0]);
  g_hash_table_remove(h->kept, GSIZE_TO_POINTER(kept));
  return index;
}

static void host_drop_kept(const MillHost *host, uint64_t kept)
{
  if (!g_hash_table_remove(self(host)->kept, GSIZE_TO_POINTER(kept)))
    harness_break(self(host)->result, "drop_kept of what is not kept");
}

/* ---- telling */

static void count_notice(const HarnessHost *h, uint32_t number)
{
  const MillStage *stage = h->test->stage;
  gpointer key = GUINT_TO_POINTER(number);
  gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(h->result->notices, key));
  uint32_t i = 0;
  while (i < stage->n_notices && stage->notices[i].number != number) i++;
  if (i == stage->n_notices) harness_break(h->result, "notice %u is not in the descriptor", number);
  g_hash_table_insert(h->result->notices, key, GSIZE_TO_POINTER(count + 1));
}

static void host_note(const MillHost *host, uint32_t number, const MillBatch *batch, uint32_t index,
                      const MillNamed *named, uint32_t n_named)
{
  HarnessHost *h = self(host);
  (void)named;
  if (n_named > 4) harness_break(h->result, "notice %u has more than four named values", number);
  if (batch && index != MILL_NO_EVENT &&
      !batch_event((Batch *)(uintptr_t)batch_of_const(batch), index))
    harness_break(h->result, "notice %u names event %u, which is none", number, index);
  count_notice(h, number);
}

static void host_log(const MillHost *host, uint32_t level, const char *text)
{
  (void)host;
  (void)level;
  (void)text;
}

static int host_fail(const MillHost *host, const MillFailure *failure)
{
  HarnessResult *r = self(host)->result;
  if (!r->failure) {
    r->failure = g_strdup_printf("%s%s%s", failure->what, failure->help ? "; " : "",
                                 failure->help ? failure->help : "");
    r->status = failure->status;
    if (failure->number) count_notice(self(host), failure->number);
  }
  return -(int)failure->status;
}

static bool host_cancelled(const MillHost *host)
{
  (void)host;
  return false;
}

/* ---- summaries */

static Summary *put_to(const MillHost *host)
{
  HarnessHost *h = self(host);
  if (h->put) return h->put;
  harness_break(h->result, "put outside of save");
  static Summary nowhere;
  return &nowhere;
}

static void host_put_int(const MillHost *host, int64_t v) { summary_put_int(put_to(host), v); }
static void host_put_real(const MillHost *host, double v) { summary_put_real(put_to(host), v); }
static void host_put_text(const MillHost *host, const char *text, size_t len)
{
  summary_put_text(put_to(host), text, len);
}

static int64_t host_get_int(const MillHost *host)
{
  return self(host)->get ? summary_get_int(self(host)->get) : 0;
}
static double host_get_real(const MillHost *host)
{
  return self(host)->get ? summary_get_real(self(host)->get) : 0;
}
static const char *host_get_text(const MillHost *host, size_t *out_len)
{
  if (self(host)->get) return summary_get_text(self(host)->get, out_len);
  *out_len = 0;
  return "";
}
static bool host_get_more(const MillHost *host)
{
  return self(host)->get && summary_more(self(host)->get);
}

/* ---- results */

static HarnessValue value_of(HarnessHost *h, const MillValue *v)
{
  HarnessValue value = { .type = v->type, .i = v->u.i };
  size_t len;
  if (v->type == MILL_REAL) value.r = v->u.r;
  if (v->type == MILL_TEXT || v->type == MILL_JSON) value.text = g_strndup(v->u.text, v->len);
  if (v->type == MILL_SYM) {
    value.type = MILL_TEXT;
    value.text = g_strdup(symbols_text(h->symbols, v->u.sym, &len));
  }
  return value;
}

static char *cell_text(HarnessHost *h, const MillValue *v)
{
  HarnessValue value = value_of(h, v);
  char *text = harness_value_format(&value);
  g_free(value.text);
  return text;
}

static void check_cell(HarnessHost *h, const MillTable *table, uint32_t column, uint32_t type)
{
  uint32_t wanted = table->columns[column].type;
  if (type == MILL_NONE || type == wanted || (type == MILL_SYM && wanted == MILL_TEXT)) return;
  harness_break(h->result, "table %s, column %s: a value of type %u in a column of type %u",
                table->name, table->columns[column].name, type, wanted);
}

static int host_row(const MillHost *host, uint32_t index, const MillValue *cells, uint32_t n_cells)
{
  HarnessHost *h = self(host);
  const MillStage *stage = h->test->stage;
  const MillTable *table = index < stage->n_tables ? &stage->tables[index] : NULL;
  if (!table || table->n_columns != n_cells) {
    harness_break(h->result, "a row of %u cells for table %u", n_cells, index);
    return -MILL_STAGE_FAILED;
  }
  if ((table->per == MILL_PER_LANE) != (h->lane != MILL_NO_LANE) &&
      stage->scope != MILL_SCOPE_WHOLE)
    harness_break(h->result, "table %s: a row from an instance of the other kind", table->name);
  HarnessRow *row = g_new0(HarnessRow, 1);
  *row = (HarnessRow){ index, h->lane, g_ptr_array_new_with_free_func(g_free) };
  for (uint32_t i = 0; i < n_cells; i++) {
    check_cell(h, table, i, cells[i].type);
    g_ptr_array_add(row->cells, cell_text(h, &cells[i]));
  }
  g_ptr_array_add(h->result->rows, row);
  return 0;
}

static bool stat_is_declared(const MillMetric *metric, const char *stat)
{
  if (!metric->stats || !stat) return !metric->stats && !stat;
  g_auto(GStrv) stats = g_strsplit(metric->stats, ",", -1);
  const gchar *const *names = (const gchar *const *)stats;
  bool percentile = stat[0] == 'p' && g_ascii_isdigit(stat[1]);
  return g_strv_contains(names, stat) || (percentile && g_strv_contains(names, "p*"));
}

static int add_metric(HarnessHost *h, uint32_t index, const char *stat, char *value)
{
  const MillStage *stage = h->test->stage;
  if (index >= stage->n_metrics ||
      (!(stat == NULL && !value) && !stat_is_declared(&stage->metrics[index], stat))) {
    harness_break(h->result, "metric %u, statistic %s: not in the descriptor", index,
                  stat ? stat : "(none)");
    g_free(value);
    return -MILL_STAGE_FAILED;
  }
  HarnessMetric *m = g_new0(HarnessMetric, 1);
  *m = (HarnessMetric){ index, h->lane, g_strdup(stat), value };
  g_ptr_array_add(h->result->metrics, m);
  return 0;
}

static int host_metric(const MillHost *host, uint32_t index, const char *stat, MillValue value,
                       uint64_t n)
{
  (void)n;
  return add_metric(self(host), index, stat, cell_text(self(host), &value));
}

static int host_no_metric(const MillHost *host, uint32_t index, const char *stat,
                          const char *reason)
{
  if (!reason || !*reason)
    harness_break(self(host)->result, "metric %u is left out without a reason", index);
  return add_metric(self(host), index, stat, NULL);
}

static void *host_scratch(const MillHost *host, size_t bytes)
{
  void *p = g_malloc0(MAX(bytes, 1));
  g_ptr_array_add(self(host)->scratch, p);
  return p;
}

static const void *host_extension(const MillHost *host, const char *id)
{
  (void)host;
  (void)id;
  return NULL;
}

/* Calls of sources and sinks are left out: the harness runs stages. */
static const MillHost calls = {
  .size = sizeof(MillHost),
  .abi = MILL_ABI,
  .intern = host_intern,
  .symbol_text = host_symbol_text,
  .match = host_match,
  .match_sym = host_match_sym,
  .lane = host_lane,
  .tag = host_tag,
  .n_lanes = host_n_lanes,
  .track = host_track,
  .track_info = host_track_info,
  .track_lane = host_track_lane,
  .event = host_event,
  .set = host_set,
  .emit = host_emit,
  .keep = host_keep,
  .emit_kept = host_emit_kept,
  .drop_kept = host_drop_kept,
  .note = host_note,
  .log = host_log,
  .fail = host_fail,
  .cancelled = host_cancelled,
  .put_int = host_put_int,
  .put_real = host_put_real,
  .put_text = host_put_text,
  .get_int = host_get_int,
  .get_real = host_get_real,
  .get_text = host_get_text,
  .get_more = host_get_more,
  .row = host_row,
  .metric = host_metric,
  .no_metric = host_no_metric,
  .scratch = host_scratch,
  .extension = host_extension,
};

static void free_kept(gpointer batch) { batch_free(batch); }

HarnessHost *harness_host_new(const HarnessCase *c, HarnessResult *r, Symbols *symbols,
                              Tracks *tracks, uint32_t lane)
{
  HarnessHost *h = g_new0(HarnessHost, 1);
  h->table = calls;
  h->test = c;
  h->result = r;
  h->symbols = symbols;
  h->tracks = tracks;
  h->lane = lane;
  h->kept = g_hash_table_new_full(NULL, NULL, NULL, free_kept);
  h->next_kept = 1;
  h->scratch = g_ptr_array_new_with_free_func(g_free);
  return h;
}

void harness_host_free(HarnessHost *h)
{
  if (!h) return;
  g_hash_table_unref(h->kept);
  g_ptr_array_unref(h->scratch);
  g_free(h);
}

void harness_host_end_call(HarnessHost *h) { g_ptr_array_set_size(h->scratch, 0); }
