/* The host tables of an instance; see tables.h. */
/* SPDX-License-Identifier: MIT */
#include "host/tables.h"

#include <string.h>

void host_tables_init(Instance *i)
{
  host_common_init(&i->common);
  switch (i->descriptor->kind) {
  case MILL_KIND_STAGE: host_stage_init(&i->host.stage, &i->common); break;
  case MILL_KIND_SOURCE: host_source_init(&i->host.source, &i->common); break;
  default: host_sink_init(&i->host.sink, &i->common);
  }
}

bool host_tables_changed(Instance *i)
{
  const size_t calls = sizeof(uint64_t); /* after the size */
  const MillHost common = i->common;
  const HostTables own = i->host;
  host_tables_init(i);
  return memcmp((const char *)&common + calls, (const char *)&i->common + calls,
                sizeof common - calls) ||
         memcmp((const char *)&own + calls, (const char *)&i->host + calls,
                i->host.stage.size - calls);
}
