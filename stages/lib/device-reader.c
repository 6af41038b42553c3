/* Telling work of devices from work of the host; see device-reader.h. */
#include "lib/device-reader.h"

#include <string.h>

#include "lib/words.h"

enum { HOST = 1, DEVICE = 2 }; /* classes of categories */

void device_reader_open(DeviceReader *r, const MillHost *common)
{
  *r = (DeviceReader){ .common = common };
  r->stamp = common->intern(common, "TS1", 3);
  r->list = common->intern(common, "cycles_ts", 9);
}

bool device_reader_is_torch(DeviceReader *r)
{
  if (r->knows_lane) return r->is_torch;
  MillLane lane = { .size = sizeof lane };
  r->common->lane(r->common, MILL_NO_LANE, &lane);
  r->is_torch = lane.dialect && strcmp(lane.dialect, "kineto") == 0;
  r->knows_lane = true;
  return r->is_torch;
}

static bool cat_is_device(DeviceReader *r, MillSym cat)
{
  uint8_t class = symclass_get(&r->cats, cat);
  if (!class) {
    size_t len;
    const char *text = r->common->symbol_text(r->common, cat, &len);
    class = words_have(text, len, "gpu") || words_have(text, len, "kernel") ? DEVICE : HOST;
    symclass_put(r->common, &r->cats, cat, class);
  }
  return class == DEVICE;
}

bool device_reader_has(DeviceReader *r, const MillBatch *b, const MillEvent *e)
{
  if (e->kind != MILL_SLICE) return false;
  if (device_reader_is_torch(r)) return cat_is_device(r, e->cat);
  return e->n_attrs > 0 && (mill_attr(b, e, r->stamp) || mill_attr(b, e, r->list));
}
