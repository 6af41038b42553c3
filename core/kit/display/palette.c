/* Colour maps; see draw.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/display/draw.h"
#include "kit/display/ticks.h"

typedef struct Ramp {
  guint n;
  unsigned colors[10];
} Ramp;

static const Ramp ramps[] = {
  [PALETTE_MAGNITUDE] = { 10,
                          { 0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779,
                            0x6ece58, 0xb5de2b, 0xfde725 } },
  [PALETTE_WORSE] = { 5, { 0xffffff, 0xfee0d2, 0xfc9272, 0xde2d26, 0xa50f15 } },
  [PALETTE_CHANGE] = { 7,
                       { 0x2166ac, 0x67a9cf, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xef8a62, 0xb2182b } },
  [PALETTE_RAMPS] = { 2, { 0xededed, 0x333333 } },
};

static unsigned mix(unsigned a, unsigned b, double part)
{
  unsigned out = 0;
  for (int shift = 16; shift >= 0; shift -= 8) {
    double from = a >> shift & 255, to = b >> shift & 255;
    out |= (unsigned)lround(from + (to - from) * part) << shift;
  }
  return out;
}

unsigned palette_rgb(PicturePalette palette, const char *full, double part)
{
  const Ramp *r = &ramps[palette];
  part = CLAMP(part, 0, 1);
  if (palette == PALETTE_RAMPS && full) return mix(0xffffff, draw_rgb(full), 0.12 + 0.88 * part);
  double at = part * (r->n - 1);
  guint k = MIN((guint)at, r->n - 2);
  return mix(r->colors[k], r->colors[k + 1], at - k);
}

guint palette_colors(PicturePalette palette, const unsigned **out_rgb)
{
  *out_rgb = ramps[palette].colors;
  return ramps[palette].n;
}

double palette_part(const PictureAxis *bar, double value)
{
  if (!isfinite(value)) return (double)NAN;
  if (ticks_is_log(bar) && bar->low > 0)
    return value > 0 ? log(value / bar->low) / log(bar->high / bar->low) : 0;
  return (value - bar->low) / (bar->high - bar->low);
}
