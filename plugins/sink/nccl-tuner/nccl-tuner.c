/* The nccl-tuner sink: the table nccl-rules as the file that NCCL's tuner plugin reads. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/sink.h>
#include <string.h>

#include "kit/sink/result.h"

#define TABLE "nccl-rules"
#define FILE_NAME "nccl_tuner.conf"
#define HEADER                                                                                \
  "# "                                                                                        \
  "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps," \
  "regBuff\n"

enum { NOTICE_NO_TABLE = 1, NOTICE_UNKNOWN = 2 };
enum { N_COLUMNS = 10 };

typedef struct Sink {
  const MillSinkHost *host;
} Sink;

static const MillNotice notices[] = {
  MILL_WARNING(NOTICE_NO_TABLE, "there is no table " TABLE " with a rule to write",
               FILE_NAME " was not written",
               "leave nccl-tuner out of the formats, or use a profile with the stage " TABLE
               " on times of several algorithms and protocols",
               "The stage " TABLE " makes the table of measurements by algorithm and protocol."),
  MILL_WARNING(NOTICE_UNKNOWN, "{count} rule[|s] [has|have] a word that the plugin does not know",
               "[it is|they are] left out", NULL,
               "The plugin reads an unknown collective as allreduce, an unknown algorithm as ring "
               "and an unknown protocol as simple."),
};

/* In the order of the file. */
static const char *const names[N_COLUMNS] = { "collective", "min_bytes", "max_bytes", "algorithm",
                                              "protocol",   "channels",  "nodes",     "ranks",
                                              "pipe_ops",   "reg_buff" };

/* False: it is none that the plugin knows. */
static bool put_cell(GString *line, const MillHost *common, const MillValue *v, uint32_t column)
{
  static const char known[] =
      ",broadcast,reduce,allgather,reducescatter,allreduce,tree,ring,collnet_direct,"
      "collnet_chain,nvls,nvls_tree,pat,ll,ll128,simple,";
  size_t len = v->len;
  if (column) g_string_append_c(line, ',');
  if (v->type == MILL_INT) {
    g_string_append_printf(line, "%" G_GINT64_FORMAT, v->u.i);
    return true;
  }
  if (v->type != MILL_SYM && v->type != MILL_TEXT) return false;
  const char *text = v->type == MILL_SYM ? common->symbol_text(common, v->u.sym, &len) : v->u.text;
  g_autofree char *word = g_strdup_printf(",%.*s,", (int)len, text);
  g_string_append_len(line, text, (gssize)len);
  return len && !memchr(text, ',', len) && strstr(known, word) != NULL;
}

static int no_table(const Sink *s)
{
  mill_note(s->host->common, NOTICE_NO_TABLE);
  return 0;
}

static int write_table(const Sink *s, const MillResults *r, uint32_t index,
                       const MillTableResult *t)
{
  uint32_t columns[N_COLUMNS];
  uint64_t n_good = 0;
  g_autoptr(GString) text = g_string_new(HEADER);
  if (!result_columns(t, names, N_COLUMNS, columns)) return no_table(s);
  for (uint64_t row = 0; row < t->n_rows; row++) {
    const MillValue *cells = r->row(r, index, row);
    g_autoptr(GString) line = g_string_new(NULL);
    bool good = true;
    for (uint32_t c = 0; c < N_COLUMNS; c++)
      good = put_cell(line, s->host->common, &cells[columns[c]], c) && good;
    n_good += good;
    if (good)
      g_string_append_printf(text, "%s\n", line->str);
    else
      s->host->common->note(s->host->common, NOTICE_UNKNOWN, NULL, MILL_NO_EVENT, NULL, 0);
  }
  if (!n_good) return no_table(s);
  return s->host->output(s->host, FILE_NAME, NULL, text->str, text->len);
}

static int write_results(void *instance, const MillResults *r)
{
  const Sink *s = instance;
  for (uint32_t i = 0; i < r->n_tables; i++) {
    MillTableResult t = { .size = sizeof t };
    if (r->table(r, i, &t) && t.table && !strcmp(t.table->name, TABLE))
      return write_table(s, r, i, &t);
  }
  return no_table(s);
}

static int open_sink(const MillSink *self, const MillSinkHost *host, uint32_t level,
                     const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  Sink *s = mill_new(host->common, sizeof *s);
  if (!s) return -MILL_LIMIT;
  s->host = host;
  *out_instance = s;
  return 0;
}

static const MillSinkOps ops = {
  .size = sizeof(MillSinkOps),
  .open = open_sink,
  .results = write_results,
};

static const MillSink sink = {
  .size = sizeof(MillSink),
  .name = "nccl-tuner",
  .format = "nccl-tuner",
  .version = "1.0.0",
  .tag = "NTUNER",
  .title = "Write the rules that NCCL's tuner plugin reads",
  .help = FILE_NAME ": a line for each row of the table " TABLE ", for NCCL_TUNER_CONFIG_FILE.",
  .notices = MILL_ROWS(notices),
  .ops = &ops,
};

MILL_SINK_MODULE(sink, "stagemill", "MIT");
