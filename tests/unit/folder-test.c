/* Tests of listings of folders: looked at once, with what cannot be seen. */
/* SPDX-License-Identifier: MIT */
#include "base/folder.h"

#include <errno.h>
#include <unistd.h>

#include "check.h"
#include "scratch.h"

static void test_listing(void)
{
  char *folder = scratch_folder();
  FolderListing l = { NULL, NULL, NULL };
  scratch_write(folder, "b", "four", -1);
  scratch_write(folder, "deeper/c", "", -1);
  g_autofree char *link = g_build_filename(folder, "a", NULL);
  CHECK(symlink("nowhere", link) == 0);
  const FolderEntry *e = folder_list(&l, folder);
  CHECK_INT(l.names->len, 3);
  CHECK_STR(e[0].name, "a");
  CHECK(e[0].seen == -1 && e[0].why == ENOENT);
  CHECK(e[1].seen == 1 && S_ISREG(e[1].st.st_mode) && e[1].st.st_size == 4);
  CHECK(e[2].seen == 1 && S_ISDIR(e[2].st.st_mode));
  scratch_write(folder, "later", "", -1);
  CHECK(folder_list(&l, folder) == e && l.names->len == 3);
  folder_listing_clear(&l);
  CHECK(folder_list(&l, folder) != NULL);
  CHECK_INT(l.names->len, 4);
  folder_listing_clear(&l);
  CHECK(!folder_list(&l, link) && errno == ENOENT && !l.path);
  folder_listing_clear(&l);
  scratch_remove(folder);
}

TEST_MAIN({ "a folder is looked at once", test_listing })
