/* Every mark drawn by gnuplot itself; skipped, and says so, where it is not installed.  With PLOT_GALLERY=FOLDER the
 * pictures and their scripts are left there to be looked at. */
#include "../../plugins/sink/plot/finish.h"
#include "base/child.h"
#include "scratch.h"
#include "sink-plot-gallery.h"

static char *gnuplot;

static void leave(const Picture *p, const char *ending, const void *bytes, size_t len)
{
  const char *folder = g_getenv("PLOT_GALLERY");
  if (!folder) return;
  g_autofree char *name = g_strdup_printf("%s/%s.%s", folder, p->file, ending);
  CHECK(g_file_set_contents(name, bytes, (gssize)len, NULL));
}

static unsigned number_at(const Child *c, guint at)
{
  const guint8 *b = c->out->data + at;
  return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

/* Its own words are none: it has nothing to complain of. */
static void draw(const Picture *p, PlotType type)
{
  static const char *const argv[] = { "gnuplot", "-d", "-", NULL };
  static const char *const lists = "20-7e a0-2af 2026 25a1";
  Fonts *fonts = fonts_new(lists, strlen(lists));
  g_autoptr(GString) script = script_of(p, type, fonts);
  Child c = {
    .path = gnuplot, .argv = argv, .in = script->str, .in_len = script->len, .limit_ms = 60000
  };
  children_run(&c, 1, 1, NULL, NULL);
  fonts_free(fonts);
  leave(p, "gp", script->str, script->len);
  g_autofree char *why = child_why(&c);
  const char *fault = finish_fault(type, c.out->data, c.out->len);
  bool ok = CHECK_STR(why, NULL) && CHECK_STR(fault, NULL) && CHECK_STR(c.words->str, "");
  if (ok && type == PLOT_PNG)
    ok = CHECK_INT(number_at(&c, 16), 2400) && CHECK(number_at(&c, 20) >= 1400);
  if (!ok) CHECK_ROW(p->name);
  if (ok) leave(p, script_ending(type), c.out->data, c.out->len);
  child_clear(&c);
}

static void draw_gallery(PlotType type)
{
  for (size_t i = 0; gnuplot && i < G_N_ELEMENTS(gallery); i++) {
    Picture *p = gallery[i]();
    draw(p, type);
    made_free(p);
  }
  if (!gnuplot) printf("gnuplot is not installed: skipped ");
}

static void test_png(void) { draw_gallery(PLOT_PNG); }
static void test_svg(void) { draw_gallery(PLOT_SVG); }
static void test_pdf(void) { draw_gallery(PLOT_PDF); }

static void test_found(void)
{
  gnuplot = child_find("gnuplot", g_getenv("PATH"));
  if (!gnuplot) CHECK_ROW("no gnuplot");
}

static void test_no_side_effect(void) { CHECK(!g_file_test("/pwned", G_FILE_TEST_EXISTS)); }

TEST_MAIN({ "gnuplot", test_found }, { "PNG", test_png }, { "SVG", test_svg }, { "PDF", test_pdf },
          { "no side effect", test_no_side_effect })
