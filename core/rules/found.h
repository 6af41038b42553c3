/* What rules found, as a table for the verdict and the views of a profile. */
#ifndef RULES_FOUND_H
#define RULES_FOUND_H

#include <stagemill/sink.h>

#include "sql/table.h"

/* _finding: its columns are the members of a finding.  It has no rows without results; else those of their last view. */
SqlTable found_table(const MillResults *results);

#endif
