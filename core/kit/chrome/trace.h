/* Events into a document: what sinks of traces do with each, and say of it. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_CHROME_TRACE_H
#define KIT_CHROME_TRACE_H

#include "kit/chrome/document.h"
#include "kit/chrome/event.h"

/* Numbers of these notices, the same in each of these sinks. */
enum { TRACE_UNFIT = 1, TRACE_MENDED = 2, TRACE_OWN = 3 /* the first of its own */ };

#define TRACE_NOTICES                                                                              \
  MILL_INFO(                                                                                       \
      TRACE_UNFIT, "{count} event[|s] [has|have] no form in a Chrome trace",                       \
      "[it is|they are] not in the written trace", NULL,                                           \
      "Rows of tables (records), and events that a stage made without a known phase, cannot "      \
      "be shown by trace viewers. They take part in the analysis and are left out of the "         \
      "trace only."),                                                                              \
      MILL_WARNING(                                                                                \
          TRACE_MENDED,                                                                            \
          "{count} event[|s] held malformed text that was repaired when [it was|they were] "       \
          "written",                                                                               \
          "members that could not be read are lost in the written trace",                          \
          "run with --strict to find the first one",                                               \
          "The reader checks events only as far as the analysis needs them. When a stage changes " \
          "one "                                                                                   \
          "whose other members are not valid JSON, or when words like nan and inf stand for "      \
          "numbers, "                                                                              \
          "the sink repairs what is unambiguous (nan becomes null) and otherwise writes what was " \
          "decoded of the event.")

/* At the end of the writer's text, with its notices; false: nothing is to be written of it here. */
bool trace_compose(EventWriter *w, const MillBatch *b, uint32_t index);
/* The event to its document, whose text is the writer's. */
int trace_write(const Frame *f, Document *d, EventWriter *w, const MillBatch *b, uint32_t index);
int trace_flush(const Frame *f, Document *d, EventWriter *w);

#endif
