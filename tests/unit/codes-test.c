/* Codes: the table is ordered and complete, and every code that the core raises is explained. */
/* SPDX-License-Identifier: MIT */
#include "model/codes.h"

#include <glib.h>
#include <stdlib.h>

#include "check.h"

static void test_table(void)
{
  size_t n = 0;
  const Code *codes = codes_all(&n);
  CHECK(n > 30);
  for (size_t i = 0; i < n; i++) {
    bool ok = CHECK(codes_find(codes[i].code) == &codes[i]) &&
              CHECK(!i || strcmp(codes[i - 1].code, codes[i].code) < 0);
    size_t title = strlen(codes[i].title);
    ok = ok && CHECK(title > 5 && codes[i].title[title - 1] != '.') &&
         CHECK(strlen(codes[i].explain) > 60) && CHECK(g_str_has_suffix(codes[i].explain, "."));
    if (!ok) CHECK_ROW(codes[i].code);
  }
}

static void test_find(void)
{
  CHECK(codes_find("prf-03") == codes_find("PRF-03") && codes_find("PRF-03") != NULL);
  CHECK(codes_find("PRF-999") == NULL);
  CHECK(codes_find("") == NULL);
}

/* Codes in string literals, "TAG-NN" and nothing else between the quotes. */
static void check_file(const char *path, unsigned *n_found)
{
  g_autofree char *text = NULL;
  if (!CHECK(g_file_get_contents(path, &text, NULL, NULL))) return;
  g_autoptr(GRegex) regex = g_regex_new("\"((?:PRF|STG|RUN|OUT)-\\d\\d)\"", 0, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  g_regex_match(regex, text, 0, &match);
  for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
    g_autofree char *code = g_match_info_fetch(match, 1);
    ++*n_found;
    if (!CHECK(codes_find(code) != NULL)) printf("\n    %s in %s has no explanation", code, path);
  }
}

static void check_folder(const char *folder, unsigned *n_found)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
      check_folder(path, n_found);
    else if (g_str_has_suffix(name, ".c"))
      check_file(path, n_found);
  }
  if (dir) g_dir_close(dir);
}

static void test_all_explained(void)
{
  const char *root = g_getenv("SOURCE_ROOT");
  g_autofree char *core = g_build_filename(root ? root : ".", "core", NULL);
  unsigned n_found = 0;
  check_folder(core, &n_found);
  CHECK(n_found > 50);
}

TEST_MAIN({ "the table", test_table }, { "lookup", test_find },
          { "all codes are explained", test_all_explained })
