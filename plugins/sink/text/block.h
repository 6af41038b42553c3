/* The parts of the text summary: headline metrics, and the first rows of tables. */
#ifndef SINK_TEXT_BLOCK_H
#define SINK_TEXT_BLOCK_H

#include <glib.h>
#include <stagemill/sink.h>

/* Each starts with an empty line, or adds nothing at all. */
void block_metrics(GString *out, const MillHost *common, const MillResults *r);
/* The tables share `lines`; those that get none are counted in a last line. */
void block_tables(GString *out, const MillHost *common, const MillResults *r, uint32_t lines);

#endif
