/* Classes of kernels: the first row with a word that the name has, in any case; see kernel-class.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/kernel-class.h"

#include <stdbool.h>
#include <string.h>

#include <stagemill/types.h>

#include "kit/text/words.h"

enum { MAX_WORDS = 32, FUNCTION_BYTES = 1024, MOVING_ROWS = 2 };

typedef struct Row {
  KernelClass class;
  /* "^x": at the begin.  "x~y": not where y follows.  In lower case. */
  const char *words[MAX_WORDS];
} Row;

static const char *const class_names[N_KERNEL_CLASSES] = {
  [KERNEL_OTHER] = "Other",
  [KERNEL_COMM] = "COMM",
  [KERNEL_MEMORY] = "Memory",
  [KERNEL_MOE] = "MoE",
  [KERNEL_ATTENTION] = "Attention",
  [KERNEL_CONVOLUTION] = "Convolution",
  [KERNEL_GEMM] = "GEMM",
  [KERNEL_NORMALIZATION] = "Normalization",
  [KERNEL_EMBEDDING] = "Embedding",
  [KERNEL_OPTIMIZER] = "Optimizer",
  [KERNEL_REDUCTION] = "Reduction",
  [KERNEL_TRITON] = "Triton",
  [KERNEL_ELEMENTWISE] = "Elementwise",
};

/* The first MOVING_ROWS are what moves data. */
static const Row rows[] = {
  { KERNEL_COMM,
    { "nccl",      "rccl",       "^hccl",     "cross_device_reduce", "multimem",      "all_reduce",
      "allreduce", "all_gather", "allgather", "reduce_scatter",      "reducescatter", "all_to_all",
      "alltoall",  "deep_ep",    "nvshmem",   "userbuffers",         "lamport",       "one_shot",
      "two_shot",  "moe_a2a" } },
  { KERNEL_MEMORY,
    { "^memory_copy_", "^__amd_rocclr_copybuffer", "^__amd_rocclr_fillbuffer", "^memcpy",
      "^hipmemcpy", "^memset", "^hipmemset", "^dma" } },
  { KERNEL_MOE,
    { "moe", "routing", "topkgating", "topk_gating", "topk_softmax", "topksoftmax", "grouped_topk",
      "expandinputrows", "groupedtopk", "topk_sigmoid", "expert" } },
  { KERNEL_OTHER, { "topprenorm", "topkrenorm", "sampling" } },
  { KERNEL_ELEMENTWISE, { "reshape_and_cache", "concat_and_cache", "permute_cols" } },
  /* With recurrent layers, which stand where attention does. */
  { KERNEL_ATTENTION, { "flash_",       "flash::",        "flashattn",
                        "attn",         "fmha",           "attention",
                        "mla_",         "batchprefill",   "batchdecode",
                        "pagedkv",      "sdpa",           "aiter::pa_",
                        "^_fwd_kernel", "^_bwd_kernel",   "^_fwd_grouped_kernel",
                        "mergestates",  "selective_scan", "delta_rule",
                        "chunk_fwd",    "chunk_bwd",      "chunk_scan",
                        "chunk_state",  "state_passing",  "^fused_recurrent" } },
  { KERNEL_CONVOLUTION,
    { "conv~e", "im2d2col", "im2col", "col2im", "winograd", "wgrad", "dgrad", "fprop" } },
  { KERNEL_EMBEDDING, { "split_embedding", "embedding_nobag" } },
  { KERNEL_ELEMENTWISE, { "fbgemm_gpu::" } },
  { KERNEL_GEMM,
    { "gemm", "gemv", "cijk_", "nvjet", "cublas", "xmma", "wgmma", "matmul", "hipblaslt", "_mm_",
      "splitk", "marlin", "machete", "^bmm_" } },
  { KERNEL_OPTIMIZER,
    { "adam", "_sgd", "sgd_", "lamb_", "_lamb", "adagrad", "rmsprop", "koptimizer" } },
  { KERNEL_REDUCTION, { "lpnorm" } },
  { KERNEL_NORMALIZATION,
    { "norm~al", "normali", "bn_fw", "bn_bw", "^ln_fwd", "^ln_bwd", "rowwisemoments", "gammabeta",
      "computefusedparams", "computeinternalgradients" } },
  { KERNEL_ELEMENTWISE, { "rotary", "_rope", "rope_" } },
  { KERNEL_EMBEDDING, { "embedding" } },
  { KERNEL_REDUCTION,
    { "reduce", "sum~er", "softmax", "argmax", "argmin", "scan_", "logsumexp", "topk", "devicescan",
      "sort", "_pool", "dot_kernel", "cross_entropy", "nll_loss", "classnll" } },
  { KERNEL_ELEMENTWISE, { "elementwise", "vectorized", "unrolled",
                          "fill",        "cat_",       "catarray",
                          "copy",        "cast",       "convert",
                          "quant",       "transpose",  "permute",
                          "and_mul",     "gelu",       "silu",
                          "swiglu",      "dropout",    "scatter",
                          "gather",      "index",      "multi_tensor_apply",
                          "nchwtonhwc",  "nhwctonchw", "upsample",
                          "triu_tril",   "gated_",     "^loop_" } },
};

