/* Messages between the program and the process of a stage: small ones through a socket, batches in memory that both
 * have. */
/* SPDX-License-Identifier: MIT */
#ifndef HOST_WIRE_H
#define HOST_WIRE_H

#include "model/batch.h"
#include "model/summary.h"

/* Sends the message and clears it; false: nobody is there. */
bool wire_send(int fd, Summary *message);
typedef enum WireGot { WIRE_GONE, WIRE_NOTHING, WIRE_GARBLED, WIRE_MESSAGE } WireGot;
/* WIRE_NOTHING: the time of the socket is over.  WIRE_GARBLED: what came is no message.  A message is the caller's to
 * clear. */
WireGot wire_receive(int fd, Summary *out);

typedef struct WireArea { /* the same file in memory on both sides */
  int fd;
  char *at;
  size_t bytes;
} WireArea;

bool wire_area_open(WireArea *a); /* false: errno says why */
void wire_area_close(WireArea *a);

typedef struct WireBatch { /* what goes with it */
  uint64_t next_seq;
} WireBatch;

/* From the program to the stage.  with_raw: also the bytes of all events.  False: there is no memory. */
bool wire_put_batch(WireArea *a, const Batch *b, const WireBatch *with, bool with_raw);
/* There: events lie in the area, all else is copied into `into`. */
bool wire_get_batch(WireArea *a, Batch *into, WireBatch *out_with);
/* And back: what the call did to it. */
bool wire_put_result(WireArea *a, const Batch *b, const WireBatch *with);
/* NULL, or what is wrong with what came; nothing of that is used. */
const char *wire_get_result(WireArea *a, Batch *b, WireBatch *out_with);

#endif
