/* In builds without cairo and pango; see paint.h. */
#include "paint.h"

bool paint_is_there(void) { return false; }

GByteArray *paint(const Display *d, PaintType type, const char *title, char **out_why)
{
  (void)d, (void)type, (void)title;
  *out_why = g_strdup("this stagemill was built without cairo and pango");
  return NULL;
}
