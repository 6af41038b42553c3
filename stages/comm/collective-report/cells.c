/* Cells that several tables have; see report.h. */
#include <string.h>

#include "report.h"

MillValue report_text(const char *text) { return mill_text(text, strlen(text)); }
MillValue report_known(int64_t number) { return number >= 0 ? mill_int(number) : mill_none(); }

MillValue report_rate(int64_t bytes, int64_t ns, double factor)
{
  return bytes >= 0 && ns > 0 ? mill_real((double)bytes / (double)ns * factor) : mill_none();
}
