/* What events of transfers between ranks say: their attributes, [sync=] in their names, ranks. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_TRANSFER_H
#define KIT_TRANSFER_H

#include <stagemill/types.h>

#include "base/num-digits.h"

/* The text of an attribute; integers go to `number`, which has DIGITS_MAX bytes.  NULL: none. */
const char *transfer_text(const MillHost *common, const MillBatch *batch, const MillAttr *attr,
                          char *number, size_t *out_len);
/* A count, as a number or as its text; false: none, or it is no whole number. */
bool transfer_number(const MillHost *common, const MillBatch *batch, const MillAttr *attr,
                     int64_t *out);
/* "AR_1" of "SenRdmaSend_10 [sync=AR_1] DmaO": up to the last bracket; or NULL. */
const char *transfer_sync(const char *name, size_t len, size_t *out_len);
/* 4096 of "SenRdmaSend_10 [4096B] DmaO", also without brackets; 0: no such word. */
int64_t transfer_name_bytes(const char *name, size_t len);
/* The first number of a list of peers: "1", "1, 2", 1, [1, 2] or ["1"]. */
bool transfer_peer(const MillHost *common, const MillBatch *batch, const MillAttr *peers,
                   int64_t *out);
/* Where an event happened: the rank of its lane, else its process. */
bool transfer_rank(const MillHost *common, const MillEvent *e, int64_t lane_rank, int64_t *out);

#endif
