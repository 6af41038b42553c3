/* Categories of operators: the first row that matches; of kernels: by their classes; see op-category.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/op-category.h"

#include <string.h>

#include "kit/text/glob.h"
#include "kit/devices/kernel-class.h"
#include "kit/text/words.h"

typedef struct Rule {
  const char *category, *pattern;
} Rule;

static const char *const gemms[] = { "aten::mm",
                                     "aten::addmm",
                                     "aten::bmm",
                                     "aten::baddbmm",
                                     "aten::_scaled_mm",
                                     "aten::_int_mm",
                                     "aten::_addmm_activation",
                                     "trtllm::cublas_scaled_mm",
                                     "bitsandbytes::int8_linear_matmul",
                                     "tex_ts::te_gemm_ts",
                                     "vllm::gemm_with_dynamic_quant",
                                     "_Linear_yfwd_mm",
                                     "_Linear_xgrad_mm",
                                     "_Linear_wgrad_mm",
                                     "_LayerNormLinear_yfwd_mm",
                                     "_LayerNormLinear_xgrad_mm",
                                     "_LayerNormLinear_wgrad_mm",
                                     "primus_turbo*::hipblaslt_gemm_fp8",
                                     "primus_turbo*::hipblaslt_gemm_fp4",
                                     "aiter::gemm_a4w4",
                                     NULL };

static const Rule first_rules[] = {
  { "GroupedGEMM_fwd", "*::grouped_gemm*" },    { "GroupedGEMM_fwd", "*::ck_grouped_gemm*" },
  { "GroupedGEMM_fwd", "aten::_grouped_mm" },   { "GroupedGEMM_fwd", "aten::_scaled_grouped_mm" },
  { "CONV_fwd", "aten::convolution" },          { "CONV_fwd", "aten::_convolution" },
  { "CONV_fwd", "aten::cudnn_convolution" },    { "CONV_fwd", "aten::miopen_convolution" },
  { "CONV_bwd", "aten::convolution_backward" },
};

static const Rule later_rules[] = {
  { "NORM_fwd", "aiter::_groupnorm_run" },
  { "InferenceAttention", "vllm::unified_attention*" },
  { "InferenceAttention", "*reshape_and_cache*" },
  { "InferenceAttention", "*store_cache" },
  { "InferenceAttention", "*paged_attention*" },
  { "InferenceAttention", "aiter::mha_*prefill*" },
  { "InferenceAttention", "*::mla_*" },
  { "InferenceAttention", "*_mla_*" },
  { "SDPA", "aten::*attention*" },
  { "SDPA", "flash_attn*" },
  { "SDPA", "_vllm_fa3_C::*" },
  { "SDPA", "FlashAttn*" },
  { "SDPA", "FusedAttn*" },
  { "SDPA", "aiter::*flash_attn*" },
  { "SDPA", "aiter::*fmha*" },
  { "SDPA", "aiter::*mha*" },
  { "RMSNorm", "*rms_norm*" },
  { "RMSNorm", "*rmsnorm*" },
  { "RoPE", "*rotary_embedding*" },
  { "RoPE", "*_rope*" },
  { "RoPE", "*rope_*" },
  { "RoPE", "*RoPE*" },
  { "MoE_comm", "MoEDispatch" },
  { "MoE_comm", "MoECombine" },
  { "MoE", "*moe*" },
  { "MoE", "*topk_softmax*" },
  { "MoE", "*grouped_topk*" },
  { "elementwise", "*silu_and_mul" },
  { "elementwise", "*gelu*_and_mul" },
  { "record_param_comms", "record_param_comms*" },
};

/* Of these also with "_" at the end. */
static const char *const elementwise[] = { "copy",  "clamp_min", "clamp_max", "sigmoid",
                                           "rsqrt", "silu",      "neg",       "pow",
                                           "div",   "mul",       "add",       NULL };
static const char *const more_elementwise[] = {
  "sigmoid_backward",   "threshold_backward", "replication_pad1d",
  "replication_pad2d",  "replication_pad3d",  "upsample_nearest1d",
  "upsample_nearest2d", "upsample_nearest3d", NULL
};
static const char *const reductions[] = { "sum",         "mean", "max",  "min",       "norm",
                                          "linalg_norm", "std",  "var",  "logsumexp", "cumsum",
                                          "cumprod",     "amin", "amax", NULL };

static bool is_one_of(const char *const *words, const char *text, size_t len)
{
  for (; *words; words++)
    if (strlen(*words) == len && memcmp(*words, text, len) == 0) return true;
  return false;
}

bool op_is_gemm(const char *op) { return glob_match_any(gemms, op); }

