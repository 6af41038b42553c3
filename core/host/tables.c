/* The host tables of an instance; see tables.h. */
#include "host/tables.h"

void tables_init(Instance *i)
{
  host_common_init(&i->common);
  switch (i->descriptor->kind) {
  case MILL_KIND_STAGE: host_stage_init(&i->host.stage, &i->common); break;
  case MILL_KIND_SOURCE: host_source_init(&i->host.source, &i->common); break;
  default: host_sink_init(&i->host.sink, &i->common);
  }
}
