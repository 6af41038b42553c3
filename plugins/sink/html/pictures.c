/* Pictures of the page: the documents that its charts are drawn from, and the marks that it shows until then. */
/* SPDX-License-Identifier: MIT */
#include "data.h"
#include "kit/display/frame.h"

/* Of all bytes; the others are for tables. */
#define SHARE(max_bytes) ((max_bytes) / 4 * 3)

static void say_left_out(Data *d, const Picture *p)
{
  g_ptr_array_add(
      d->left_out,
      g_strdup_printf("the chart %s, which has too many points: --format plot draws it, --set "
                      "html.max-size makes room for it",
                      p->name));
}

/* A picture as the page has it. */
typedef struct Texts {
  GString *document, *display;
} Texts;

static void free_texts(gpointer data)
{
  Texts *t = data;
  g_string_free(t->document, TRUE);
  g_string_free(t->display, TRUE);
  g_free(t);
}

static Texts *texts_of(const Picture *p)
{
  Texts *t = g_new0(Texts, 1);
  *t = (Texts){ g_string_new(NULL), g_string_new(NULL) };
  g_autoptr(Display) display = display_of_panels(p);
  picture_json(p, t->document);
  display_json(display, t->display);
  return t;
}

/* Those that there is room for. */
static GPtrArray *all_texts(Data *d, const GPtrArray *sets)
{
  GPtrArray *all = g_ptr_array_new_with_free_func(free_texts);
  uint64_t size = data_size(d);
  for (guint i = 0; i < sets->len; i++) {
    const PictureSet *set = sets->pdata[i];
    for (guint k = 0; k < set->pictures->len; k++) {
      Texts *t = texts_of(set->pictures->pdata[k]);
      uint64_t more = t->document->len + t->display->len;
      bool fits = size + more <= SHARE(d->max_bytes);
      if (!fits) say_left_out(d, set->pictures->pdata[k]);
      size += fits ? more : 0;
      if (fits)
        g_ptr_array_add(all, t);
      else
        free_texts(t);
    }
  }
  return all;
}

static int put_list(Data *d, const char *key, const GPtrArray *texts, bool documents)
{
  int status = 0;
  json_put_lines(&d->out, key, '[');
  for (guint i = 0; i < texts->len && status >= 0; i++) {
    const Texts *t = texts->pdata[i];
    const GString *text = documents ? t->document : t->display;
    json_put_raw(&d->out, NULL, text->str, text->len);
    status = data_flush_pieces(d);
  }
  json_put_close(&d->out);
  return status;
}

static void put_not_drawn(Data *d, const GPtrArray *sets)
{
  json_put_lines(&d->out, "not_drawn", '[');
  for (guint i = 0; i < sets->len; i++) {
    const PictureSet *set = sets->pdata[i];
    if (!set->reason || set->below) continue;
    json_put_open(&d->out, NULL, '{');
    json_put_text(&d->out, "name", set->name);
    json_put_text(&d->out, "title", set->figure->title ? set->figure->title : set->name);
    json_put_text(&d->out, "reason", set->reason);
    json_put_close(&d->out);
  }
  json_put_close(&d->out);
}

int data_pictures(Data *d, const MillResults *r)
{
  g_autoptr(GPtrArray) sets = picture_sets(d->common, r);
  g_autoptr(GPtrArray) texts = all_texts(d, sets);
  int status = put_list(d, "pictures", texts, true);
  if (status >= 0)
    status = put_list(d, "displays", texts, false); /* one for each, in their order */
  put_not_drawn(d, sets);
  return status;
}
