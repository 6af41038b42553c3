/* The sink of pictures: each declared figure, drawn by gnuplot. */
#include <stagemill/sink.h>
#include <string.h>

#include "finish.h"
#include "fonts.h"
#include "script.h"
#include "term.h"

enum { NOTE_BROKEN = 1, NOTE_UNKNOWN = 2 };
enum {
  BATCH = 16,
  TYPES = 4
}; /* pictures drawn by one call of the host, whose bytes are in memory together */

typedef struct Options {
  MillList type, figures;
  int64_t columns, lines;
  bool keep_scripts;
} Options;

typedef struct Sink {
  const MillSinkHost *host;
  Options options;
  PlotType types[TYPES];
  guint n_types;
} Sink;

/* What became of the pictures of a run. */
typedef struct Drawn {
  guint whole;       /* files with a picture, or with the reasons why there is none */
  GPtrArray *broken; /* Broken * */
} Drawn;

typedef struct Broken {
  char *name, *why;
} Broken;

/* A picture in one of its types. */
typedef struct Drawing {
  const Picture *picture;
  PlotType type;
  char *file; /* without its ending */
  GString *script;
} Drawing;

static const struct {
  const char *word;
  PlotType type;
} types[] = {
  { "png", PLOT_PNG }, { "svg", PLOT_SVG }, { "pdf", PLOT_PDF }, { "text", PLOT_DUMB }
};

/* ------------------------------------------------------------------- opening */

static bool has_type(const Sink *s, PlotType type)
{
  for (guint i = 0; i < s->n_types; i++)
    if (s->types[i] == type) return true;
  return false;
}

