// Stages in C++20: a class with the operations that it needs; header only, over <stagemill/stage.h>.
//
//   struct Gaps {
//     using Options = GapOptions;
//     Gaps(mill::Host host, uint32_t level, const GapOptions &options);
//     void process(mill::Batch batch);
//     void report();
//   };
//   static const MillStageOps ops = mill::ops<Gaps>;
//
// An operation that the class does not have is not called.  They give nothing, or an int as in C.  An object is made
// in `open` and destroyed in `close`.  What the program refuses is thrown (mill::Failed), and so may be whatever
// standard classes throw: each operation ends there, with the failure reported.  mill::vector counts against
// --max-memory.  No exception leaves an operation.
//
// SPDX-License-Identifier: MIT
#ifndef STAGEMILL_STAGE_HPP
#define STAGEMILL_STAGE_HPP

#include <stagemill/stage.h>

#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mill {

// The program has refused a call, or the stage has failed: the status to return.
struct Failed {
  int status;
};
inline int check(int status)
{
  if (status < 0) throw Failed{ status };
  return status;
}

// ------------------------------------------------------------------- values

inline MillValue value(std::nullptr_t) { return mill_none(); }
inline MillValue value(bool b) { return mill_bool(b); }
inline MillValue value(int i) { return mill_int(i); }
inline MillValue value(int64_t i) { return mill_int(i); }
inline MillValue value(double r) { return mill_real(r); }
inline MillValue value(std::string_view text) { return mill_text(text.data(), text.size()); }
inline MillValue value(const char *text) { return value(std::string_view(text)); }
inline MillValue value(MillValue v) { return v; }

// An interned string; a number of its own would be taken for an integer.
struct Symbol {
  MillSym id = 0;
  bool operator==(const Symbol &) const = default;
};
inline MillValue value(Symbol s) { return mill_sym(s.id); }

// --------------------------------------------------------------------- host

class Host {
public:
  explicit Host(const MillStageHost *host) : host_(host) {}
  const MillStageHost *stage() const { return host_; }
  const MillHost *common() const { return host_->common; }

  Symbol intern(std::string_view text) const { return { common()->intern(common(), text.data(), text.size()) }; }
  std::string_view text(Symbol s) const
  {
    size_t len = 0;
    const char *text = common()->symbol_text(common(), s.id, &len);
    return { text, len };
  }
  void note(uint32_t number) const { mill_note(common(), number); }
  void note(uint32_t number, const MillBatch *b, uint32_t index) const
  {
    common()->note(common(), number, b, index, nullptr, 0);
  }
  MillLane lane(uint32_t index = MILL_NO_LANE) const
  {
    MillLane lane{};
    lane.size = sizeof lane;
    common()->lane(common(), index, &lane);
    return lane;
  }
  // Of `wants` or `needs`.
  bool has_fact(const char *fact) const { return host_->has_fact(host_, fact); }
  [[noreturn]] void fail(uint32_t status, const char *what, const char *help = nullptr) const
  {
    throw Failed{ mill_fail(common(), status, what, help) };
  }

  // Results.
  template <class Row> void row(uint32_t table, const Row &row) const { check(mill_row(host_, table, &row)); }
  template <class T> void metric(uint32_t metric, const T &v, uint64_t n, const char *stat = nullptr) const
  {
    check(host_->metric(host_, metric, stat, value(v), n));
  }
  void no_metric(uint32_t metric, const char *reason, const char *stat = nullptr) const
  {
    check(host_->no_metric(host_, metric, stat, reason));
  }

  // What is saved is loaded in the same order, maybe by another process: never a Symbol.
  void put(int64_t v) const { host_->put_int(host_, v); }
  void put(double v) const { host_->put_real(host_, v); }
  void put(std::string_view text) const { host_->put_text(host_, text.data(), text.size()); }
  void put(Symbol) const = delete;
  template <class T> T get() const
  {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(host_->get_real(host_));
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      size_t len = 0;
      const char *text = host_->get_text(host_, &len);
      return { text, len };
    } else {
      return static_cast<T>(host_->get_int(host_));
    }
  }
  bool more() const { return host_->get_more(host_); }
  // A number of items that is safe to allocate by.
  uint64_t count(size_t min_bytes) const { return host_->get_count(host_, min_bytes); }

private:
  const MillStageHost *host_;
};

// ------------------------------------------------------------------- memory

