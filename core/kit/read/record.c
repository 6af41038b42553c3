/* Records into batches; see record.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/record.h"
#include "kit/text/symbol.h"

#include <string.h>

static bool is_all(const MillRead *r) { return !strcmp(r->name, "*"); }

/* By name or for all; not by a sink that only writes what there is. */
static bool is_read(const MillSourceHost *host, uint32_t kinds, const char *name)
{
  MillReadRows reads = host->wanted(host);
  for (uint32_t i = 0; i < reads.n; i++) {
    const MillRead *r = MILL_AT(MillRead, reads, i);
    bool is_meant = is_all(r) ? r->as != MILL_AS_RAW : !strcmp(r->name, name);
    if (is_meant && (r->kinds == 0 || r->kinds & kinds)) return true;
  }
  return false;
}

/* These sources have no raw bytes that a sink could write instead. */
static bool is_written(const MillSourceHost *host)
{
  MillReadRows reads = host->wanted(host);
  for (uint32_t i = 0; i < reads.n; i++)
    if (MILL_AT(MillRead, reads, i)->as == MILL_AS_RAW) return true;
  return false;
}

void record_init_all(RecordWriter *w, const MillSourceHost *host, const char *const *keys,
                     uint32_t n_keys)
{
  *w = (RecordWriter){ .host = host };
  for (uint32_t i = 0; i < n_keys; i++) {
    w->keys[i] = symbol_of(host->common, keys[i]);
    w->wanted[i] = true;
  }
}

void record_init_kinds(RecordWriter *w, const MillSourceHost *host, const char *const *keys,
                       uint32_t n_keys, uint32_t kinds)
{
  record_init_all(w, host, keys, n_keys);
  if (is_written(host)) return;
  for (uint32_t i = 0; i < n_keys; i++) w->wanted[i] = is_read(host, kinds, keys[i]);
}

void record_init(RecordWriter *w, const MillSourceHost *host, const char *const *keys,
                 uint32_t n_keys)
{
  record_init_kinds(w, host, keys, n_keys, MILL_KIND(MILL_RECORD));
}

MillEvent *record_add(RecordWriter *w, MillBatch *b, const MillEvent *event, size_t max_attrs)
{
  if (b->n_events == 0) w->text_end = 0;
  if (b->n_events == b->max_events || w->text_end >= RECORD_MAX_TEXT) return NULL;
  while (b->max_attrs - b->n_attrs < max_attrs)
    if (!w->host->grow_attrs(w->host, b)) return NULL;
  MillEvent *e = &mill_events(b)[b->n_events++];
  *e = *event;
  e->attrs = b->n_attrs;
  return e;
}

MillEvent *record_begin(RecordWriter *w, MillBatch *b, MillSym type, size_t max_attrs)
{
  /* Each lane of an input has tracks of its own. */
  if (b->n_events == 0) w->track = w->host->track(w->host, mill_none(), mill_none());
  const MillEvent e = {
    .dur_ns = -1, .name = type, .track = w->track, .kind = MILL_RECORD, .flags = MILL_FLAG_NO_TS
  };
  return record_add(w, b, &e, max_attrs);
}

static void put_text(RecordWriter *w, MillBatch *b, uint32_t key, uint32_t type, const char *text,
                     size_t len)
{
  MillAttr *a = record_attr(w, b, key, type | MILL_ATTR_OWN);
  if (!a) return;
  a->u.text.off = w->host->own_text(w->host, b, text, len);
  a->u.text.len = (uint32_t)len;
  w->text_end = a->u.text.off + a->u.text.len;
}

void record_text(RecordWriter *w, MillBatch *b, uint32_t key, const char *text, size_t len)
{
  put_text(w, b, key, MILL_TEXT, text, len);
}

void record_json(RecordWriter *w, MillBatch *b, uint32_t key, const char *json, size_t len)
{
  put_text(w, b, key, MILL_JSON, json, len);
}

void record_name(const RecordWriter *w, MillBatch *b, uint32_t key, const char *name)
{
  MillAttr *a = name ? record_attr(w, b, key, MILL_SYM) : NULL;
  if (a) a->u.sym = symbol_of(w->host->common, name);
}
