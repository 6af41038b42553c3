/* Cells that several tables have; see report.h. */
#include <string.h>

#include "lib/fields.h"
#include "lib/op-shape.h"
#include "report.h"

enum { MAX_NODES = 64 };

MillValue report_text(const char *text) { return mill_text(text, strlen(text)); }
MillValue report_known(int64_t number) { return number >= 0 ? mill_int(number) : mill_none(); }

MillValue report_rate(int64_t bytes, int64_t ns, double factor)
{
  return bytes >= 0 && ns > 0 ? mill_real((double)bytes / (double)ns * factor) : mill_none();
}

MillValue report_node(const Report *r, int64_t rank)
{
  return r->options.gpus_per_node > 0 ? mill_int(rank / r->options.gpus_per_node) : mill_none();
}

/* Distinct nodes of a list of ranks as it is written, cut short or not; 0: it is no list. */
static int64_t nodes_of(const Report *r, const char *ranks)
{
  int64_t seen[MAX_NODES], n = 0;
  Field list = { ranks, strlen(ranks) };
  for (uint32_t i = 0;; i++) {
    int64_t rank, k = 0;
    Field item = op_item(list, i);
    if (!digits_read(item.text, item.len, &rank)) return n;
    while (k < n && seen[k] != rank / r->options.gpus_per_node) k++;
    if (k == n && n < MAX_NODES) seen[n++] = rank / r->options.gpus_per_node;
  }
}

MillValue report_span(const Report *r, const Call *call)
{
  if (r->options.gpus_per_node <= 0) return mill_none();
  int64_t n = nodes_of(r, call->ranks);
  return n > 0 ? mill_int(n) : mill_none();
}
