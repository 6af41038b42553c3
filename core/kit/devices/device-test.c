/* Tests of device.c: what is work of the device, and of which sort, in both dialects. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/device.h"

#include <stagemill/harness.h>

#include "check.h"

typedef struct One { /* an event, alone in its batch */
  MillEvent event;
  MillAttr attr;
  MillBatch batch;
} One;

static MillSym sym(const char *text)
{
  const MillHost *common = harness_host()->common;
  return common->intern(common, text, strlen(text));
}

static const One *one(const char *name, const char *cat, const char *attr)
{
  static One o;
  o = (One){
    .event = { .kind = MILL_SLICE, .name = sym(name), .cat = sym(cat), .n_attrs = attr != NULL }
  };
  if (attr) o.attr = (MillAttr){ .key = sym(attr), .type = MILL_INT };
  o.batch = (MillBatch){ .events = &o.event, .n_events = 1, .attrs = &o.attr, .n_attrs = 1 };
  return &o;
}

static bool has(DeviceWords *d, const One *o) { return device_has(d, &o->batch, &o->event); }
static bool communicates(DeviceWords *d, const One *o)
{
  return device_communicates(d, &o->batch, &o->event);
}

static void stamps_mark_the_work_of_the_device(void)
{
  DeviceWords d;
  device_open(&d, harness_host()->common);
  CHECK(has(&d, one("a", "", "TS1")) && has(&d, one("a", "", "cycles_ts")));
  CHECK(!has(&d, one("a Cmpt Exec", "kernel", NULL)) && !has(&d, one("a", "kernel", "TS2")));
  One counter = *one("a", "", "TS1");
  counter.event.kind = MILL_COUNTER;
  counter.batch.attrs = &counter.attr;
  CHECK(!has(&d, &counter));
  CHECK(device_computes(&d, &one("a_1 Cmpt Exec", "", NULL)->event));
  CHECK(!device_computes(&d, &one("a_1 Cmpt Exec_1", "kernel", NULL)->event));
}

static void categories_mark_it_in_torch_traces(void)
{
  DeviceWords d;
  device_open(&d, harness_host()->common);
  d.is_named = true;
  CHECK(has(&d, one("a", "kernel", NULL)) && has(&d, one("a", "gpu_memcpy", NULL)));
  CHECK(!has(&d, one("a", "cpu_op", "TS1")));
  CHECK(device_computes(&d, &one("a", "kernel", NULL)->event));
  CHECK(!device_computes(&d, &one("a Cmpt Exec", "gpu_memcpy", NULL)->event));
}

static void collectives_are_known_by_group_or_name(void)
{
  DeviceWords d;
  device_open(&d, harness_host()->common);
  const One *in_group = one("a DmaO", "", "CollGroup");
  CHECK(device_is_collective(&d, &in_group->batch, &in_group->event) && communicates(&d, in_group));
  CHECK(communicates(&d, one("SenRdmaSend_1 DmaO", "", NULL)));
  CHECK(communicates(&d, one("SenRDMAReceive_1 DmaI", "", NULL)));
  CHECK(!communicates(&d, one("a_HCOLL DmaI", "", NULL)));
  CHECK(!communicates(&d, one("ncclKernel", "", NULL)));
  d = (DeviceWords){ .common = d.common, .is_named = true };
  CHECK(communicates(&d, one("a_HCOLL", "kernel", NULL)));
  CHECK(communicates(&d, one("ncclKernel", "kernel", NULL)));
  const One *named = one("a_HCOLL", "kernel", NULL);
  CHECK(device_is_collective(&d, &named->batch, &named->event));
  CHECK(!communicates(&d, one("a", "kernel", "CollGroup")));
}

TEST_MAIN({ "stamps mark the work of the device", stamps_mark_the_work_of_the_device },
          { "categories mark it in torch traces", categories_mark_it_in_torch_traces },
          { "collectives are known by group or name", collectives_are_known_by_group_or_name })