/* Of what Inductor fuses ("triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0"): the heaviest of its operators. */
static const Row fused_rows[] = {
  { KERNEL_ATTENTION, { "attention", "attn" } },
  { KERNEL_CONVOLUTION, { "convolution" } },
  { KERNEL_GEMM, { "^triton_tem_", "_mm_", "_addmm_", "_bmm_" } },
  { KERNEL_NORMALIZATION, { "_norm", "norm_", "_rsqrt" } },
  { KERNEL_EMBEDDING, { "embedding" } },
  { KERNEL_REDUCTION, { "^triton_red_", "^triton_per_", "^triton_spl_", "softmax", "_sum" } },
  { KERNEL_ELEMENTWISE, { "^triton_poi_", "^triton_for_" } },
  { KERNEL_TRITON, { "^triton_" } },
};

/* What only these arguments of a function tell, such as Adam in multi_tensor_apply_kernel<..., AdamFunctor>. */
static const Row argument_rows[] = {
  { KERNEL_OPTIMIZER, { "adam", "sgd", "lamb", "adagrad", "rmsprop", "lion" } },
  { KERNEL_REDUCTION, { "lpnorm" } },
  { KERNEL_ELEMENTWISE, { "" } },
};

/* Somewhere, and not followed by what is excluded: "norm~al". */
static bool has_without(const char *name, size_t len, const char *word, const char *mark)
{
  char stem[32];
  size_t n = (size_t)(mark - word);
  memcpy(stem, word, n);
  stem[n] = 0;
  for (size_t i = 0; i + n <= len; i++)
    if (words_begin_any_case(name + i, len - i, stem) &&
        !words_begin_any_case(name + i + n, len - i - n, mark + 1))
      return true;
  return false;
}

static bool has(const char *name, size_t len, const char *word)
{
  const char *mark = strchr(word, '~');
  if (mark) return has_without(name, len, word, mark);
  if (*word == '^') return words_begin_any_case(name, len, word + 1);
  return !*word || words_have_any_case(name, len, word);
}

/* Which neighbours are in a name, five bits of each: most of some hundred words are ruled out without a search. */
typedef struct Neighbours {
  uint32_t seen[32]; /* by the first, a bit for the second */
} Neighbours;

static Neighbours neighbours_of(const char *name, size_t len)
{
  Neighbours n = { { 0 } };
  for (size_t i = 1; i < len; i++) n.seen[name[i - 1] & 31] |= UINT32_C(1) << (name[i] & 31);
  return n;
}

static bool may_have(const Neighbours *n, const char *word)
{
  word += *word == '^';
  for (int i = 1; i < 4 && word[i - 1] && word[i] && word[i] != '~'; i++)
    if (!(n->seen[word[i - 1] & 31] >> (word[i] & 31) & 1)) return false;
  return true;
}

