/* Records into batches; see record.h. */
#include "lib/record.h"

#include <string.h>

static bool is_wanted(const MillRead *reads, uint32_t n, const char *key)
{
  for (uint32_t i = 0; i < n; i++) {
    bool of_records = reads[i].kinds == 0 || reads[i].kinds & MILL_KIND(MILL_RECORD);
    if (of_records && (!strcmp(reads[i].name, "*") || !strcmp(reads[i].name, key))) return true;
  }
  return false;
}

MillSym record_symbol(const MillHost *host, const char *text)
{
  return host->intern(host, text, strlen(text));
}

void record_init(RecordWriter *w, const MillHost *host, const char *const *keys, uint32_t n_keys)
{
  const MillRead *reads;
  uint32_t n_reads = host->wanted(host, &reads);
  *w = (RecordWriter){ .host = host, .track = host->track(host, mill_none(), mill_none()) };
  for (uint32_t i = 0; i < n_keys; i++) {
    w->keys[i] = record_symbol(host, keys[i]);
    w->wanted[i] = is_wanted(reads, n_reads, keys[i]);
  }
}

MillEvent *record_begin(RecordWriter *w, MillBatch *b, MillSym type, size_t max_attrs)
{
  if (b->n_events == 0) w->text_end = 0;
  if (w->text_end >= RECORD_MAX_TEXT) return NULL;
  if (b->n_events == b->max_events) return NULL;
  while (b->max_attrs - b->n_attrs < max_attrs)
    if (!w->host->grow_attrs(w->host, b)) return NULL;
  MillEvent *e = &b->events[b->n_events++];
  *e = (MillEvent){ .dur_ns = -1,
                    .name = type,
                    .track = w->track,
                    .attrs = b->n_attrs,
                    .kind = MILL_RECORD,
                    .flags = MILL_FLAG_NO_TS };
  return e;
}

void record_text(RecordWriter *w, MillBatch *b, uint32_t key, const char *text, size_t len)
{
  MillAttr *a = record_attr(w, b, key, MILL_TEXT | MILL_ATTR_OWN);
  if (!a) return;
  a->u.text.off = w->host->own_text(w->host, b, text, len);
  a->u.text.len = (uint32_t)len;
  w->text_end = a->u.text.off + a->u.text.len;
}
