/* The run.json of a finished run: what it says of the results, and how files are added to it.
 * run-file.c, provenance.c */
/* SPDX-License-Identifier: MIT */
#include "output/run-file.h"

#include "base/json.h"
#include "scratch.h"

#define HEAD                                                                                  \
  "{\n  \"schema_version\": \"1.2\",\n"                                                       \
  "  \"program\": {\"name\": \"stagemill\", \"version\": \"9\", \"abi\": \"1.0\"},\n"         \
  "  \"arguments\": [\"run\", \"a.json\"],\n"                                                 \
  "  \"profile\": {\"name\": \"p\", \"chain\": [\"p\"], \"sink_settings\": [\"csv.a=b\"], "   \
  "\"rules\": [\"sync\"]},\n"                                                                 \
  "  \"plan_hash\": \"sha256:00\",\n"                                                         \
  "  \"inputs\": [\n"                                                                         \
  "    {\"name\": \"deep/a.json\", \"source\": {\"name\": \"s\", \"version\": \"1\"}, "       \
  "\"size_bytes\": 3, \"hash\": "                                                             \
  "\"sha256:11\"},\n"                                                                         \
  "    {\"name\": \"-\", \"source\": {\"name\": \"s\", \"version\": \"1\"}, \"size_bytes\": " \
  "null, \"hash\": null}],\n"                                                                 \
  "  \"stages\": [{\"id\": \"x\", \"name\": \"k\", \"version\": \"2\"}, {\"id\": \"y\", "     \
  "\"name\": \"k\", "                                                                         \
  "\"version\": \"2\"}],\n"
#define OUTPUTS                                                                                   \
  "  \"outputs\": [\n    {\n      \"name\": \"b\",\n      \"size_bytes\": 1,\n      \"sha256\": " \
  "\"bb\"\n    }\n  ]"
#define TAIL ",\n  \"clock\": {\"outputs\": [1]}\n}\n"

static RunFile *load(const char *text, const char *why)
{
  char *folder = scratch_folder();
  RunFile *f = NULL;
  if (text) scratch_write(folder, RUN_FILE_NAME, text, -1);
  g_autoptr(Error) e = run_file_load(folder, &f);
  CHECK_INT(e == NULL, why == NULL);
  if (e && why) {
    const char *says = e->why && e->why->len ? e->why->pdata[0] : e->what;
    CHECK_INT(e->status, EXIT_INPUT);
    if (!CHECK(strstr(says, why) != NULL)) CHECK_ROW(says);
  }
  scratch_remove(folder);
  return f;
}

static void test_provenance(void)
{
  RunFile *f = load(HEAD OUTPUTS TAIL, NULL);
  if (!f) return;
  g_autofree char *text = provenance_text(&f->provenance);
  CHECK_STR(text, "{\"program\": {\"name\": \"stagemill\", \"version\": \"9\"}, \"profile\": "
                  "\"p\", \"plan\": \"sha256:00\", "
                  "\"arguments\": [\"run\", \"a.json\"], \"rules\": [\"sync\"], \"modules\": "
                  "[{\"kind\": \"stage\", "
                  "\"name\": \"k\", \"version\": "
                  "\"2\"}, {\"kind\": \"source\", \"name\": \"s\", \"version\": \"1\"}], "
                  "\"inputs\": [{\"name\": \"a.json\", "
                  "\"size_bytes\": 3, \"hash\": \"sha256:11\"}, {\"name\": \"-\", \"size_bytes\": "
                  "null, \"hash\": null}]}");
  CHECK(f->sink_settings->len == 1 && f->outputs->len == 1);
  CHECK_STR(f->sink_settings->pdata[0], "csv.a=b");
  run_file_free(f);
}

#define ENTRY(name, sha)                                                                     \
  "    {\n      \"name\": \"" name "\",\n      \"size_bytes\": 5,\n      \"sha256\": \"" sha \
  "\"\n    }"

static void test_outputs(void)
{
  RunFile *f = load(HEAD OUTPUTS TAIL, NULL);
  OutputEntry c = { (char *)"c", 5, (char *)"cc" }, a = { (char *)"a", 5, (char *)"aa" },
              b = { (char *)"b", 5, (char *)"b2" };
  g_autoptr(GPtrArray) list = g_ptr_array_new();
  g_ptr_array_add(list, &c);
  g_ptr_array_add(list, &a);
  if (!f) return;
  g_autofree char *added = run_file_with(f, list, false), *alone = run_file_with(f, list, true);
  CHECK_STR(added,
            HEAD "  \"outputs\": [\n" ENTRY(
                "a", "aa") ",\n    {\n      \"name\": \"b\",\n      \"size_bytes\": 1,\n"
                           "      \"sha256\": \"bb\"\n    },\n" ENTRY("c", "cc") "\n  ]" TAIL);
  CHECK_STR(alone, HEAD "  \"outputs\": [\n" ENTRY("a", "aa") ",\n" ENTRY("c", "cc") "\n  ]" TAIL);
  g_ptr_array_set_size(list, 0);
  g_ptr_array_add(list, &b);
  g_autofree char *replaced = run_file_with(f, list, false);
  CHECK_STR(replaced, HEAD "  \"outputs\": [\n" ENTRY("b", "b2") "\n  ]" TAIL);
  run_file_free(f);
}

static void test_damage(void)
{
  static const struct {
    const char *text, *why;
  } rows[] = {
    { NULL, "it is not there" },
    { HEAD OUTPUTS, "the text ends inside an object" },
    { HEAD "\"clock\": 1}", "\"outputs\" is missing here" },
    { "{\"schema_version\": \"2.0\"}", "its schema_version is 2.0; this program reads 1" },
    { HEAD "\"outputs\": [{\"name\": 1}]}", "this must be a text" },
    { HEAD OUTPUTS ",\"outputs\": []}", "\"outputs\" is there twice" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (!CHECK(load(rows[i].text, rows[i].why) == NULL)) CHECK_ROW(rows[i].why);
}

TEST_MAIN({ "provenance", test_provenance }, { "outputs", test_outputs }, { "damage", test_damage })
