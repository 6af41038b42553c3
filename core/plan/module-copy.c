/* The program's own copy of a descriptor: older modules know less, never more; see module-copy.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-copy.h"

#include <string.h>

enum { MOST_ROWS = 4096, MOST_BYTES = 1 << 16 };

/* What the first version of the header knew: no module can be smaller. */
#define SIZE_THROUGH(T, field) ((uint32_t)(offsetof(T, field) + sizeof(((T *)0)->field)))

typedef struct Copy {
  Descriptor *out;
  GPtrArray *owned; /* memory of the copy */
  char *fault;      /* the first one */
} Copy;

static void *own(Copy *c, void *memory)
{
  g_ptr_array_add(c->owned, memory);
  return memory;
}

static void fault(Copy *c, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void fault(Copy *c, const char *format, ...)
{
  va_list args;
  if (c->fault) return;
  va_start(args, format);
  c->fault = g_strdup_vprintf(format, args);
  va_end(args);
}

/* Up to the smaller of the two sizes, into zeroed memory. */
static const void *copy_struct(Copy *c, const void *theirs, uint32_t our_size, uint32_t least,
                               const char *what)
{
  uint32_t size;
  if (!theirs) return NULL;
  memcpy(&size, theirs, sizeof size);
  if (size < least || size > MOST_BYTES) {
    fault(c, "%s: a size of %u bytes, at least %u are needed", what, size, least);
    return NULL;
  }
  char *ours = own(c, g_malloc0(our_size));
  memcpy(ours, theirs, MIN(size, our_size));
  return ours;
}

typedef struct AnyRows { /* the shape of MillOptionRows and its like */
  const void *at;
  uint32_t n, stride;
} AnyRows;

static void *copy_rows(Copy *c, AnyRows rows, uint32_t our_size, uint32_t least, const char *what)
{
  if (!rows.n) return NULL;
  if (!rows.at || rows.n > MOST_ROWS) {
    fault(c, "%u %s%s", rows.n, what,
          rows.at ? " are too many" : " are counted, but there is no table");
    return NULL;
  }
  if (rows.stride < least || rows.stride > MOST_BYTES) {
    fault(c, "%s: rows of %u bytes, at least %u are needed", what, rows.stride, least);
    return NULL;
  }
  char *ours = own(c, g_malloc0((size_t)rows.n * our_size));
  for (uint32_t i = 0; i < rows.n; i++)
    memcpy(ours + (size_t)i * our_size, (const char *)rows.at + (size_t)i * rows.stride,
           MIN(rows.stride, our_size));
  return ours;
}

/* c->out->field and its count, from in->field. */
#define COPY_ROWS(c, in, field, T, last)                                                         \
  ((c)->out->n_##field = (in)->field.n,                                                          \
   (c)->out->field =                                                                             \
       copy_rows((c), (AnyRows){ (in)->field.at, (in)->field.n, (in)->field.stride }, sizeof(T), \
                 SIZE_THROUGH(T, last), #field))

#define COPY_IDENTITY(c, in)                                                                  \
  ((c)->out->flags = (in)->flags, (c)->out->options_size = (in)->options_size,                \
   (c)->out->name = (in)->name, (c)->out->version = (in)->version, (c)->out->tag = (in)->tag, \
   (c)->out->title = (in)->title, (c)->out->help = (in)->help,                                \
   (c)->out->extension = (in)->extension)

/* Columns follow their tables. */
static void copy_columns(Copy *c)
{
  MillTable *tables = (MillTable *)c->out->tables;
  for (uint32_t i = 0; tables && i < c->out->n_tables; i++) {
    MillColumnRows in = tables[i].columns;
    tables[i].columns.at = copy_rows(c, (AnyRows){ in.at, in.n, in.stride }, sizeof(MillColumn),
                                     SIZE_THROUGH(MillColumn, help), "columns");
    tables[i].columns.stride = sizeof(MillColumn);
    if (!tables[i].columns.at) tables[i].columns.n = 0;
  }
}

static void copy_stage(Copy *c, const void *theirs)
{
  const MillStage *in =
      copy_struct(c, theirs, sizeof *in, SIZE_THROUGH(MillStage, extension), "descriptor");
  if (!in) return;
  COPY_IDENTITY(c, in);
  c->out->scope = in->scope;
  c->out->family = in->family;
  c->out->needs = in->needs;
  c->out->wants = in->wants;
  c->out->provides = in->provides;
  c->out->spoils = in->spoils;
  c->out->private_attrs = in->private_attrs;
  COPY_ROWS(c, in, options, MillOption, help);
  COPY_ROWS(c, in, notices, MillNotice, explain);
  COPY_ROWS(c, in, reads, MillRead, kinds);
  COPY_ROWS(c, in, tables, MillTable, columns);
  COPY_ROWS(c, in, metrics, MillMetric, help);
  COPY_ROWS(c, in, figures, MillFigure, scale);
  copy_columns(c);
  c->out->stage_ops = copy_struct(c, in->ops, sizeof(MillStageOps),
                                  SIZE_THROUGH(MillStageOps, close), "operations");
}

static void copy_source(Copy *c, const void *theirs)
{
  const MillSource *in =
      copy_struct(c, theirs, sizeof *in, SIZE_THROUGH(MillSource, extension), "descriptor");
  if (!in) return;
  COPY_IDENTITY(c, in);
  c->out->family = in->name;
  c->out->provides = in->provides;
  c->out->wants = in->may_provide;
  c->out->side = in->side;
  c->out->beside = in->beside;
  COPY_ROWS(c, in, options, MillOption, help);
  COPY_ROWS(c, in, notices, MillNotice, explain);
  COPY_ROWS(c, in, magic, MillMagic, len);
  c->out->source_ops = copy_struct(c, in->ops, sizeof(MillSourceOps),
                                   SIZE_THROUGH(MillSourceOps, close), "operations");
}

static void copy_sink(Copy *c, const void *theirs)
{
  const MillSink *in =
      copy_struct(c, theirs, sizeof *in, SIZE_THROUGH(MillSink, extension), "descriptor");
  if (!in) return;
  COPY_IDENTITY(c, in);
  c->out->family = in->format;
  c->out->files = in->files;
  COPY_ROWS(c, in, options, MillOption, help);
  COPY_ROWS(c, in, notices, MillNotice, explain);
  COPY_ROWS(c, in, reads, MillRead, kinds);
  c->out->sink_ops =
      copy_struct(c, in->ops, sizeof(MillSinkOps), SIZE_THROUGH(MillSinkOps, close), "operations");
}

Descriptor *module_copy(const MillModule *from, char **out_fault)
{
  Copy c = { .out = g_new0(Descriptor, 1), .owned = g_ptr_array_new_with_free_func(g_free) };
  c.out->kind = from->kind;
  c.out->given = from->descriptor;
  switch (from->kind) {
  case MILL_KIND_STAGE: copy_stage(&c, from->descriptor); break;
  case MILL_KIND_SOURCE: copy_source(&c, from->descriptor); break;
  case MILL_KIND_SINK: copy_sink(&c, from->descriptor); break;
  default: fault(&c, "an unknown kind %u", from->kind);
  }
  if (!c.fault && !from->descriptor) fault(&c, "there is no descriptor");
  c.out->owned = c.owned;
  if (!c.fault) return c.out;
  *out_fault = c.fault;
  module_copy_free(c.out);
  return NULL;
}

void module_copy_free(Descriptor *d)
{
  if (!d) return;
  g_ptr_array_unref(d->owned);
  g_free(d);
}

/* ------------------------------------------------------------------ vendors */

static const char *with_vendor(Descriptor *d, const char *name)
{
  char *full = g_strdup_printf("%s.%s", d->vendor, name);
  g_ptr_array_add(d->owned, full);
  return full;
}

/* "a,b": each of them. */
static const char *list_with_vendor(Descriptor *d, const char *list)
{
  if (!list || !*list) return list;
  g_auto(GStrv) names = g_strsplit(list, ",", -1);
  GString *full = g_string_new(NULL);
  for (char **name = names; *name; name++)
    g_string_append_printf(full, "%s%s.%s", name == names ? "" : ",", d->vendor, *name);
  char *text = g_string_free(full, FALSE);
  g_ptr_array_add(d->owned, text);
  return text;
}

void module_add_vendor(Descriptor *d)
{
  const char *dot = strchr(d->name, '.');
  d->code = d->tag;
  if (!dot) return;
  char *vendor = g_strndup(d->name, (gsize)(dot - d->name));
  g_ptr_array_add(d->owned, vendor);
  d->vendor = vendor;
  d->code = with_vendor(d, d->tag);
  if (d->kind == MILL_KIND_SINK) d->family = with_vendor(d, d->family); /* its format */
  for (uint32_t i = 0; i < d->n_tables; i++) {
    MillTable *t = (MillTable *)&d->tables[i];
    t->name = with_vendor(d, t->name);
  }
  for (uint32_t i = 0; i < d->n_metrics; i++) {
    MillMetric *m = (MillMetric *)&d->metrics[i];
    m->name = with_vendor(d, m->name);
    m->aliases = list_with_vendor(d, m->aliases);
  }
  for (uint32_t i = 0; i < d->n_figures; i++) {
    MillFigure *f = (MillFigure *)&d->figures[i];
    f->name = with_vendor(d, f->name);
    f->table = with_vendor(d, f->table);
    if (f->over) f->over = with_vendor(d, f->over);
  }
}
