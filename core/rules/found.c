/* Findings as rows; see found.h. */
#include "rules/found.h"

#include <glib.h>
#include <string.h>

#include "base/finding.h"

enum { NAME, TEXT, SEVERITY, COST_NS, SHARE, WHERE, EVIDENCE, ADVICE };

static const SqlColumn columns[] = {
  [NAME] = { "name", MILL_TEXT, SQL_LASTS },
  [TEXT] = { "text", MILL_TEXT, SQL_LASTS },
  [SEVERITY] = { "severity", MILL_TEXT, SQL_LASTS },
  [COST_NS] = { "cost_ns", MILL_INT, 0 },
  [SHARE] = { "share", MILL_REAL, 0 },
  [WHERE] = { "where", MILL_TEXT, SQL_LASTS },
  [EVIDENCE] = { "evidence", MILL_TEXT, SQL_LASTS },
  [ADVICE] = { "advice", MILL_TEXT, SQL_LASTS },
};

typedef struct Rows {
  const MillResults *results;
  uint32_t next;
  MillFindingResult at;
} Rows;

static void *begin(const SqlTable *table, const SqlScan *scan)
{
  Rows *r = g_new0(Rows, 1);
  (void)scan;
  r->results = table->context;
  r->at.size = sizeof r->at;
  return r;
}

static int next(void *cursor)
{
  Rows *r = cursor;
  if (!r->results || r->next >= r->results->n_findings) return 0;
  return r->results->finding(r->results, r->next++, &r->at);
}

static MillValue text(const char *of) { return mill_text(of, strlen(of)); }

static MillValue cell(void *cursor, uint32_t column)
{
  const MillFindingResult *f = &((const Rows *)cursor)->at;
  switch (column) {
  case NAME: return text(f->name);
  case TEXT: return text(f->text);
  case SEVERITY: return text(finding_severity(f->severity));
  case COST_NS: return f->cost_ns;
  case SHARE: return mill_real(f->share);
  case WHERE: return text(f->where_json);
  case EVIDENCE: return text(f->evidence_json);
  default: return text(f->advice);
  }
}

SqlTable found_table(const MillResults *results)
{
  return (SqlTable){ .name = "_finding",
                     .columns = columns,
                     .n_columns = G_N_ELEMENTS(columns),
                     .context = (void *)results,
                     .begin = begin,
                     .next = next,
                     .cell = cell,
                     .end = g_free };
}
