/* Pictures as gnuplot wrote them; see finish.h. */
#include "finish.h"

#include <string.h>

#include "term.h"

#define PDF_DATE "/CreationDate (D:"
#define PDF_DIGITS "19700101000000Z"
#define SVG_TITLE "<title>"
#define SVG_TITLE_END "</title>"

static bool begins(const char *bytes, gsize len, const char *with, gsize n)
{
  return len >= n && !memcmp(bytes, with, n);
}

static bool ends(const char *bytes, gsize len, const char *with, gsize n)
{
  while (len && g_ascii_isspace(bytes[len - 1])) len--;
  return len >= n && !memcmp(bytes + len - n, with, n);
}

const char *finish_fault(PlotType type, const void *data, gsize len)
{
  static const char png[] = "\x89PNG\r\n\x1a\n", png_end[] = "IEND\xae\x42\x60\x82";
  const char *bytes = data;
  bool head, tail;
  if (!len) return "wrote nothing";
  if (type == PLOT_PNG) {
    head = begins(bytes, len, png, sizeof png - 1);
    tail = len >= 8 && !memcmp(bytes + len - 8, png_end, 8);
  } else if (type == PLOT_SVG) {
    head = begins(bytes, len, "<?xml", 5);
    tail = ends(bytes, len, "</svg>", 6);
  } else if (type == PLOT_DUMB) {
    return bytes[0] == '\f' && g_utf8_validate(bytes, (gssize)len, NULL)
               ? NULL
               : "wrote something that is no picture";
  } else {
    head = begins(bytes, len, "%PDF-", 5);
    tail = ends(bytes, len, "%%EOF", 5);
  }
  if (!head) return "wrote something that is no picture";
  return tail ? NULL : "wrote only the begin of a picture";
}

/* In place: the offsets of a PDF's parts stay what they are. */
static void overwrite_date(GByteArray *out)
{
  char *at = memmem(out->data, out->len, PDF_DATE, strlen(PDF_DATE));
  const char *end = (const char *)out->data + out->len;
  if (!at) return;
  at += strlen(PDF_DATE);
  for (size_t i = 0; at < end && *at != ')'; at++, i++)
    *at = i < strlen(PDF_DIGITS) ? PDF_DIGITS[i] : g_ascii_isdigit(*at) ? '0' : *at;
}

static void set_title(GByteArray *out, const char *title)
{
  const char *at = memmem(out->data, out->len, SVG_TITLE, strlen(SVG_TITLE));
  const char *end = at ? memmem(at, out->len - (gsize)(at - (char *)out->data), SVG_TITLE_END,
                                strlen(SVG_TITLE_END))
                       : NULL;
  if (!end) return;
  g_autofree char *text = g_markup_escape_text(title, -1);
  g_autoptr(GByteArray) whole = g_byte_array_new();
  gsize head = (gsize)(at - (char *)out->data) + strlen(SVG_TITLE),
        tail = (gsize)(end - (char *)out->data);
  g_byte_array_append(whole, out->data, (guint)head);
  g_byte_array_append(whole, (const guint8 *)text, (guint)strlen(text));
  g_byte_array_append(whole, out->data + tail, out->len - (guint)tail);
  g_byte_array_set_size(out, 0);
  g_byte_array_append(out, whole->data, whole->len);
}

GByteArray *finish(PlotType type, const char *title, const void *bytes, gsize len)
{
  if (type == PLOT_DUMB) return term_finish(bytes, len);
  GByteArray *out = g_byte_array_new();
  g_byte_array_append(out, bytes, (guint)len);
  if (type == PLOT_PDF) overwrite_date(out);
  if (type == PLOT_SVG) set_title(out, title);
  return out;
}
