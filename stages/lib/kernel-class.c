/* Classes of kernels: the first row with a word that the name has, in any case; see kernel-class.h. */
#include "lib/kernel-class.h"

#include "lib/torch-words.h"

enum { MAX_WORDS = 11 };

static const struct {
  const char *class, *words[MAX_WORDS];
} rows[] = {
  { "COMM",
    { "nccl", "rccl", "cross_device_reduce", "all_reduce", "allreduce", "all_gather", "allgather",
      "reduce_scatter", "reducescatter" } },
  { "Memory", { "memcpy", "memset", "copybuffer", "fillbuffer", "memory_copy" } },
  { "Attention", { "flash", "attn", "fmha", "attention", "mla_" } },
  { "Convolution", { "conv", "im2d2col", "wgrad", "dgrad", "fprop" } },
  { "GEMM",
    { "gemm", "cijk_", "nvjet", "cublaslt", "cutlass", "xmma", "wgmma", "matmul", "hipblaslt",
      "_mm_" } },
  { "Normalization", { "norm" } },
  { "MoE", { "moe", "topk" } },
  { "Reduction", { "reduce", "sum", "softmax" } },
  { "Triton", { "^triton_" } },
  { "Elementwise", { "elementwise", "vectorized", "unrolled", "fill", "cat_" } },
};

static bool has(const char *name, size_t len, const char *word)
{
  size_t n = 0;
  if (*word != '^') return torch_has_word(name, len, word);
  while (word[n + 1]) n++;
  return len >= n && torch_has_word(name, n, word + 1);
}

const char *kernel_class(const char *name, size_t len)
{
  for (uint32_t i = 0; i < MILL_COUNT(rows); i++)
    for (uint32_t k = 0; k < MAX_WORDS && rows[i].words[k]; k++)
      if (has(name, len, rows[i].words[k])) return rows[i].class;
  return "Other";
}
