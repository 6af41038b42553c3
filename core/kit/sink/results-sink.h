/* What descriptors of sinks have in common that write results, in a format of their own name. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_SINK_RESULTS_SINK_H
#define KIT_SINK_RESULTS_SINK_H

#include <stagemill/sink.h>

/* Of a sink with these calls: options, notices and help follow as fields of MillSink. */
#define RESULTS_SINK_OF(ops_, name_, tag_, title_, ...)    \
  static const MillSink sink = { .size = sizeof(MillSink), \
                                 .name = name_,            \
                                 .format = name_,          \
                                 .version = "1.0.0",       \
                                 .tag = tag_,              \
                                 .title = title_,          \
                                 .ops = ops_,              \
                                 __VA_ARGS__ };            \
  MILL_SINK_MODULE(sink, "stagemill", "MIT")

/* Of one that keeps nothing between calls: its instance is its host, `write_` is its call `results`. */
#define RESULTS_SINK(write_, name_, tag_, title_, ...)                                    \
  static int open_on_host(const MillSink *self, const MillSinkHost *host, uint32_t level, \
                          const void *options, void **out_instance)                       \
  {                                                                                       \
    (void)self, (void)level, (void)options;                                               \
    *out_instance = (void *)(uintptr_t)host;                                              \
    return 0;                                                                             \
  }                                                                                       \
  static const MillSinkOps ops = { .size = sizeof(MillSinkOps),                           \
                                   .open = open_on_host,                                  \
                                   .results = write_ };                                   \
  RESULTS_SINK_OF(&ops, name_, tag_, title_, __VA_ARGS__)

#endif
