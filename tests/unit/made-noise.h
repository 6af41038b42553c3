/* Made-up noise: the same numbers in each run of a test that sets the seed. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_MADE_NOISE_H
#define TESTS_MADE_NOISE_H

#include <math.h>
#include <stdint.h>

static uint64_t noise_seed;

static double noise_uniform(void) /* splitmix64: above 0, up to 1 */
{
  uint64_t z = (noise_seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)(((z ^ (z >> 31)) >> 11) + 1) / 9007199254740992.0;
}

static double noise_normal(void)
{
  return sqrt(-2 * log(noise_uniform())) * cos(6.283185307179586 * noise_uniform());
}

#endif
