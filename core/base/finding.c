/* Findings as JSON; see finding.h. */
/* SPDX-License-Identifier: MIT */
#include "base/finding.h"

#include <string.h>

const char *finding_severity(uint32_t severity)
{
  if (severity >= MILL_FINDING_CRITICAL) return "critical";
  return severity == MILL_FINDING_WARNING ? "warning" : "note";
}

void finding_put(JsonWriter *out, const MillFindingResult *f)
{
  json_put_open(out, NULL, '{');
  json_put_text(out, "name", f->name);
  json_put_text(out, "text", f->text);
  json_put_text(out, "severity", finding_severity(f->severity));
  if (f->cost_ns.type == MILL_INT) json_put_int(out, "cost_ns", f->cost_ns.u.i);
  json_put_real(out, "share", f->share);
  json_put_raw(out, "where", f->where_json, strlen(f->where_json));
  json_put_raw(out, "evidence", f->evidence_json, strlen(f->evidence_json));
  json_put_text(out, "advice", f->advice);
  json_put_close(out);
}
