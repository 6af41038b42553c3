/* Words of NCCL's tuner plugin: collectives, algorithms, protocols. */
/* SPDX-License-Identifier: MIT */
#ifndef TUNE_LIB_NCCL_WORDS_H
#define TUNE_LIB_NCCL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef enum { NCCL_COLLECTIVE, NCCL_ALGORITHM, NCCL_PROTOCOL } NcclWords;

/* The list that the word is of, ending in NULL. */
static inline const char *const *nccl_words(NcclWords of)
{
  static const char *const collectives[] = { "broadcast",     "reduce",    "allgather",
                                             "reducescatter", "allreduce", NULL };
  static const char *const algorithms[] = { "tree",          "ring", "collnet_direct",
                                            "collnet_chain", "nvls", "nvls_tree",
                                            "pat",           NULL };
  static const char *const protocols[] = { "ll", "ll128", "simple", NULL };
  return of == NCCL_COLLECTIVE ? collectives : of == NCCL_ALGORITHM ? algorithms : protocols;
}

static inline bool nccl_knows(NcclWords of, const char *word)
{
  const char *const *w = nccl_words(of);
  while (*w && strcmp(*w, word) != 0) w++;
  return *w != NULL;
}

/* Only ring and tree have protocols other than simple. */
static inline bool nccl_pairs(const char *algorithm, const char *protocol)
{
  bool any = !strcmp(algorithm, "ring") || !strcmp(algorithm, "tree");
  return any || !strcmp(protocol, "simple");
}

#endif
