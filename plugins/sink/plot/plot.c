/* The sink of pictures: each declared figure, painted. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/sink.h>
#include <string.h>

#include "kit/display/frame.h"
#include "paint.h"
#include "term.h"

enum { NOTE_BROKEN = 1, NOTE_UNKNOWN = 2 };
enum { N_TYPES = 4 };

/* A kind of files. */
typedef struct Type {
  const char *word, *ending;
  bool is_text;
  PaintType paint;
} Type;

typedef struct Options {
  MillList type, figures;
  int64_t columns, lines;
  bool numbers;
} Options;

typedef struct Sink {
  const MillSinkHost *host;
  Options options;
  const Type *types[N_TYPES];
  guint n_types;
} Sink;

/* What became of the pictures of a run. */
typedef struct Drawn {
  guint whole;       /* files with a picture, or with the reasons why there is none */
  GPtrArray *broken; /* Broken * */
  GByteArray *room;  /* for pixels */
} Drawn;

typedef struct Broken {
  char *name, *why;
} Broken;

/* A picture with the name of its files. */
typedef struct Drawing {
  const Picture *picture;
  char *file; /* without its ending */
} Drawing;

static const Type types[N_TYPES] = {
  { "png", "png", false, PAINT_PNG },
  { "svg", "svg", false, PAINT_SVG },
  { "pdf", "pdf", false, PAINT_PDF },
  { "text", "txt", true, PAINT_PNG },
};
static const Type *const text_type = &types[3];

/* ------------------------------------------------------------------- opening */

static bool has_type(const Sink *s, const Type *type)
{
  for (guint i = 0; i < s->n_types; i++)
    if (s->types[i] == type) return true;
  return false;
}

static bool add_type(Sink *s, const char *word)
{
  for (size_t k = 0; k < G_N_ELEMENTS(types); k++) {
    if (strcmp(word, types[k].word)) continue;
    if (!has_type(s, &types[k])) s->types[s->n_types++] = &types[k];
    return true;
  }
  return false;
}

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  s->options = *(const Options *)options;
  *out_instance = s;
  for (uint32_t i = 0; i < s->options.type.n; i++) {
    if (add_type(s, s->options.type.items[i])) continue;
    g_autofree char *what =
        g_strdup_printf("a picture cannot be of type \"%s\"", s->options.type.items[i]);
    return mill_fail(host->common, MILL_STAGE_FAILED, what, "types: png, svg, pdf, text");
  }
  if (!s->n_types) s->types[s->n_types++] = &types[0];
  return 0;
}

/* ------------------------------------------------------------------ drawings */

static void free_drawing(gpointer data)
{
  Drawing *d = data;
  g_free(d->file);
  g_free(d);
}

/* Only harmless characters reach the file system, and no name begins with a dot. */
static char *file_name(const char *file)
{
  char *name = g_strdup_printf("plots/%s", *file ? file : "figure");
  for (char *c = name + strlen("plots/"); *c; c++) {
    bool begins = c[-1] == '/';
    if (!g_ascii_isalnum(*c) && !strchr("._-/", *c)) *c = '_';
    if (begins && (*c == '.' || *c == '/')) *c = '_';
  }
  if (g_str_has_suffix(name, "/")) name[strlen(name) - 1] = '_';
  return name;
}

static bool is_taken(const GPtrArray *drawings, const char *file)
{
  for (guint i = 0; i < drawings->len; i++)
    if (!g_ascii_strcasecmp(((const Drawing *)drawings->pdata[i])->file, file)) return true;
  return false;
}

static char *free_name(const GPtrArray *drawings, const char *file)
{
  char *name = file_name(file), *base = g_strdup(name);
  for (unsigned k = 2; is_taken(drawings, name); k++) {
    g_free(name);
    name = g_strdup_printf("%s-%u", base, k);
  }
  g_free(base);
  return name;
}

static void add_drawing(const Picture *p, GPtrArray *drawings)
{
  Drawing *d = g_new0(Drawing, 1);
  *d = (Drawing){ p, free_name(drawings, p->file) };
  g_ptr_array_add(drawings, d);
}

static bool is_wanted(const Sink *s, const char *figure)
{
  const MillList *only = &s->options.figures;
  for (uint32_t i = 0; i < only->n; i++)
    if (!strcmp(only->items[i], figure)) return true;
  return !only->n;
}

static bool has_figure(const GPtrArray *sets, const char *name)
{
  for (guint i = 0; i < sets->len; i++)
    if (!strcmp(((const PictureSet *)sets->pdata[i])->name, name)) return true;
  return false;
}

