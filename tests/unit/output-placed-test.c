/* Files that sinks write by themselves, by their path: output-write.c. */
/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>
#include <unistd.h>

#include "output/output.h"
#include "outputs.h"

static const char *place(Output *o, const char *sink, const char *name)
{
  const char *path = NULL;
  g_autoptr(Error) e = output_place_of(o, sink, name, &path);
  CHECK(e == NULL && path != NULL);
  return path;
}

static void check_refused(Error *e, const char *code, const char *why)
{
  if (CHECK(e != NULL)) {
    CHECK_INT(e->status, EXIT_OUTPUT);
    CHECK_STR(e->code, code);
    g_autoptr(GString) text = g_string_new(NULL);
    error_format(e, false, false, text);
    if (!CHECK(strstr(text->str, why) != NULL)) CHECK_ROW(text->str);
  }
  error_free(e);
}

static void write_text(const char *path, const char *text)
{
  CHECK(g_file_set_contents(path, text, -1, NULL));
}

static Output *folder_in(const char *scratch, char **out_path)
{
  Output *o = NULL;
  *out_path = g_build_filename(scratch, "out", NULL);
  CHECK(output_folder(*out_path, "p", false, &o) == NULL);
  return o;
}

/* Like any other output: in the list with size and hash, in place only when all is complete. */
static void test_placed(void)
{
  char *scratch = scratch_folder(), *path;
  Output *o = folder_in(scratch, &path);
  GPtrArray *list = NULL;
  output_begin_tail(o);
  write_text(place(o, "a", "deep/./x.db"), "abc");
  CHECK(output_check_placed(o, "a") == NULL);
  CHECK(!g_file_test(path, G_FILE_TEST_EXISTS));
  CHECK(output_seal(o, &list) == NULL);
  if (CHECK_INT(list->len, 1)) {
    const OutputEntry *entry = list->pdata[0];
    CHECK_STR(entry->name, "deep/x.db");
    CHECK_INT(entry->size, 3);
    CHECK_STR(entry->sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }
  output_sync(o);
  CHECK(output_commit(o) == NULL);
  check_file(path, "deep/x.db", "abc");
  CHECK_INT(entries(scratch), 1);
  g_ptr_array_unref(list);
  output_free(o);
  g_free(path);
  scratch_remove(scratch);
}

/* A second call may go on with it. */
static void test_asked_again(void)
{
  char *scratch = scratch_folder(), *path;
  Output *o = folder_in(scratch, &path);
  g_autofree char *first = g_strdup(place(o, "a", "x"));
  write_text(first, "one");
  CHECK(output_check_placed(o, "a") == NULL);
  CHECK_STR(place(o, "a", "x"), first);
  CHECK(unlink(first) == 0);
  check_refused(output_check_placed(o, "a"), "OUT-13", "left no file there");
  output_abort(o, NULL, false);
  CHECK_INT(entries(scratch), 0);
  output_free(o);
  g_free(path);
  scratch_remove(scratch);
}

static void test_what_is_left(void)
{
  char *scratch = scratch_folder(), *path;
  Output *o = folder_in(scratch, &path);
  place(o, "a", "nothing");
  CHECK(output_check_placed(o, "b") == NULL); /* it is not that one's */
  check_refused(output_check_placed(o, "a"), "OUT-13", "left no file there");
  CHECK(mkdir(place(o, "a", "nothing"), 0777) == 0);
  check_refused(output_check_placed(o, "a"), "OUT-13", "something other than a file");
  CHECK(symlink("/etc/passwd", place(o, "c", "link")) == 0);
  check_refused(output_check_placed(o, "c"), "OUT-13", "something other than a file");
  output_abort(o, NULL, false);
  output_free(o);
  g_free(path);
  scratch_remove(scratch);
}

static Error *ask(Output *o, const char *sink, const char *name)
{
  const char *unused;
  return output_place_of(o, sink, name, &unused);
}

static void test_refused(void)
{
  char *scratch = scratch_folder(), *path;
  Output *o = folder_in(scratch, &path);
  output_capture(o, "printed");
  put(o, "of-program", OUTPUT_TAIL, "x");
  CHECK(output_write_of(o, "a", "in-parts", OUTPUT_HEAD, NULL, "x", 1) == NULL);
  place(o, "a", "mine");
  check_refused(ask(o, "b", "mine"), "OUT-08", "two sinks write");
  check_refused(ask(o, "a", "of-program"), "OUT-08", "two sinks write");
  check_refused(ask(o, "a", "run.json"), "OUT-08", "two sinks write");
  check_refused(ask(o, "a", "in-parts"), "OUT-13", "some of it was written already");
  check_refused(ask(o, "a", "printed"), "OUT-13", "it is printed, too");
  check_refused(ask(o, "a", "../x"), "OUT-03", "leads out of the output folder");
  check_refused(ask(o, "a", "/x"), "OUT-03", "leads out of the output folder");
  check_refused(ask(o, "a", "a\nb"), "OUT-03", "control character");
  check_refused(output_write_of(o, "a", "mine", OUTPUT_TAIL, NULL, "x", 1), "OUT-13",
                "it already has a path");
  output_abort(o, NULL, false);
  output_free(o);
  g_free(path);
  scratch_remove(scratch);
}

static void test_nowhere_and_through(void)
{
  const char *path = "unset";
  Output *o = output_nowhere();
  CHECK(output_place_of(o, "a", "x", &path) == NULL);
  CHECK(path == NULL);
  CHECK(output_check_placed(o, "a") == NULL);
  output_free(o);
  CHECK(output_file("/dev/null", false, &o) == NULL);
  check_refused(ask(o, "a", "x"), "OUT-13", "a pipe, a device or standard output");
  output_abort(o, NULL, false);
  output_free(o);
}

/* One file, as convert writes it, replaces what is there. */
static void test_one_file(void)
{
  char *scratch = scratch_folder();
  g_autofree char *path = g_build_filename(scratch, "x.db", NULL);
  Output *o = NULL;
  write_text(path, "old");
  CHECK(output_file(path, true, &o) == NULL);
  write_text(place(o, "a", "x.db"), "new");
  CHECK(output_check_placed(o, "a") == NULL);
  CHECK(output_commit(o) == NULL);
  check_file(scratch, "x.db", "new");
  CHECK_INT(entries(scratch), 1);
  output_free(o);
  scratch_remove(scratch);
}

TEST_MAIN({ "a file of a sink's own", test_placed }, { "asked for again", test_asked_again },
          { "what is left there", test_what_is_left }, { "refused", test_refused },
          { "nowhere, and as it comes", test_nowhere_and_through }, { "one file", test_one_file })
