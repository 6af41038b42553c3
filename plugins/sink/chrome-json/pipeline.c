/* The layout of aorta's merged traces; see pipeline.h. */
/* SPDX-License-Identifier: MIT */
#include "pipeline.h"

#define RANK_PIDS 1000 /* of each rank */
#define HOST_PIDS 500  /* from the first on */
#define PIECE_BYTES (128u << 10)

static int64_t rank_at(const MillHost *common, TraceLanes lanes, uint32_t place)
{
  MillLane lane = { .size = sizeof lane };
  common->lane(common, lanes_at(lanes, place), &lane);
  return lane.rank;
}

static int refuse(const MillHost *common, TraceLanes lanes, uint32_t place, const char *what,
                  const char *help)
{
  MillLane lane = { .size = sizeof lane };
  common->lane(common, lanes_at(lanes, place), &lane);
  MillFailure f = { .size = sizeof f,
                    .status = MILL_BAD_INPUT,
                    .line = __LINE__,
                    .file = __FILE__,
                    .what = what,
                    .where = lane.name,
                    .help = help };
  return common->fail(common, &f);
}

static gint by_rank(gconstpointer a, gconstpointer b)
{
  const int64_t *x = a, *y = b;
  if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
  return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Ranks with their places, by rank. */
static GArray *sorted_ranks(const MillHost *common, TraceLanes lanes)
{
  GArray *ranks = g_array_new(FALSE, FALSE, 2 * sizeof(int64_t));
  for (uint32_t i = 0; i < lanes_count(common, lanes); i++) {
    const int64_t pair[2] = { rank_at(common, lanes, i), i };
    g_array_append_vals(ranks, pair, 1);
  }
  g_array_sort(ranks, by_rank);
  return ranks;
}

int pipeline_check(const MillHost *common, TraceLanes lanes)
{
  g_autoptr(GArray) ranks = sorted_ranks(common, lanes);
  const int64_t *pair = (const int64_t *)(void *)ranks->data;
  for (guint i = 0; i < ranks->len; i++, pair += 2) {
    if (pair[0] < 0)
      return refuse(common, lanes, (uint32_t)pair[1],
                    "the layout pipeline numbers processes by rank, and this input has none",
                    "give ranks with {rank} in a quoted pattern, or with --rank-regex");
    if (pair[0] >= PIPELINE_RANKS)
      return refuse(common, lanes, (uint32_t)pair[1], "the rank is too large for this layout",
                    NULL);
    if (i && pair[0] == pair[-2])
      return refuse(common, lanes, (uint32_t)pair[1],
                    "two inputs have the same rank, and the layout pipeline needs different ranks",
                    "put tags that differ into the name, as in {threads}thread_{channels}ch.json");
  }
  return 0;
}

/* ---------------------------------------------------------------------- rows */

static void open_row(Text *t, const char *name, int64_t pid)
{
  text_literal(t, "{\"ph\":\"M\",\"name\":\"");
  text_put(t, name, strlen(name));
  text_literal(t, "\",\"pid\":");
  text_int(t, pid);
  text_literal(t, ",\"tid\":0,\"ts\":0,\"cat\":\"__metadata\",\"args\":{");
}

static void put_process(Text *t, int64_t rank, bool is_host)
{
  int64_t pid = rank * RANK_PIDS + (is_host ? HOST_PIDS : 0);
  open_row(t, "process_name", pid);
  text_literal(t, "\"name\":\"Rank ");
  text_int(t, rank);
  text_put(t, is_host ? " - CPU/CUDA Runtime" : " - GPU Stream", is_host ? 19 : 13);
  text_literal(t, "\"}},\n");
  open_row(t, "process_sort_index", pid);
  text_literal(t, "\"sort_index\":");
  text_int(t, 2 * rank + is_host);
  text_literal(t, "}}");
}

static int64_t highest_rank(const Frame *f)
{
  int64_t highest = 0;
  for (uint32_t i = 0; i < lanes_count(f->common, f->lanes); i++)
    highest = MAX(highest, rank_at(f->common, f->lanes, i));
  return highest;
}

int pipeline_tail(const Frame *f, Document *d, int64_t n)
{
  int status = 0;
  n = MAX(n, highest_rank(f) + 1);
  for (int64_t rank = 0; rank < n && !status; rank++) {
    if (rank) text_literal(&d->text, ",\n");
    put_process(&d->text, rank, false);
    text_literal(&d->text, ",\n");
    put_process(&d->text, rank, true);
    if (d->text.len > PIECE_BYTES) status = document_flush(f, d);
  }
  text_literal(&d->text, "\n]\n}\n");
  return status ? status : document_flush(f, d);
}