static void note_unknown(const Sink *s, const GPtrArray *sets)
{
  const MillList *only = &s->options.figures;
  for (uint32_t i = 0; i < only->n; i++) {
    MillNamed named = { "figure", mill_text(only->items[i], strlen(only->items[i])) };
    if (has_figure(sets, only->items[i])) continue;
    s->host->common->note(s->host->common, NOTE_UNKNOWN, NULL, MILL_NO_EVENT, &named, 1);
  }
}

static GPtrArray *drawings_of(const Sink *s, const GPtrArray *sets)
{
  GPtrArray *drawings = g_ptr_array_new_with_free_func(free_drawing);
  for (guint i = 0; i < sets->len; i++) {
    const PictureSet *set = sets->pdata[i];
    if (!is_wanted(s, set->name)) continue;
    for (guint k = 0; set->pictures && k < set->pictures->len; k++)
      add_drawing(set->pictures->pdata[k], drawings);
  }
  return drawings;
}

/* ------------------------------------------------------------------- drawing */

static void broken_free(gpointer data)
{
  Broken *b = data;
  g_free(b->name);
  g_free(b->why);
  g_free(b);
}

static void keep_broken(Drawn *io_drawn, const Drawing *d, const Type *type, const char *why)
{
  Broken *b = g_new0(Broken, 1);
  b->name = g_strdup_printf("%s.%s", d->file, type->ending);
  b->why = g_strdup(why);
  g_ptr_array_add(io_drawn->broken, b);
}

static void note_broken(const Sink *s, const Broken *b)
{
  MillNamed named[] = { { "picture", mill_text(b->name, strlen(b->name)) },
                        { "why", mill_text(b->why, strlen(b->why)) } };
  s->host->common->note(s->host->common, NOTE_BROKEN, NULL, MILL_NO_EVENT, named, 2);
}

static int put_file(const Sink *s, const char *file, const char *ending, const void *bytes,
                    size_t len)
{
  g_autofree char *name = g_strdup_printf("%s.%s", file, ending);
  int status = s->host->output(s->host, name, NULL, bytes, len);
  return status ? status : s->host->output(s->host, name, NULL, "", 0);
}

/* One file for all of them, in their order, with an empty line between two. */
static int put_text(const Sink *s, const char *text, size_t len)
{
  g_autoptr(GString) whole = g_string_new_len(text, (gssize)len);
  g_string_append_c(whole, '\n');
  return put_file(s, TERM_FILE, text_type->ending, whole->str, whole->len);
}

static int put_numbers(const Sink *s, const Drawing *d)
{
  g_autoptr(GString) json = g_string_new(NULL);
  if (!s->options.numbers) return 0;
  picture_json(d->picture, json);
  return put_file(s, d->file, "json", json->str, json->len);
}

static int put_characters(const Sink *s, const Drawing *d)
{
  g_autofree char *text =
      term_text(d->picture, (unsigned)s->options.columns, (unsigned)s->options.lines);
  return put_text(s, text, strlen(text));
}

/* One picture that cannot be painted is a notice: the others are there. */
static int put_painted(const Sink *s, const Drawing *d, const Display *display, const Type *type,
                       Drawn *io_drawn)
{
  g_autofree char *why = NULL;
  g_autoptr(GByteArray) bytes =
      paint(display, type->paint, d->picture->title, io_drawn->room, &why);
  if (bytes) return put_file(s, d->file, type->ending, bytes->data, bytes->len);
  keep_broken(io_drawn, d, type, why);
  return 0;
}

/* Of all types from one display list. */
static int draw_one(const Sink *s, const Drawing *d, Drawn *io_drawn)
{
  g_autoptr(Display) display = NULL;
  int status = put_numbers(s, d);
  for (guint i = 0; i < s->n_types && !status; i++) {
    const Type *type = s->types[i];
    guint broken = io_drawn->broken->len;
    if (!type->is_text && !display) display = display_of(d->picture);
    status = type->is_text ? put_characters(s, d) : put_painted(s, d, display, type, io_drawn);
    io_drawn->whole += io_drawn->broken->len == broken;
  }
  return status;
}

/* Said before anything is written. */
static int check_painter(const Sink *s)
{
  if (paint_is_there()) return 0;
  for (guint i = 0; i < s->n_types; i++)
    if (!s->types[i]->is_text)
      return mill_fail(s->host->common, MILL_HELPER_MISSING,
                       "this stagemill was built without pictures",
                       "build it with -Dpictures=enabled (cairo and pango), or leave out --format "
                       "plot; --set plot.type=text needs neither");
  return 0;
}