static const Row *first_row(const Row *list, size_t n, const char *name, size_t len)
{
  const Neighbours near = neighbours_of(name, len);
  for (size_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < MAX_WORDS && list[i].words[k]; k++)
      if (may_have(&near, list[i].words[k]) && has(name, len, list[i].words[k])) return &list[i];
  return NULL;
}

/* ---- the function */

static const char anonymous[] = "(anonymous namespace)::";

/* The end of what `open` begins, or the end of the name. */
static size_t pass_nested(const char *name, size_t len, size_t i, char open, char close)
{
  size_t depth = 0;
  for (; i < len; i++) {
    depth += name[i] == open;
    if (name[i] == close && --depth == 0) return i + 1;
  }
  return len;
}

/* Template arguments and parameters go.  An operator such as operator() or operator< ends it as well. */
static size_t without_arguments(const char *name, size_t len, char out[FUNCTION_BYTES])
{
  size_t n = 0, skip = sizeof anonymous - 1;
  for (size_t i = 0; i < len && n < FUNCTION_BYTES;) {
    if (name[i] == '<')
      i = pass_nested(name, len, i, '<', '>');
    else if (name[i] != '(')
      out[n++] = name[i++];
    else if (len - i >= skip && memcmp(name + i, anonymous, skip) == 0)
      i += skip;
    else
      break;
  }
  while (n && out[n - 1] == ' ') n--;
  return n;
}

/* After the type that the function returns: "void f", "std::enable_if<...>::type f". */
static size_t function_start(const char *text, size_t len)
{
  bool qualified = memmem(text, len, "::", 2) != NULL || words_begin_any_case(text, len, "void ");
  for (size_t i = len; qualified && i > 0; i--)
    if (text[i - 1] == ' ') return i;
  return 0;
}

/* It calls what its first argument names: cutlass::Kernel2<cutlass_80_tensorop_...>, ck_tile::kentry<..., FmhaFwd...>. */
static bool is_wrapper(const char *function, size_t len)
{
  static const char *const ends[] = { "kernel", "kernel2", "device_kernel",
                                      "kentry", "entry",   "kernel_entry" };
  const char *last = function;
  for (size_t i = 0; i + 2 <= len; i++)
    if (function[i] == ':' && function[i + 1] == ':') last = function + i + 2;
  size_t n = (size_t)(function + len - last);
  for (size_t i = 0; i < MILL_COUNT(ends); i++)
    if (strlen(ends[i]) == n && words_begin_any_case(last, n, ends[i])) return true;
  return false;
}

static KernelClass class_of_row(const Row *row) { return row ? row->class : KERNEL_OTHER; }

static KernelClass class_of_wrapped(size_t n_rows, const char *name, size_t len)
{
  const Row *row = first_row(rows, n_rows, name, len);
  bool weak = !row || row->class == KERNEL_ELEMENTWISE || row->class == KERNEL_REDUCTION;
  return weak && words_have_any_case(name, len, "cutlass") ? KERNEL_GEMM : class_of_row(row);
}

static KernelClass class_by(size_t n_rows, const char *name, size_t len)
{
  char text[FUNCTION_BYTES];
  if (words_begin_any_case(name, len, "triton_"))
    return class_of_row(first_row(fused_rows, MILL_COUNT(fused_rows), name, len));
  size_t n = without_arguments(name, len, text), start = function_start(text, n);
  const char *function = text + start;
  n -= start;
  if (is_wrapper(function, n)) return class_of_wrapped(n_rows, name, len);
  if (words_have_any_case(function, n, "multi_tensor_apply"))
    return class_of_row(first_row(argument_rows, MILL_COUNT(argument_rows), name, len));
  return class_of_row(first_row(rows, n_rows, function, n));
}

KernelClass kernel_class_of(const char *name, size_t len)
{
  return class_by(MILL_COUNT(rows), name, len);
}

KernelClass kernel_moves(const char *name, size_t len)
{
  KernelClass class = class_by(MOVING_ROWS, name, len);
  return class == KERNEL_COMM || class == KERNEL_MEMORY ? class : KERNEL_OTHER;
}

const char *kernel_class(const char *name, size_t len)
{
  return class_names[kernel_class_of(name, len)];
}
