/* What an earlier run left in its run.json: read in pieces, whole or not at all. */
/* SPDX-License-Identifier: MIT */
#include "output/run-record.h"

#include <string.h>

#include "base/trees.h"
#include "scratch.h"

/* What the record says, as "profile: file file"; "none" when it is not one. */
static void check_record(const char *text, gssize len, const char *wanted)
{
  char *folder = scratch_folder();
  g_autoptr(GString) got = g_string_new(NULL);
  scratch_write(folder, "run.json", text, len);
  g_autofree char *profile = run_record_profile(folder);
  g_autoptr(GTree) files = run_record_files(folder);
  g_string_append_printf(got, "%s:", profile ? profile : "none");
  for (GTreeNode *at = g_tree_node_first(files); at; at = g_tree_node_next(at))
    g_string_append_printf(got, " %s", (const char *)g_tree_node_key(at));
  if (!CHECK_STR(got->str, wanted)) CHECK_ROW(text);
  scratch_remove(folder);
}

static const char small[] =
    "{\"a\": [1, {\"profile\": {\"name\": \"no\"}}], \"profile\": {\"x\": {\"name\": 1}, \"name\": "
    "\"caf\\u00e9\"},\n\"outputs\": [{\"size\": 1, \"name\": \"t/b\"}, {\"name\": \"a\"}], \"z\": "
    "-1.5e3}\n";

static void test_texts(void)
{
  static const struct {
    const char *text, *wanted;
  } rows[] = {
    { small, "caf\xc3\xa9: a t/b" },
    { "{}", "none:" },
    { "", "none:" },
    { "[]", "none:" },
    { "{\"profile\":{\"name\":\"p\"}}", "p:" },
    { "{\"profile\":\"p\",\"outputs\":{\"name\":\"a\"}}", "none:" },
    { "{\"profile\":{\"name\":7},\"outputs\":[{\"name\":\"a\"}]}", "none: a" },
    { "{\"profile\":{\"name\":\"p\"},\"outputs\":[{\"name\":\"a\"}]} x", "none:" },
    { "{\"profile\":{\"name\":\"p\"},\"outputs\":[{\"name\":\"a\"}],}", "none:" },
    { "{\"profile\":{\"name\":\"p\",\"name\":\"q\"}}", "none:" },
    { "{\"profile\":{\"name\":\"p\"},\"profile\":{\"name\":\"q\"}}", "none:" },
    { "{\"profile\":{\"name\":\"p\"},\"outputs\":[{\"name\":\"a\"},{\"name\":\"b\\u0000c\"}]}",
      "none:" },
    { "{\"profile\":{\"name\":\"p\\ud800\"},\"outputs\":[{\"name\":\"a\"}]}", "none:" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) check_record(rows[i].text, -1, rows[i].wanted);
}

static void test_cut(void)
{
  for (size_t len = 0; len < sizeof small - 2; len++) check_record(small, (gssize)len, "none:");
}

/* Of a run of very many inputs: tokens of every kind are cut by the ends of pieces, some are longer than one. */
static void test_long(void)
{
  enum { INPUTS = 1000000, LONG_TEXT = 300000 };
  g_autoptr(GString) text = g_string_new("{\"command\": [\"");
  for (int i = 0; i < LONG_TEXT; i++) g_string_append(text, "\\u00e9");
  g_string_append(text, "\"], \"profile\": {\"name\": \"long\"}, \"inputs\": [");
  for (int i = 0; i < INPUTS; i++)
    g_string_append_printf(
        text,
        "%s{\"name\": \"in/%07d.json\", \"hash\": null, \"events\": %d.5,   \"lanes\": [true]}",
        i ? ", " : "", i, i);
  g_string_append(text, "], \"outputs\": [{\"name\": \"summary.json\"}]}");
  CHECK(text->len > (64u << 20));
  check_record(text->str, (gssize)text->len, "long: summary.json");
}

static void test_no_file(void)
{
  char *folder = scratch_folder();
  g_autofree char *inside = g_build_filename(folder, "run.json", NULL);
  CHECK(run_record_profile(folder) == NULL);
  CHECK_INT(mkfifo(inside, 0600), 0); /* nothing waits for a writer */
  CHECK(run_record_profile(folder) == NULL);
  g_autoptr(GTree) files = run_record_files(folder);
  CHECK_INT(g_tree_nnodes(files), 0);
  scratch_remove(folder);
}

TEST_MAIN({ "texts", test_texts }, { "cut at any byte", test_cut }, { "very long", test_long },
          { "no file", test_no_file })
