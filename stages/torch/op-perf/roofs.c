/* Roofs of a device; see roofs.h. */
/* SPDX-License-Identifier: MIT */
#include "roofs.h"

#include <math.h>
#include <string.h>

enum { BEYOND = 2 }; /* a line goes on to half the least and twice the most intensity */

static Roof *roof_of(Roofs *r, const char *spec)
{
  for (uint32_t i = 0; i < r->n; i++)
    if (!strcmp(r->roofs[i].spec, spec)) return &r->roofs[i];
  if (r->n == MAX_PEAKS) return NULL;
  Roof *made = &r->roofs[r->n++];
  *made = (Roof){ .least = INFINITY };
  memcpy(made->spec, spec, strlen(spec) + 1);
  return made;
}

void roofs_add(Roofs *r, const Arch *arch, const char *spec, double flop_per_byte)
{
  double peak = arch->known ? arch_peak(arch, spec) : 0;
  if (peak <= 0 || strlen(spec) >= SPEC_BYTES || !(flop_per_byte > 0)) return;
  Roof *roof = roof_of(r, spec);
  if (!roof) return;
  roof->tflops = peak;
  roof->least = fmin(roof->least, flop_per_byte);
  roof->most = fmax(roof->most, flop_per_byte);
}

static int put_point(const Roof *roof, double slope, double x, const MillStageHost *host,
                     uint32_t table)
{
  char name[SPEC_BYTES + 5] = "roof ";
  memcpy(name + 5, roof->spec, strlen(roof->spec) + 1);
  const RoofRow row = { name, x, fmin(slope * x, roof->tflops) };
  return mill_row(host, table, &row);
}

int roofs_report(const Roofs *r, const Arch *arch, const MillStageHost *host, uint32_t table)
{
  double slope = arch->mem_bw_gbps / 1000; /* 10^12 bytes a second */
  int status = 0;
  for (uint32_t i = 0; i < r->n; i++) {
    const Roof *roof = &r->roofs[i];
    double ridge = roof->tflops / slope;
    double at[] = { fmin(roof->least, ridge) / BEYOND, ridge, fmax(roof->most, ridge) * BEYOND };
    for (uint32_t k = 0; k < 3 && status == 0; k++)
      status = put_point(roof, slope, at[k], host, table);
  }
  return status;
}
