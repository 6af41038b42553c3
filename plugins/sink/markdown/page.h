/* The sections of summary.md. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_MARKDOWN_PAGE_H
#define SINK_MARKDOWN_PAGE_H

#include <glib.h>
#include <stagemill/sink.h>

/* Each begins with an empty line and a heading, or adds nothing at all. */
void page_metrics(GString *out, const MillHost *common, const MillResults *r);
void page_captions(GString *out, const MillHost *common, const MillResults *r);
void page_tables(GString *out, const MillHost *common, const MillResults *r);
void page_notices(GString *out, const MillResults *r);

#endif
