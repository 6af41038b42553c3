// The longest slice of each name, per lane.
// SPDX-License-Identifier: MIT
#include <stagemill/stage.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <string>

namespace {

enum { TABLE_LONGEST };

struct Options {
  const MillPattern *select;
};

struct LongestRow {
  MillText name;
  int64_t longest_ns;
};

class Longest {
 public:
  Longest(const MillStageHost *host, const Options &options) : host_(host), options_(options) {}

  int process(const MillBatch *b)
  {
    const MillHost *common = host_->common;
    for (uint32_t i = 0; i < b->n_events; i++) {
      const MillEvent &e = b->events[i];
      if (e.kind != MILL_SLICE || e.dur_ns < 0) continue;
      if (options_.select && !common->match_sym(common, options_.select, e.name)) continue;
      size_t len = 0;
      const char *name = common->symbol_text(common, e.name, &len);
      int64_t &longest = longest_ns_[std::string(name, len)];
      longest = std::max(longest, e.dur_ns);
    }
    return 0;
  }

  int report() const
  {
    for (const auto &[name, longest_ns] : longest_ns_) {
      const LongestRow row = { { name.data(), name.size() }, longest_ns };
      int status = mill_row(host_, TABLE_LONGEST, &row);
      if (status < 0) return status;
    }
    return 0;
  }

 private:
  const MillStageHost *host_;
  Options options_;
  std::map<std::string, int64_t> longest_ns_;
};

int longest_open(const MillStage *, const MillStageHost *host, uint32_t, const void *options, void **out_instance)
{
  *out_instance = new (std::nothrow) Longest(host, *static_cast<const Options *>(options));
  return *out_instance ? 0 : mill_fail(host->common, MILL_LIMIT, "there is no memory", nullptr);
}

// No exception may reach the program.
int longest_process(void *instance, MillBatch *b)
try {
  return static_cast<Longest *>(instance)->process(b);
} catch (const std::bad_alloc &) {
  return -MILL_LIMIT;
}

int longest_report(void *instance) { return static_cast<Longest *>(instance)->report(); }

void longest_close(void *instance) { delete static_cast<Longest *>(instance); }

const MillOption options[] = {
  MILL_REGEX_OPTION(Options, select, "select", "", "Names to look at; none: all"),
};
const MillColumn columns[] = {
  MILL_KEY_BRIEF(LongestRow, name, "name", nullptr, "Of the slices"),
  MILL_BRIEF(LongestRow, longest_ns, "longest", "ns", "The longest of them"),
};
const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 3,
    .name = "longest",
    .help = "The longest slice of each name",
    .order = "-longest",
    .columns = MILL_ROWS(columns) },
};
const char *const needs[] = { "slices", nullptr };
const MillStageOps ops = {
  .size = sizeof ops,
  .open = longest_open,
  .process = longest_process,
  .report = longest_report,
  .close = longest_close,
};
const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_READ_ONLY,
  .options_size = sizeof(Options),
  .name = "acme.longest",
  .family = "acme",
  .version = "1.0.0",
  .tag = "LONG",
  .title = "Find the longest slice of each name",
  .help = "One row for each name, the longest first.",
  .needs = needs,
  .options = MILL_ROWS(options),
  .tables = MILL_ROWS(tables),
  .ops = &ops,
};

} // namespace

MILL_STAGE_MODULE(stage, "acme", "MIT");
