/* Families of operators by name; see op-family.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/op-family.h"

#include <stddef.h>
#include <string.h>

#include "kit/text/glob.h"
#include "kit/devices/op-category.h"

static const char *const wrappers[] = { "aiter::gemm_a16w16", "vllm::rocm_unquantized_gemm",
                                        "*gemm_a8w8*", NULL };
static const char *const grouped[] = { "*::grouped_gemm*", "*::ck_grouped_gemm*",
                                       "aten::_grouped_mm", "aten::_scaled_grouped_mm", NULL };
static const char *const vectors[] = { "aten::mv", "aten::addmv", NULL };
static const char *const convs[] = { "aten::convolution", "aten::_convolution",
                                     "aten::cudnn_convolution", "aten::miopen_convolution", NULL };
static const char *const attentions[] = { "aten::_scaled_dot_product_flash_attention*",
                                          "aten::_scaled_dot_product_efficient_attention*",
                                          "aten::_scaled_dot_product_cudnn_attention*",
                                          "flash_attn::_flash_attn_*forward",
                                          "flash_attn::_flash_attn_*backward",
                                          "flash_attn_3::fwd",
                                          "flash_attn_3::bwd",
                                          "flash_attn_3::_flash_attn_*ward",
                                          "_vllm_fa3_C::fwd",
                                          "vllm::unified_attention",
                                          "vllm::unified_attention_with_output",
                                          "sglang::unified_attention_with_output",
                                          "FlashAttnFunc",
                                          "aiter::_flash_attn_forward",
                                          "aiter::mha_fwd",
                                          "aiter::fmha_v3_fwd",
                                          "aiter::wrapper_fmha_v3_fwd",
                                          "aiter::mha_bwd",
                                          NULL };
static const char *const experts[] = { "*fused_experts*", "*fused_moe*", NULL };
static const char *const unary[] = { "copy", "clamp_min", "clamp_max", "sigmoid", "rsqrt",
                                     "silu", "neg",       "pow",       NULL };
static const char *const pads[] = { "replication_pad1d",
                                    "replication_pad2d",
                                    "replication_pad3d",
                                    "upsample_nearest1d",
                                    "upsample_nearest2d",
                                    "upsample_nearest3d",
                                    NULL };
static const char *const binary[] = { "div", "mul", "add", NULL };
static const char *const gradients[] = { "sigmoid_backward", "threshold_backward", NULL };
static const char *const tritons[] = { "triton_poi_*", "triton_red_*", "triton_per_*", NULL };

static bool is_one_of(const char *const *words, const char *text, size_t len)
{
  for (; *words; words++)
    if (strlen(*words) == len && memcmp(*words, text, len) == 0) return true;
  return false;
}

static OpFamily pointwise(const char *op)
{
  if (strncmp(op, "aten::", 6) != 0) return FAMILY_NONE;
  const char *name = op + 6;
  size_t len = strlen(name), stem = len && name[len - 1] == '_' ? len - 1 : len;
  if (is_one_of(unary, name, stem) || is_one_of(pads, name, len)) return FAMILY_UNARY;
  if (is_one_of(binary, name, stem) || is_one_of(gradients, name, len)) return FAMILY_BINARY;
  return FAMILY_NONE;
}

/* What its category alone says. */
static OpFamily by_category(const char *op)
{
  static const struct {
    const char *category;
    OpFamily family;
  } rows[] = { { "GEMM", FAMILY_GEMM },
               { "NORM_fwd", FAMILY_NORM },
               { "NORM_bwd", FAMILY_NORM_BACKWARD },
               { "RMSNorm", FAMILY_RMS_NORM },
               { "reduce", FAMILY_REDUCTION } };
  const char *category = op_category(op);
  for (size_t i = 0; category && i < sizeof rows / sizeof *rows; i++)
    if (strcmp(category, rows[i].category) == 0) return rows[i].family;
  return FAMILY_NONE;
}

OpFamily op_family(const char *op)
{
  if (glob_match_any(wrappers, op)) return FAMILY_GEMM_WRAPPER;
  if (glob_match_any(grouped, op)) return FAMILY_GROUPED_GEMM;
  if (glob_match_any(vectors, op)) return FAMILY_GEMM;
  if (glob_match_any(convs, op)) return FAMILY_CONV;
  if (strcmp(op, "aten::convolution_backward") == 0) return FAMILY_CONV_BACKWARD;
  if (glob_match_any(attentions, op))
    return op_is_backward(op) ? FAMILY_ATTENTION_BACKWARD : FAMILY_ATTENTION;
  if (glob_match_any(experts, op)) return FAMILY_MOE;
  if (glob_match_any(tritons, op)) return FAMILY_TRITON;
  OpFamily family = pointwise(op);
  if (family == FAMILY_NONE) family = by_category(op);
  bool rms = (family == FAMILY_NORM || family == FAMILY_NORM_BACKWARD) && strstr(op, "rms_norm");
  if (rms) family = FAMILY_RMS_NORM;
  return family == FAMILY_RMS_NORM && op_is_backward(op) ? FAMILY_RMS_NORM_BACKWARD : family;
}

const char *op_family_name(OpFamily family)
{
  static const char *const names[N_FAMILIES] = {
    "",     "GEMM", "GEMM",    "GroupedGEMM", "CONV",  "CONV",   "SDPA",   "SDPA",   "MoE",
    "NORM", "NORM", "RMSNorm", "RMSNorm",     "unary", "binary", "reduce", "triton",
  };
  return names[family];
}

bool op_family_is_matrix(OpFamily family) { return family >= FAMILY_GEMM && family <= FAMILY_MOE; }
