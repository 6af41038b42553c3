/* Reads the transfers between ranks that events with [sync=] in their names are. */
/* SPDX-License-Identifier: MIT */
#ifndef COMM_LIB_TRANSFER_READ_H
#define COMM_LIB_TRANSFER_READ_H

#include "comm/lib/flow-groups.h"
#include "kit/state/symmap.h"

typedef struct TransferReader {
  const MillHost *common;
  MillSym group_key, type_key, peer_key, peers_key, bytes_key, bytes_capital_key;
  SymMap syncs; /* by an event's name: symbol of its sync text + 1 */
} TransferReader;

typedef enum TransferFound {
  TRANSFER_READ,
  TRANSFER_NONE, /* it moves no data */
  TRANSFER_UNKNOWN_TYPE,
  TRANSFER_NO_PEER, /* a send that does not say where to */
  TRANSFER_NO_RANK  /* nobody knows whose it is */
} TransferFound;

void transfer_reader_open(TransferReader *, const MillHost *common);
/* Whether an event of the merged stream has a time and [sync=] in its name. */
bool transfer_has_sync(TransferReader *, const MillEvent *, MillSym *out_sync);
TransferFound transfer_read(const TransferReader *, const MillBatch *, const MillEvent *,
                            MillSym sync, FlowTransfer *out);
/* The symbol of its CollGroup; 0: none. */
MillSym transfer_group(const TransferReader *, const MillBatch *, const MillEvent *);

/* For a stage's `reads`. */
#define TRANSFER_READS                                 \
  { "CollGroup", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }, \
      { "Type", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },  \
      { "Peer", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },  \
      { "Peers", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }, \
      { "bytes", MILL_AS_INT, MILL_KIND(MILL_SLICE) }, \
  {                                                    \
    "Bytes", MILL_AS_INT, MILL_KIND(MILL_SLICE)        \
  }

#endif
