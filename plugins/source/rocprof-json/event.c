/* Records become slices: their names, rows and attributes. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/read/json-members.h"
#include "rocprof-json.h"

enum { /* of the writer */
       KEY_CORRELATION,
       KEY_EXTERNAL,
       KEY_STREAM,
       KEY_DEVICE,
       KEY_QUEUE,
       KEY_GRID,
       KEY_BLOCK,
       KEY_BYTES,
       KEY_BANDWIDTH,
       N_KEYS
};
enum { MAX_ATTRS = 13 };
static const char *const key_names[N_KEYS] = {
  "correlation", "External id", "stream",
  "device",      "queue",       "grid",
  "block",       "bytes",       "memory bandwidth (GB/s)"
};
static const char *const categories[N_LISTS] = {
  "", "kernel", "gpu_memcpy", "cuda_runtime", "cuda_driver", "user_annotation", "user_annotation"
};

enum { /* members of a record */
       M_KIND,
       M_OPERATION,
       M_THREAD,
       M_START,
       M_END,
       M_BYTES,
       M_CORRELATION,
       M_DISPATCH,
       M_STREAM,
       M_SOURCE,
       M_DESTINATION,
       N_MEMBERS
};
static const char *const member_names[N_MEMBERS] = {
  "kind",           "operation",     "thread_id", "start_timestamp", "end_timestamp", "bytes",
  "correlation_id", "dispatch_info", "stream_id", "src_agent_id",    "dst_agent_id"
};
enum { D_KERNEL, D_AGENT, D_QUEUE, D_GRID, D_BLOCK, N_DISPATCH };
static const char *const dispatch_names[N_DISPATCH] = { "kernel_id", "agent_id", "queue_id",
                                                        "grid_size", "workgroup_size" };

typedef struct Record {
  JsonToken members[N_MEMBERS], dispatch[N_DISPATCH];
  uint64_t start, end, agent, queue, stream;
  bool has_agent, has_queue, has_stream;
} Record;

void event_prepare(Source *s)
{
  record_init_all(&s->writer, s->host, key_names, N_KEYS);
  for (int i = LIST_OTHER + 1; i < N_LISTS; i++) s->cats[i] = symbol_of(s->common, categories[i]);
}

/* -------------------------------------------------------------- reading */

/* A handle: a number, or an object that holds it. */
static bool read_handle(const JsonToken *t, uint64_t *out)
{
  static const char *const names[] = { "handle" };
  JsonToken handle;
  if (t->kind == JSON_NUMBER) return roc_number(t, out);
  members_last(t, names, 1, &handle);
  return roc_number(&handle, out);
}

/* Copies belong to the device that they go to or come from; to that of their source where both are devices. */
static void read_copy(const Names *n, Record *r)
{
  uint64_t source, destination;
  bool has_source = read_handle(&r->members[M_SOURCE], &source);
  bool has_destination = read_handle(&r->members[M_DESTINATION], &destination);
  const Agent *a = has_source ? names_agent(n, source) : NULL;
  bool takes_source = has_source && (!has_destination || (a && a->is_gpu));
  r->has_agent = has_source || has_destination;
  if (r->has_agent) r->agent = takes_source ? source : destination;
}

static bool read_record(const Source *s, const JsonToken *object, Record *r)
{
  members_last(object, member_names, N_MEMBERS, r->members);
  members_last(&r->members[M_DISPATCH], dispatch_names, N_DISPATCH, r->dispatch);
  if (!roc_number(&r->members[M_START], &r->start) || !roc_number(&r->members[M_END], &r->end))
    return false;
  if (r->start == 0 || r->start > INT64_MAX || r->end > INT64_MAX) return false;
  r->has_stream = read_handle(&r->members[M_STREAM], &r->stream) && r->stream <= INT64_MAX;
  r->has_agent = read_handle(&r->dispatch[D_AGENT], &r->agent);
  r->has_queue = read_handle(&r->dispatch[D_QUEUE], &r->queue) && r->queue <= INT64_MAX;
  if (s->list == LIST_COPIES) read_copy(names_now(s), r);
  return true;
}

/* ---------------------------------------------------------------- names */

static MillSym numbered(Source *s, const char *word, bool has_number, uint64_t number)
{
  g_string_assign(s->scratch, word);
  if (has_number) g_string_append_printf(s->scratch, " %" G_GUINT64_FORMAT, number);
  return s->common->intern(s->common, s->scratch->str, s->scratch->len);
}

/* By its number where the document has no name for it. */
static MillSym nameless(Source *s, const char *word, bool has_number, uint64_t number)
{
  mill_note(s->common, ROC_NAMES);
  return numbered(s, word, has_number, number);
}

static MillSym name_of(Source *s, const Record *r)
{
  const Names *n = names_now(s);
  static const char *const of_correlation[] = { "internal" };
  uint64_t kind = 0, operation = 0, correlation = 0, kernel = 0;
  JsonToken internal;
  MillSym name = 0;
  if (s->list == LIST_DISPATCHES) {
    bool has_kernel = roc_number(&r->dispatch[D_KERNEL], &kernel);
    name = has_kernel ? names_kernel(n, kernel) : 0;
    return name ? name : nameless(s, "kernel", has_kernel, kernel);
  }
  members_last(&r->members[M_CORRELATION], of_correlation, 1, &internal);
  if (s->list == LIST_MARKERS && roc_number(&internal, &correlation))
    name = names_marker(n, correlation);
  bool has_operation = roc_number(&r->members[M_OPERATION], &operation);
  if (!name && has_operation && roc_number(&r->members[M_KIND], &kind))
    name = names_operation(n, kind, operation);
  return name ? name : nameless(s, "operation", has_operation, operation);
}

