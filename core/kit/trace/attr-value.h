/* Attributes as values that can be set, as names and numbers. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_ATTR_VALUE_H
#define KIT_ATTR_VALUE_H

#include <stagemill/types.h>

/* How many values in a row have the key of attribute i of the event: a list is one key repeated. */
uint32_t attr_run(const MillBatch *, const MillEvent *, uint32_t i);
/* n values of one key as one; a list of numbers becomes JSON.  Texts are copied to scratch memory, as setting an
 * attribute may move what they point to.  MILL_NONE where memory is refused. */
MillValue attr_value(const MillHost *common, const MillBatch *, const MillAttr *attrs, uint32_t n);
/* A name, as a symbol; 0: there is none.  The attribute may be NULL here and below. */
MillSym attr_sym(const MillHost *common, const MillBatch *, const MillAttr *);
/* A number; NaN: it is none. */
double attr_real(const MillAttr *);

#endif
