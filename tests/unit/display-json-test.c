/* A display list as JSON text, as the page of reports reads it: kit/display/json.c */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "check.h"
#include "kit/display/display.h"

static void check_json(const Display *d, const char *expected)
{
  g_autoptr(GString) out = g_string_new(NULL);
  display_json(d, out);
  CHECK_STR(out->str, expected);
}

static void add_colors(DisplayMark *m, const guint32 *colors, guint n)
{
  m->colors = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_array_append_vals(m->colors, colors, n);
}

/* In tenths of pixels; a corner that is not there is null; lines have no edge. */
static void test_lines(void)
{
  g_autoptr(Display) d = display_new(1200, 400.5);
  static const DrawStyle style = { DISPLAY_LINES, .rgb = 0x0072b2, .width = 1.6, .dashed = true };
  display_add(d->marks, &style, (const double[]){ 1.26, -0.04, NAN, NAN, 3, 4.06 }, 6)->clip =
      (Box){ 1, 2, 3, 4 };
  check_json(d, "{\"width\":1200,\"height\":400.5,\"marks\":[{\"kind\":\"lines\",\"color\":"
                "\"#0072b2\",\"width\":1.6,\"dashed\":true,\"at\":[1.3,0,null,null,3,4.1],"
                "\"clip\":[1,2,3,4]}]}");
}

/* Each colour once, in the order in which they come. */
static void test_colors(void)
{
  g_autoptr(Display) d = display_new(10, 10);
  static const DrawStyle image = { DISPLAY_IMAGE };
  static const DrawStyle rects = { DISPLAY_RECTS, .width = 0.7, .edge = 0xffffff, .alpha = 0.5 };
  DisplayMark *m = display_add(d->marks, &image, (const double[]){ 0, 0, 2, 2 }, 4);
  m->n_across = 2;
  add_colors(m, (const guint32[]){ 0xff00ff00, NO_COLOR, 0xff000001, 0xff00ff00 }, 4);
  display_add(d->marks, &rects, (const double[]){ 0, 0, 1, 1 }, 4);
  check_json(d, "{\"width\":10,\"height\":10,\"marks\":[{\"kind\":\"image\",\"color\":\"#000000\","
                "\"at\":[0,0,2,2],\"colors\":[\"#00ff00\",\"#000001\"],\"color_of\":[0,-1,1,0],"
                "\"n_across\":2},{\"kind\":\"rects\",\"color\":\"#000000\",\"alpha\":0.5,\"width\":"
                "0.7,\"edge\":\"#ffffff\",\"at\":[0,0,1,1]}]}");
}

static void test_texts(void)
{
  g_autoptr(Display) d = display_new(10, 10);
  display_text(d->marks, "a \"b\"", 5, 6.25, ALIGN_CENTRE, 12, 0, 0x222222)->style.rim = true;
  display_text(d->marks, "up", 1, 2, ALIGN_RIGHT, 14, 90, 0);
  check_json(d,
             "{\"width\":10,\"height\":10,\"marks\":[{\"kind\":\"text\",\"color\":\"#222222\","
             "\"rim\":true,\"text\":\"a \\\"b\\\"\",\"at\":[5,6.3],\"align\":\"centre\","
             "\"size\":12},{\"kind\":\"text\",\"color\":\"#000000\",\"text\":\"up\",\"at\":[1,2],"
             "\"align\":\"right\",\"size\":14,\"turn\":90}]}");
}

TEST_MAIN({ "lines", test_lines }, { "colours", test_colors }, { "texts", test_texts })
