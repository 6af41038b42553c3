/* Rows of a table of notices. */
#ifndef PLUGINS_NOTICES_H
#define PLUGINS_NOTICES_H

#include <stagemill/stage.h>

#define ROW(number, level, what, effect, help, explain)                      \
  {                                                                          \
    (uint32_t)sizeof(MillNotice), number, level, what, effect, help, explain \
  }
#define ERROR_ROW(number, what, help, explain) \
  ROW(number, MILL_LEVEL_ERROR, what, NULL, help, explain)
#define WARNING_ROW(number, what, effect, help, explain) \
  ROW(number, MILL_LEVEL_WARNING, what, effect, help, explain)

#endif
