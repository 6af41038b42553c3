/* Folders among the inputs: read flat and in order, or as a source knows them to be laid out. */
/* SPDX-License-Identifier: MIT */
#include "input/expand.h"

#include "engine.h"

/* "NAME LABEL m=TAG" of each lane; the folder "in" has what the case wrote. */
static char *open_folder(Engine *e, const InputSpec *like, Error **out_error)
{
  GPtrArray *specs = g_ptr_array_new();
  EngineCase c = { .stages = "[]" };
  g_autofree char *path = g_build_filename(e->folder, "in", NULL);
  InputSpec *spec = input_spec_new(path);
  spec->folder = true;
  spec->rank = like->rank;
  spec->label = g_strdup(like->label);
  spec->source = g_strdup(like->source);
  g_ptr_array_add(specs, spec);
  *out_error = engine_open(e, specs, &c);
  GString *text = g_string_new(NULL);
  for (guint i = 0; !*out_error && i < e->run->inputs->lanes->len; i++) {
    const LaneInfo *l = inputs_lane(e->run->inputs, i);
    const char *tag = tags_get(l->tags, "m");
    g_autofree char *name = g_path_get_basename(l->path);
    g_string_append_printf(text, "%s %s %s %d\n", name, l->label, tag ? tag : "-", (int)l->rank);
  }
  return g_string_free(text, FALSE);
}

static void begin(Engine *e, const char *laid_out)
{
  engine_begin(e);
  scratch_write(e->folder, "in/b", "lines\ntag m=file\n", -1);
  scratch_write(e->folder, "in/a", "lines\n", -1);
  scratch_write(e->folder, "in/notes", "not lines", -1);
  scratch_write(e->folder, "in/.hidden", "lines\n", -1);
  scratch_write(e->folder, "in/deeper/c", "lines\n", -1);
  if (laid_out) scratch_write(e->folder, "in/laid-out", laid_out, -1);
}

static void test_folders(void)
{
  static const struct {
    const char *laid_out;
    InputSpec like;
    const char *wanted, *code;
  } rows[] = {
    { NULL, { .rank = -1 }, "a  - -1\nb  file -1\n", NULL },
    { NULL, { .rank = 4, .label = (char *)"l" }, "a l - 4\nb l file 4\n", NULL },
    { "b one m=card\ndeeper/c two\n", { .rank = -1 }, "b one card -1\nc two - -1\n", NULL },
    { "b one m=card\n",
      { .rank = -1, .label = (char *)"l", .source = (char *)"lines" },
      "b l card -1\n",
      NULL },
    { "b one m=card\ndeeper/c two no\n", { .rank = -1 }, "a  - -1\nb  file -1\n", NULL },
    { "nothing one\n", { .rank = -1 }, "", "RUN-02" },
    { NULL, { .rank = -1, .source = (char *)"colours" }, "", "STG-01" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    Engine e;
    Error *error = NULL;
    begin(&e, rows[i].laid_out);
    g_autofree char *got = open_folder(&e, &rows[i].like, &error);
    CHECK_STR(got, rows[i].wanted);
    if (!CHECK_STR(error ? error->code : NULL, rows[i].code)) printf(" (row %zu)", i);
    error_free(error);
    engine_end(&e);
  }
}

static void test_no_files(void)
{
  Engine e;
  Error *error = NULL;
  engine_begin(&e);
  scratch_write(e.folder, "in/deeper/c", "lines\n", -1);
  const InputSpec like = { .rank = -1 };
  g_free(open_folder(&e, &like, &error));
  if (CHECK(error != NULL)) CHECK_STR(error->code, "RUN-92");
  error_free(error);
  engine_end(&e);
}

/* What the source counted while it looked is reported with the results. */
static void test_notices(void)
{
  Engine e;
  EngineCase c = { .stages = "[{\"use\":\"tally\"}]" };
  Error *error = NULL;
  const InputSpec like = { .rank = -1 };
  begin(&e, "b one\na two\n");
  g_free(open_folder(&e, &like, &error));
  if (!error) error = engine_plan(&e, &c);
  if (!error) error = run_execute(e.run);
  if (CHECK(error == NULL)) {
    g_autofree char *text = engine_text(&e, "results.txt");
    CHECK(strstr(text, "LINES-03 2 inputs in folders\n") != NULL);
  }
  error_free(error);
  engine_end(&e);
}

TEST_MAIN({ "flat, or laid out", test_folders }, { "no files", test_no_files },
          { "notices of who looked", test_notices })
