/* Cells that several tables have; see report.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report.h"

int64_t report_known(int64_t number) { return number >= 0 ? number : MILL_NO_INT; }

double report_rate(int64_t bytes, int64_t ns, double factor)
{
  return bytes >= 0 && ns > 0 ? (double)bytes / (double)ns * factor : (double)NAN;
}
