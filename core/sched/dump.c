/* --dump-after: the stream behind a stage as JSON lines, one event a line. */
#include "sched/dump.h"

#include <string.h>

#include "base/json.h"
#include "base/num.h"

static const char *const kind_names[MILL_N_KINDS] = {
  "other",    "slice",       "begin",      "end",       "instant",    "counter",
  "meta",     "async-begin", "async-step", "async-end", "flow-start", "flow-step",
  "flow-end", "sample",      "object",     "record"
};

static void add_value(GString *line, const Run *run, const MillValue *v)
{
  char buf[NUM_BUF];
  size_t len;
  const char *text;
  switch (v->type) {
  case MILL_INT:
    num_format_int(buf, v->u.i);
    g_string_append(line, buf);
    break;
  case MILL_REAL:
    num_format_real(buf, v->u.r);
    g_string_append(line, buf);
    break;
  case MILL_BOOL: g_string_append(line, v->u.i ? "true" : "false"); break;
  case MILL_SYM:
    text = symbols_text(run->symbols, v->u.sym, &len);
    json_quote(line, text, len);
    break;
  case MILL_TEXT: json_quote(line, v->u.text, v->len); break;
  case MILL_JSON: g_string_append_len(line, v->u.text, v->len); break;
  default: g_string_append(line, "null");
  }
}

static MillValue attr_value(const MillBatch *b, const MillAttr *a)
{
  MillValue v = { a->type & MILL_ATTR_TYPE, 0, { a->u.i } };
  size_t len = 0;
  if (v.type == MILL_TEXT || v.type == MILL_JSON) {
    v.u.text = mill_attr_text(b, a, &len);
    v.len = (uint32_t)len;
  }
  if (v.type == MILL_SYM) v.u.sym = a->u.sym;
  return v;
}

static void add_member(GString *line, const Run *run, const char *key, MillValue v)
{
  g_string_append_printf(line, ",\"%s\":", key);
  add_value(line, run, &v);
}

static void add_attrs(GString *line, const Run *run, const MillBatch *b, const MillEvent *e)
{
  if (e->n_attrs) g_string_append(line, ",\"attrs\":[");
  for (uint32_t k = 0; k < e->n_attrs; k++) {
    const MillAttr *a = &b->attrs[e->attrs + k];
    MillValue key = mill_sym(a->key), v = attr_value(b, a);
    g_string_append(line, k ? ",[" : "[");
    add_value(line, run, &key);
    g_string_append_c(line, ',');
    add_value(line, run, &v);
    g_string_append_c(line, ']');
  }
  if (e->n_attrs) g_string_append_c(line, ']');
}

static void add_event(GString *line, const Instance *i, const MillBatch *b, const MillEvent *e)
{
  const MillTrack *track = tracks_get(i->tracks, e->track);
  g_string_append_printf(line, "{\"kind\":\"%s\"", kind_names[e->kind % MILL_N_KINDS]);
  add_member(line, i->run, "name", mill_sym(e->name));
  if (e->cat) add_member(line, i->run, "cat", mill_sym(e->cat));
  if (!(e->flags & MILL_FLAG_NO_TS)) add_member(line, i->run, "ts_ns", mill_int(e->ts_ns));
  if (e->dur_ns >= 0) add_member(line, i->run, "dur_ns", mill_int(e->dur_ns));
  add_member(line, i->run, "pid", track->process);
  add_member(line, i->run, "tid", track->thread);
  if (e->id_kind) add_member(line, i->run, "id", mill_int((int64_t)e->id));
  add_member(line, i->run, "seq", mill_int((int64_t)e->seq));
  if (e->sub) add_member(line, i->run, "sub", mill_int(e->sub));
  add_attrs(line, i->run, b, e);
  g_string_append(line, "}\n");
}

static bool wanted(const Run *run, const char *id)
{
  for (guint k = 0; run->options.dump_after && k < run->options.dump_after->len; k++)
    if (!strcmp(run->options.dump_after->pdata[k], id)) return true;
  return false;
}

Error *dump_after(Run *run, const Instance *i, const Batch *b)
{
  if (!run->options.dump_after || !wanted(run, i->id) || !b->pub.n_events) return NULL;
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *name = g_strdup_printf("dump/%s.%u.jsonl", i->id, i->lane->index);
  for (uint32_t k = 0; k < b->pub.n_events; k++) add_event(text, i, &b->pub, &b->pub.events[k]);
  return output_write(run->output, name, (int)i->lane->index, NULL, text->str, text->len);
}
