/* The workload-card source: run folders, trees of them, and the tags of their inputs. */
/* SPDX-License-Identifier: MIT */
#include "card.h"

#include <string.h>

#include "kit/text/fail.h"

/* What expand works with: the runs that were found, in the order of reading. */
typedef struct Search {
  const MillSourceHost *host;
  GPtrArray *runs; /* RunFolder */
  bool takes_own;  /* also folders that are known by their results alone */
} Search;

static void run_free(gpointer data)
{
  run_folder_clear(data);
  g_free(data);
}

/* ------------------------------------------------------------------ adding */

static GPtrArray *strings_new(void) { return g_ptr_array_new_with_free_func(g_free); }

/* The table ends in NULL. */
static const char *const *texts_of(GPtrArray *strings)
{
  g_ptr_array_add(strings, NULL);
  return (const char *const *)strings->pdata;
}

static void add_label_tags(const MillSourceHost *host, GPtrArray *tags)
{
  MillLane lane = { .size = sizeof lane, .label = "" };
  host->common->lane(host->common, MILL_NO_LANE, &lane);
  names_label_tags(lane.label ? lane.label : "", tags);
}

static void add_card_tags(const Card *card, GPtrArray *tags)
{
  for (guint i = 0; i < card->tags->len; i++) {
    const char *pair = card->tags->pdata[i];
    g_autofree char *name = g_strndup(pair, strcspn(pair, "="));
    if (!tags_have(tags, name)) g_ptr_array_add(tags, g_strdup(pair));
  }
}

/* RUN/card.yaml, wherever the run lies: tags are in results.  `path` begins with that of the card. */
static char *within_run(const RunFolder *run, const char *path)
{
  g_autofree char *name = names_of_run(run->path), *card = g_path_get_basename(run->card_path);
  return g_strconcat(name, "/", card, path + strlen(run->card_path), NULL);
}

static GPtrArray *tags_of_run(const MillSourceHost *host, const RunFolder *run, const Card *card)
{
  GPtrArray *tags = strings_new();
  g_autofree char *name = names_of_run(run->path);
  add_label_tags(host, tags);
  add_card_tags(card, tags);
  tags_add(tags, "run", name);
  if (card->state == CARD_READ) {
    g_autofree char *path = within_run(run, run->card_path);
    tags_add(tags, "card", path);
  }
  if (card->state == CARD_BROKEN) {
    g_autofree char *place = within_run(run, card->place);
    g_autofree char *text = g_strconcat(place, ": ", card->why, NULL);
    tags_add(tags, "card_error", text);
  }
  return tags;
}

static GPtrArray *hints_of(const RunFolder *run, const Found *found)
{
  GPtrArray *hints = strings_new();
  g_autofree char *name = names_of_run(run->path), *file = g_path_get_basename(found->path);
  names_hints(name, hints);
  if (!run->is_flat) tags_add(hints, "file", file);
  return hints;
}

static int add_inputs(const MillSourceHost *host, const RunFolder *run, const Card *card)
{
  g_autoptr(GPtrArray) tags = tags_of_run(host, run, card);
  const char *const *tag_texts = texts_of(tags);
  for (guint i = 0; i < run->found->len; i++) {
    const Found *found = run->found->pdata[i];
    g_autoptr(GPtrArray) hints = hints_of(run, found);
    MillInput input = { .size = sizeof input,
                        .path = found->path,
                        .source = found->source,
                        .tags = tag_texts,
                        .hints = texts_of(hints) };
    int status = host->add_input(host, &input);
    if (status < 0) return status;
  }
  return 1;
}

/* ----------------------------------------------------------------- failing */

static int fail_unreadable(const MillSourceHost *host, const Card *card)
{
  return fail_input_at(host->common, CARD_UNREADABLE, "the workload card of the run cannot be read",
                       card->place, card->why,
                       "correct the card, or remove it: runs without one are known by names");
}

static int fail_nothing(const MillSourceHost *host, const char *folder)
{
  return fail_input_at(
      host->common, CARD_NOTHING, "a folder of runs holds nothing to read", folder,
      "a run has results_json/*.json, gates_logs_*/gate_logs_*.json, or kernel tables and "
      "databases beside its card",
      "check that the results were copied, and that the folder is the right one");
}

static void note_about(const MillSourceHost *host, uint32_t number, const char *place,
                       const char *why)
{
  const MillNamed named[] = { { "place", mill_text(place, strlen(place)) },
                              { "why", mill_text(why, strlen(why)) } };
  host->common->note(host->common, number, NULL, MILL_NO_EVENT, named, MILL_COUNT(named));
}

/* --------------------------------------------------------------- searching */

/* Keeps a folder that may be a run; true when it has what a run is read from. */
static bool look_at(Search *s, const char *path)
{
  RunFolder run;
  if (!run_folder_look(s->host, path, &run)) return false;
  if (s->takes_own && run.own->len) run_folder_adopt(&run);
  bool has_inputs = run.found->len > 0;
  if (run.has_signs || run.card_path)
    g_ptr_array_add(s->runs, g_memdup2(&run, sizeof run));
  else
    run_folder_clear(&run);
  return has_inputs;
}

static void search(Search *s, const char *path, unsigned levels)
{
  g_autoptr(GPtrArray) names = folder_children(s->host, path);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *below = g_build_filename(path, names->pdata[i], NULL);
    if (!look_at(s, below) && levels > 1) search(s, below, levels - 1);
  }
}

static bool is_run(const RunFolder *run, const Card *card)
{
  return run->has_signs || card->state == CARD_READ || card->state == CARD_BROKEN;
}

