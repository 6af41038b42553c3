/* Attributes as values that can be set; see attr-value.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/attr-value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

uint32_t attr_run(const MillBatch *b, const MillEvent *e, uint32_t i)
{
  const MillAttr *a = &b->attrs[e->attrs + i];
  uint32_t n = 1;
  while (i + n < e->n_attrs && a[n].key == a->key) n++;
  return n;
}

/* A text that a stage made lies in memory that `set` may move: copied first. */
static MillValue text_value(const MillHost *common, const MillBatch *b, const MillAttr *a)
{
  size_t len = 0;
  const char *text = mill_attr_text(b, a, &len);
  char *copy = common->scratch(common, len + 1);
  if (!text || !copy) return mill_none();
  memcpy(copy, text, len);
  MillValue v = mill_text(copy, len);
  v.type = a->type & MILL_ATTR_TYPE;
  return v;
}

/* A number as JSON, whatever decimal point the locale has. */
static size_t write_number(char *out, size_t max, const MillAttr *a)
{
  bool is_int = (a->type & MILL_ATTR_TYPE) == MILL_INT;
  int len =
      is_int ? snprintf(out, max, "%lld", (long long)a->u.i) : snprintf(out, max, "%.17g", a->u.r);
  for (char *c = out; *c; c++)
    if (!strchr("0123456789+-eE", *c)) *c = '.';
  return (size_t)len;
}

/* A list of numbers came as its key repeated n times; only one value can be set. */
static MillValue list_value(const MillHost *common, const MillAttr *attrs, uint32_t n)
{
  enum { NUMBER = 32 };
  char *text = common->scratch(common, (size_t)n * NUMBER + 2);
  size_t len = 0;
  if (!text) return mill_none();
  for (uint32_t i = 0; i < n; i++) {
    text[len++] = i ? ',' : '[';
    len += write_number(text + len, NUMBER - 1, &attrs[i]);
  }
  text[len++] = ']';
  MillValue v = mill_text(text, len);
  v.type = MILL_JSON;
  return v;
}

MillValue attr_value(const MillHost *common, const MillBatch *b, const MillAttr *attrs, uint32_t n)
{
  if (n > 1) return list_value(common, attrs, n);
  switch (attrs->type & MILL_ATTR_TYPE) {
  case MILL_TEXT:
  case MILL_JSON: return text_value(common, b, attrs);
  case MILL_REAL: return mill_real(attrs->u.r);
  case MILL_SYM: return mill_sym(attrs->u.sym);
  case MILL_BOOL: return mill_bool(attrs->u.i != 0);
  default: return mill_int(attrs->u.i);
  }
}

MillSym attr_sym(const MillHost *common, const MillBatch *batch, const MillAttr *attr)
{
  size_t len;
  if (!attr) return 0;
  if ((attr->type & MILL_ATTR_TYPE) == MILL_SYM) return attr->u.sym;
  const char *text = mill_attr_text(batch, attr, &len);
  return text ? common->intern(common, text, len) : 0;
}

double attr_real(const MillAttr *attr)
{
  uint32_t type = attr ? attr->type & MILL_ATTR_TYPE : MILL_NONE;
  return type == MILL_REAL ? attr->u.r : type == MILL_INT ? (double)attr->u.i : (double)NAN;
}
