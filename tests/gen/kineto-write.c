/* Writes the planned events of kineto-gen as JSON in one of three layouts. */
/* SPDX-License-Identifier: MIT */
#include "kineto.h"

typedef struct {
  const char *open, *sep, *line, *args_open, *args_sep, *args_close, *close, *between;
  const char *list_open, *list_sep, *list_close;
  bool spaced; /* a space after colons */
} Layout;

static const Layout layouts[] = {
  [NATIVE] = { "  {\n    ", ", ", ",\n    ", "{\n      ", ",\n      ", "\n    }", "\n  }", ",\n",
               "[", ", ", "]", true },
  [COMPACT] = { "{", ",", ",", "{", ",", "}", "}", ",", "[", ",", "]", false },
  [PRETTY] = { "    {\n      ", ",\n      ", ",\n      ", "{\n        ", ",\n        ", "\n      }",
               "\n    }", ",\n", "[\n          ", ",\n          ", "\n        ]", true },
};

enum { SHOWN_RANKS = 32 }; /* longer lists are cut, as profilers do */

static void key(Writer *w, const char *text)
{
  put_char(w->out, '"');
  put(w->out, text);
  put(w->out, layouts[w->layout].spaced ? "\": " : "\":");
}

static void text_value(Writer *w, const char *name, const char *text)
{
  key(w, name);
  put_char(w->out, '"');
  put(w->out, text);
  put_char(w->out, '"');
}

static void number(Writer *w, const char *name, uint64_t value)
{
  key(w, name);
  put_u64(w->out, value);
}

static void arg_number(Writer *w, const char *name, uint64_t value)
{
  put(w->out, layouts[w->layout].args_sep);
  number(w, name, value);
}

static void arg_text(Writer *w, const char *name, const char *text)
{
  put(w->out, layouts[w->layout].args_sep);
  text_value(w, name, text);
}

static void arg_list(Writer *w, const char *name, const uint64_t *values, int n)
{
  const Layout *layout = &layouts[w->layout];
  put(w->out, layout->args_sep);
  key(w, name);
  put(w->out, layout->list_open);
  for (int i = 0; i < n; i++) {
    if (i) put(w->out, layout->list_sep);
    put_u64(w->out, values[i]);
  }
  put(w->out, layout->list_close);
}

/* --- one event ---------------------------------------------------------------------------- */

static uint64_t process_of(const Writer *w, Place place)
{
  return place >= COMPUTE_STREAM ? (uint64_t)w->run->rank % 8 : 4000 + (uint64_t)w->run->rank;
}

static uint64_t thread_of(const Writer *w, Place place)
{
  static const uint64_t threads[N_PLACES] = { 0, 431, 7, 20, 24 };
  return threads[place] + (place >= COMPUTE_STREAM ? 0 : 4000 + (uint64_t)w->run->rank);
}

static void open_event(Writer *w)
{
  out_room(w->out);
  if (!w->first) put(w->out, layouts[w->layout].between);
  w->first = false;
  put(w->out, layouts[w->layout].open);
}

static void sep(Writer *w) { put(w->out, layouts[w->layout].sep); }

static void put_place(Writer *w, Place place)
{
  number(w, "pid", process_of(w, place));
  sep(w);
  number(w, "tid", thread_of(w, place));
}

static void put_stamp(Writer *w, int64_t ts_ns)
{
  key(w, "ts");
  put_milli(w->out, w->zero_ns + ts_ns);
}

static void open_slice(Writer *w, const Planned *e, const char *cat, const char *name)
{
  open_event(w);
  text_value(w, "ph", "X");
  sep(w);
  text_value(w, "cat", cat);
  sep(w);
  text_value(w, "name", name);
  sep(w);
  put_place(w, e->place);
  put(w->out, layouts[w->layout].line);
  put_stamp(w, e->ts_ns);
  sep(w);
  key(w, "dur");
  put_milli(w->out, e->dur_ns);
}

/* The first argument of every event is a number. */
static void open_args(Writer *w, const char *name, uint64_t value)
{
  put(w->out, layouts[w->layout].line);
  key(w, "args");
  put(w->out, layouts[w->layout].args_open);
  number(w, name, value);
}

static void close_args(Writer *w)
{
  put(w->out, layouts[w->layout].args_close);
  put(w->out, layouts[w->layout].close);
}

static void write_cpu_op(Writer *w, const Planned *e)
{
  open_slice(w, e, "cpu_op", w->names->op[e->name]);
  open_args(w, "External id", e->external);
  arg_number(w, "Record function id", 0);
  if (e->sequence) {
    arg_number(w, "Sequence number", e->sequence);
    arg_number(w, "Fwd thread id", e->value ? 0 : 1);
  }
  arg_number(w, "Ev Idx", e->external);
  close_args(w);
}

