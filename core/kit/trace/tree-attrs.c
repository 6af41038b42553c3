/* Reading what torch/host-tree said; see tree-attrs.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/text/symbol.h"
#include "kit/trace/tree-attrs.h"

#include "kit/trace/attr-value.h"

MillSym tree_key(const MillHost *common, const char *attr) { return symbol_of(common, attr); }

MillSym tree_sym(const MillHost *common, const MillBatch *b, const MillEvent *e, MillSym key)
{
  return attr_sym(common, b, mill_attr(b, e, key));
}

bool tree_true(const MillBatch *b, const MillEvent *e, MillSym key)
{
  const MillAttr *a = mill_attr(b, e, key);
  return a && (a->type & MILL_ATTR_TYPE) == MILL_BOOL && a->u.i;
}

TreeRow tree_row(const char *text, size_t len)
{
  TreeRow row;
  const char *at = text, *end = text + len;
  for (int i = 0; i < ROW_FIELDS; i++) row.at[i] = fields_next(&at, end);
  return row;
}
