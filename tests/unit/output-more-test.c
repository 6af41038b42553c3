/* Files added to the folder of a run: all or none, and nothing else is touched. */
/* SPDX-License-Identifier: MIT */
#include "output/run-record.h"
#include "outputs.h"

#define RECORD "{\"profile\":{\"name\":\"p\"},\"outputs\":[{\"name\":\"old\"},{\"name\":\"t/a\"}]}"

static char *make_run(void)
{
  char *folder = scratch_folder();
  scratch_write(folder, "run.json", RECORD, -1);
  scratch_write(folder, "old", "old", -1);
  scratch_write(folder, "t/a", "a", -1);
  scratch_write(folder, "mine", "mine", -1);
  return folder;
}

/* The status code of adding these files, each of which holds "new". */
static char *add(const char *folder, const char *names, bool force)
{
  Output *o = NULL;
  g_auto(GStrv) list = g_strsplit(names, " ", -1);
  g_autoptr(Error) e = output_more(folder, "p", force, &o);
  if (!CHECK(e == NULL)) return g_strdup(e->code);
  for (char **name = list; *name; name++) put(o, *name, OUTPUT_HEAD, "new");
  end(o, OUTPUT_HEAD);
  output_begin_tail(o);
  e = output_commit(o);
  if (e) output_abort(o, NULL, false);
  output_free(o);
  return e ? g_strdup(e->code) : NULL;
}

static void test_adds(void)
{
  static const struct {
    const char *names;
    bool force;
    const char *code;
  } rows[] = {
    { "x run.json", false, NULL }, { "old t/b", false, NULL },     { "x mine", false, "OUT-02" },
    { "x mine", true, NULL },      { "x t/a/b", false, "OUT-03" }, { "x t", true, "OUT-03" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *folder = make_run();
    g_autofree char *code = add(folder, rows[i].names, rows[i].force);
    if (!CHECK_STR(code, rows[i].code)) CHECK_ROW(rows[i].names);
    g_auto(GStrv) list = g_strsplit(rows[i].names, " ", -1);
    for (char **name = list; *name && !code; name++) check_file(folder, *name, "new");
    check_file(folder, "t/a", "a");
    bool has_mine = rows[i].force && !code;
    if (!has_mine) check_file(folder, "mine", "mine");
    if (code) {
      check_file(folder, "x", NULL);
      check_file(folder, "old", "old");
      CHECK_INT(entries(folder), 4);
    }
    scratch_remove(folder);
  }
}

/* Of another profile, or of nobody. */
static void test_refused(void)
{
  char *folder = make_run();
  Output *o = NULL;
  Error *e = output_more(folder, "q", true, &o);
  CHECK(e && !strcmp(e->code, "OUT-02"));
  error_free(e);
  g_autofree char *record = g_build_filename(folder, "run.json", NULL);
  unlink(record);
  e = output_more(folder, "p", true, &o);
  CHECK(e && !strcmp(e->code, "OUT-02") && o == NULL);
  error_free(e);
  CHECK_INT(entries(folder), 3);
  scratch_remove(folder);
}

TEST_MAIN({ "adds", test_adds }, { "refused", test_refused })
