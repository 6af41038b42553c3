/* The sink in memory: what leaves each lane, as lines; and the stage that asks for all attributes. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/sink.h>

#include <string.h>

#include "harness-internal.h"

typedef struct Lines { /* of one lane, or of the merged stream */
  const MillSinkHost *host;
  const HarnessEnds *ends;
  GPtrArray *out; /* HarnessLine; belongs to the ends */
} Lines;

static GPtrArray *lane_at(HarnessEnds *ends, uint32_t index)
{
  pthread_mutex_lock(&ends->lock);
  while (ends->lanes->len <= index)
    g_ptr_array_add(ends->lanes, g_ptr_array_new_with_free_func((GDestroyNotify)harness_line_free));
  GPtrArray *lines = ends->lanes->pdata[index];
  pthread_mutex_unlock(&ends->lock);
  return lines;
}

static int lines_open(const MillSink *self, const MillSinkHost *host, uint32_t level,
                      const void *options, void **out_instance)
{
  HarnessEnds *ends = (HarnessEnds *)self->user;
  MillLane at = { .size = sizeof at };
  Lines *l = mill_new(host->common, sizeof *l);
  (void)options;
  if (!l) return -MILL_LIMIT;
  host->common->lane(host->common, MILL_NO_LANE, &at);
  l->host = host;
  l->ends = ends;
  if (level != MILL_RUN) l->out = lane_at(ends, level == MILL_MERGED ? 0 : at.index);
  *out_instance = l;
  return 0;
}

/* ---- an event as a line */

static const char *text_of(const Lines *l, MillSym sym)
{
  return l->host->common->symbol_text(l->host->common, sym, NULL);
}

static void append_attr(const Lines *l, const MillBatch *b, const MillAttr *a, GArray *out)
{
  size_t len = 0;
  const char *text = mill_attr_text(b, a, &len);
  MillValue v = { .type = a->type & MILL_ATTR_TYPE, .len = (uint32_t)len };
  if (text)
    v.u.text = text;
  else if (v.type == MILL_REAL)
    v.u.r = a->u.r;
  else if (v.type == MILL_SYM)
    v.u.sym = a->u.sym;
  else
    v.u.i = a->u.i;
  HarnessAttr attr = { g_strdup(text_of(l, a->key)), harness_value_copy(l->host->common, v) };
  g_array_append_val(out, attr);
}

static const MillAttr *set_attr(const Lines *l, const MillBatch *b, const MillEvent *e,
                                const char *key)
{
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if ((a->type & MILL_ATTR_SET) && g_str_equal(text_of(l, a->key), key)) return a;
  }
  return NULL;
}

static bool has_key(const GArray *attrs, const char *key)
{
  for (guint i = 0; i < attrs->len; i++)
    if (g_str_equal(g_array_index(attrs, HarnessAttr, i).key, key)) return true;
  return false;
}

/* Members of the given line first, changed or not, then new ones: as a sink that reads raw bytes writes them. */
static void collect_changed(const Lines *l, const MillBatch *b, const MillEvent *e,
                            const HarnessLine *given, GArray *out)
{
  for (guint i = 0; given && i < given->attrs->len; i++) {
    HarnessAttr attr = g_array_index(given->attrs, HarnessAttr, i);
    const MillAttr *a = set_attr(l, b, e, attr.key);
    if (a && has_key(out, attr.key)) continue;
    if (a && (a->type & MILL_ATTR_TYPE) != MILL_NONE) append_attr(l, b, a, out);
    if (a) continue;
    attr.key = g_strdup(attr.key);
    attr.value = harness_value_copy(NULL, attr.value);
    g_array_append_val(out, attr);
  }
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const MillAttr *a = &b->attrs[e->attrs + i];
    if ((a->type & MILL_ATTR_TYPE) == MILL_NONE || !(a->type & MILL_ATTR_SET)) continue;
    if (!has_key(out, text_of(l, a->key))) append_attr(l, b, a, out);
  }
}

/* All that is decoded: of a source under test, whose bytes are its own. */
static void collect_decoded(const Lines *l, const MillBatch *b, const MillEvent *e, GArray *out)
{
  for (uint32_t i = 0; i < e->n_attrs; i++) append_attr(l, b, &b->attrs[e->attrs + i], out);
}

static HarnessLine *line_of(const Lines *l, const MillBatch *b, const MillEvent *e)
{
  const MillHost *common = l->host->common;
  const HarnessLine *given = NULL;
  MillTrack track = { .size = sizeof track };
  HarnessLine *line = harness_line_new();
  size_t len;
  const char *raw = mill_raw(b, e, &len);
  common->track_info(common, e->track, &track);
  line->name = g_strdup(text_of(l, e->name));
  if (e->cat) line->cat = g_strdup(text_of(l, e->cat));
  line->kind = e->kind;
  line->flags = e->flags;
  line->ts_ns = e->ts_ns;
  line->dur_ns = e->dur_ns;
  line->id = e->id;
  line->id_kind = e->id_kind;
  line->process = harness_value_copy(common, track.process);
  line->thread = harness_value_copy(common, track.thread);
  if (!l->ends->with_lines) {
    collect_decoded(l, b, e, line->attrs);
    return line;
  }
  if (raw) memcpy(&given, raw, sizeof given);
  collect_changed(l, b, e, given, line->attrs);
  return line;
}

static int lines_write(void *instance, const MillBatch *b)
{
  const Lines *l = instance;
  for (uint32_t i = 0; i < b->n_events; i++) g_ptr_array_add(l->out, line_of(l, b, &b->events[i]));
  return 0;
}

static const MillSinkOps ops = { .size = sizeof ops, .open = lines_open, .write = lines_write };

MillSink harness_sink(HarnessEnds *ends)
{
  return (MillSink){ .size = sizeof(MillSink),
                     .flags = ends->with_lines ? MILL_READS_RAW : 0,
                     .name = HARNESS_SINK,
                     .format = "lines",
                     .version = "1",
                     .tag = "LINES",
                     .title = "Lines for a test",
                     .help = "Events as a test expects them.",
                     .ops = &ops,
                     .user = ends };
}

/* ---- after a source under test */

static int reader_open_stage(const MillStage *self, const MillStageHost *host, uint32_t level,
                             const void *options, void **out_instance)
{
  (void)self, (void)host, (void)level, (void)options;
  *out_instance = NULL;
  return 0;
}

static int reader_process(void *instance, MillBatch *b)
{
  (void)instance, (void)b;
  return 0;
}

static const MillRead reads[] = { { "*", MILL_AS_ANY, 0 } };
static const MillStageOps reader_ops = { .size = sizeof reader_ops,
                                         .open = reader_open_stage,
                                         .process = reader_process };
const MillStage harness_reader = {
  .size = sizeof(MillStage),
  .scope = MILL_SCOPE_EVENT,
  .flags = MILL_READ_ONLY,
  .name = HARNESS_READER,
  .family = "harness",
  .version = "1",
  .tag = "READER",
  .title = "Asks for all attributes",
  .help = "Lets every event through.",
  .reads = MILL_ROWS(reads),
  .ops = &reader_ops,
};
