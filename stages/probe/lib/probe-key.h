/* Keys of several texts, as tags and names of a launch, and the texts of a key again. */
/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LIB_PROBE_KEY_H
#define PROBE_LIB_PROBE_KEY_H

#include <math.h>

#include "kit/state/keyed.h"
#include "kit/text/fields.h"
#include "kit/text/symbol.h"
#include "kit/trace/attr-value.h"

/* The state of a key; `texts` may hold NULL for none.  NULL: memory was refused. */
static inline void *probe_key_get(Keyed *k, const MillHost *common, const char *const *texts,
                                  uint32_t n)
{
  Buffer b = { .common = common };
  void *state = NULL;
  bool fine = true;
  for (uint32_t i = 0; i < n && fine; i++)
    fine = fields_put(&b, texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) : 0);
  if (fine) state = keyed_get(k, b.text, b.len);
  array_free(common, b.text);
  return state;
}

/* The n-th text as a cell, none where it is empty. */
static inline MillText probe_key_text(const KeyedEntry *e, uint32_t n)
{
  const char *at = e->key, *end = e->key + e->len;
  Field f = fields_next(&at, end);
  while (n-- > 0) f = fields_next(&at, end);
  return f.len ? f : (MillText){ NULL, 0 };
}

static inline const char *probe_tag(const MillHost *common, const char *name)
{
  return common->tag(common, MILL_NO_LANE, name);
}

/* The text of an attribute, in `out`; "" where there is none. */
static inline const char *probe_text(const MillHost *common, const MillBatch *b, const MillEvent *e,
                                     const char *key, char *out, size_t size)
{
  const MillAttr *a = mill_attr(b, e, symbol_of(common, key));
  size_t len = 0;
  const char *text = NULL;
  if (a && (a->type & MILL_ATTR_TYPE) == MILL_SYM)
    text = common->symbol_text(common, a->u.sym, &len);
  else if (a)
    text = mill_attr_text(b, a, &len);
  if (!text) len = 0;
  if (len >= size) len = size - 1;
  if (len) memcpy(out, text, len);
  out[len] = 0;
  return out;
}

static inline bool probe_real(const MillHost *common, const MillBatch *b, const MillEvent *e,
                              const char *key, double *out)
{
  double value = attr_real(mill_attr(b, e, symbol_of(common, key)));
  if (isnan(value)) return false;
  *out = value;
  return true;
}

static inline int64_t probe_int(const MillHost *common, const MillBatch *b, const MillEvent *e,
                                const char *key, int64_t or_this)
{
  int64_t v = or_this;
  mill_attr_int(b, e, symbol_of(common, key), &v);
  return v;
}


/* Of the attribute result: the launch failed, or was the last thing that the program did. */
static inline bool probe_has_failed(const char *result)
{
  return !strcmp(result, "failed") || !strcmp(result, "crashed");
}

#endif
