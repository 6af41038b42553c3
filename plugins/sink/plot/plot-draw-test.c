/* Every mark painted; skipped, and says so, in builds without cairo.  With PLOT_GALLERY=FOLDER the pictures are left
 * there to be looked at. */
/* SPDX-License-Identifier: MIT */
#include "paint.h"
#include "gallery-test.h"

static const char *const endings[] = { "png", "svg", "pdf" };

static void leave(const Picture *p, PaintType type, const GByteArray *bytes)
{
  const char *folder = g_getenv("PLOT_GALLERY");
  if (!folder) return;
  g_autofree char *name = g_strdup_printf("%s/%s.%s", folder, p->file, endings[type]);
  CHECK(g_file_set_contents(name, (const char *)bytes->data, bytes->len, NULL));
}

static unsigned number_at(const GByteArray *bytes, guint at)
{
  const guint8 *b = bytes->data + at;
  return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static bool has(const GByteArray *bytes, const char *text)
{
  return memmem(bytes->data, bytes->len, text, strlen(text)) != NULL;
}

static bool is_png(const Picture *p, const GByteArray *b)
{
  (void)p;
  return CHECK(b->len > 5000 && !memcmp(b->data, "\x89PNG\r\n\x1a\n", 8)) &&
         CHECK_INT(number_at(b, 16), 2400) && CHECK(number_at(b, 20) >= 1400) &&
         CHECK(!memcmp(b->data + b->len - 8, "IEND\xae\x42\x60\x82", 8));
}

static bool is_svg(const Picture *p, const GByteArray *b)
{
  static const GMarkupParser parser = { NULL };
  GMarkupParseContext *c = g_markup_parse_context_new(&parser, 0, NULL, NULL);
  bool whole = CHECK(g_markup_parse_context_parse(c, (const char *)b->data, b->len, NULL)) &&
               CHECK(g_markup_parse_context_end_parse(c, NULL));
  g_autofree char *title = g_markup_escape_text(p->title, -1);
  g_markup_parse_context_free(c);
  return whole && CHECK(has(b, title));
}

static bool is_pdf(const Picture *p, const GByteArray *b)
{
  (void)p;
  return CHECK(has(b, "%PDF-1.")) && CHECK(has(b, "%%EOF")) &&
         CHECK(has(b, "/CreationDate (") && has(b, "19700101000000"));
}

/* Twice the same bytes: nothing depends on what was painted before. */
static void check_picture(const Picture *p, PaintType type)
{
  static bool (*const is_good[])(const Picture *, const GByteArray *) = { is_png, is_svg, is_pdf };
  g_autofree char *why = NULL;
  g_autoptr(Display) d = display_of(p);
  g_autoptr(GByteArray) room = g_byte_array_new();
  g_autoptr(GByteArray) first = paint(d, type, p->title, room, &why),
                        second = paint(d, type, p->title, room, &why);
  bool ok = CHECK(first && second) && is_good[type](p, first) &&
            CHECK(first->len == second->len && !memcmp(first->data, second->data, first->len));
  if (!ok) CHECK_ROW(p->name);
  if (ok) leave(p, type, first);
}

static void check_gallery(PaintType type)
{
  for (size_t i = 0; paint_is_there() && i < G_N_ELEMENTS(gallery); i++) {
    Picture *p = gallery[i]();
    check_picture(p, type);
    made_free(p);
  }
  if (!paint_is_there()) printf("built without cairo: skipped ");
}

static void test_png(void) { check_gallery(PAINT_PNG); }
static void test_svg(void) { check_gallery(PAINT_SVG); }
static void test_pdf(void) { check_gallery(PAINT_PDF); }

/* What cannot be painted is said. */
static void test_too_large(void)
{
  g_autofree char *why = NULL;
  g_autoptr(Display) d = display_new(1e6, 1e6);
  g_autoptr(GByteArray) room = g_byte_array_new(), bytes = paint(d, PAINT_PNG, "", room, &why);
  CHECK(!bytes && why && *why);
}

TEST_MAIN({ "PNG", test_png }, { "SVG", test_svg }, { "PDF", test_pdf },
          { "too large", test_too_large })
