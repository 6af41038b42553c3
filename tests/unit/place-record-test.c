/* What a killed run had moved when it ended: what was there is there again, and what the user put there since stays. */
/* SPDX-License-Identifier: MIT */
#include "output/place-record.h"

#include <stdio.h>

#include "output/place.h"
#include "scratch.h"

static char *text_at(const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  char *text = NULL;
  g_file_get_contents(path, &text, NULL, NULL);
  return text;
}

static void move(const char *folder, const char *from, const char *to)
{
  g_autofree char *a = g_build_filename(folder, from, NULL),
                  *b = g_build_filename(folder, to, NULL);
  CHECK(rename(a, b) == 0);
}

/* new files left/a and left/b for a, which is there, and b, which is not. */
static char *recorded(void)
{
  char *folder = scratch_folder();
  g_autofree char *left = g_build_filename(folder, "left", NULL);
  g_autoptr(GPtrArray) places = g_ptr_array_new_with_free_func(place_free);
  g_autoptr(GPtrArray) from = g_ptr_array_new_with_free_func(g_free);
  static const char *const names[] = { "a", "b" };
  scratch_write(folder, "a", "old", -1);
  for (int i = 0; i < 2; i++) {
    Place *p = g_new0(Place, 1);
    g_autofree char *name = g_strconcat("left/", names[i], NULL);
    scratch_write(folder, name, "new", -1);
    g_ptr_array_add(from, g_build_filename(folder, name, NULL));
    p->from = from->pdata[i];
    p->to = g_build_filename(folder, names[i], NULL);
    p->there = i == 0;
    g_ptr_array_add(places, p);
  }
  CHECK(!place_is_recorded(left));
  CHECK(place_record(places, left) == NULL);
  CHECK(place_is_recorded(left));
  return folder;
}

/* What is there after it; NULL: nothing. */
static void restores(char *folder, bool wanted, const char *a, const char *b)
{
  g_autofree char *left = g_build_filename(folder, "left", NULL);
  CHECK_INT(place_restore(left), wanted);
  g_autofree char *now_a = text_at(folder, "a"), *now_b = text_at(folder, "b");
  CHECK(!g_strcmp0(now_a, a) && !g_strcmp0(now_b, b));
  scratch_remove(folder);
}

static void exchange(const char *folder)
{
  move(folder, "a", "kept");
  move(folder, "left/a", "a");
  move(folder, "kept", "left/a");
}

static void test_nothing_moved(void) { restores(recorded(), true, "old", NULL); }

static void test_all_moved(void)
{
  char *folder = recorded();
  exchange(folder);
  move(folder, "left/b", "b");
  restores(folder, true, "old", NULL);
}

static void test_put_aside(void)
{
  char *folder = recorded();
  move(folder, "a", "left/old-0");
  restores(folder, true, "old", NULL);
  folder = recorded();
  move(folder, "a", "left/old-0");
  move(folder, "left/a", "a");
  restores(folder, true, "old", NULL);
}

static void test_another_since(void)
{
  char *folder = recorded();
  exchange(folder);
  move(folder, "left/b", "b");
  scratch_write(folder, "a", "mine", -1);
  scratch_write(folder, "b", "mine", -1);
  restores(folder, true, "mine", "mine");
}

static void test_not_given_back(void)
{
  char *folder = recorded();
  move(folder, "left/a", "a"); /* the old one is lost */
  restores(folder, false, "new", NULL);
}

TEST_MAIN({ "nothing was moved", test_nothing_moved }, { "all was moved", test_all_moved },
          { "put aside", test_put_aside }, { "another file since", test_another_since },
          { "not given back", test_not_given_back })
