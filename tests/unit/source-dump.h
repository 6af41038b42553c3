/* Events of a source as text lines, to compare with. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_SOURCE_DUMP_H
#define TESTS_UNIT_SOURCE_DUMP_H

#include "base/num.h"
#include "fuzz/source-host.h"

typedef struct Dump {
  SourceHost *host;
  GString *out;
  bool raw; /* with the event's own bytes */
} Dump;

static void dump_value(const Dump *d, MillValue v)
{
  if (v.type == MILL_INT)
    g_string_append_printf(d->out, "%lld", (long long)v.u.i);
  else if (v.type == MILL_SYM)
    g_string_append_printf(d->out, "'%s'", source_symbol(d->host, v.u.sym));
  else
    g_string_append(d->out, "-");
}

static void dump_attr(const Dump *d, const MillBatch *b, const MillAttr *a)
{
  char buf[NUM_BUF];
  size_t len = 0;
  g_string_append_printf(d->out, " %s=", source_symbol(d->host, a->key));
  switch (a->type & MILL_ATTR_TYPE) {
  case MILL_INT: g_string_append_printf(d->out, "%lld", (long long)a->u.i); break;
  case MILL_BOOL: g_string_append(d->out, a->u.i ? "true" : "false"); break;
  case MILL_REAL:
    num_format_real(buf, a->u.r);
    g_string_append(d->out, buf);
    break;
  case MILL_SYM: g_string_append(d->out, source_symbol(d->host, a->u.sym)); break;
  default: {
    const char *text = mill_attr_text(b, a, &len);
    char quote = (a->type & MILL_ATTR_TYPE) == MILL_JSON ? '`' : '\'';
    g_string_append_printf(d->out, "%c%.*s%c", quote, (int)len, text, quote);
  }
  }
}

static void dump_event(const Dump *d, const MillBatch *b, const MillEvent *e)
{
  static const char *const kinds[] = { "?", "X", "B", "E", "i", "C", "M", "b",
                                       "n", "e", "s", "t", "f", "P", "O" };
  static const char *const ids[] = { "", "int", "hex", "hash" };
  const MillTrack *t = &g_array_index(d->host->tracks, MillTrack, e->track);
  g_string_append_printf(d->out, "%s %s", kinds[e->kind], source_symbol(d->host, e->name));
  if (e->cat) g_string_append_printf(d->out, " cat=%s", source_symbol(d->host, e->cat));
  if (!(e->flags & MILL_FLAG_NO_TS))
    g_string_append_printf(d->out, " ts=%lld", (long long)e->ts_ns);
  if (e->dur_ns >= 0) g_string_append_printf(d->out, " dur=%lld", (long long)e->dur_ns);
  g_string_append(d->out, " p=");
  dump_value(d, t->process);
  g_string_append(d->out, " t=");
  dump_value(d, t->thread);
  if (e->id_kind == MILL_ID_HASH)
    g_string_append(d->out, " hash");
  else if (e->id_kind)
    g_string_append_printf(d->out, " %s=%lld", ids[e->id_kind], (long long)e->id);
  if (e->flags & MILL_FLAG_BIND_END) g_string_append(d->out, " bind");
  if (e->flags & MILL_FLAG_INEXACT) g_string_append(d->out, " inexact");
  if (e->flags & MILL_FLAG_OWN_RAW) g_string_append(d->out, " repaired");
  for (uint32_t i = 0; i < e->n_attrs; i++) dump_attr(d, b, &b->attrs[e->attrs + i]);
  if (d->raw || e->flags & MILL_FLAG_OWN_RAW) {
    size_t len;
    const char *raw = mill_raw(b, e, &len);
    g_string_append_printf(d->out, " %.*s", (int)len, raw);
  }
  g_string_append_c(d->out, '\n');
}

static void dump_batch(void *user, const MillBatch *b)
{
  for (uint32_t i = 0; i < b->n_events; i++) dump_event(user, b, &b->events[i]);
}

#endif
