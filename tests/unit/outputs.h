/* Writing outputs, and looking at what came of them. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_OUTPUTS_H
#define TESTS_UNIT_OUTPUTS_H

#include "output/output.h"
#include "scratch.h"

static inline void put(Output *o, const char *name, int position, const char *text)
{
  g_autoptr(Error) e = output_write(o, name, position, ",", text, strlen(text));
  CHECK(e == NULL);
}

static inline void end(Output *o, int position)
{
  g_autoptr(Error) e = output_end_position(o, position);
  CHECK(e == NULL);
}

static inline void check_file(const char *folder, const char *name, const char *wanted)
{
  g_autofree char *path = g_build_filename(folder, name, NULL), *text = NULL;
  g_file_get_contents(path, &text, NULL, NULL);
  CHECK_STR(text, wanted);
}

static inline unsigned entries(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  unsigned n = 0;
  while (dir && g_dir_read_name(dir)) n++;
  return n;
}

#endif
