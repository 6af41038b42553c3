/* What a source of several lanes may ask beside its host table; see base/parts.h. */
#include "base/parts.h"

#include "host/instance.h"

static int64_t host_part(const MillHost *h)
{
  Instance *i = instance_of(h);
  bool fine = phase_allows(i, PHASE_DESCRIBE, "which part") && i->source_env.input;
  return fine ? i->source_env.part(i->source_env.input) : -1;
}

static void host_divide(const MillHost *h, uint32_t n_parts)
{
  Instance *i = instance_of(h);
  bool fine = phase_allows(i, PHASE_DESCRIBE, "divide") && i->source_env.input;
  if (fine && n_parts) i->source_env.divide(i->source_env.input, n_parts);
}

const MergedRanks host_parts = { host_part, host_divide };
