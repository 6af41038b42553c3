/* Pictures of the page: the documents that its charts are drawn from. */
#include "data.h"
#include "kit/picture/picture.h"

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

static int put_picture(Data *d, const Picture *p)
{
  g_autoptr(GString) document = g_string_new(NULL);
  picture_json(p, document);
  if (data_size(d) + document->len > SHARE(d->max_bytes)) {
    say_left_out(d, p);
    return 0;
  }
  json_put_raw(&d->out, NULL, document->str, document->len);
  return data_flush_pieces(d);
}

static int put_pictures(Data *d, const GPtrArray *sets)
{
  int status = 0;
  json_put_lines(&d->out, "pictures", '[');
  for (guint i = 0; i < sets->len; i++) {
    const PictureSet *set = sets->pdata[i];
    for (guint k = 0; k < set->pictures->len && status >= 0; k++)
      status = put_picture(d, set->pictures->pdata[k]);
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
  int status = put_pictures(d, sets);
  put_not_drawn(d, sets);
  return status;
}
