/* What a run was made of: the hash of its plan, and the same words in the run and from its run.json. */
/* SPDX-License-Identifier: MIT */
#include "results/provenance.h"

#include "engine.h"
#include "output/run-file.h"
#include "plan/module-id.h"

/* Its plan's hash, for the caller to free. */
static char *plan_of(const char *stages, const char *text, RunOptions options)
{
  const EngineCase c = { .inputs = { { NULL, text } }, .stages = stages, .options = options };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  char *hash = CHECK(error == NULL) ? provenance_plan_hash(e.run->ended) : NULL;
  engine_end(&e);
  return hash;
}

static void test_plan(void)
{
  static const char first[] = "[{\"use\":\"tally\"}]";
  g_autofree char *hash = plan_of(first, "e a 1 1\n", (RunOptions){ 0 });
  static const struct {
    const char *stages, *text;
    bool same;
    RunOptions options;
  } rows[] = {
    { first, "rank 3\ntag a=b\n", true, { .jobs = 3, .batch_events = 1, .strict = true } },
    { "[{\"use\":\"tally\"},{\"use\":\"echo\",\"enabled\":false}]", "", true, { 0 } },
    { "[{\"use\":\"tally\"},{\"use\":\"echo\"}]", "", false, { 0 } },
    { "[{\"use\":\"tally\",\"as\":\"t\"}]", "", false, { 0 } },
    { first, "", false, { .recover = true } },
  };
  CHECK(g_str_has_prefix(hash, "sha256:") && strlen(hash) == strlen("sha256:") + 64);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *other = plan_of(rows[i].stages, rows[i].text, rows[i].options);
    if (!CHECK_INT(!strcmp(hash, other), rows[i].same)) CHECK_ROW(rows[i].stages);
  }
}

/* The hash of an input is made once, whoever asks first. */
static void test_same_words(void)
{
  const EngineCase c = { .inputs = { { NULL, "e a 1 1\n" }, { "b", "e a 1 1\n" } },
                         .stages = "[{\"use\":\"tally\"},{\"use\":\"echo\"}]" };
  Engine e;
  engine_begin(&e);
  g_autoptr(Error) error = engine_execute(&e, &c);
  if (CHECK(error == NULL)) {
    g_autoptr(RunFile) f = NULL;
    const MillResults *r = run_results(e.run);
    g_autoptr(Error) unread = run_file_load(e.out, &f);
    g_autofree char *before = provenance_input_hash(e.run->ended, 1);
    const char *words = r->info(r, "provenance");
    g_autofree char *after = provenance_input_hash(e.run->ended, 1),
                    *text = f ? provenance_text(&f->provenance) : NULL;
    CHECK(unread == NULL && words != NULL && strstr(words, "\"name\": \"in1.lines\"") != NULL);
    CHECK_STR(words, text);
    CHECK(r->info(r, "provenance") == words);
    CHECK_STR(before, after);
    CHECK(words && strstr(words, before) != NULL && strstr(words, r->info(r, "plan")) != NULL);
    CHECK(words && !strstr(words, e.folder));
  }
  engine_end(&e);
}

/* Of the program itself, and of what is in none. */
static void test_build_id(void)
{
  g_autofree char *own = module_build_id((const void *)test_build_id);
  g_autofree char *again = module_build_id((const void *)plan_of), *none = module_build_id(NULL);
  CHECK_STR(own, again);
  CHECK(none == NULL);
  CHECK(!own || strspn(own, "0123456789abcdef") == strlen(own));
}

TEST_MAIN({ "plan", test_plan }, { "the same words", test_same_words },
          { "build ids", test_build_id })
