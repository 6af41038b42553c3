/* Header, metadata rows and trailer of the files that kineto-gen writes. */
/* SPDX-License-Identifier: MIT */
#include "kineto.h"

static const char *newline(const Writer *w) { return w->layout == COMPACT ? "" : "\n  "; }

/* Keys of the header and of metadata rows are written as fixed text: blanks do not matter there. */
static void put_ranks(Out *out, int n_ranks)
{
  put_char(out, '[');
  for (int rank = 0; rank < n_ranks && rank < 4096; rank++) {
    if (rank) put_char(out, ',');
    put_u64(out, (uint64_t)rank);
  }
  put_char(out, ']');
}

static void put_distributed(Writer *w)
{
  put(w->out, "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ");
  put_u64(w->out, (uint64_t)w->run->rank);
  put(w->out, ", \"world_size\": ");
  put_u64(w->out, (uint64_t)w->run->n_ranks);
  put(w->out,
      ", \"pg_count\": 1, \"pg_config\": [{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", "
      "\"backend_config\": \"cuda:nccl\", \"pg_size\": ");
  put_u64(w->out, (uint64_t)w->run->n_ranks);
  put(w->out, ", \"ranks\": ");
  put_ranks(w->out, w->run->n_ranks);
  put(w->out, "}], \"nccl_version\": \"2.19.3\"},");
  put(w->out, newline(w));
}

void write_header(Writer *w)
{
  out_room(w->out);
  put_char(w->out, '{');
  put(w->out, newline(w));
  put(w->out, "\"schemaVersion\": 1,");
  put(w->out, newline(w));
  put(w->out, "\"deviceProperties\": [{\"id\": ");
  put_u64(w->out, (uint64_t)w->run->rank % 8);
  put(w->out,
      ", \"name\": \"Synthetic GPU\", \"totalGlobalMem\": 85031714816, \"computeMajor\": 8, "
      "\"computeMinor\": 0, \"maxThreadsPerBlock\": 1024, \"warpSize\": 32, \"numSms\": 108}],");
  put(w->out, newline(w));
  put_distributed(w);
  put(w->out, "\"cupti_version\": 22, \"cuda_runtime_version\": 12040, \"with_flops\": 0, "
              "\"record_shapes\": 0,");
  put(w->out, newline(w));
  put(w->out, "\"with_stack\": 1, \"profile_memory\": 1, \"trace_id\": "
              "\"5CBC0D1FA2A54C0FA2F4B3C5E6D7A8B9\",");
  put(w->out, newline(w));
  put(w->out, "\"displayTimeUnit\": \"ms\",");
  put(w->out, newline(w));
  if (w->base_ns) {
    put(w->out, "\"baseTimeNanoseconds\": ");
    put_u64(w->out, (uint64_t)w->base_ns);
    put_char(w->out, ',');
    put(w->out, newline(w));
  }
  put(w->out, w->layout == COMPACT ? "\"traceEvents\":[" : "\"traceEvents\": [\n");
}

typedef struct {
  const char *name,
      *args;           /* in args, @ stands for the number of the device and ^ for the process */
  int process, thread; /* -1: the process's own number; processes 0 host, 1 device */
} MetadataRow;

static const MetadataRow rows[METADATA_ROWS] = {
  { "process_name", "\"name\": \"python \\\"train.py\\\" --out C:\\\\runs\\\\new\"", 0, 0 },
  { "process_labels", "\"labels\": \"CPU caf\\u00e9 \\ud83d\\ude80\"", 0, 0 },
  { "process_sort_index", "\"sort_index\": ^", 0, 0 },
  { "process_name", "\"name\": \"python\"", 1, 0 },
  { "process_labels", "\"labels\": \"GPU @\"", 1, 0 },
  { "process_sort_index", "\"sort_index\": 500000@", 1, 0 },
  { "thread_name", "\"name\": \"thread ^ (python)\\t[main]\"", 0, -1 },
  { "thread_sort_index", "\"sort_index\": 1", 0, -1 },
  { "thread_name", "\"name\": \"thread (pt_autograd_@)\"", 0, 431 },
  { "thread_sort_index", "\"sort_index\": 2", 0, 431 },
  { "thread_name", "\"name\": \"stream 7 \"", 1, 7 },
  { "thread_sort_index", "\"sort_index\": 7", 1, 7 },
  { "thread_name", "\"name\": \"stream 20 nccl\\/default_pg\"", 1, 20 },
  { "thread_sort_index", "\"sort_index\": 20", 1, 20 },
  { "thread_name", "\"name\": \"stream 24 \"", 1, 24 },
  { "thread_sort_index", "\"sort_index\": 24", 1, 24 },
};

static void put_args_text(Writer *w, const char *text)
{
  for (; *text; text++)
    if (*text == '@')
      put_u64(w->out, (uint64_t)w->run->rank % 8);
    else if (*text == '^')
      put_u64(w->out, 4000 + (uint64_t)w->run->rank);
    else
      put_char(w->out, *text);
}

void write_metadata_row(Writer *w, int index)
{
  const MetadataRow *row = &rows[index];
  uint64_t host = 4000 + (uint64_t)w->run->rank;
  uint64_t process = row->process ? (uint64_t)w->run->rank % 8 : host;
  uint64_t thread = row->thread < 0 ? host : (uint64_t)row->thread;
  if (!row->process && row->thread > 0) thread += host;
  out_room(w->out);
  if (!w->first) put(w->out, w->layout == COMPACT ? "," : ",\n");
  w->first = false;
  put(w->out, w->layout == COMPACT ? "{\"name\":\"" : "  {\n    \"name\": \"");
  put(w->out, row->name);
  put(w->out, w->layout == COMPACT ? "\",\"ph\":\"M\",\"ts\":" : "\", \"ph\": \"M\", \"ts\": ");
  put_milli(w->out, w->zero_ns);
  put(w->out, ", \"pid\": ");
  put_u64(w->out, process);
  put(w->out, ", \"tid\": ");
  put_u64(w->out, thread);
  put(w->out, w->layout == COMPACT ? ",\"args\":{" : ",\n    \"args\": {\n      ");
  put_args_text(w, row->args);
  put(w->out, w->layout == COMPACT ? "}}" : "\n    }\n  }");
}

void write_trailer(Writer *w)
{
  out_room(w->out);
  put(w->out, w->layout == COMPACT ? "]," : "\n  ],\n  ");
  put(w->out, "\"traceName\": \"traces/rank");
  put_u64(w->out, (uint64_t)w->run->rank);
  put(w->out, ".pt.trace.json\"");
  put(w->out, w->layout == COMPACT ? "}" : "\n}\n");
}
