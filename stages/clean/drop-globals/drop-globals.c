/* Drops events that span a whole run of the runtime around the work: round trips, graphs, fetches.  They hide what
 * lies below them and overlap it. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>
#include <string.h>

#include "kit/state/symclass.h"
#include "kit/text/words.h"

enum { STAYS = 1, GOES = 2 }; /* classes of names */

typedef struct Options {
  MillList names;
} Options;

typedef struct DropGlobals {
  const MillHost *common;
  MillList words;
  SymClass names;
} DropGlobals;

static int drop_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  DropGlobals *d = mill_new(host->common, sizeof *d);
  if (!d) return -MILL_LIMIT;
  d->common = host->common;
  d->words = ((const Options *)options)->names;
  *out_instance = d;
  return 0;
}

static uint8_t class_of(const DropGlobals *d, MillSym name)
{
  size_t len;
  const char *text = d->common->symbol_text(d->common, name, &len);
  for (uint32_t i = 0; i < d->words.n; i++)
    if (words_have(text, len, d->words.items[i])) return GOES;
  return STAYS;
}

static int drop_process(void *instance, MillBatch *b)
{
  DropGlobals *d = instance;
  for (uint32_t i = 0; i < b->n_events; i++) {
    MillSym name = b->events[i].name;
    uint8_t class = symclass_get(&d->names, name);
    if (!class) symclass_put(d->common, &d->names, name, class = class_of(d, name));
    if (class == GOES) mill_drop(&mill_events(b)[i]);
  }
  return 0;
}

static const MillOption options[] = {
  MILL_LIST_OPTION(
      Options, names, "names",
      "Execute graph,SenFusedDeviceNode,AIU Roundtrip,Flex RoundTrip,PostKeys,FetchKeys,"
      "Callback,HostPrep,AllocateFrame of,Update CBs",
      "Drop events whose name contains one of these texts; case matters"),
};

static const MillStageOps ops = { .size = sizeof ops, .open = drop_open, .process = drop_process };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP,
  .options_size = sizeof(Options),
  .name = "drop-globals",
  .family = "clean",
  .version = "1.0.0",
  .tag = "GLOB",
  .title = "Drop events of the runtime that span the work of others",
  .help = "Drops events of any kind whose name contains one of the given texts: graphs, round "
          "trips, key exchange, preparation by the host. Case matters.",
  .options = MILL_ROWS(options),
  .ops = &ops,
};
MILL_STAGE_MODULE(stage, "stagemill", "MIT");
