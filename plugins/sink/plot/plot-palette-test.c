/* Colours of numbers, mixed by hand: palette.c */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "kit/display/draw.h"
#include "check.h"

static void test_mixed_colors(void)
{
  static const struct {
    PicturePalette palette;
    const char *full;
    double part;
    unsigned rgb;
  } rows[] = {
    { PALETTE_MAGNITUDE, NULL, 0, 0x440154 },
    { PALETTE_MAGNITUDE, NULL, 1, 0xfde725 },
    { PALETTE_MAGNITUDE, NULL, 0.5, 0x23908c }, /* halfway from 26828e to 1f9e89: 34.5 144 139.5 */
    { PALETTE_MAGNITUDE, NULL, -1, 0x440154 },
    { PALETTE_MAGNITUDE, NULL, 2, 0xfde725 },
    { PALETTE_WORSE, NULL, 0, 0xffffff },
    { PALETTE_WORSE, NULL, 0.125, 0xfff0e9 }, /* halfway to fee0d2: 254.5 239.5 232.5 */
    { PALETTE_WORSE, NULL, 0.25, 0xfee0d2 },
    { PALETTE_WORSE, NULL, 1, 0xa50f15 },
    { PALETTE_CHANGE, NULL, 0, 0x2166ac },
    { PALETTE_CHANGE, NULL, 0.25, 0x9cc7e0 }, /* halfway from 67a9cf to d1e5f0: 156 199 223.5 */
    { PALETTE_CHANGE, NULL, 0.5, 0xf7f7f7 },
    { PALETTE_CHANGE, NULL, 1, 0xb2182b },
    { PALETTE_RAMPS, NULL, 0, 0xededed },
    { PALETTE_RAMPS, NULL, 0.5, 0x909090 },
    { PALETTE_RAMPS, "#0072b2", 0, 0xe0eef6 }, /* 12 % from white: 224.4 238.08 245.76 */
    { PALETTE_RAMPS, "#0072b2", 1, 0x0072b2 },
    { PALETTE_RAMPS, "#d55e00", 1, 0xd55e00 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *wanted = g_strdup_printf("%06x", rows[i].rgb);
    g_autofree char *got =
        g_strdup_printf("%06x", palette_rgb(rows[i].palette, rows[i].full, rows[i].part));
    if (!CHECK_STR(got, wanted)) CHECK_ROW(rows[i].full ? rows[i].full : "");
  }
}

/* Where a value stands on the colour bar. */
static void test_parts(void)
{
  PictureAxis linear = { .scale = SCALE_LINEAR, .low = 10, .high = 20 };
  PictureAxis change = { .scale = SCALE_LINEAR, .low = -8, .high = 8 };
  PictureAxis logarithmic = { .scale = SCALE_LOG, .low = 1, .high = 100 };
  CHECK(palette_part(&linear, 15) == 0.5);
  CHECK(palette_part(&linear, 10) == 0 && palette_part(&linear, 20) == 1);
  CHECK(palette_part(&change, 0) == 0.5 && palette_part(&change, -4) == 0.25);
  CHECK(fabs(palette_part(&logarithmic, 10) - 0.5) < 1e-12);
  CHECK(palette_part(&logarithmic, 0) == 0 && palette_part(&logarithmic, -3) == 0);
  CHECK(isnan(palette_part(&linear, NAN)) && isnan(palette_part(&linear, INFINITY)));
}

static void test_palette_colors(void)
{
  static const unsigned worse[] = { 0xffffff, 0xfee0d2, 0xfc9272, 0xde2d26, 0xa50f15 };
  const unsigned *rgb;
  CHECK_INT(palette_colors(PALETTE_WORSE, &rgb), 5);
  CHECK(!memcmp(rgb, worse, sizeof worse));
}

TEST_MAIN({ "mixed colours", test_mixed_colors }, { "parts", test_parts },
          { "colours of a palette", test_palette_colors })
