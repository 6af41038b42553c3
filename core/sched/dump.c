/* --dump-after: the stream after a stage as JSON lines, one event per line. */
/* SPDX-License-Identifier: MIT */
#include "sched/dump.h"

#include <string.h>

#include "base/json-write.h"

static const char *const kind_names[MILL_N_KINDS] = {
  "other",    "slice",       "begin",      "end",       "instant",    "counter",
  "meta",     "async-begin", "async-step", "async-end", "flow-start", "flow-step",
  "flow-end", "sample",      "object",     "record"
};

static void put_value(JsonWriter *out, const Symbols *symbols, const char *key, MillValue v)
{
  size_t len;
  const char *text;
  switch (v.type) {
  case MILL_INT: json_put_int(out, key, v.u.i); break;
  case MILL_REAL: json_put_real(out, key, v.u.r); break;
  case MILL_BOOL: json_put_bool(out, key, v.u.i != 0); break;
  case MILL_SYM:
    text = symbols_text(symbols, v.u.sym, &len);
    json_put_string(out, key, text, len);
    break;
  case MILL_TEXT: json_put_string(out, key, v.u.text, v.len); break;
  case MILL_JSON: json_put_raw(out, key, v.u.text, v.len); break;
  default: json_put_text(out, key, NULL);
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

static void put_attrs(JsonWriter *out, const Symbols *symbols, const MillBatch *b,
                      const MillEvent *e)
{
  if (!e->n_attrs) return;
  json_put_open(out, "attrs", '[');
  for (uint32_t k = 0; k < e->n_attrs; k++) {
    const MillAttr *a = &b->attrs[e->attrs + k];
    json_put_open(out, NULL, '[');
    put_value(out, symbols, NULL, mill_sym(a->key));
    put_value(out, symbols, NULL, attr_value(b, a));
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_event(JsonWriter *out, const Instance *i, const MillBatch *b, const MillEvent *e)
{
  const Symbols *symbols = i->env->symbols;
  const MillTrack *track = tracks_get(i->tracks, e->track);
  json_put_open(out, NULL, '{');
  json_put_text(out, "kind", kind_names[e->kind % MILL_N_KINDS]);
  put_value(out, symbols, "name", mill_sym(e->name));
  if (e->cat) put_value(out, symbols, "cat", mill_sym(e->cat));
  if (!(e->flags & MILL_FLAG_NO_TS)) json_put_int(out, "ts_ns", e->ts_ns);
  if (e->dur_ns >= 0) json_put_int(out, "dur_ns", e->dur_ns);
  put_value(out, symbols, "pid", track->process);
  put_value(out, symbols, "tid", track->thread);
  if (e->id_kind) json_put_int(out, "id", (int64_t)e->id);
  json_put_int(out, "seq", (int64_t)e->seq);
  if (e->sub) json_put_int(out, "sub", e->sub);
  put_attrs(out, symbols, b, e);
  json_put_end(out);
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
  JsonWriter out = { .text = text, .layout = JSON_DENSE };
  for (uint32_t k = 0; k < b->pub.n_events; k++) put_event(&out, i, &b->pub, &b->pub.events[k]);
  return output_write(run->out.output, name, (int)i->lane->index, NULL, text->str, text->len);
}
