/* What a module says of itself, as the program holds it: one shape for stages, sources and sinks.
 *
 * It is the program's own copy: rows are as far apart as here, what the author's header did not
 * know is zero, and names that belong to a vendor have the vendor before them. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_DESCRIPTOR_H
#define MODEL_DESCRIPTOR_H

#include <stagemill/sink.h>
#include <stagemill/source.h>
#include <stagemill/stage.h>

typedef struct Descriptor {
  uint32_t kind; /* MILL_KIND_STAGE ... */
  uint32_t scope, flags, options_size;
  const char *name, *version, *tag, *title, *help;
  const char *family; /* of a sink its format, of a source its name */
  const char *files;  /* of a sink: what it writes; or NULL */
  const char
      *code; /* what its notice codes begin with: the tag, after the vendor if there is one */
  const char *vendor; /* the part of the name before the dot, or NULL */
  const char *const *needs, *const *provides, *const *spoils, *const *private_attrs;
  const char *const *wants; /* of a source: facts that it may report */
  const char *side;         /* of a source: the label of its inputs, if they are beside the traces */
  const char *const *beside; /* names of such inputs, which are taken by themselves; or NULL */
  const MillOption *options;
  const MillNotice *notices;
  const MillRead *reads;
  const MillTable *tables;
  const MillMetric *metrics;
  const MillFigure *figures;
  const MillMagic *magic;
  uint32_t n_options, n_notices, n_reads, n_tables, n_metrics, n_figures, n_magic;
  const MillStageOps *stage_ops; /* of its kind; the others are NULL */
  const MillSourceOps *source_ops;
  const MillSinkOps *sink_ops;
  const void *given; /* the author's own: what operations get as `self` */
  const void *(*extension)(const char *id);
  struct _GPtrArray *owned; /* memory of the copy */
} Descriptor;

#endif