static const char *first_match(const Rule *rules, size_t n, const char *op)
{
  for (size_t i = 0; i < n; i++)
    if (glob_match(rules[i].pattern, op)) return rules[i].category;
  return NULL;
}

static const char *skip(const char *text, const char *const *words)
{
  for (; *words; words++)
    if (strncmp(text, *words, strlen(*words)) == 0) return text + strlen(*words);
  return text;
}

/* aten::[native_,cudnn_,...]{batch,layer,...}_norm[_backward] */
static const char *norm_category(const char *op)
{
  static const char *const makers[] = { "native_", "cudnn_", "miopen_", "_fused_", NULL };
  static const char *const sorts[] = { "batch_norm",    "layer_norm", "group_norm",
                                       "instance_norm", "rms_norm",   NULL };
  if (strncmp(op, "aten::", 6) != 0) return NULL;
  const char *sort = skip(op + 6, makers), *rest = skip(sort, sorts);
  if (rest == sort) return NULL;
  if (strcmp(rest, "_backward") == 0) return "NORM_bwd";
  return *rest == 0 ? "NORM_fwd" : NULL;
}

bool op_is_backward(const char *op)
{
  return strstr(op, "backward") || strstr(op, "Backward") || strstr(op, "bwd");
}

static const char *with_direction(const char *category, const char *op)
{
  if (strcmp(category, "SDPA") == 0) return op_is_backward(op) ? "SDPA_bwd" : "SDPA_fwd";
  if (strcmp(category, "RoPE") == 0) return op_is_backward(op) ? "RoPE_bwd" : "RoPE_fwd";
  return category;
}

static const char *aten_category(const char *op)
{
  if (strncmp(op, "aten::", 6) != 0) return NULL;
  const char *name = op + 6;
  size_t len = strlen(name), stem = len && name[len - 1] == '_' ? len - 1 : len;
  if (is_one_of(elementwise, name, stem) || is_one_of(more_elementwise, name, len))
    return "elementwise";
  return is_one_of(reductions, name, len) ? "reduce" : NULL;
}

const char *op_category(const char *op)
{
  const char *category = op_is_gemm(op) ? "GEMM" : NULL;
  if (!category) category = first_match(first_rules, sizeof first_rules / sizeof *first_rules, op);
  if (!category) category = norm_category(op);
  if (!category) category = first_match(later_rules, sizeof later_rules / sizeof *later_rules, op);
  if (category) return with_direction(category, op);
  return aten_category(op);
}

/* ---- kernels */

const char *const kernel_category_names[N_KERNEL_CATEGORIES] = {
  "CONV_bwd",           "CONV_fwd",  "GEMM",          "MoE",         "NORM_bwd",  "NORM_fwd",
  "SDPA_bwd",           "SDPA_fwd",  "communication", "elementwise", "embedding", "memory",
  "multi_tensor_apply", "optimizer", "other",         "reduce",      "triton",
};

/* Of each class, forward; those with a backward pass have it just before. */
static const KernelCategory by_class[N_KERNEL_CLASSES] = {
  [KERNEL_OTHER] = CATEGORY_OTHER,
  [KERNEL_COMM] = CATEGORY_COMMUNICATION,
  [KERNEL_MEMORY] = CATEGORY_MEMORY,
  [KERNEL_MOE] = CATEGORY_MOE,
  [KERNEL_ATTENTION] = CATEGORY_SDPA_FWD,
  [KERNEL_CONVOLUTION] = CATEGORY_CONV_FWD,
  [KERNEL_GEMM] = CATEGORY_GEMM,
  [KERNEL_NORMALIZATION] = CATEGORY_NORM_FWD,
  [KERNEL_EMBEDDING] = CATEGORY_EMBEDDING,
  [KERNEL_OPTIMIZER] = CATEGORY_OPTIMIZER,
  [KERNEL_REDUCTION] = CATEGORY_REDUCE,
  [KERNEL_TRITON] = CATEGORY_TRITON,
  [KERNEL_ELEMENTWISE] = CATEGORY_ELEMENTWISE,
};

static bool says_backward(const char *kernel, size_t len)
{
  static const char *const words[] = { "backward", "bwd", "dgrad", "wgrad" };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words_have_any_case(kernel, len, words[i])) return true;
  return false;
}

KernelCategory kernel_category(const char *kernel, size_t len, bool backward)
{
  if (memmem(kernel, len, "multi_tensor_apply", 18)) return CATEGORY_MULTI_TENSOR;
  KernelCategory category = by_class[kernel_class_of(kernel, len)];
  bool has_pass = category == CATEGORY_SDPA_FWD || category == CATEGORY_CONV_FWD ||
                  category == CATEGORY_NORM_FWD;
  return has_pass && (backward || says_backward(kernel, len)) ? category - 1 : category;
}
