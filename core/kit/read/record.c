/* Records into batches; see record.h. */
#include "kit/read/record.h"
#include "kit/text/symbol.h"

#include <string.h>

static bool is_wanted(MillReadRows reads, const char *key)
{
  for (uint32_t i = 0; i < reads.n; i++) {
    const MillRead *r = MILL_AT(MillRead, reads, i);
    bool of_records = r->kinds == 0 || r->kinds & MILL_KIND(MILL_RECORD);
    if (of_records && (!strcmp(r->name, "*") || !strcmp(r->name, key))) return true;
  }
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

void record_init(RecordWriter *w, const MillSourceHost *host, const char *const *keys,
                 uint32_t n_keys)
{
  MillReadRows reads = host->wanted(host);
  record_init_all(w, host, keys, n_keys);
  for (uint32_t i = 0; i < n_keys; i++) w->wanted[i] = is_wanted(reads, keys[i]);
}

MillEvent *record_add(RecordWriter *w, MillBatch *b, const MillEvent *event, size_t max_attrs)
{
  if (b->n_events == b->max_events) return NULL;
  while (b->max_attrs - b->n_attrs < max_attrs)
    if (!w->host->grow_attrs(w->host, b)) return NULL;
  MillEvent *e = &mill_events(b)[b->n_events++];
  *e = *event;
  e->attrs = b->n_attrs;
  return e;
}

/* Each lane of an input has tracks of its own. */
static void begin_batch(RecordWriter *w)
{
  w->text_end = 0;
  w->track = w->host->track(w->host, mill_none(), mill_none());
}

MillEvent *record_begin(RecordWriter *w, MillBatch *b, MillSym type, size_t max_attrs)
{
  if (b->n_events == 0) begin_batch(w);
  if (w->text_end >= RECORD_MAX_TEXT) return NULL;
  const MillEvent e = {
    .dur_ns = -1, .name = type, .track = w->track, .kind = MILL_RECORD, .flags = MILL_FLAG_NO_TS
  };
  return record_add(w, b, &e, max_attrs);
}

void record_text(RecordWriter *w, MillBatch *b, uint32_t key, const char *text, size_t len)
{
  MillAttr *a = record_attr(w, b, key, MILL_TEXT | MILL_ATTR_OWN);
  if (!a) return;
  a->u.text.off = w->host->own_text(w->host, b, text, len);
  a->u.text.len = (uint32_t)len;
  w->text_end = a->u.text.off + a->u.text.len;
}

void record_name(const RecordWriter *w, MillBatch *b, uint32_t key, const char *name)
{
  MillAttr *a = name ? record_attr(w, b, key, MILL_SYM) : NULL;
  if (a) a->u.sym = symbol_of(w->host->common, name);
}
