/* Copying a descriptor by size: older modules know less, never more; see module-parts.h. */
#include <string.h>

#include "plan/module-parts.h"

enum { MOST_ROWS = 4096, MOST_BYTES = 1 << 16 };

/* What the first version of the header knew: no module can be smaller. */
#define SIZE_THROUGH(T, field) (offsetof(T, field) + sizeof(((T *)0)->field))
#define LEAST_STAGE SIZE_THROUGH(MillStage, extension)
#define LEAST_OPTION SIZE_THROUGH(MillOption, help)
#define LEAST_NOTICE SIZE_THROUGH(MillNotice, explain)
#define LEAST_TABLE SIZE_THROUGH(MillTable, order)
#define LEAST_METRIC SIZE_THROUGH(MillMetric, help)
#define LEAST_FIGURE SIZE_THROUGH(MillFigure, scale)
#define LEAST_STAGE_OPS SIZE_THROUGH(MillStageOps, close)
#define LEAST_SOURCE_OPS SIZE_THROUGH(MillSourceOps, close)
#define LEAST_SINK_OPS SIZE_THROUGH(MillSinkOps, close)

static bool size_fits(uint32_t size, size_t least) { return size >= least && size <= MOST_BYTES; }

static void *copy_struct(const void *theirs, size_t our_size, size_t least, const char *what,
                         char **out_fault)
{
  uint32_t size;
  if (!theirs) return NULL;
  memcpy(&size, theirs, sizeof size);
  if (!size_fits(size, least)) {
    *out_fault =
        g_strdup_printf("%s: a size of %u bytes, at least %zu are needed", what, size, least);
    return NULL;
  }
  char *ours = g_malloc0(our_size);
  memcpy(ours, theirs, MIN(size, our_size));
  memcpy(ours, &(uint32_t){ (uint32_t)our_size }, sizeof size);
  return ours;
}

/* Rows stand as far apart as their own header said, which each row repeats as its first field. */
static void *copy_rows(const void *theirs, uint32_t n, size_t our_size, size_t least,
                       const char *what, char **out_fault)
{
  uint32_t stride, size;
  if (!n || *out_fault) return NULL;
  if (!theirs || n > MOST_ROWS) {
    *out_fault = g_strdup_printf("%u %s%s", n, what,
                                 theirs ? " are too many" : " are counted, but there is no table");
    return NULL;
  }
  memcpy(&stride, theirs, sizeof stride);
  char *ours = g_malloc0(n * our_size);
  for (uint32_t i = 0; i < n; i++) {
    const char *row = (const char *)theirs + (size_t)i * stride;
    if (size_fits(stride, least)) memcpy(&size, row, sizeof size);
    if (!size_fits(stride, least) || size != stride) {
      *out_fault = g_strdup_printf("%s: row %u does not carry the size of a row", what, i + 1);
      g_free(ours);
      return NULL;
    }
    memcpy(ours + i * our_size, row, MIN(stride, our_size));
    memcpy(ours + i * our_size, &(uint32_t){ (uint32_t)our_size }, sizeof size);
  }
  return ours;
}

static void *copy_ops(const MillStage *stage, char **out_fault)
{
  switch (stage->kind) {
  case MILL_KIND_STAGE:
    return copy_struct(stage->ops, sizeof(MillStageOps), LEAST_STAGE_OPS, "operations", out_fault);
  case MILL_KIND_SOURCE:
    return copy_struct(stage->ops, sizeof(MillSourceOps), LEAST_SOURCE_OPS, "operations",
                       out_fault);
  case MILL_KIND_SINK:
    return copy_struct(stage->ops, sizeof(MillSinkOps), LEAST_SINK_OPS, "operations", out_fault);
  default: *out_fault = g_strdup_printf("an unknown kind %u", stage->kind); return NULL;
  }
}

static char *unsized_rows_fault(const MillStage *s)
{
  if (s->n_reads > MOST_ROWS || s->n_magic > MOST_ROWS)
    return g_strdup("too many rows of reads or magic");
  if ((s->n_reads && !s->reads) || (s->n_magic && !s->magic))
    return g_strdup("rows of reads or magic are counted, but there is no table");
  return NULL;
}

MillStage *module_copy(const MillStage *theirs, char **out_fault)
{
  char *fault = NULL;
  MillStage *s = copy_struct(theirs, sizeof *s, LEAST_STAGE, "descriptor", &fault);
  if (!s) {
    *out_fault = fault ? fault : g_strdup("there is no descriptor");
    return NULL;
  }
  const MillStage in = *s;
  s->ops = copy_ops(&in, &fault);
  s->options =
      copy_rows(in.options, in.n_options, sizeof(MillOption), LEAST_OPTION, "options", &fault);
  s->notices =
      copy_rows(in.notices, in.n_notices, sizeof(MillNotice), LEAST_NOTICE, "notices", &fault);
  s->tables = copy_rows(in.tables, in.n_tables, sizeof(MillTable), LEAST_TABLE, "tables", &fault);
  s->metrics =
      copy_rows(in.metrics, in.n_metrics, sizeof(MillMetric), LEAST_METRIC, "metrics", &fault);
  s->figures =
      copy_rows(in.figures, in.n_figures, sizeof(MillFigure), LEAST_FIGURE, "figures", &fault);
  if (!fault) fault = unsized_rows_fault(&in);
  if (!fault) return s;
  module_copy_free(s);
  *out_fault = fault;
  return NULL;
}

void module_copy_free(MillStage *s)
{
  if (!s) return;
  g_free((void *)s->ops);
  g_free((void *)s->options);
  g_free((void *)s->notices);
  g_free((void *)s->tables);
  g_free((void *)s->metrics);
  g_free((void *)s->figures);
  g_free(s);
}
