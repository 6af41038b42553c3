/* Events with a fixed list of attributes, written by a source into its batches; of records only what is wanted. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_RECORD_H
#define KIT_RECORD_H

#include <stagemill/source.h>

#include "kit/text/symbol.h"

#define RECORD_MAX_KEYS 32u
#define RECORD_MAX_TEXT (16u << 10) /* some hundred records: a batch that stays in the caches */

typedef struct RecordWriter {
  const MillSourceHost *host;
  uint32_t track;
  uint32_t text_end; /* of the batch at hand: after its last text */
  MillSym keys[RECORD_MAX_KEYS];
  bool wanted[RECORD_MAX_KEYS];
} RecordWriter;

/* In `start`, when the host knows what stages read.  Keys are named by their index in `keys`.  Only what is read of
 * records, or of events of these kinds, is written; with record_init_all, everything. */
void record_init(RecordWriter *w, const MillSourceHost *host, const char *const *keys,
                 uint32_t n_keys);
void record_init_all(RecordWriter *w, const MillSourceHost *host, const char *const *keys,
                     uint32_t n_keys);
void record_init_kinds(RecordWriter *w, const MillSourceHost *host, const char *const *keys,
                       uint32_t n_keys, uint32_t kinds);

/* A new record at the end of the batch, or NULL when the batch has no space for one more with as many
 * attributes, or holds RECORD_MAX_TEXT bytes.
 * Its attributes follow at once; those that no stage reads are left out. */
MillEvent *record_begin(RecordWriter *w, MillBatch *b, MillSym type, size_t max_attrs);
/* The same of any event, with the name and track that it has. */
MillEvent *record_add(RecordWriter *w, MillBatch *b, const MillEvent *event, size_t max_attrs);
static inline void record_int(const RecordWriter *w, MillBatch *b, uint32_t key, int64_t value);
/* finite */
static inline void record_real(const RecordWriter *w, MillBatch *b, uint32_t key, double value);
void record_text(RecordWriter *w, MillBatch *b, uint32_t key, const char *text, size_t len);
void record_json(RecordWriter *w, MillBatch *b, uint32_t key, const char *json, size_t len);
/* Nothing without a symbol, or a name. */
static inline void record_sym(const RecordWriter *w, MillBatch *b, uint32_t key, MillSym sym);
void record_name(const RecordWriter *w, MillBatch *b, uint32_t key, const char *name);

/* Attributes of the last record that are filled in at once: key, type and value. */
static inline MillAttr *record_reserve(MillBatch *b, size_t n)
{
  MillEvent *e = &mill_events(b)[b->n_events - 1];
  MillAttr *first = &mill_attrs(b)[b->n_attrs];
  b->n_attrs += (uint32_t)n;
  e->n_attrs = (uint16_t)(e->n_attrs + n);
  return first;
}

/* NULL when nobody reads it. */
static inline MillAttr *record_attr(const RecordWriter *w, MillBatch *b, uint32_t key,
                                    uint32_t type)
{
  if (!w->wanted[key]) return NULL;
  MillAttr *a = record_reserve(b, 1);
  a->key = w->keys[key];
  a->type = type;
  return a;
}

static inline void record_int(const RecordWriter *w, MillBatch *b, uint32_t key, int64_t value)
{
  MillAttr *a = record_attr(w, b, key, MILL_INT);
  if (a) a->u.i = value;
}

static inline void record_sym(const RecordWriter *w, MillBatch *b, uint32_t key, MillSym sym)
{
  MillAttr *a = sym ? record_attr(w, b, key, MILL_SYM) : NULL;
  if (a) a->u.sym = sym;
}

static inline void record_real(const RecordWriter *w, MillBatch *b, uint32_t key, double value)
{
  MillAttr *a = record_attr(w, b, key, MILL_REAL);
  if (a) a->u.r = value;
}

#endif