/* One folder of a tree: 1 when inputs were added, 0 when there are none. */
static int add_of_tree(const MillSourceHost *host, const RunFolder *run, bool *io_any)
{
  Card card;
  int status = 0;
  card_read(host, run, &card);
  if (is_run(run, &card)) {
    *io_any = true;
    if (card.state == CARD_BROKEN) note_about(host, CARD_LEFT_OUT, card.place, card.why);
    if (run->found->len)
      status = add_inputs(host, run, &card);
    else
      note_about(host, CARD_IDLE_RUN, run->path, "");
  }
  card_clear(&card);
  return status;
}

/* 1: inputs below were added; 0: there are none, though *io_any says that there are runs without any. */
static int add_tree(const MillSourceHost *host, const RunFolder *top, bool *io_any)
{
  Search s = { host, g_ptr_array_new_with_free_func(run_free), !top->has_inputs || top->own->len };
  int result = 0;
  search(&s, top->path, 2);
  for (guint i = 0; i < s.runs->len && result >= 0; i++) {
    int status = add_of_tree(host, s.runs->pdata[i], io_any);
    if (status) result = status;
  }
  g_ptr_array_unref(s.runs);
  return result;
}

/* Traces and tables at the top of a tree of runs. */
static int add_loose(const MillSourceHost *host, const RunFolder *run)
{
  int status = 1;
  for (guint i = 0; i < run->loose->len && status >= 0; i++) {
    const Found *found = run->loose->pdata[i];
    MillInput input = { .size = sizeof input, .path = found->path };
    status = host->add_input(host, &input);
  }
  return status < 0 ? status : 1;
}

/* What lies at the top of a tree of runs: results are a run of their own. */
static int add_top(const MillSourceHost *host, RunFolder *run, const Card *card)
{
  if (!run->own->len) return add_loose(host, run);
  run_folder_adopt(run);
  return add_inputs(host, run, card);
}

/* The runs of a tree, and what is at its top. */
static int add_below(const MillSourceHost *host, RunFolder *run, const Card *card, bool *io_any)
{
  int status = add_tree(host, run, io_any);
  bool has_top = status == 1 || (status == 0 && !*io_any && run->own->len);
  return has_top ? add_top(host, run, card) : status;
}

/* ------------------------------------------------------------------ expand */

/* A folder that is one run: its card must be right. */
static int add_single(const MillSourceHost *host, const RunFolder *run, const Card *card)
{
  if (!run->found->len || !is_run(run, card)) return 0;
  return card->state == CARD_BROKEN ? fail_unreadable(host, card) : add_inputs(host, run, card);
}

static int expand_run(const MillSourceHost *host, RunFolder *run)
{
  Card card;
  bool any_below = false;
  card_read(host, run, &card);
  int status = add_single(host, run, &card);
  if (status == 0) status = add_below(host, run, &card, &any_below);
  if (status == 0 && card.state == CARD_BROKEN)
    status = fail_unreadable(host, &card);
  else if (status == 0 && (any_below || is_run(run, &card)))
    status = fail_nothing(host, run->path);
  card_clear(&card);
  return status;
}

static int expand(const MillSource *self, const MillSourceHost *host, const char *folder)
{
  RunFolder run;
  (void)self;
  if (!run_folder_look(host, folder, &run)) return 0;
  int status = expand_run(host, &run);
  run_folder_clear(&run);
  return status;
}

/* ------------------------------------------------------- a card as an input */

static bool is_yaml_name(const char *name)
{
  return name && (g_str_has_suffix(name, ".yaml") || g_str_has_suffix(name, ".yml"));
}

/* `workload:` at the start of a line. */
static bool has_workload_line(const char *bytes, size_t len)
{
  static const char key[] = "workload:";
  const char *p = bytes, *end = bytes + len;
  for (; p && p < end; p = memchr(p, '\n', (size_t)(end - p)), p = p ? p + 1 : NULL)
    if ((size_t)(end - p) >= sizeof key - 1 && !memcmp(p, key, sizeof key - 1)) return true;
  return false;
}

static int probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  if (is_yaml_name(name) && memmem(bytes, len, "workload", 8)) return 60;
  return has_workload_line(bytes, len) ? 40 : 0;
}

/* The instance is the host: there is nothing to remember. */
static int open_source(const MillSource *self, const MillSourceHost *host, const void *options,
                       void **out_instance)
{
  (void)self, (void)options;
  *out_instance = (void *)(uintptr_t)host;
  return 0;
}

static int describe(void *instance)
{
  return fail_input_at(((const MillSourceHost *)instance)->common, CARD_NO_RESULTS,
                       "a workload card describes a run and holds no results", NULL, NULL,
                       "give the folder of the card: it holds the results");
}

static const MillSourceOps ops = {
  .size = sizeof(MillSourceOps),
  .probe = probe,
  .expand = expand,
  .open = open_source,
  .describe = describe,
};

static const MillSource source = {
  .size = sizeof(MillSource),
  .name = "workload-card",
  .version = "0.1.0",
  .tag = "CARD",
  .title = "Run folders and trees of them, described by workload cards in YAML",
  .help = "Finds the results of benchmark runs in folders: a folder has a card (*.yaml), "
          "results_json, gate logs, kernel tables and databases. These files become inputs of the "
          "sources that read them, with tags from the card and the folder's name. A tree of such "
          "folders is read in the order of names.",
  .notices = MILL_ROWS(card_notices),
  .ops = &ops,
};

MILL_SOURCE_MODULE(source, "stagemill", "MIT");