static bool add_type(Sink *s, const char *word)
{
  for (size_t k = 0; k < G_N_ELEMENTS(types); k++) {
    if (strcmp(word, types[k].word)) continue;
    if (!has_type(s, types[k].type)) s->types[s->n_types++] = types[k].type;
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
  if (!s->n_types) s->types[s->n_types++] = PLOT_PNG;
  return 0;
}

/* ------------------------------------------------------------------ drawings */

static void free_drawing(gpointer data)
{
  Drawing *d = data;
  g_free(d->file);
  if (d->script) g_string_free(d->script, TRUE);
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

static void add_drawings(const Sink *s, const Picture *p, GPtrArray *drawings)
{
  g_autofree char *name = free_name(drawings, p->file);
  for (guint t = 0; t < s->n_types; t++) {
    Drawing *d = g_new0(Drawing, 1);
    d->picture = p;
    d->type = s->types[t];
    d->file = g_strdup(name);
    g_ptr_array_add(drawings, d);
  }
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
      add_drawings(s, set->pictures->pdata[k], drawings);
  }
  return drawings;
}

/* ----------------------------------------------------------------- characters */

static GString *script_for(const Sink *s, const Drawing *d, const Fonts *fonts)
{
  const Options *o = &s->options;
  return d->type == PLOT_DUMB ? term_script(d->picture, (unsigned)o->columns, (unsigned)o->lines)
                              : script_of(d->picture, d->type, fonts);
}

static void write_scripts(const Sink *s, GPtrArray *drawings, const Fonts *fonts)
{
  for (guint i = 0; i < drawings->len; i++) {
    Drawing *d = drawings->pdata[i];
    if (d->script) g_string_free(d->script, TRUE);
    d->script = script_for(s, d, fonts);
  }
}

static bool ask_for_fonts(const GPtrArray *drawings)
{
  for (guint i = 0; i < drawings->len; i++) {
    const Drawing *d = drawings->pdata[i];
    if (d->type != PLOT_SVG && d->type != PLOT_DUMB && fonts_matter(d->script->str)) return true;
  }
  return false;
}

/* Only where some text has a character that not every font has. */
static int check_characters(const Sink *s, GPtrArray *drawings)
{
  static const char *const arguments[] = { "--format", "%{charset}\n" };
  write_scripts(s, drawings, NULL);
  if (!ask_for_fonts(drawings)) return 0;
  MillJob job = { .size = sizeof job, .program = "fc-list", .arguments = { 2, arguments } };
  int status = s->host->helper(s->host, &job, 1);
  if (status) return status;
  Fonts *fonts = fonts_new(job.out, job.why ? 0 : job.out_len);
  write_scripts(s, drawings, fonts);
  fonts_free(fonts);
  return 0;
}

/* ------------------------------------------------------------------- drawing */

static void broken_free(gpointer data)
{
  Broken *b = data;
  g_free(b->name);
  g_free(b->why);
  g_free(b);
}

static void keep_broken(Drawn *io_drawn, const Drawing *d, const char *why)
{
  Broken *b = g_new0(Broken, 1);
  b->name = g_strdup_printf("%s.%s", d->file, script_ending(d->type));
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
  return put_file(s, TERM_FILE, script_ending(PLOT_DUMB), whole->str, whole->len);
}

static int keep_script(const Sink *s, const Drawing *d)
{
  g_autoptr(GString) json = g_string_new(NULL);
  if (d->type != s->types[0]) return 0;
  g_autofree char *base = g_path_get_basename(d->file);
  g_autofree char *head =
      g_strdup_printf("# gnuplot %s.gp draws %s.%s\nset output '%s.%s'\n", base, base,
                      script_ending(d->type), base, script_ending(d->type));
  g_autofree char *alone = g_strconcat(head, d->script->str, NULL);
  int status = put_file(s, d->file, "gp", alone, strlen(alone));
  if (status) return status;
  picture_json(d->picture, json);
  return put_file(s, d->file, "json", json->str, json->len);
}

/* One picture that cannot be drawn is a notice: the others are there. */
static int take(const Sink *s, const Drawing *d, const MillJob *job, Drawn *io_drawn)
{
  const char *fault = job->why ? job->why : finish_fault(d->type, job->out, job->out_len);
  int status = s->options.keep_scripts ? keep_script(s, d) : 0;
  if (status) return status;
  if (fault) {
    keep_broken(io_drawn, d, fault);
    return 0;
  }
  io_drawn->whole++;
  g_autoptr(GByteArray) whole = finish(d->type, d->picture->title, job->out, job->out_len);
  if (d->type == PLOT_DUMB) return put_text(s, (const char *)whole->data, whole->len);
  return put_file(s, d->file, script_ending(d->type), whole->data, whole->len);
}

static int no_gnuplot(const Sink *s, const char *why)
{
  g_autofree char *what = g_strdup_printf("pictures were not drawn: %s", why);
  return mill_fail(s->host->common, MILL_HELPER_MISSING, what, "apt-get install gnuplot-nox");
}

static int draw_batch(const Sink *s, const GPtrArray *drawings, guint first, guint n,
                      Drawn *io_drawn)
{
  static const char *const arguments[] = { "-d", "-" }; /* no start-up file; the script comes in */
  MillJob jobs[BATCH];
  for (guint i = 0; i < n; i++) {
    const Drawing *d = drawings->pdata[first + i];
    jobs[i] = (MillJob){ .size = sizeof(MillJob),
                         .program = "gnuplot",
                         .arguments = { 2, arguments },
                         .in = d->script->str,
                         .in_len = d->script->len };
  }
  int status = s->host->helper(s->host, jobs, n);
  if (!status && jobs[0].missing) return no_gnuplot(s, jobs[0].why);
  for (guint i = 0; i < n && !status; i++)
    status = take(s, drawings->pdata[first + i], &jobs[i], io_drawn);
  return status;
}

/* Where pictures are read one after another, one that is missing would not be missed. */
static int say_reasons(const Sink *s, const GPtrArray *sets, Drawn *io_drawn)
{
  int status = 0;
  for (guint i = 0; i < sets->len && !status && has_type(s, PLOT_DUMB); i++) {
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
  return sets->len ? "none of its figures was asked for" : "the profile declares no figure";
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
                   first ? "stagemill doctor shows which gnuplot is used"
                         : "leave plot out of the formats, or take a profile with figures");
}

static int draw_all(const Sink *s, const GPtrArray *sets, GPtrArray *drawings, Drawn *io_drawn)
{
  int status = check_characters(s, drawings);
  for (guint first = 0; first < drawings->len && !status; first += BATCH)
    status = draw_batch(s, drawings, first, MIN(BATCH, drawings->len - first), io_drawn);
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
  Drawn drawn = { 0, g_ptr_array_new_with_free_func(broken_free) };
  note_unknown(s, sets);
  int status = draw_all(s, sets, drawings, &drawn);
  g_ptr_array_unref(drawn.broken);
  return status;
}

/* ---------------------------------------------------------------- descriptor */

static const MillOption options[] = {
  MILL_LIST_OPTION(Options, type, "type", "png",
                   "Kinds of files: png, svg, pdf; text: figures.txt, of characters"),
  MILL_LIST_OPTION(Options, figures, "figures", "", "Only these figures, by their names"),
  MILL_INT_OPTION(Options, columns, "columns", "80", "40:1000", NULL, "Width of type text"),
  MILL_INT_OPTION(Options, lines, "lines", "24", "10:1000", NULL,
                  "Height of a panel of type text; more where it has more categories"),
  MILL_BOOL_OPTION(
      Options, keep_scripts, "keep-scripts", "false",
      "Leave beside each picture the script that draws it (NAME.gp) and its numbers (NAME.json)"),
};

static const MillNotice notices[] = {
  MILL_WARNING(NOTE_BROKEN, "{count} picture[|s] could not be drawn (first: {picture}: {why})",
               "[it is|they are] missing from plots/; tables and metrics are complete",
               "--keep-plot-scripts leaves the scripts: gnuplot NAME.gp says more",
               "gnuplot was started for the picture and did not give a whole one: it was killed, "
               "took more than "
               "20 seconds or 2 GiB of memory, or printed an error, which is shown. The other "
               "pictures are not "
               "affected. An old gnuplot, or one built without cairo, cannot draw PNG and PDF: "
               "stagemill doctor "
               "shows which one is used."),
  MILL_WARNING(
      NOTE_UNKNOWN,
      "{count} figure[|s] of the option figures [is|are] not among the results (first: {figure})",
      "no picture of [it|them] was drawn",
      "stagemill report DIR --term shows the figures of a run, stagemill show STAGE those of a "
      "stage",
      "The option figures chooses pictures by name. A name that no figure of this run has is "
      "misspelt, or belongs "
      "to a stage that the profile does not use or that was skipped for these inputs. Figures of a "
      "stage from "
      "outside have its vendor before their names."),
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
  .version = "1.0.0",
  .tag = "PLT",
  .title = "Draw each figure as a picture",
  .help = "One file per figure, or per page of it: plots/NAME.png, 2400 pixels wide, or SVG and "
          "PDF. gnuplot draws "
          "them, in a process each, several at once; it gets its script on its standard input, and "
          "neither reads "
          "nor writes files.",
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
