/* What a device does at each instant: one piece of work, or nothing.
 *
 * An instant belongs to the computing work that began first among those that run; if none computes, to the
 * communication that began first, else to the copy or fill that began first; else the device is idle. */
/* SPDX-License-Identifier: MIT */
#ifndef TORCH_LIB_DEVICE_SWEEP_H
#define TORCH_LIB_DEVICE_SWEEP_H

#include <stagemill/types.h>

#include "kit/devices/torch-words.h"
#include "kit/trace/by-process.h"

typedef struct DeviceWork {
  int64_t start_ns, end_ns; /* start < end */
  uint32_t device;          /* from 0 on, by first use */
  uint32_t data;            /* the owner's */
  uint8_t does;             /* TorchWork */
} DeviceWork;

typedef struct DeviceWorks {
  const MillHost *common;
  ByProcess devices; /* uint32_t, its number + 1, by process of the event's row */
  DeviceWork *items;
  size_t n, capacity;
  uint32_t n_devices;
  size_t *firsts; /* once sorted: where the works of each device begin, and the end */
} DeviceWorks;

/* Here and below false means that memory was refused. */
bool device_works_open(DeviceWorks *, const MillHost *common);
/* What takes no time is left out, and *out_added false. */
bool device_works_add(DeviceWorks *, const MillEvent *, TorchWork does, uint32_t data,
                      bool *out_added);
/* By device, then start; before a sweep. */
bool device_works_sort(DeviceWorks *);

typedef struct SweepPiece {
  int64_t from_ns, to_ns;
  const DeviceWork *owner; /* NULL: idle */
  const DeviceWork
      *next; /* of an idle piece: the work that ends it; NULL: it ends with the sweep */
} SweepPiece;

typedef struct DeviceSweep {
  const DeviceWork *items; /* of one device */
  size_t n, heads[N_WORKS];
  int64_t now_ns, to_ns;
} DeviceSweep;

/* The pieces of a device from one time to another follow one another without a gap. */
DeviceSweep device_sweep(const DeviceWorks *, uint32_t device, int64_t from_ns, int64_t to_ns);
bool device_sweep_next(DeviceSweep *, SweepPiece *out); /* false: no more */

#endif
