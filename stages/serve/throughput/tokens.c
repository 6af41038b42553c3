/* Lengths in tokens over benchmark runs; see tokens.h. */
/* SPDX-License-Identifier: MIT */
#include "tokens.h"

#include <string.h>

#include "kit/numbers/clip.h"

#define EXACT_LENGTHS 2000000 /* above that percentiles come from a histogram */

void tokens_open(Tokens *t, const MillHost *common)
{
  hists_init(&t->all, common, EXACT_LENGTHS);
  for (uint32_t i = 0; i < TOKENS_KINDS; i++) hist_init(&t->kinds[i].lengths, &t->all);
}

bool tokens_add_request(Tokens *t, const BenchRequest *request)
{
  const int64_t lengths[TOKENS_KINDS] = { request->input_tokens, request->output_tokens };
  bool fits = true;
  for (uint32_t i = 0; i < TOKENS_KINDS && request->ok && fits; i++) {
    if (lengths[i] == BENCH_NONE) continue;
    t->seen[i]++;
    fits = hist_add(&t->kinds[i].lengths, lengths[i]);
  }
  return fits;
}

void tokens_end_run(Tokens *t, const BenchFigures *figures, const BenchRun *run)
{
  const int64_t totals[TOKENS_KINDS] = { figures->input_tokens, figures->output_tokens };
  for (uint32_t i = 0; i < TOKENS_KINDS; i++) {
    TokensSum *sum = &t->kinds[i];
    bool is_known = totals[i] != BENCH_NONE && figures->completed > 0;
    if (is_known) {
      sum->requests = add_clipped(sum->requests, figures->completed);
      sum->total = add_clipped(sum->total, totals[i]);
    }
    if (is_known ? t->seen[i] != (uint64_t)figures->completed : t->seen[i] > 0) sum->partial = true;
    t->seen[i] = 0;
  }
  if (!isfinite(run->accept_length)) return;
  t->accepted += run->accept_length;
  t->accepted_runs++;
}

static const StateField sum_fields[] = {
  STATE_SUM(TokensSum, requests),
  STATE_SUM(TokensSum, total),
  STATE_MOST(TokensSum, partial),
  STATE_HIST(TokensSum, lengths),
};
static const StateType sum_state = STATE_TYPE(TokensSum, sum_fields);

static const StateField tokens_fields[] = {
  STATE_SUM(Tokens, accepted),
  STATE_SUM(Tokens, accepted_runs),
  STATE_HISTS(Tokens, all),
  STATE_PART(Tokens, kinds, sum_state),
};
const StateType tokens_state = STATE_TYPE(Tokens, tokens_fields);

static double percentile(TokensSum *sum, double p)
{
  double value;
  bool known = !sum->partial && hist_percentile(&sum->lengths, p, &value);
  return known ? value : (double)NAN;
}

static int write_sum(TokensSum *sum, const MillStageHost *host, uint32_t table, const char *what)
{
  bool has_all = !sum->partial && sum->lengths.n > 0;
  const TokenRow row = {
    .tokens = what,
    .n = sum->requests,
    .mean = (double)sum->total / (double)sum->requests,
    .p50 = percentile(sum, 50),
    .p99 = percentile(sum, 99),
    .total = sum->total,
    .method = has_all ? hist_method(sum->lengths.of) : NULL,
  };
  return sum->requests > 0 ? mill_row(host, table, &row) : 0;
}

int tokens_report(Tokens *t, const MillStageHost *host, uint32_t table)
{
  static const char *const names[TOKENS_KINDS] = { "input", "output" };
  int status = hists_settle(&t->all) ? 0 : -MILL_LIMIT;
  for (uint32_t i = 0; i < TOKENS_KINDS && status == 0; i++)
    status = write_sum(&t->kinds[i], host, table, names[i]);
  if (status < 0 || t->accepted_runs <= 0) return status;
  const TokenRow row = {
    .tokens = "accept_length",
    .n = t->accepted_runs,
    .mean = t->accepted / (double)t->accepted_runs,
    .p50 = (double)NAN,
    .p99 = (double)NAN,
    .total = MILL_NO_INT,
  };
  return mill_row(host, table, &row);
}
