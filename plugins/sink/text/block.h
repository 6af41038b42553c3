/* The parts of the text summary: headline metrics, and the first rows of a table. */
#ifndef SINK_TEXT_BLOCK_H
#define SINK_TEXT_BLOCK_H

#include <glib.h>
#include <stagemill/stage.h>

/* Each starts with an empty line, or adds nothing at all. */
void block_metrics(GString *out, const MillHost *host, const MillResults *r);
void block_table(GString *out, const MillHost *host, const MillResults *r, uint32_t index);

#endif