// Memory of the instance, counted against --max-memory.
template <class T> class Allocator {
public:
  using value_type = T;
  explicit Allocator(Host host) : common_(host.common()) {}
  template <class U> Allocator(const Allocator<U> &other) : common_(other.common()) {}
  T *allocate(size_t n)
  {
    void *memory = n > SIZE_MAX / sizeof(T) ? nullptr : common_->resize(common_, nullptr, n * sizeof(T));
    if (!memory) throw std::bad_alloc();
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, size_t) { common_->resize(common_, memory, 0); }
  const MillHost *common() const { return common_; }
  template <class U> bool operator==(const Allocator<U> &other) const { return common_ == other.common(); }

private:
  const MillHost *common_;
};
template <class T> using vector = std::vector<T, Allocator<T>>;

// ------------------------------------------------------------------- events

// One event of a batch; good until the operation returns.
class Event {
public:
  Event(Host host, MillBatch *batch, uint32_t index) : host_(host), batch_(batch), index_(index) {}
  const MillEvent *operator->() const { return &batch_->events[index_]; }
  uint32_t index() const { return index_; }
  bool is(uint8_t kind) const { return (*this)->kind == kind; }
  Symbol name() const { return { (*this)->name }; }

  std::optional<int64_t> integer(Symbol key) const
  {
    int64_t v = 0;
    if (!mill_attr_int(batch_, &batch_->events[index_], key.id, &v)) return std::nullopt;
    return v;
  }
  std::optional<std::string_view> text(Symbol key) const
  {
    const MillAttr *a = mill_attr(batch_, &batch_->events[index_], key.id);
    size_t len = 0;
    const char *text = a ? mill_attr_text(batch_, a, &len) : nullptr;
    if (!text) return std::nullopt;
    return std::string_view(text, len);
  }

  template <class T> void set(Symbol key, const T &v) const
  {
    check(host_.stage()->set(host_.stage(), batch_, index_, key.id, value(v)));
  }
  void set_ts(int64_t ts_ns) const { mill_set_ts(at(), ts_ns); }
  void set_dur(int64_t dur_ns) const { mill_set_dur(at(), dur_ns); }
  void set_name(Symbol name) const { mill_set_name(at(), name.id); }
  void set_cat(Symbol cat) const { mill_set_cat(at(), cat.id); }
  void set_track(uint32_t track) const { mill_set_track(at(), track); }
  void drop() const { mill_drop(at()); }
  void note(uint32_t number) const { host_.note(number, batch_, index_); }

private:
  MillEvent *at() const { return const_cast<MillEvent *>(&batch_->events[index_]); }
  Host host_;
  MillBatch *batch_;
  uint32_t index_;
};

class Batch {
public:
  Batch(Host host, MillBatch *batch) : host_(host), batch_(batch) {}
  MillBatch *c() const { return batch_; }
  uint32_t size() const { return batch_->n_events; }
  Event operator[](uint32_t index) const { return { host_, batch_, index }; }

  class Iterator {
  public:
    Iterator(const Batch *batch, uint32_t index) : batch_(batch), index_(index) {}
    Event operator*() const { return (*batch_)[index_]; }
    Iterator &operator++()
    {
      index_++;
      return *this;
    }
    bool operator!=(const Iterator &other) const { return index_ != other.index_; }

  private:
    const Batch *batch_;
    uint32_t index_;
  };
  Iterator begin() const { return { this, 0 }; }
  Iterator end() const { return { this, size() }; }

  // After that event, or MILL_AT_START, MILL_AT_END or MILL_IN_PLACE; its index.
  uint32_t emit(uint32_t after, const MillEvent &event) const
  {
    uint32_t index = host_.stage()->emit(host_.stage(), batch_, after, &event);
    if (index == MILL_FAILED) throw Failed{ -MILL_STAGE_FAILED };
    return index;
  }

private:
  Host host_;
  MillBatch *batch_;
};

// What `observe` gets: to be read only.
class Observed {
public:
  explicit Observed(const MillBatch *batch) : batch_(batch) {}
  const MillBatch *c() const { return batch_; }
  uint32_t size() const { return batch_->n_events; }
  const MillEvent &operator[](uint32_t index) const { return batch_->events[index]; }
  const MillEvent *begin() const { return batch_->events; }
  const MillEvent *end() const { return batch_->events + batch_->n_events; }

private:
  const MillBatch *batch_;
};

