/* The module that a test is linked with. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_MODULE_UNDER_TEST_H
#define TESTS_UNIT_MODULE_UNDER_TEST_H

#include <glib.h>
#include <stagemill/sink.h>
#include <stagemill/source.h>

extern const MillModule mill_module_v1;

static inline const MillSource *source_under_test(void)
{
  g_assert(mill_module_v1.kind == MILL_KIND_SOURCE);
  return mill_module_v1.descriptor;
}

static inline const MillSink *sink_under_test(void)
{
  g_assert(mill_module_v1.kind == MILL_KIND_SINK);
  return mill_module_v1.descriptor;
}

#endif
