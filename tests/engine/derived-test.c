/* Folders that come from finished runs. */
/* SPDX-License-Identifier: MIT */
#include "output/derived.h"

#include "engine.h"
#include "model/usage.h"
#include "output/run-file.h"

static DerivedJob job_of(const char *folder, const GPtrArray *inputs, GPtrArray *arguments)
{
  static const char *const formats[] = { NULL };
  static const DerivedFile files[] = { { "a.txt", "one\n", 4 }, { "b/c.txt", "", 0 } };
  return (DerivedJob){ .profile = "check",
                       .folder = folder,
                       .inputs = inputs,
                       .command_line = arguments,
                       .arguments = arguments,
                       .started_ns = usage_clock_ns(),
                       .jobs = 1,
                       .formats = formats,
                       .files = files,
                       .n_files = 2 };
}

static void check_code(Error *e, const char *code)
{
  CHECK_STR(e ? e->code : NULL, code);
  error_free(e);
}

/* All files with a record of them; again over itself, and not over what is something else or is read. */
static void test_files(void)
{
  char *folder = scratch_folder();
  g_autofree char *path = g_build_filename(folder, "out", NULL);
  g_autofree char *input = g_build_filename(folder, "in.json", NULL);
  g_autofree char *written = g_build_filename(path, "a.txt", NULL);
  g_autofree char *text = NULL;
  g_autoptr(GPtrArray) inputs = g_ptr_array_new(), arguments = g_ptr_array_new();
  g_autoptr(RunFile) record = NULL;
  Output *out;
  g_file_set_contents(input, "{}", -1, NULL);
  g_ptr_array_add(inputs, input);
  g_ptr_array_add(arguments, (gpointer) "check");
  DerivedJob job = job_of(path, inputs, arguments);
  for (int round = 0; round < 2; round++) {
    check_code(derived_write(&job, &out), NULL);
    output_free(out);
  }
  CHECK(g_file_get_contents(written, &text, NULL, NULL));
  CHECK_STR(text, "one\n");
  check_code(run_file_load(path, &record), NULL);
  if (CHECK(record && record->outputs->len == 2 && record->provenance.inputs->len == 1)) {
    CHECK_STR(record->provenance.profile, "check");
    CHECK_STR(((OutputEntry *)record->outputs->pdata[0])->name, "a.txt");
    CHECK_INT(g_array_index(record->provenance.inputs, ProvenanceInput, 0).size_bytes, 2);
  }
  job.profile = "compare";
  check_code(derived_write(&job, &out), "OUT-02");
  output_free(out);
  job.profile = "check";
  g_ptr_array_add(inputs, written);
  check_code(derived_write(&job, &out), "OUT-11");
  output_free(out);
  CHECK(g_file_test(written, G_FILE_TEST_EXISTS));
  scratch_remove(folder);
}

TEST_MAIN({ "files", test_files })
