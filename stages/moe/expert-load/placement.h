/* Which GPU each expert lives on. */
/* SPDX-License-Identifier: MIT */
#ifndef EXPERT_LOAD_PLACEMENT_H
#define EXPERT_LOAD_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACEMENT_MAX_GPUS 65536u
#define PLACEMENT_MAX_EXPERTS 100000u
#define PLACEMENT_NOWHERE UINT32_MAX

typedef enum PlacementKind {
  PLACEMENT_NONE,
  PLACEMENT_CONTIGUOUS,
  PLACEMENT_ROUND_ROBIN,
  PLACEMENT_MAP
} PlacementKind;

typedef struct Placement {
  PlacementKind kind;
  uint32_t n_gpus;
  const uint16_t *gpu_of; /* map: of each expert */
  uint32_t n_experts;
} Placement;

/* "", contiguous:N, round-robin:N, map:LIST, or the LIST alone: the GPU of each expert in order,
 * as a JSON list, or with commas or white space between.  A list goes to `space`, which is for
 * PLACEMENT_MAX_EXPERTS.  0, or the reason why not in *out_why. */
int placement_parse(const char *text, size_t len, uint16_t *space, Placement *out,
                    const char **out_why);

/* Contiguous: the first experts on GPU 0, one more on each of the first n_experts mod N. */
uint32_t placement_gpu(const Placement *p, uint32_t expert, uint32_t n_experts);

#endif
