// The stage of docs/write-a-stage.md in C++: times between two slices of one track in which none ran.
// SPDX-License-Identifier: MIT
#include <stagemill/stage.hpp>

namespace {

enum { NOTICE_NO_DURATION = 1 };
enum { TABLE_GAPS };
enum { METRIC_GAP_TIME };

struct GapOptions {
  int64_t min_ns;
};

struct GapRow {
  int64_t gaps, total_ns, longest_ns;
};

class Gaps {
public:
  using Options = GapOptions;

  Gaps(mill::Host host, uint32_t, const GapOptions &options)
      : host_(host), min_ns_(options.min_ns), gap_before_(host.intern("gap_before")), end_ns_(mill::Allocator<int64_t>(host))
  {
  }

  void process(mill::Batch batch)
  {
    for (mill::Event e : batch) {
      if (!e.is(MILL_SLICE)) continue;
      if (e->dur_ns < 0)
        e.note(NOTICE_NO_DURATION);
      else
        look_at(e);
    }
  }

  void report() { host_.row(TABLE_GAPS, sum_); }

  void save_result()
  {
    host_.put(sum_.gaps);
    host_.put(sum_.total_ns);
  }

  void merge_result()
  {
    sum_.gaps += host_.get<int64_t>();
    sum_.total_ns += host_.get<int64_t>();
  }

  void report_run() { host_.metric(METRIC_GAP_TIME, sum_.total_ns, static_cast<uint64_t>(sum_.gaps)); }

private:
  void look_at(mill::Event e)
  {
    if (e->track >= end_ns_.size()) end_ns_.resize(e->track + 64, INT64_MIN);
    int64_t &end_ns = end_ns_[e->track];
    int64_t gap_ns = end_ns == INT64_MIN ? 0 : e->ts_ns - end_ns;
    if (e->ts_ns + e->dur_ns > end_ns) end_ns = e->ts_ns + e->dur_ns;
    if (gap_ns > min_ns_) found_gap(e, gap_ns);
  }

  void found_gap(mill::Event e, int64_t gap_ns)
  {
    sum_.gaps++;
    sum_.total_ns += gap_ns;
    if (gap_ns > sum_.longest_ns) sum_.longest_ns = gap_ns;
    e.set(gap_before_, gap_ns);
  }

  mill::Host host_;
  int64_t min_ns_;
  mill::Symbol gap_before_;
  mill::vector<int64_t> end_ns_; // of each track: the latest end so far; INT64_MIN: nothing ran yet
  GapRow sum_{};
};

const MillOption options[] = {
  MILL_DURATION_OPTION(GapOptions, min_ns, "min", "10us", "0:", "Longest gap that is ignored"),
};
const MillNotice notices[] = {
  MILL_WARNING(NOTICE_NO_DURATION, "{count} slice[|s] of {lane} [has|have] no duration",
               "gaps after [it|them] may be reported too long", NULL,
               "A complete event (phase X) must have a member `dur`.  Where it is missing, nobody "
               "knows when the slice ended, so it is left out."),
};
const MillColumn columns[] = {
  MILL_BRIEF(GapRow, gaps, "gaps", "count", "Gaps that were long enough"),
  MILL_BRIEF(GapRow, total_ns, "total", "ns", "Their time, summed over tracks"),
  MILL_BRIEF(GapRow, longest_ns, "longest", "ns", "The longest of them"),
};
const MillTable tables[] = {
  { .per = MILL_PER_LANE,
    .brief_rows = 8,
    .name = "gaps",
    .help = "Times in which a track of the lane did nothing",
    .order = NULL,
    .columns = MILL_ROWS(columns) },
};
const MillMetric metrics[] = {
  { .per = MILL_PER_RUN,
    .better = MILL_LOWER,
    .kind = MILL_INT,
    .name = "gap_time",
    .unit = "ns",
    .help = "Time in gaps, summed over tracks and lanes" },
};
const char *const needs[] = { "slices", "order.lane", NULL };
const char *const provides[] = { "attr.gap_before", NULL };
const MillStageOps ops = mill::ops<Gaps>;

const MillStage stage = {
  .size = sizeof(MillStage),
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MERGES | MILL_ANY_ORDER,
  .options_size = sizeof(GapOptions),
  .name = "acme.gaps",
  .family = "acme",
  .version = "0.1.0",
  .tag = "GAPS",
  .title = "Find times in which a track did nothing",
  .help = "The slice after a gap gets the attribute gap_before, in nanoseconds.  Gaps are counted "
          "and summed by lane.",
  .needs = needs,
  .provides = provides,
  .options = MILL_ROWS(options),
  .notices = MILL_ROWS(notices),
  .tables = MILL_ROWS(tables),
  .metrics = MILL_ROWS(metrics),
  .ops = &ops,
};

} // namespace

MILL_STAGE_MODULE(stage, "acme", "MIT");
