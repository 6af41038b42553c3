/* Writes the planned slices of aiu-gen as JSON, one record a line. */
/* SPDX-License-Identifier: MIT */
#include "aiu.h"

static void put_text(Writer *w, const char *key, const char *text)
{
  put_char(w->out, '"');
  put(w->out, key);
  put(w->out, "\": \"");
  put(w->out, text);
  put_char(w->out, '"');
}

static void put_number(Writer *w, const char *key, int64_t value)
{
  put_char(w->out, '"');
  put(w->out, key);
  put(w->out, "\": ");
  put_i64(w->out, value);
}

static void open_record(Writer *w)
{
  out_room(w->out);
  put(w->out, w->first ? "{" : ",\n{");
  w->first = false;
}

void write_header(Writer *w)
{
  const Options *o = w->grid->options;
  out_room(w->out);
  put(w->out, "{\"displayTimeUnit\": \"ms\",\n\"otherData\": {\"Application\": \"aiu-gen\"},\n");
  if (o->distributed) {
    put(w->out, "\"distributedInfo\": {");
    put_number(w, "rank", w->clock->rank);
    put(w->out, ", ");
    put_number(w, "world_size", o->ranks);
    put(w->out, "},\n");
  }
  put(w->out, "\"traceEvents\": [\n");
}

void write_trailer(Writer *w)
{
  out_room(w->out);
  put(w->out, "\n]}\n");
}

typedef struct {
  const char *kind, *name;
  int thread;
} MetadataRow;

static const MetadataRow rows[METADATA_ROWS + 1] = {
  { "process_name", "flex \\\"runtime\\\"", 0 },
  { "thread_name", "graph", GRAPH_THREAD },
  { "thread_name", "launch", LAUNCH_THREAD },
  { "thread_name", "runtime", RUNTIME_THREAD },
  { "thread_name", "AIU DMA", DMA_THREAD },
  { "thread_name", "AIU core", CORE_THREAD },
  { "thread_name", "RDMA send", SEND_THREAD },
  { "thread_name", "RDMA receive", RECEIVE_THREAD },
  { "process_labels", "AIU", 0 },
};

void write_metadata_row(Writer *w, int row)
{
  open_record(w);
  put_text(w, "name", rows[row].kind);
  put(w->out, ", \"ph\": \"M\", ");
  put_number(w, "pid", w->clock->rank);
  put(w->out, ", ");
  put_number(w, "tid", rows[row].thread);
  put(w->out, ", \"args\": {");
  put_text(w, row < METADATA_ROWS ? "name" : "labels", rows[row].name);
  put(w->out, "}}");
}

/* --- slices ------------------------------------------------------------------------------- */

static void put_sync(Writer *w, const Slice *slice)
{
  put(w->out, " [sync=AR_");
  put_i64(w->out, slice->group);
  put(w->out, "_s");
  put_i64(w->out, slice->from);
  put(w->out, slice->to < 0 ? "_mc" : "_r");
  if (slice->to >= 0) put_i64(w->out, slice->to);
  put(w->out, "_0]");
}

static void put_name(Writer *w, const Slice *slice)
{
  static const char *const suffix[] = { " DmaI", " Cmpt Prep", " Cmpt Exec", " DmaO", "" };
  put(w->out, "\"name\": \"");
  put(w->out, slice->name);
  if (slice->part == HOST && slice->type) put(w->out, slice->type);
  if (slice->group >= 0 && slice->part == DMA_OUT && slice->to < 0 && slice->peer >= 0) {
    put_char(w->out, ' ');
    put_i64(w->out, slice->peer);
  }
  if (slice->number >= 0) {
    put_char(w->out, '_');
    put_i64(w->out, slice->number);
  }
  if (slice->group >= 0 && slice->bytes) {
    put(w->out, " [");
    put_i64(w->out, slice->bytes);
    put(w->out, "B]");
  }
  if (slice->group >= 0) put_sync(w, slice);
  put(w->out, suffix[slice->part]);
  put_char(w->out, '"');
}

static void put_counter(Writer *w, const char *key, uint64_t value)
{
  CounterText form = w->grid->options->counters;
  value &= UINT32_MAX;
  put_char(w->out, '"');
  put(w->out, key);
  put(w->out, form == INTEGER ? "\": " : "\": \"");
  if (form == HEX)
    put_hex(w->out, value);
  else
    put_u64(w->out, value);
  if (form != INTEGER) put_char(w->out, '"');
}

static void put_stamps(Writer *w, const Slice *slice)
{
  static const char *const keys[] = { "TS1", "TS2", "TS3", "TS4", "TS5" };
  for (int i = 0; i < 5; i++) {
    if (i) put(w->out, ", ");
    put_counter(w, keys[i], (uint64_t)(w->clock->first_count + slice->stamp[i]));
  }
  if (w->grid->options->power) {
    put(w->out, ", ");
    put_counter(w, "Power", slice->charge);
  }
  if (!slice->bytes) return;
  put(w->out, ", \"Bytes\": \"");
  put_i64(w->out, slice->bytes);
  put_char(w->out, '"');
}

static void put_peers(Writer *w, const Slice *slice)
{
  bool first = true;
  put(w->out, ", \"Peer\": \"");
  if (slice->peer >= 0) put_i64(w->out, slice->peer);
  for (int rank = 0; slice->peer < 0 && rank < w->grid->options->ranks; rank++) {
    if (rank == w->clock->rank) continue;
    if (!first) put_char(w->out, ',');
    first = false;
    put_i64(w->out, rank);
  }
  put_char(w->out, '"');
}

static void put_args(Writer *w, const Slice *slice)
{
  put(w->out, w->grid->options->attr ? ", \"attr\": {" : ", \"args\": {");
  if (slice->part != HOST) put_stamps(w, slice);
  if (slice->group >= 0) {
    put(w->out, ", \"CollGroup\": \"AllReduce_all_reduce_");
    put_i64(w->out, slice->group);
    put_char(w->out, '"');
    put_peers(w, slice);
    put(w->out, ", ");
    put_text(w, "Type", slice->type);
  }
  put_char(w->out, '}');
}

static void put_stamp(Writer *w, const char *key, int64_t ns)
{
  put(w->out, ", \"");
  put(w->out, key);
  put(w->out, "\": ");
  put_milli(w->out, ns);
}

static void put_track(Writer *w, const Slice *slice)
{
  put(w->out, ", ");
  put_number(w, "pid", w->clock->rank);
  put(w->out, ", ");
  put_number(w, "tid", slice->thread);
}

void write_slice(Writer *w, const Slice *slice)
{
  bool be = w->grid->options->be;
  int64_t start_ns = host_ns(w->grid, w->clock, slice->start),
          end_ns = host_ns(w->grid, w->clock, slice->end);
  if (slice->part != HOST) {
    start_ns += w->shift_ns;
    end_ns += w->shift_ns;
  }
  open_record(w);
  put_name(w, slice);
  put(w->out, be ? ", \"ph\": \"B\"" : ", \"ph\": \"X\"");
  put_stamp(w, "ts", start_ns);
  if (!be) put_stamp(w, "dur", end_ns - start_ns);
  put_track(w, slice);
  put_args(w, slice);
  put_char(w->out, '}');
  if (!be) return;
  open_record(w);
  put_name(w, slice);
  put(w->out, ", \"ph\": \"E\"");
  put_stamp(w, "ts", end_ns);
  put_track(w, slice);
  put_char(w->out, '}');
}
