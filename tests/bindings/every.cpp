// Every operation and helper of stage.hpp, to be compiled.
// SPDX-License-Identifier: MIT
#include <stagemill/stage.hpp>

namespace {

struct Options {
  int64_t unused;
};

class Every {
public:
  using Options = ::Options;

  Every(mill::Host host, uint32_t level, const Options &) : host_(host), key_(host.intern("key")), level_(level) {}
  void observe(mill::Observed batch)
  {
    for (const MillEvent &e : batch) sum_ += e.dur_ns;
    sum_ += batch.size() ? batch[0].ts_ns : batch.c()->n_events;
  }
  int decide() { return host_.has_fact("slices") ? 0 : 0; }
  void process(mill::Batch batch)
  {
    for (mill::Event e : batch) change(e);
    if (batch.size()) batch.emit(MILL_IN_PLACE, batch.c()->events[0]);
  }
  void flush(mill::Batch batch) { sum_ += batch.size() ? batch[0].index() : 0; }
  void report()
  {
    host_.metric(0, 1.5, 1, "p50");
    host_.no_metric(1, "nothing was measured");
    if (host_.lane().rank < 0) host_.fail(MILL_BAD_INPUT, "it has no rank", "give one");
  }
  void save_observed() { host_.put(std::string_view("text")); }
  void merge_observed() { sum_ += static_cast<int64_t>(host_.get<std::string_view>().size()); }
  void decide_run() { sum_ = 0; }
  void save_decision() { host_.put(0.5); }
  void load_decision() { sum_ = static_cast<int64_t>(host_.get<double>()); }
  void save_result() { host_.put(sum_); }
  void merge_result()
  {
    for (uint64_t n = host_.count(2); n && host_.more(); n--) sum_ += host_.get<int64_t>();
  }
  int report_run() { return level_ == MILL_RUN ? 0 : -1; }

private:
  void change(mill::Event e)
  {
    if (e.integer(key_) && e.text(key_)) e.drop();
    e.set(key_, nullptr);
    e.set(key_, true);
    e.set(key_, 1);
    e.set(key_, 0.5);
    e.set(key_, "text");
    e.set(key_, key_);
    e.set_ts(e->ts_ns);
    e.set_dur(e->dur_ns);
    e.set_name(key_);
    e.set_cat(e.name());
    e.set_track(e->track);
    host_.note(1);
    sum_ += static_cast<int64_t>(host_.text(e.name()).size());
  }

  mill::Host host_;
  mill::Symbol key_;
  uint32_t level_;
  int64_t sum_ = 0;
};

} // namespace

extern const MillStageOps every_ops;
const MillStageOps every_ops = mill::ops<Every>;
static_assert(mill::ops<Every>.close == nullptr); // there is nothing to destroy
