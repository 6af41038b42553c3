/* Tests of lib/op-category and lib/kernel-class: the tables, row by row. */
#include "lib/op-category.h"

#include <stagemill/harness.h>

#include "check.h"
#include "lib/kernel-class.h"

static const struct {
  const char *op, *kernel, *category;
} ops[] = {
  { "aten::mm", NULL, "GEMM" },
  { "aten::_scaled_mm", NULL, "GEMM" },
  { "primus_turbo_cpp::hipblaslt_gemm_fp8", NULL, "GEMM" },
  { "aten::linear", NULL, "other" },
  { "primus_turbo::grouped_gemm", NULL, "GroupedGEMM_fwd" },
  { "aten::_grouped_mm", NULL, "GroupedGEMM_fwd" },
  { "aten::_convolution", NULL, "CONV_fwd" },
  { "aten::convolution_backward", NULL, "CONV_bwd" },
  { "aten::native_layer_norm", NULL, "NORM_fwd" },
  { "aten::cudnn_batch_norm_backward", NULL, "NORM_bwd" },
  { "aten::_fused_rms_norm", NULL, "NORM_fwd" },
  { "aten::layer_norms", NULL, "other" },
  { "aiter::_groupnorm_run", NULL, "NORM_fwd" },
  { "vllm::unified_attention_with_output", NULL, "InferenceAttention" },
  { "_C_cache_ops::reshape_and_cache_flash", NULL, "InferenceAttention" },
  { "aiter::mha_batch_prefill", NULL, "InferenceAttention" },
  { "aten::_flash_attention_forward", NULL, "SDPA_fwd" },
  { "aten::_scaled_dot_product_flash_attention_backward", NULL, "SDPA_bwd" },
  { "aiter::mha_bwd", NULL, "SDPA_bwd" },
  { "FlashAttnFunc", NULL, "SDPA_fwd" },
  { "aiter::rmsnorm2d_fwd", NULL, "RMSNorm" },
  { "_C::rotary_embedding", NULL, "RoPE_fwd" },
  { "FusedRoPEFuncBackward", NULL, "RoPE_bwd" },
  { "fused_rope_backward", NULL, "RoPE_bwd" },
  { "MoEDispatch", NULL, "MoE_comm" },
  { "vllm::moe_forward", NULL, "MoE" },
  { "aten::add_", NULL, "elementwise" },
  { "aten::copy", NULL, "elementwise" },
  { "aten::threshold_backward", NULL, "elementwise" },
  { "aten::sigmoid_backward_", NULL, "other" },
  { "_C::silu_and_mul", NULL, "elementwise" },
  { "_C::gelu_tanh_and_mul", NULL, "elementwise" },
  { "aten::amax", NULL, "reduce" },
  { "aten::sum_", NULL, "other" },
  { "triton_poi_fused_add_0", NULL, "triton" },
  { "record_param_comms", NULL, "record_param_comms" },
  { "tex_ts::te_gemm_ts", NULL, "GEMM" },
  { "_LayerNormLinear_wgrad_mm", NULL, "GEMM" },
  { "aten::matmul", NULL, "other" },
  { "x::ck_grouped_gemm_fixed", NULL, "GroupedGEMM_fwd" },
  { "aten::miopen_convolution", NULL, "CONV_fwd" },
  { "aten::instance_norm", NULL, "NORM_fwd" },
  { "aten::native_group_norm_backward", NULL, "NORM_bwd" },
  { "sgl::set_kv_store_cache", NULL, "InferenceAttention" },
  { "vllm::paged_attention_v1", NULL, "InferenceAttention" },
  { "vllm::mla_decode", NULL, "InferenceAttention" },
  { "flash_mla_fwd", NULL, "InferenceAttention" },
  { "flash_attn::_flash_attn_forward", NULL, "SDPA_fwd" },
  { "FusedAttnFunc", NULL, "SDPA_fwd" },
  { "FusedAttnFuncBackward", NULL, "SDPA_bwd" },
  { "aiter::fmha_v3_bwd", NULL, "SDPA_bwd" },
  { "aiter::_flash_attn_forward", NULL, "SDPA_fwd" },
  { "_C::fused_add_rms_norm", NULL, "RMSNorm" },
  { "x::apply_rope_inplace", NULL, "RoPE_fwd" },
  { "MoECombine", NULL, "MoE_comm" },
  { "_moe_C::topk_softmax", NULL, "MoE" },
  { "vllm::grouped_topk", NULL, "MoE" },
  { "aten::upsample_nearest3d", NULL, "elementwise" },
  { "aten::logsumexp", NULL, "reduce" },
  { "aten::linalg_norm", NULL, "reduce" },
  { "aten::fill_", "void at::native::vectorized_elementwise_kernel<4>", "elementwise" },
  { "aten::x", "void at::native::reduce_kernel<elementwise>", "reduce" },
  { "aten::x", "void at::native::(anon)::multi_tensor_apply_kernel<>", "multi_tensor_apply" },
  { "aten::x", "at::native::reduce_kernel", "other" },
  { "hipMemcpyAsync", "Memcpy", "other" },
};

static void operators(void)
{
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (!CHECK_STR(op_category(ops[i].op, ops[i].kernel), ops[i].category)) CHECK_ROW(ops[i].op);
}

static const struct {
  const char *name, *class;
} kernels[] = {
  { "ncclDevKernel_AllReduce_Sum_bf16", "COMM" },
  { "void vllm::cross_device_reduce_1stage", "COMM" },
  { "Memcpy HtoD (Pinned -> Device)", "Memory" },
  { "__amd_rocclr_copyBuffer", "Memory" },
  { "flash_fwd_kernel", "Attention" },
  { "cudnn::convolve_sgemm", "Convolution" },
  { "Cijk_Ailk_Bljk_BBS_BH_MT128x128x64", "GEMM" },
  { "sm90_xmma_x", "GEMM" },
  { "vectorized_layer_norm_kernel", "Normalization" },
  { "topkGating", "MoE" },
  { "softmax_warp_forward", "Reduction" },
  { "triton_poi_x", "Triton" },
  { "x_triton_poi", "Other" },
  { "unrolled_kernel", "Elementwise" },
  { "", "Other" },
};

static void kernels_by_name(void)
{
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (!CHECK_STR(kernel_class(kernels[i].name, strlen(kernels[i].name)), kernels[i].class))
      CHECK_ROW(kernels[i].name);
}

TEST_MAIN({ "operators", operators }, { "kernels by name", kernels_by_name })