static void arg_items(Writer *w, const char *name, const char *items)
{
  put(w->out, layouts[w->layout].args_sep);
  key(w, name);
  put_char(w->out, '[');
  put(w->out, items);
  put_char(w->out, ']');
}

static void write_named_op(Writer *w, const Planned *e)
{
  OperatorText text = operator_text(e);
  open_slice(w, e, "cpu_op", text.name);
  open_args(w, "Record function id", 0);
  arg_items(w, "Concrete Inputs", text.concrete);
  arg_items(w, "Input type", text.types);
  arg_items(w, "Input Strides", text.strides);
  arg_items(w, "Input Dims", text.dims);
  close_args(w);
}

static void write_named_call(Writer *w, const Planned *e)
{
  open_slice(w, e, "cuda_runtime", operator_text(e).name);
  open_args(w, "cbid", 211);
  arg_number(w, "correlation", e->id);
  close_args(w);
}

static void write_named_kernel(Writer *w, const Planned *e)
{
  open_slice(w, e, "kernel", operator_text(e).name);
  open_args(w, "device", process_of(w, e->place));
  arg_number(w, "stream", thread_of(w, e->place));
  arg_number(w, "correlation", e->id);
  close_args(w);
}

static void write_step(Writer *w, const Planned *e, const char *cat)
{
  char name[32] = "ProfilerStep#";
  char digits[12];
  size_t at = sizeof digits - 1, value = e->external;
  digits[at] = 0;
  do digits[--at] = (char)('0' + value % 10);
  while (value /= 10);
  strcat(name, digits + at);
  open_slice(w, e, cat, name);
  open_args(w, "External id", e->external + 1);
  close_args(w);
}

static void write_annotation(Writer *w, const Planned *e)
{
  open_slice(w, e, "user_annotation", "nccl:all_reduce");
  open_args(w, "External id", e->external);
  arg_number(w, "Ev Idx", e->external);
  close_args(w);
}

static void write_python(Writer *w, const Planned *e)
{
  open_slice(w, e, "python_function", w->names->python[e->name]);
  open_args(w, "Python id", e->id);
  if (e->external) arg_number(w, "Python parent id", e->external);
  arg_number(w, "Python module id", e->name % 97);
  arg_number(w, "Ev Idx", e->id);
  close_args(w);
}

static void write_runtime(Writer *w, const Planned *e)
{
  open_slice(w, e, "cuda_runtime", w->names->runtime[e->name]);
  open_args(w, "External id", e->external);
  arg_number(w, "cbid", 13 + e->name * 7u);
  arg_number(w, "correlation", e->id);
  close_args(w);
}

static void write_flow(Writer *w, const Planned *e)
{
  bool end = e->kind == ARRIVE_FLOW || e->kind == BACKWARD_FLOW;
  const char *cat = e->kind == FORWARD_FLOW || e->kind == BACKWARD_FLOW ? "fwdbwd" : "ac2g";
  open_event(w);
  text_value(w, "ph", end ? "f" : "s");
  sep(w);
  number(w, "id", e->id);
  sep(w);
  put_place(w, e->place);
  sep(w);
  put_stamp(w, e->ts_ns);
  put(w->out, layouts[w->layout].line);
  text_value(w, "cat", cat);
  sep(w);
  text_value(w, "name", cat);
  if (end) {
    sep(w);
    text_value(w, "bp", "e");
  }
  put(w->out, layouts[w->layout].close);
}

/* The arguments that all device work has: 6 of them. */
static void open_device_args(Writer *w, const Planned *e)
{
  open_args(w, "External id", e->external);
  arg_number(w, "queued", 0);
  arg_number(w, "device", process_of(w, e->place));
  arg_number(w, "context", 1);
  arg_number(w, "stream", thread_of(w, e->place));
  arg_number(w, "correlation", e->id);
}

static void arg_real(Writer *w, const char *name, uint64_t milli)
{
  put(w->out, layouts[w->layout].args_sep);
  key(w, name);
  put_milli(w->out, (int64_t)milli);
}

static void put_launch_args(Writer *w, const Planned *e)
{
  uint64_t bits = e->kind == KERNEL ? e->value : 0;
  const uint64_t grid[] = { 1 + bits % 4096, 1 + (bits >> 12) % 4, 1 };
  const uint64_t block[] = { 32u << (bits >> 16) % 6, 1, 1 };
  arg_number(w, "registers per thread", 16 + (bits >> 20) % 240);
  arg_number(w, "shared memory", ((bits >> 28) % 48) * 1024);
  arg_real(w, "blocks per SM", (bits >> 34) % 32000);
  arg_real(w, "warps per SM", (bits >> 40) % 64000);
  arg_list(w, "grid", grid, 3);
  arg_list(w, "block", block, 3);
  arg_number(w, "est. achieved occupancy %", (bits >> 50) % 101);
}