/* Where pictures are read one after another, one that is missing would not be missed. */
static int say_reasons(const Sink *s, const GPtrArray *sets, Drawn *io_drawn)
{
  int status = 0;
  for (guint i = 0; i < sets->len && !status && has_type(s, text_type); i++) {
    const PictureSet *set = sets->pdata[i];
    if (!set->reason || set->below || !is_wanted(s, set->name)) continue;
    g_autofree char *line = g_strdup_printf("%s: not drawn: %s\n", set->name, set->reason);
    status = put_text(s, line, strlen(line));
    io_drawn->whole++;
  }
  return status;
}

/* Why none of the figures has a picture: the first that says so. */
static const char *first_reason(const Sink *s, const GPtrArray *sets)
{
  for (guint i = 0; i < sets->len; i++) {
    const PictureSet *set = sets->pdata[i];
    if (set->reason && is_wanted(s, set->name)) return set->reason;
  }
  return sets->len ? "the option figures names none of its figures"
                   : "the profile declares no figure";
}

/* A picture was asked for, and there is none. */
static int nothing_drawn(const Sink *s, const GPtrArray *sets, const Drawn *drawn)
{
  const Broken *first = drawn->broken->len ? drawn->broken->pdata[0] : NULL;
  g_autofree char *what =
      first ? g_strdup_printf("no picture could be drawn (the first: %s: %s)", first->name,
                              first->why)
            : g_strdup_printf("there is no picture to draw: %s", first_reason(s, sets));
  return mill_fail(s->host->common, MILL_HELPER_MISSING, what,
                   first ? "stagemill doctor shows the versions of cairo and pango, and the font"
                         : "leave plot out of the formats, or take a profile with figures");
}

static int draw_all(const Sink *s, const GPtrArray *sets, GPtrArray *drawings, Drawn *io_drawn)
{
  int status = check_painter(s);
  for (guint i = 0; i < drawings->len && !status; i++)
    status = draw_one(s, drawings->pdata[i], io_drawn);
  if (status) return status;
  status = say_reasons(s, sets, io_drawn);
  if (status || !io_drawn->whole) return status ? status : nothing_drawn(s, sets, io_drawn);
  for (guint i = 0; i < io_drawn->broken->len; i++) note_broken(s, io_drawn->broken->pdata[i]);
  return 0;
}

static int write_results(void *instance, const MillResults *r)
{
  const Sink *s = instance;
  g_autoptr(GPtrArray) sets = picture_sets(s->host->common, r);
  g_autoptr(GPtrArray) drawings = drawings_of(s, sets);
  Drawn drawn = { 0, g_ptr_array_new_with_free_func(broken_free), g_byte_array_new() };
  note_unknown(s, sets);
  int status = draw_all(s, sets, drawings, &drawn);
  g_ptr_array_unref(drawn.broken);
  g_byte_array_unref(drawn.room);
  return status;
}

/* ---------------------------------------------------------------- descriptor */

static const MillOption options[] = {
  MILL_LIST_OPTION(
      Options, type, "type", "png",
      "Kinds of files: png, svg, pdf; text: one file figures.txt, drawn with characters"),
  MILL_LIST_OPTION(Options, figures, "figures", "", "Names of the figures to draw; empty: all"),
  MILL_INT_OPTION(Options, columns, "columns", "80", "40:1000", NULL, "Width of type text"),
  MILL_INT_OPTION(Options, lines, "lines", "24", "10:1000", NULL,
                  "Height of a panel of type text; larger if it has more categories"),
  MILL_BOOL_OPTION(Options, numbers, "numbers", "false",
                   "Write the numbers of each picture beside it, as NAME.json"),
};

static const MillNotice notices[] = {
  MILL_WARNING(
      NOTE_BROKEN, "{count} picture[|s] could not be drawn (first: {picture}: {why})",
      "[it is|they are] missing from plots/; tables and metrics are complete",
      "free some memory, or draw fewer figures: --set plot.figures=NAME",
      "Painting a picture needs about 15 MB of memory. The message has cairo's reason. The other "
      "pictures are not affected."),
  MILL_WARNING(
      NOTE_UNKNOWN,
      "{count} figure[|s] of the option figures [is|are] not among the results (first: {figure})",
      "no picture of [it|them] was drawn",
      "stagemill report DIR --term shows the figures of a run, stagemill show STAGE those of a "
      "stage",
      "The option figures chooses pictures by name. If no figure of this run has a name, it is "
      "misspelt, or belongs to a stage that the profile does not use or that was skipped for these "
      "inputs. Names of figures of a stage outside stagemill begin with its vendor."),
};

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .options_size = sizeof(Options),
  .name = "plot",
  .format = "plot",
  .flags = MILL_DRAWS,
  .version = "1.0.0",
  .tag = "PLT",
  .title = "Draw each figure as a picture",
  .help = "One file per figure, or per page of it: plots/NAME.png, 2400 pixels wide, or SVG and "
          "PDF. With the same fonts, the bytes are the same each time.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