// --------------------------------------------------------------- operations

namespace detail {

template <class T> struct Instance {
  Host host;
  T stage;
};

template <class Call> int guarded(const MillHost *common, Call &&call) noexcept
{
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return 0;
    } else {
      return call();
    }
  } catch (const Failed &failed) {
    return failed.status;
  } catch (const std::bad_alloc &) {
    return mill_fail(common, MILL_LIMIT, "there is not enough memory", nullptr);
  } catch (const std::exception &e) {
    return mill_fail(common, MILL_STAGE_FAILED, e.what(), nullptr);
  } catch (...) {
    return mill_fail(common, MILL_STAGE_FAILED, "an exception was thrown", nullptr);
  }
}

template <class T> using OptionsOf = typename T::Options;

template <class T>
int open(const MillStage *, const MillStageHost *host, uint32_t level, const void *options, void **out) noexcept
{
  return guarded(host->common, [&] {
    void *memory = mill_new(host->common, sizeof(Instance<T>));
    if (!memory) throw Failed{ -MILL_LIMIT };
    const auto &given = *static_cast<const OptionsOf<T> *>(options);
    *out = new (memory) Instance<T>{ Host(host), T(Host(host), level, given) };
  });
}

template <class T> void close(void *instance) noexcept { static_cast<Instance<T> *>(instance)->~Instance<T>(); }

#define MILL_CPP_PLAIN(operation)                                                                   \
  template <class T> int operation(void *instance) noexcept                                         \
  {                                                                                                 \
    auto *i = static_cast<Instance<T> *>(instance);                                                 \
    return guarded(i->host.common(), [&] { return i->stage.operation(); });                         \
  }                                                                                                 \
  template <class T> constexpr int (*find_##operation())(void *)                                    \
  {                                                                                                 \
    if constexpr (requires(T &t) { t.operation(); })                                                \
      return operation<T>;                                                                          \
    else                                                                                            \
      return nullptr;                                                                               \
  }
MILL_CPP_PLAIN(decide)
MILL_CPP_PLAIN(report)
MILL_CPP_PLAIN(save_observed)
MILL_CPP_PLAIN(merge_observed)
MILL_CPP_PLAIN(decide_run)
MILL_CPP_PLAIN(save_decision)
MILL_CPP_PLAIN(load_decision)
MILL_CPP_PLAIN(save_result)
MILL_CPP_PLAIN(merge_result)
MILL_CPP_PLAIN(report_run)
#undef MILL_CPP_PLAIN

template <class T> int observe(void *instance, const MillBatch *batch) noexcept
{
  auto *i = static_cast<Instance<T> *>(instance);
  return guarded(i->host.common(), [&] { return i->stage.observe(Observed(batch)); });
}
template <class T> int process(void *instance, MillBatch *batch) noexcept
{
  auto *i = static_cast<Instance<T> *>(instance);
  return guarded(i->host.common(), [&] { return i->stage.process(Batch(i->host, batch)); });
}
template <class T> int flush(void *instance, MillBatch *batch) noexcept
{
  auto *i = static_cast<Instance<T> *>(instance);
  return guarded(i->host.common(), [&] { return i->stage.flush(Batch(i->host, batch)); });
}

template <class T> constexpr MillStageOps make_ops()
{
  MillStageOps ops{};
  ops.size = sizeof ops;
  ops.open = open<T>;
  if constexpr (requires(T &t, Observed b) { t.observe(b); }) ops.observe = observe<T>;
  if constexpr (requires(T &t, Batch b) { t.process(b); }) ops.process = process<T>;
  if constexpr (requires(T &t, Batch b) { t.flush(b); }) ops.flush = flush<T>;
  ops.decide = find_decide<T>();
  ops.report = find_report<T>();
  ops.save_observed = find_save_observed<T>();
  ops.merge_observed = find_merge_observed<T>();
  ops.decide_run = find_decide_run<T>();
  ops.save_decision = find_save_decision<T>();
  ops.load_decision = find_load_decision<T>();
  ops.save_result = find_save_result<T>();
  ops.merge_result = find_merge_result<T>();
  ops.report_run = find_report_run<T>();
  if constexpr (!std::is_trivially_destructible_v<T>) ops.close = close<T>;
  return ops;
}

} // namespace detail

template <class T> inline constexpr MillStageOps ops = detail::make_ops<T>();

} // namespace mill

#endif
