/* The collectives of all configurations in one file, small ones first. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "table.h"

typedef struct Column {
  const char *header, *column;
  Form form;
} Column;

#define STATS(header, column, form)                                                       \
  { header "_mean", column "_mean", form }, { header "_median", column "_median", form }, \
      { header "_min", column "_min", form },                                             \
  {                                                                                       \
    header "_max", column "_max", form                                                    \
  }

static const Column columns[] = {
  { "Collective name", "name", AS_IS },
  { "dtype", "dtype", AS_IS },
  { "In msg nelems", "in_elements", AS_IS },
  { "Process Group Name", "group", AS_IS },
  { "Group size", "size", AS_IS },
  { "Full msg size (MB)", "full", IN_MIB },
  STATS("comm_latency", "latency", IN_US),
  STATS("skew in start time", "start_skew", IN_US),
  STATS("skew in end time", "end_skew", IN_US),
  STATS("algo bw (GB/s)", "algbw", IN_GIB),
  STATS("bus bw (GB/s)", "busbw", IN_GIB),
  { "count", "calls", AS_IS },
  { "Total comm latency (ms)", "total_latency", IN_MS },
};

typedef struct Row {
  int64_t full_bytes; /* -1: not known, last */
  int64_t threads, channels;
  uint64_t index;
} Row;

static int64_t number_of(const MillHost *common, MillValue v, int64_t otherwise)
{
  int64_t number;
  g_autoptr(GString) text = g_string_new(NULL);
  table_put(text, common, v, AS_IS);
  return num_int(text->str, text->len, &number) ? number : otherwise;
}

static int by_size(gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  uint64_t x_size = (uint64_t)x->full_bytes, y_size = (uint64_t)y->full_bytes;
  if (x_size != y_size) return x_size < y_size ? -1 : 1;
  if (x->threads != y->threads) return x->threads < y->threads ? -1 : 1;
  if (x->channels != y->channels) return x->channels < y->channels ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static GArray *sorted_rows(const MillHost *common, const Table *t)
{
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));
  for (uint64_t i = 0; i < t->t.n_rows; i++) {
    const MillValue *cells = t->results->row(t->results, t->index, i);
    const MillValue full = table_cell(t, cells, "full");
    const Row row = { full.type == MILL_INT ? full.u.i : -1,
                      number_of(common, table_cell(t, cells, "threads"), 0),
                      number_of(common, table_cell(t, cells, "channels"), 0), i };
    g_array_append_val(rows, row);
  }
  g_array_sort(rows, by_size);
  return rows;
}

/* OP_01, and what size it is in two decimals; both are empty where that is not known. */
static void put_operation(GString *out, int64_t full_bytes, unsigned number)
{
  const double mb = (double)full_bytes / 1048576;
  const int64_t hundredths = (int64_t)((mb < 0.01 ? mb * 1000 : mb) * 100 + 0.5);
  if (full_bytes < 0) {
    g_string_append(out, ",,");
    return;
  }
  g_string_append_printf(out, "OP_%02u,%s_%" G_GINT64_FORMAT ".%02d%s,", number,
                         mb < 0.01  ? "tiny"
                         : mb < 100 ? "medium"
                                    : "large",
                         hundredths / 100, (int)(hundredths % 100), mb < 0.01 ? "KB" : "MB");
}

static void put_row(GString *out, const MillHost *common, const Table *t, const Row *row)
{
  const MillValue *cells = t->results->row(t->results, t->index, row->index);
  g_autoptr(GString) threads = g_string_new(NULL), channels = g_string_new(NULL);
  table_put(threads, common, table_cell(t, cells, "threads"), AS_IS);
  table_put(channels, common, table_cell(t, cells, "channels"), AS_IS);
  g_string_append_printf(out, "%sthread_%sch,%s,%s", threads->str, channels->str, threads->str,
                         channels->str);
  for (uint32_t c = 0; c < MILL_COUNT(columns); c++) {
    g_string_append_c(out, ',');
    table_put(out, common, table_cell(t, cells, columns[c].column), columns[c].form);
  }
  g_string_append_c(out, '\n');
}

int write_nccl(const MillSinkHost *host, const Table *t)
{
  g_autoptr(GString) text =
      g_string_new("operation_id,operation_name,full_config,threads_num,channels_num");
  g_autoptr(GArray) rows = sorted_rows(host->common, t);
  unsigned number = 0;
  for (uint32_t c = 0; c < MILL_COUNT(columns); c++)
    g_string_append_printf(text, ",%s", columns[c].header);
  g_string_append_c(text, '\n');
  for (guint i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index(rows, Row, i);
    if (i == 0 || row->full_bytes != row[-1].full_bytes) number++;
    put_operation(text, row->full_bytes, number);
    put_row(text, host->common, t, row);
  }
  return host->output(host, "nccl_master_all_configs.csv", NULL, text->str, text->len);
}
