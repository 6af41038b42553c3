/* The class of an event by its name: which step of the device's work, or of a collective's protocol, it is. */
/* SPDX-License-Identifier: MIT */
#ifndef CATEGORISE_CLASS_H
#define CATEGORISE_CLASS_H

#include <stagemill/types.h>

typedef enum EventClass {
  CLASS_OTHER = 1,
  CLASS_COMPUTE_PREP,
  CLASS_COMPUTE_EXEC,
  CLASS_DATA_IN,
  CLASS_DATA_OUT,
  CLASS_DATA_CONVERT,
  CLASS_WIREUP,
  CLASS_BARRIER,
  CLASS_ROUNDTRIP_FLEX,
  CLASS_ROUNDTRIP_AIU,
  CLASS_HDMA_WAIT_DATA, /* of collectives through the memory of the host */
  CLASS_HDMA_WAIT_ACK,
  CLASS_HDMA_SIGNAL_ACK,
  CLASS_HDMA_SIGNAL_DATA,
  CLASS_HDMA_MONITOR_NOTICE,
  CLASS_HDMA_SEND_DATA,
  CLASS_HDMA_RECV_DATA,
  CLASS_SERIAL, /* from device to device */
  CLASS_P2P_SEND_DATA,
  CLASS_P2P_RECV_DATA,
  CLASS_SEND_DATA, /* transfers between the kernels of a job */
  CLASS_SIGNAL_DATA,
  CLASS_RECV_DATA,
  CLASS_SIGNAL_ACK,
  N_CLASSES
} EventClass;

extern const char *const class_names[N_CLASSES];

typedef struct ClassFacts { /* what the name alone does not say */
  bool is_torch, computes, is_collective;
} ClassFacts;

EventClass class_of(ClassFacts facts, const char *name, size_t len);

#endif
