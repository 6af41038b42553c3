/* Tests of what is work of a device, and of maps of symbols. */
#include "lib/device-reader.h"

#include <stagemill/harness.h>

#include "check.h"
#include "lib/symmap.h"

static MillSym sym(const char *text)
{
  const MillHost *common = harness_host()->common;
  return common->intern(common, text, strlen(text));
}

static bool is_device(DeviceReader *r, uint8_t kind, const char *cat, const char *key)
{
  MillAttr attr = { .key = sym(key), .type = MILL_INT, .u.i = 1 };
  MillBatch b = { .size = sizeof b, .attrs = &attr, .n_attrs = 1 };
  MillEvent e = { .kind = kind, .cat = sym(cat), .n_attrs = 1 };
  return device_reader_has(r, &b, &e);
}

static void stamps_tell_in_flex_traces(void)
{
  DeviceReader r;
  device_reader_open(&r, harness_host()->common);
  CHECK(!device_reader_is_torch(&r));
  CHECK(is_device(&r, MILL_SLICE, "", "TS1"));
  CHECK(is_device(&r, MILL_SLICE, "", "cycles_ts"));
  CHECK(!is_device(&r, MILL_SLICE, "kernel", "TS2"));
  CHECK(!is_device(&r, MILL_COUNTER, "", "TS1"));
}

static void the_category_tells_in_torch_traces(void)
{
  DeviceReader r;
  device_reader_open(&r, harness_host()->common);
  r.knows_lane = r.is_torch = true;
  CHECK(is_device(&r, MILL_SLICE, "kernel", "x"));
  CHECK(is_device(&r, MILL_SLICE, "gpu_memcpy", "x"));
  CHECK(is_device(&r, MILL_SLICE, "gpu_memcpy", "x"));
  CHECK(!is_device(&r, MILL_SLICE, "cpu_op", "TS1"));
  CHECK(!is_device(&r, MILL_INSTANT, "kernel", "x"));
}

static void a_map_remembers_what_was_put(void)
{
  SymMap map = { NULL, 0 };
  MillSym to = 77;
  CHECK(!symmap_get(&map, 5, &to));
  symmap_put(harness_host()->common, &map, 5, 0);
  symmap_put(harness_host()->common, &map, 100, 5);
  CHECK(symmap_get(&map, 5, &to));
  CHECK_INT(to, 0);
  CHECK(symmap_get(&map, 100, &to));
  CHECK_INT(to, 5);
  CHECK(!symmap_get(&map, 6, &to));
  CHECK(!symmap_get(&map, UINT32_MAX, &to));
  array_free(harness_host()->common, map.to);
}

TEST_MAIN({ "stamps tell in FLEX traces", stamps_tell_in_flex_traces },
          { "the category tells in torch traces", the_category_tells_in_torch_traces },
          { "a map remembers what was put", a_map_remembers_what_was_put })
