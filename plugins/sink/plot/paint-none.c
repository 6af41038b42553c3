/* In builds without cairo and pango; see paint.h. */
/* SPDX-License-Identifier: MIT */
#include "paint.h"

bool paint_is_there(void) { return false; }

GByteArray *paint(const Display *d, PaintType type, const char *title, GByteArray *io_room,
                  char **out_why)
{
  (void)d, (void)type, (void)title, (void)io_room;
  *out_why = g_strdup("this stagemill was built without cairo and pango");
  return NULL;
}
