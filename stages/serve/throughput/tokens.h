/* Lengths of prompts and answers, and what speculative decoding accepts, over benchmark runs. */
/* SPDX-License-Identifier: MIT */
#ifndef SERVE_THROUGHPUT_TOKENS_H
#define SERVE_THROUGHPUT_TOKENS_H

#include "serve/lib/bench-run.h"
#include "kit/numbers/hist.h"

enum { TOKENS_INPUT, TOKENS_OUTPUT, TOKENS_KINDS };

typedef struct TokensSum {
  int64_t requests, total; /* of runs that know both */
  bool partial;            /* a run of these does not list each of its requests with its length */
  Hist lengths;            /* of completed requests */
} TokensSum;

typedef struct Tokens { /* opened by tokens_open; stays where it is */
  Hists all;
  TokensSum kinds[TOKENS_KINDS];
  uint64_t seen[TOKENS_KINDS]; /* lengths of the run at hand */
  double accepted;             /* sum over runs of their mean accept lengths */
  int64_t accepted_runs;
} Tokens;
extern const StateType tokens_state;

void tokens_open(Tokens *t, const MillHost *common);
/* Here and below false means that memory was refused. */
bool tokens_add_request(Tokens *t, const BenchRequest *request);
void tokens_end_run(Tokens *t, const BenchFigures *figures, const BenchRun *run);

typedef struct TokenRow {
  const char *tokens;
  int64_t n;
  double mean, p50, p99;
  int64_t total;
  const char *method;
} TokenRow;

/* Rows of the table: input, output, accept_length, those of them that are known. */
int tokens_report(Tokens *t, const MillStageHost *host, uint32_t table);

#endif
