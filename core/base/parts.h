/* An input that holds several lanes with their events mixed is read once for each of them; see
 * docs/decisions/0021-merged-ranks.md. */
#ifndef BASE_PARTS_H
#define BASE_PARTS_H

#include <stdint.h>

/* What a host gives a source for this name, in `describe`: const MergedRanks *. */
#define PARTS_EXTENSION "stagemill.parts/1"

struct MillHost;

typedef struct MergedRanks {
  /* The part that is read here, from 0; -1: the input can be read only once. */
  int64_t (*which)(const struct MillHost *host);
  /* There are so many, each of which becomes a lane. */
  void (*divide)(const struct MillHost *host, uint32_t n);
} MergedRanks;

#endif