/* ----------------------------------------------------------------- rows */

/* Stream 0 is that of everything for which no stream is known. */
static uint32_t device_track(Source *s, const Record *r)
{
  const Agent *a = r->has_agent ? names_agent(names_now(s), r->agent) : NULL;
  MillValue process = mill_sym(numbered(s, "agent", r->has_agent, a ? a->node : r->agent));
  bool by_queue = r->has_queue && !(r->has_stream && r->stream);
  MillValue thread =
      mill_sym(by_queue ? numbered(s, "queue", true, r->queue)
                        : numbered(s, "stream", true, r->has_stream ? r->stream : 0));
  return s->host->track(s->host, process, thread);
}

static uint32_t host_track(const Source *s, const Record *r)
{
  const Names *n = names_now(s);
  uint64_t thread;
  bool has_thread = roc_number(&r->members[M_THREAD], &thread) && thread <= INT64_MAX;
  return s->host->track(s->host, n->has_pid ? mill_int(n->pid) : mill_none(),
                        has_thread ? mill_int((int64_t)thread) : mill_none());
}

/* ----------------------------------------------------------- attributes */

static void put_number(const Source *s, MillBatch *b, uint32_t key, const JsonToken *t)
{
  uint64_t v;
  if (roc_number(t, &v) && v <= INT64_MAX) record_int(&s->writer, b, key, (int64_t)v);
}

/* As Kineto has it: blocks in each direction, and threads of one. */
static void put_sizes(const Source *s, MillBatch *b, const Record *r)
{
  static const char *const axes[] = { "x", "y", "z" };
  JsonToken grid[3], block[3];
  uint64_t threads[3], blocks[3];
  members_last(&r->dispatch[D_GRID], axes, 3, grid);
  members_last(&r->dispatch[D_BLOCK], axes, 3, block);
  for (int i = 0; i < 3; i++) {
    if (!roc_number(&grid[i], &blocks[i]) || !roc_number(&block[i], &threads[i])) return;
    if (threads[i] == 0 || threads[i] > INT64_MAX || blocks[i] > INT64_MAX) return;
    blocks[i] = blocks[i] / threads[i] + (blocks[i] % threads[i] != 0);
  }
  for (int i = 0; i < 3; i++) record_int(&s->writer, b, KEY_GRID, (int64_t)blocks[i]);
  for (int i = 0; i < 3; i++) record_int(&s->writer, b, KEY_BLOCK, (int64_t)threads[i]);
}

static void put_device(const Source *s, MillBatch *b, const Record *r)
{
  const Agent *a = r->has_agent ? names_agent(names_now(s), r->agent) : NULL;
  uint64_t device = a ? a->device : r->agent;
  bool by_stream = r->has_stream && (r->stream || !r->has_queue);
  int64_t stream = by_stream ? (int64_t)r->stream : r->has_queue ? (int64_t)r->queue : 0;
  record_int(&s->writer, b, KEY_STREAM, stream);
  if (r->has_agent && device <= INT64_MAX) record_int(&s->writer, b, KEY_DEVICE, (int64_t)device);
  if (r->has_queue) record_int(&s->writer, b, KEY_QUEUE, (int64_t)r->queue);
}

static void put_attributes(const Source *s, MillBatch *b, const Record *r, int64_t dur_ns)
{
  static const char *const of_correlation[] = { "internal", "external" };
  JsonToken ids[2];
  uint64_t bytes, external;
  members_last(&r->members[M_CORRELATION], of_correlation, 2, ids);
  put_number(s, b, KEY_CORRELATION, &ids[0]);
  if (roc_number(&ids[1], &external) && external) put_number(s, b, KEY_EXTERNAL, &ids[1]);
  if (s->list > LIST_COPIES) return;
  put_device(s, b, r);
  if (s->list == LIST_DISPATCHES) return put_sizes(s, b, r);
  if (!roc_number(&r->members[M_BYTES], &bytes)) return;
  put_number(s, b, KEY_BYTES, &r->members[M_BYTES]);
  if (dur_ns > 0) record_real(&s->writer, b, KEY_BANDWIDTH, (double)bytes / (double)dur_ns);
}

/* --------------------------------------------------------------- events */

bool event_add(Source *s, MillBatch *b, const JsonToken *object)
{
  Record r = { 0 };
  if (object->kind != JSON_OBJECT || !read_record(s, object, &r)) {
    mill_note(s->common, ROC_BAD_RECORD);
    return true;
  }
  if (r.end < r.start) {
    mill_note(s->common, ROC_NEGATIVE);
    r.end = r.start;
  }
  const MillEvent e = { .ts_ns = (int64_t)r.start,
                        .dur_ns = (int64_t)(r.end - r.start),
                        .name = name_of(s, &r),
                        .cat = s->cats[s->list],
                        .track = s->list <= LIST_COPIES ? device_track(s, &r) : host_track(s, &r),
                        .kind = MILL_SLICE };
  if (!record_add(&s->writer, b, &e, MAX_ATTRS)) return false;
  put_attributes(s, b, &r, e.dur_ns);
  return true;
}
