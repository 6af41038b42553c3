/* Which device work has a launch: an event of the host with the same correlation id, which may come
 * before or after it. */
/* SPDX-License-Identifier: MIT */
#ifndef GPU_TIMELINE_LAUNCHES_H
#define GPU_TIMELINE_LAUNCHES_H

#include <stagemill/types.h>

#include "base/hash.h"
#include "kit/devices/device-time.h"

typedef struct DeviceWork {
  int64_t id; /* correlation */
  int64_t start_ns, end_ns;
  TorchWork does;
} DeviceWork;

/* Ids of launches as a set, and the device work whose launch has not come. Ids are mostly
 * consecutive: a bit each, else up to 64 bytes. */
typedef struct Launches {
  const MillHost *common;
  const MillSeed *seed;
  struct Ids *slots; /* open addressing; a power of two */
  uint32_t n, n_slots;
  struct Ids *last; /* found */
  DeviceWork *waiting;
  size_t n_waiting, capacity;
} Launches;

void launches_init(Launches *l, const MillHost *common);
void launches_clear(Launches *l);
bool launches_have(const Launches *l, int64_t id);
/* Here and below false means that memory was refused. */
bool launches_add(Launches *l, int64_t id);
bool launches_wait(Launches *l, const DeviceWork *work);

#endif
