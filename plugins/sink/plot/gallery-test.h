/* A picture for each mark, as a report may have them. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_PLOT_GALLERY_TEST_H
#define SINK_PLOT_GALLERY_TEST_H

#include "plot-test.h"

#define BLUE "#0072b2"
#define ORANGE "#e69f00"
#define GREEN "#009e73"
#define RED "#d55e00"

static inline Picture *gallery_lines(void)
{
  Picture *p = made_picture("lines", "Latency over the run, with its band");
  PicturePanel *panel = made_panel(p, "", made_axis("Time (s)", 1e-9, SCALE_LINEAR, 0, 4e9),
                                   made_axis("Latency (ms)", 1e-6, SCALE_LINEAR, 0, 9e6));
  static const char *const colors[] = { BLUE, ORANGE };
  unsigned seed = 1;
  for (int k = 0; k < 2; k++) {
    PictureSeries *s = made_series(panel, MARK_LINE, k ? "p90" : "p50", colors[k]);
    s->x = made_numbers((const double[]){ MADE_END }),
    s->y = made_numbers((const double[]){ MADE_END });
    s->low = made_numbers((const double[]){ MADE_END }),
    s->high = made_numbers((const double[]){ MADE_END });
    for (int i = 0; i <= 400; i++) {
      double x = i * 1e7, y = (2.5 + 2 * k + sin(i / 40.0) + 0.3 * made_random(&seed)) * 1e6,
             low = y - 6e5, high = y + 8e5;
      if (i > 200 && i < 220) y = low = (double)NAN;
      g_array_append_val(s->x, x), g_array_append_val(s->y, y), g_array_append_val(s->low, low),
          g_array_append_val(s->high, high);
    }
    made_key(p, k ? "p90" : "p50", colors[k]);
  }
  PictureSeries *rule = made_series(panel, MARK_RULE, "limit 8 ms", RED);
  rule->y = NUMBERS(8e6);
  p->left_out = g_strdup("3 of 804 values are not positive and have no place on a log axis");
  return p;
}

static inline Picture *gallery_steps(void)
{
  Picture *p = made_picture("steps", "Requests in flight");
  PicturePanel *panel = made_panel(p, "", made_axis("Time (s)", 1, SCALE_LINEAR, 0, 6),
                                   made_axis("Requests", 1, SCALE_LINEAR, 0, 10));
  PictureSeries *s = made_series(panel, MARK_STEPS, "", BLUE);
  s->x = NUMBERS(0, 1, 2, 3, 4, 5, 6), s->y = NUMBERS(2, 5, 4, 8, 7, 3, 1);
  s->low = NUMBERS(1, 4, 3, 7, 6, 2, 0), s->high = NUMBERS(3, 6, 5, 9, 8, 4, 2);
  panel->note = g_strdup("seed 42, batch 8");
  return p;
}

static inline Picture *gallery_points(void)
{
  Picture *p = made_picture("points", "Throughput and latency");
  PicturePanel *panel =
      made_panel(p, "", made_axis("Output throughput (tok/s)", 1, SCALE_LOG, 80, 12000),
                 made_axis("TTFT (ms)", 1e-6, SCALE_LOG2, 4e6, 3e8));
  PictureSeries *s = made_series(panel, MARK_POINTS, "tp4", BLUE);
  s->x = NUMBERS(100, 900, 4000, 10000), s->y = NUMBERS(6e6, 2e7, 8e7, 2.2e8);
  s->low = NUMBERS(5e6, 1.5e7, 6e7, 2e8), s->high = NUMBERS(8e6, 3e7, 1e8, 2.8e8);
  s->x_low = NUMBERS(90, 800, 3500, 9000), s->x_high = NUMBERS(120, 1000, 4400, 11000);
  s->text = made_words("8|32|128|512");
  PictureSeries *front = made_series(panel, MARK_FRONT, "", "#666666");
  front->x = NUMBERS(100, 900, 4000, 10000), front->y = NUMBERS(6e6, 2e7, 8e7, 2.2e8);
  made_key(p, "tp4", BLUE);
  return p;
}

static inline Picture *gallery_bars(void)
{
  Picture *p = made_picture("bars", "Time by rank and class");
  PicturePanel *panel = made_panel(p, "", made_categories("Rank", "0|1|2|3|4|5"),
                                   made_axis("Time (ms)", 1e-6, SCALE_LINEAR, 0, 1.2e7));
  static const char *const colors[] = { BLUE, ORANGE, GREEN };
  static const char *const names[] = { "compute", "NCCL", "other" };
  double base[6] = { 0 };
  for (int k = 0; k < 3; k++) {
    PictureSeries *s = made_series(panel, MARK_BARS, names[k], colors[k]);
    s->slot = k == 2, s->n_slots = 2;
    s->x = NUMBERS(0, 1, 2, 3, 4, 5);
    s->low = made_numbers((const double[]){ MADE_END }),
    s->high = made_numbers((const double[]){ MADE_END });
    for (int i = 0; i < 6; i++) {
      double low = k == 2 ? 0 : base[i], high = low + (3 + (i * 7 + k * 3) % 5) * 8e5;
      base[i] = high;
      g_array_append_val(s->low, low), g_array_append_val(s->high, high);
    }
    if (k == 2) {
      s->error_low = NUMBERS(2e6, 3e6, 1e6, 2e6, 3e6, 1.5e6),
      s->error_high = NUMBERS(4.5e6, 6e6, 5e6, 5.5e6, 6e6, 5e6);
      s->text = made_words("4.0|4.8|3.2|4.0|4.8|3.2");
    }
    made_key(p, names[k], colors[k]);
  }
  return p;
}

static inline Picture *gallery_long_names(void)
{
  Picture *p = made_picture("long-names", "Bars with long names and no room");
  GString *words = g_string_new(NULL);
  for (int i = 0; i < 24; i++)
    g_string_append_printf(words,
                           "%svoid at::native::vectorized_elementwise_kernel<%d, float, 4>(int)",
                           i ? "|" : "", i);
  PicturePanel *panel = made_panel(p, "", made_categories("Kernel", words->str),
                                   made_axis("Calls", 1, SCALE_LOG, 1, 1e7));
  PictureSeries *s = made_series(panel, MARK_BARS, "", BLUE);
  s->x = made_numbers((const double[]){ MADE_END }),
  s->low = made_numbers((const double[]){ MADE_END }),
  s->high = made_numbers((const double[]){ MADE_END });
  for (int i = 0; i < 24; i++) {
    double x = i, low = 0, high = pow(10, 0.3 + i * 0.28);
    g_array_append_val(s->x, x), g_array_append_val(s->low, low), g_array_append_val(s->high, high);
  }
  g_string_free(words, TRUE);
  return p;
}

static inline Picture *gallery_bins(void)
{
  Picture *p = made_picture("bins", "Distribution of durations");
  PicturePanel *panel =
      made_panel(p, "", made_axis("Duration (\xc2\xb5s)", 1e-3, SCALE_LOG, 1e3, 1e6),
                 made_axis("Events", 1, SCALE_LINEAR, 0, 50));
  static const char *const colors[] = { BLUE, ORANGE };
  for (int k = 0; k < 2; k++) {
    PictureSeries *s = made_series(panel, MARK_BINS, k ? "NCCL" : "GEMM", colors[k]);
    s->x = made_numbers((const double[]){ MADE_END }),
    s->x_high = made_numbers((const double[]){ MADE_END });
    s->low = made_numbers((const double[]){ MADE_END }),
    s->high = made_numbers((const double[]){ MADE_END });
    for (int i = 0; i < 24; i++) {
      double x = 1e3 * pow(10, i / 8.0), end = 1e3 * pow(10, (i + 1) / 8.0), low = 0,
             high = 45 * exp(-pow((i - 8 - 6 * k) / 3.5, 2));
      g_array_append_val(s->x, x), g_array_append_val(s->x_high, end),
          g_array_append_val(s->low, low), g_array_append_val(s->high, high);
    }
    made_key(p, k ? "NCCL" : "GEMM", colors[k]);
  }
  return p;
}

static inline void gallery_add_shapes(PictureSeries *s)
{
  s->shapes = g_ptr_array_new();
  for (guint i = 0; i < s->x->len; i++) {
    PictureShape *shape = g_new0(PictureShape, 1);
    double low = g_array_index(s->low, double, i), high = g_array_index(s->high, double, i);
    shape->low = low;
    shape->step = (high - low) / 99;
    shape->width = made_numbers((const double[]){ MADE_END });
    for (int k = 0; k < 100; k++) {
      double w =
          0.5 * (0.7 * exp(-pow((k - 35) / 14.0, 2)) + 0.4 * exp(-pow((k - 75) / 9.0, 2))) / 0.72;
      g_array_append_val(shape->width, w);
    }
    g_ptr_array_add(s->shapes, shape);
  }
}

static inline Picture *gallery_spread(const char *name, PictureMark mark, bool sideways)
{
  Picture *p = made_picture(name, "Spread of the kernel time by rank");
  PicturePanel *panel = made_panel(p, "", made_categories("Rank", "0|1|2|3"),
                                   made_axis("Duration (\xc2\xb5s)", 1e-3, SCALE_LINEAR, 0, 6e4));
  static const char *const colors[] = { BLUE, ORANGE };
  panel->sideways = sideways;
  for (uint32_t k = 0; k < 2; k++) {
    PictureSeries *s = made_series(panel, mark, k ? "EPLB on" : "EPLB off", colors[k]);
    s->slot = k, s->n_slots = 2;
    s->x = NUMBERS(0, 1, 2, 3);
    s->low = NUMBERS(1e4, 1.2e4, 8e3, 1e4), s->q1 = NUMBERS(2e4, 1.9e4, 1.5e4, 2.2e4),
    s->median = NUMBERS(2.6e4, 2.2e4, 2e4, 2.9e4);
    s->q3 = NUMBERS(3.3e4, 3e4, 2.6e4, 3.8e4), s->high = NUMBERS(5e4, 4.4e4, 4e4, 5.5e4),
    s->mean = NUMBERS(2.8e4, 2.5e4, 2.1e4, 3.1e4);
    s->n = NUMBERS(400, 398, 1200, 24);
    if (mark == MARK_VIOLINS) gallery_add_shapes(s);
    made_key(p, s->name, colors[k]);
    if (mark != MARK_BOXES) continue;
    PictureSeries *far = made_series(panel, MARK_POINTS, "", colors[k]);
    far->slot = k, far->n_slots = 2;
    far->x = NUMBERS(0, 0, 3), far->y = NUMBERS(5.6e4, 5.8e4, 5e3);
  }
  return p;
}

static inline void gallery_fill_cells(PicturePanel *panel, int n_x, int n_y, bool texts)
{
  PictureSeries *s = made_series(panel, MARK_CELLS, "", NULL);
  unsigned seed = 7;
  s->x = made_numbers((const double[]){ MADE_END }),
  s->y = made_numbers((const double[]){ MADE_END }),
  s->value = made_numbers((const double[]){ MADE_END });
  if (texts) s->text = g_ptr_array_new_with_free_func(g_free);
  for (int i = 0; i < n_x * n_y; i++) {
    double x = i % n_x, y = i / n_x,
           v = panel->color->axis.low +
               (panel->color->axis.high - panel->color->axis.low) * made_random(&seed);
    if (i == n_x + 2) continue;
    g_array_append_val(s->x, x), g_array_append_val(s->y, y), g_array_append_val(s->value, v);
    if (texts) g_ptr_array_add(s->text, g_strdup_printf("%.2fx", v));
  }
}

static inline Picture *gallery_cells(void)
{
  Picture *p = made_picture("cells", "How much slower than the best");
  p->n_columns = 2;
  for (int k = 0; k < 2; k++) {
    PicturePanel *panel = made_panel(p, k ? "tp 8" : "tp 4", made_categories("Batch", "1|2|4|8|16"),
                                     made_categories("Kernel", "gemm_128x128|gemm_256x64|splitK"));
    panel->y.down = true;
    made_bar(panel, "Time relative to the best", SCALE_LINEAR, 1, 3, PALETTE_WORSE);
    gallery_fill_cells(panel, 5, 3, true);
  }
  return p;
}

static inline Picture *gallery_ramps(void)
{
  Picture *p = made_picture("ramps", "Which one is best, and how clearly");
  PicturePanel *panel =
      made_panel(p, "", made_categories("N", "64|128|256|512"), made_categories("M", "1|8|64"));
  made_bar(panel, "Margin (%)", SCALE_LINEAR, 0, 40, PALETTE_RAMPS);
  static const char *const colors[] = { BLUE, ORANGE };
  for (int k = 0; k < 2; k++) {
    PictureSeries *s = made_series(panel, MARK_CELLS, k ? "splitK" : "tile", colors[k]);
    s->x = k ? NUMBERS(0, 1, 2, 3, 0) : NUMBERS(1, 2, 3, 0, 1, 2, 3);
    s->y = k ? NUMBERS(0, 0, 0, 0, 1) : NUMBERS(1, 1, 1, 2, 2, 2, 2);
    s->value = k ? NUMBERS(5, 12, 30, 40, 2) : NUMBERS(1, 8, 15, 22, 29, 35, 39);
    made_key(p, s->name, colors[k]);
  }
  return p;
}

static inline Picture *gallery_field(bool log)
{
  Picture *p = made_picture(log ? "field-log" : "field", "Density of size and time");
  PicturePanel *panel =
      log ? made_panel(p, "", made_axis("Size (MiB)", 1 / 1048576.0, SCALE_LOG, 1e3, 1e9),
                       made_axis("Bandwidth (GB/s)", 1e-9, SCALE_LINEAR, 0, 4e11))
          : made_panel(p, "", made_axis("Time (s)", 1e-9, SCALE_LINEAR, 0, 1e10),
                       made_axis("Duration (ms)", 1e-6, SCALE_LINEAR, 0, 4e6));
  made_bar(panel, "Events", SCALE_LOG, 1, 2000, PALETTE_MAGNITUDE);
  PictureSeries *s = made_series(panel, MARK_FIELD, "", NULL);
  s->field = g_new0(PictureField, 1);
  *s->field = (PictureField){ log ? 3 : 0,
                              log ? 6 / 120.0 : 1e10 / 120,
                              0,
                              log ? 4e9 : 4e4,
                              120,
                              100,
                              made_numbers((const double[]){ MADE_END }) };
  for (int k = 0; k < 120 * 100; k++) {
    double x = k % 120 / 120.0, y = k / 120 / 100.0,
           v = 1 + 1990 * exp(-pow((y - 0.2 - 0.6 * x * x) / 0.08, 2)) * (0.6 + 0.4 * sin(x * 30));
    if (v < 1.5) v = (double)NAN;
    g_array_append_val(s->field->value, v);
  }
  return p;
}

static inline Picture *gallery_intervals(void)
{
  Picture *p = made_picture("intervals", "What the devices did");
  PicturePanel *panel = made_panel(
      p, "", made_axis("Time (ms)", 1e-6, SCALE_LINEAR, 0, 1e7),
      made_categories("Stream",
                      "rank 0 stream 7|rank 0 stream 20|rank 1 stream 7|rank 1 stream 20"));
  static const char *const colors[] = { BLUE, ORANGE, GREEN, RED };
  static const char *const names[] = { "gemm", "attention", "ncclAllReduce", "copy" };
  panel->y.down = true;
  for (int k = 0; k < 4; k++) {
    PictureSeries *s = made_series(panel, MARK_INTERVALS, names[k], colors[k]);
    s->x = made_numbers((const double[]){ MADE_END }),
    s->x_high = made_numbers((const double[]){ MADE_END }),
    s->y = made_numbers((const double[]){ MADE_END });
    s->text = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < 10; i++) {
      double from = i * 1e6 + (k % 2) * 5e5, to = from + 2e5 + 6e4 * ((i * 3 + k) % 6),
             y = k / 2 * 2 + (i + k) % 2;
      g_array_append_val(s->x, from), g_array_append_val(s->x_high, to),
          g_array_append_val(s->y, y);
      g_ptr_array_add(s->text, g_strdup(i % 3 ? "" : names[k]));
    }
    made_key(p, names[k], colors[k]);
  }
  return p;
}

static inline Picture *gallery_panels(void)
{
  Picture *p = made_picture("panels", "Many panels, and a long legend");
  p->n_columns = 3;
  for (int k = 0; k < 8; k++) {
    g_autofree char *title = g_strdup_printf("layer %d", k);
    PicturePanel *panel = made_panel(p, title, made_axis("Step", 1, SCALE_LINEAR, 0, 30),
                                     made_axis("Imbalance", 1, SCALE_LINEAR, 1, 3));
    for (int l = 0; l < 3; l++) {
      PictureSeries *s = made_series(panel, MARK_LINE, "", l == 0 ? BLUE : l == 1 ? ORANGE : GREEN);
      s->x = NUMBERS(0, 10, 20, 30);
      s->y = made_numbers((const double[]){ MADE_END });
      for (int i = 0; i < 4; i++) {
        double y = 1.2 + 0.4 * ((k * 5 + i * 3 + l * 2) % 5);
        g_array_append_val(s->y, y);
      }
    }
  }
  for (int i = 0; i < 28; i++) {
    g_autofree char *name = g_strdup_printf("configuration number %d with a long name", i);
    made_key(p, name, i % 3 == 0 ? BLUE : i % 3 == 1 ? ORANGE : GREEN);
  }
  return p;
}

#define HOSTILE                                                                         \
  "a'b\"c `touch pwned` $(touch pwned) END\nEOD\t|\\ %s 100% \xe4\xb8\xad\xe6\x96\x87 " \
  "\xe2\x80\xae </script> @x #"
static inline Picture *gallery_hostile(void)
{
  Picture *p = made_picture("hostile", HOSTILE);
  g_autofree char *words =
      g_strdup_printf("%s", "it's|`touch pwned`|$(touch pwned)|END|< touch "
                            "pwned|\\|'|100%|\"|\xe4\xb8\xad\xe6\x96\x87|@x|^{2}_a");
  PicturePanel *panel = made_panel(p, HOSTILE, made_categories(HOSTILE, words),
                                   made_axis(HOSTILE, 1, SCALE_LINEAR, 0, 13));
  PictureSeries *s = made_series(panel, MARK_BARS, HOSTILE, BLUE);
  s->x = NUMBERS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  s->low = NUMBERS(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  s->high = NUMBERS(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  s->text = made_words(words);
  PictureSeries *rule = made_series(panel, MARK_RULE, HOSTILE, RED);
  rule->y = NUMBERS(6);
  panel->note = g_strdup(HOSTILE);
  p->left_out = g_strdup(HOSTILE);
  g_free(p->footer);
  p->footer = g_strnfill(100000, 'f');
  made_key(p, HOSTILE, BLUE);
  made_key(p, "it's", ORANGE);
  return p;
}

static inline Picture *gallery_extreme(void)
{
  Picture *p = made_picture("extreme", "Very large, very small, all equal, one");
  p->n_columns = 2;
  PicturePanel *large = made_panel(p, "1e300", made_axis("x", 1, SCALE_LINEAR, 0, 1e300),
                                   made_axis("y", 1, SCALE_LINEAR, -1e300, 1e300));
  PictureSeries *s = made_series(large, MARK_LINE, "", BLUE);
  s->x = NUMBERS(0, 5e299, 1e300), s->y = NUMBERS(-9e299, 1e299, 9e299);
  PicturePanel *small = made_panel(p, "1e-300", made_axis("x", 1, SCALE_LOG, 1e-300, 1e300),
                                   made_axis("y", 1, SCALE_LINEAR, 0, 1e-9));
  s = made_series(small, MARK_POINTS, "", BLUE);
  s->x = NUMBERS(1e-299, 1, 1e299), s->y = NUMBERS(1e-10, 5e-10, 9e-10);
  PicturePanel *one =
      made_panel(p, "one", made_categories("", "only"), made_axis("y", 1, SCALE_LINEAR, 4.5, 5.5));
  s = made_series(one, MARK_BARS, "", BLUE);
  s->x = NUMBERS(0), s->low = NUMBERS(4.5), s->high = NUMBERS(5);
  PicturePanel *none = made_panel(p, "none", made_axis("x", 1, SCALE_LINEAR, 1.7e18, 1.7e18 + 4096),
                                  made_axis("y", 1, SCALE_LOG, 2, 3));
  s = made_series(none, MARK_LINE, "", BLUE);
  s->x = NUMBERS(1.7e18, (double)NAN), s->y = NUMBERS((double)NAN, (double)NAN);
  return p;
}

typedef Picture *(*GalleryMaker)(void);
static inline Picture *gallery_boxes(void) { return gallery_spread("boxes", MARK_BOXES, false); }
static inline Picture *gallery_boxes_sideways(void)
{
  return gallery_spread("boxes-sideways", MARK_BOXES, true);
}
static inline Picture *gallery_violins(void)
{
  return gallery_spread("violins", MARK_VIOLINS, false);
}
static inline Picture *gallery_field_linear(void) { return gallery_field(false); }
static inline Picture *gallery_field_log(void) { return gallery_field(true); }
static const GalleryMaker gallery[] = {
  gallery_lines,      gallery_steps,     gallery_points, gallery_bars,
  gallery_long_names, gallery_bins,      gallery_boxes,  gallery_boxes_sideways,
  gallery_violins,    gallery_cells,     gallery_ramps,  gallery_field_linear,
  gallery_field_log,  gallery_intervals, gallery_panels, gallery_hostile,
  gallery_extreme,
};

#endif
