/* Which slices are work of a device.  A FLEX trace stamps them with device cycles; a torch trace (dialect kineto)
 * says so by their category. */
#ifndef STAGES_DEVICE_READER_H
#define STAGES_DEVICE_READER_H

#include <stagemill/stage.h>

#include "lib/symclass.h"

typedef struct DeviceReader {
  const MillHost *common;
  MillSym stamp, list;
  SymClass cats;
  bool knows_lane, is_torch;
} DeviceReader;

void device_reader_open(DeviceReader *, const MillHost *common);
/* Of the lane; to be asked once events come, as the dialect may be found late. */
bool device_reader_is_torch(DeviceReader *);
/* A slice with a stamp (TS1 or cycles_ts), in torch traces one of a category with gpu or kernel in it. */
bool device_reader_has(DeviceReader *, const MillBatch *, const MillEvent *);

/* For a stage's `reads`. */
#define DEVICE_READER_READS \
  { "TS1", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }, { "cycles_ts", MILL_AS_ANY, MILL_KIND(MILL_SLICE) }

#endif
