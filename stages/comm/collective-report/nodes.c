/* Which node a rank is on, and on how many a group is; see report.h. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "kit/devices/op-shape.h"
#include "kit/trace/lane-member.h"
#include "report.h"

/* Elements of a list that are objects. */
static int64_t objects_of(const char *json, size_t len)
{
  JsonCursor cursor;
  JsonToken token;
  JsonKind kind;
  int64_t n = 0;
  json_open(&cursor, json, len, true);
  if (json_next(&cursor, &token) != JSON_ARRAY) return 0;
  while ((kind = json_skip(&cursor, &token)) != JSON_ARRAY_END && kind != JSON_ERROR)
    n += kind == JSON_OBJECT;
  return n;
}

/* The profiler lists the devices that its process saw.  One alone may be one of many, of which the process was shown no more. */
static int64_t devices_listed(const Report *r)
{
  MillValue json;
  uint32_t i = 0;
  if (!lane_member_next(r->host, &i, "deviceProperties", &json)) return 0;
  int64_t n = objects_of(json.u.text, json.len);
  return n > 1 ? n : 0;
}

void report_learn_nodes(Report *r)
{
  r->per_node = r->options.gpus_per_node > 0 ? r->options.gpus_per_node : devices_listed(r);
}

int64_t report_node(const Report *r, int64_t rank)
{
  return r->per_node > 0 ? rank / r->per_node : MILL_NO_INT;
}

static int by_number(const void *p, const void *q)
{
  int64_t a = *(const int64_t *)p, b = *(const int64_t *)q;
  return (a > b) - (a < b);
}

/* Distinct nodes of a list of ranks; 0: it is none, or cut short. */
static int64_t nodes_of(const Report *r, const char *ranks)
{
  const size_t len = strlen(ranks), most = len / 2 + 1;
  int64_t *nodes = r->common->scratch(r->common, most * sizeof *nodes), distinct = 0;
  int n = nodes ? op_numbers((Field){ ranks, len }, nodes, (int)most) : 0;
  for (int i = 0; i < n; i++) nodes[i] /= r->per_node;
  if (n > 0) qsort(nodes, (size_t)n, sizeof *nodes, by_number);
  for (int i = 0; i < n; i++) distinct += i == 0 || nodes[i] != nodes[i - 1];
  return distinct;
}

/* Calls of one group have one text of ranks. */
int64_t report_span(Report *r, const Call *call)
{
  if (r->per_node <= 0) return MILL_NO_INT;
  if (r->spanned != call->ranks) r->span = nodes_of(r, call->ranks);
  r->spanned = call->ranks;
  return r->span > 0 ? r->span : MILL_NO_INT;
}