static void arg_empty_list(Writer *w, const char *name)
{
  put(w->out, layouts[w->layout].args_sep);
  key(w, name);
  put(w->out, "[]");
}

static void put_collective_args(Writer *w, const Planned *e)
{
  arg_text(w, "Collective name", "allreduce");
  arg_number(w, "In msg nelems", e->value);
  arg_number(w, "Out msg nelems", e->value);
  arg_number(w, "Group size", (uint64_t)w->run->n_ranks);
  arg_text(w, "dtype", "BFloat16");
  arg_empty_list(w, "In split size");
  arg_empty_list(w, "Out split size");
  arg_text(w, "Process Group Name", "0");
  arg_text(w, "Process Group Description", "default_pg");
  put(w->out, layouts[w->layout].args_sep);
  key(w, "Process Group Ranks");
  put(w->out, "\"[");
  for (int rank = 0; rank < w->run->n_ranks && rank < SHOWN_RANKS; rank++) {
    if (rank) put(w->out, ", ");
    put_u64(w->out, (uint64_t)rank);
  }
  put(w->out, w->run->n_ranks > SHOWN_RANKS ? ", ...]\"" : "]\"");
  arg_number(w, "Rank", (uint64_t)w->run->rank);
  arg_number(w, "Seq", e->sequence);
}

static void write_kernel(Writer *w, const Planned *e)
{
  bool collective = e->kind == COLLECTIVE_KERNEL;
  open_slice(w, e, "kernel",
             collective
                 ? "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
                 : w->names->kernel[e->name]);
  open_device_args(w, e);
  put_launch_args(w, e);
  if (collective) put_collective_args(w, e);
  close_args(w);
}

static void write_collective_op(Writer *w, const Planned *e)
{
  open_slice(w, e, "cpu_op", "record_param_comms");
  open_args(w, "External id", e->external);
  put_collective_args(w, e);
  arg_number(w, "Ev Idx", e->external);
  close_args(w);
}

static void write_copy(Writer *w, const Planned *e)
{
  bool copy = e->kind == MEMCPY;
  open_slice(w, e, copy ? "gpu_memcpy" : "gpu_memset",
             copy ? "Memcpy HtoD (Pinned -> Device)" : "Memset (Device)");
  open_device_args(w, e);
  arg_number(w, "bytes", e->value);
  arg_real(w, "memory bandwidth (GB/s)", e->value * 1000 / (uint64_t)e->dur_ns);
  close_args(w);
}

static void write_memory(Writer *w, const Planned *e)
{
  open_event(w);
  text_value(w, "ph", "i");
  sep(w);
  text_value(w, "cat", "cpu_instant_event");
  sep(w);
  text_value(w, "s", "t");
  sep(w);
  text_value(w, "name", "[memory]");
  sep(w);
  put_place(w, e->place);
  put(w->out, layouts[w->layout].line);
  put_stamp(w, e->ts_ns);
  open_args(w, "Total Reserved", 31138512896u);
  arg_number(w, "Total Allocated", 1000000 + (e->value >> 20) % 30000000000u);
  put(w->out, layouts[w->layout].args_sep);
  key(w, "Bytes");
  put_i64(w->out,
          e->value & 1 ? -512 * (int64_t)(e->value % 9999) : 512 * (int64_t)(e->value % 9999));
  arg_number(w, "Addr", 139000000000000u + (e->value >> 32) * 512);
  arg_number(w, "Device Id", (uint64_t)w->run->rank % 8);
  arg_number(w, "Device Type", 1);
  close_args(w);
}

void write_event(Writer *w, const Planned *e)
{
  switch ((Kind)e->kind) {
  case CPU_OP: write_cpu_op(w, e); break;
  case COLLECTIVE_OP: write_collective_op(w, e); break;
  case STEP: write_step(w, e, "user_annotation"); break;
  case GPU_STEP: write_step(w, e, "gpu_user_annotation"); break;
  case COLLECTIVE_RANGE: write_annotation(w, e); break;
  case PYTHON: write_python(w, e); break;
  case RUNTIME: write_runtime(w, e); break;
  case KERNEL:
  case COLLECTIVE_KERNEL: write_kernel(w, e); break;
  case MEMCPY:
  case MEMSET: write_copy(w, e); break;
  case MEMORY: write_memory(w, e); break;
  case LAUNCH_FLOW:
  case ARRIVE_FLOW:
  case FORWARD_FLOW:
  case BACKWARD_FLOW: write_flow(w, e); break;
  case NAMED_OP: write_named_op(w, e); break;
  case NAMED_CALL: write_named_call(w, e); break;
  case NAMED_KERNEL: write_named_kernel(w, e); break;
  case N_KINDS: break;
  }
}
