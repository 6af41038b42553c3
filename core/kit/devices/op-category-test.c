/* Tests of lib/op-category and lib/kernel-class: the tables, row by row. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/op-category.h"

#include <stagemill/harness.h>

#include "check.h"
#include "kit/devices/kernel-class.h"

static const struct {
  const char *op, *category;
} ops[] = {
  { "aten::mm", "GEMM" },
  { "aten::_scaled_mm", "GEMM" },
  { "primus_turbo_cpp::hipblaslt_gemm_fp8", "GEMM" },
  { "aten::linear", NULL },
  { "primus_turbo::grouped_gemm", "GroupedGEMM_fwd" },
  { "aten::_grouped_mm", "GroupedGEMM_fwd" },
  { "aten::_convolution", "CONV_fwd" },
  { "aten::convolution_backward", "CONV_bwd" },
  { "aten::native_layer_norm", "NORM_fwd" },
  { "aten::cudnn_batch_norm_backward", "NORM_bwd" },
  { "aten::_fused_rms_norm", "NORM_fwd" },
  { "aten::layer_norms", NULL },
  { "aiter::_groupnorm_run", "NORM_fwd" },
  { "vllm::unified_attention_with_output", "InferenceAttention" },
  { "_C_cache_ops::reshape_and_cache_flash", "InferenceAttention" },
  { "aiter::mha_batch_prefill", "InferenceAttention" },
  { "aten::_flash_attention_forward", "SDPA_fwd" },
  { "aten::_scaled_dot_product_flash_attention_backward", "SDPA_bwd" },
  { "aiter::mha_bwd", "SDPA_bwd" },
  { "FlashAttnFunc", "SDPA_fwd" },
  { "aiter::rmsnorm2d_fwd", "RMSNorm" },
  { "_C::rotary_embedding", "RoPE_fwd" },
  { "FusedRoPEFuncBackward", "RoPE_bwd" },
  { "fused_rope_backward", "RoPE_bwd" },
  { "MoEDispatch", "MoE_comm" },
  { "vllm::moe_forward", "MoE" },
  { "aten::add_", "elementwise" },
  { "aten::copy", "elementwise" },
  { "aten::threshold_backward", "elementwise" },
  { "aten::sigmoid_backward_", NULL },
  { "_C::silu_and_mul", "elementwise" },
  { "_C::gelu_tanh_and_mul", "elementwise" },
  { "aten::amax", "reduce" },
  { "aten::sum_", NULL },
  { "triton_poi_fused_add_0", NULL },
  { "record_param_comms", "record_param_comms" },
  { "tex_ts::te_gemm_ts", "GEMM" },
  { "_LayerNormLinear_wgrad_mm", "GEMM" },
  { "aten::matmul", NULL },
  { "x::ck_grouped_gemm_fixed", "GroupedGEMM_fwd" },
  { "aten::miopen_convolution", "CONV_fwd" },
  { "aten::instance_norm", "NORM_fwd" },
  { "aten::native_group_norm_backward", "NORM_bwd" },
  { "sgl::set_kv_store_cache", "InferenceAttention" },
  { "vllm::paged_attention_v1", "InferenceAttention" },
  { "vllm::mla_decode", "InferenceAttention" },
  { "flash_mla_fwd", "InferenceAttention" },
  { "flash_attn::_flash_attn_forward", "SDPA_fwd" },
  { "FusedAttnFunc", "SDPA_fwd" },
  { "FusedAttnFuncBackward", "SDPA_bwd" },
  { "aiter::fmha_v3_bwd", "SDPA_bwd" },
  { "aiter::_flash_attn_forward", "SDPA_fwd" },
  { "_C::fused_add_rms_norm", "RMSNorm" },
  { "x::apply_rope_inplace", "RoPE_fwd" },
  { "MoECombine", "MoE_comm" },
  { "_moe_C::topk_softmax", "MoE" },
  { "vllm::grouped_topk", "MoE" },
  { "aten::upsample_nearest3d", "elementwise" },
  { "aten::logsumexp", "reduce" },
  { "aten::linalg_norm", "reduce" },
  { "Torch-Compiled Region: 0/0", NULL },
  { "CompiledFunction", NULL },
  { "hipMemcpyAsync", NULL },
};

static void operators(void)
{
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    const char *category = op_category(ops[i].op), *none = "none of them";
    if (!CHECK_STR(category ? category : none, ops[i].category ? ops[i].category : none))
      CHECK_ROW(ops[i].op);
  }
}

static const struct {
  const char *kernel;
  bool backward;
  const char *category;
} categories[] = {
  { "void at::native::vectorized_elementwise_kernel<4>", false, "elementwise" },
  { "void at::native::reduce_kernel<elementwise>", true, "reduce" },
  { "at::native::reduce_kernel", false, "reduce" },
  { "void at::native::(anon)::multi_tensor_apply_kernel<>", false, "multi_tensor_apply" },
  { "void apex::adam_kernel<float>", false, "optimizer" },
  { "triton_red_fused_native_layer_norm_0", false, "NORM_fwd" },
  { "triton_red_fused_native_layer_norm_0", true, "NORM_bwd" },
  { "triton_poi_fused_add_0", true, "elementwise" },
  { "triton_tem_fused_mm_1", false, "GEMM" },
  { "triton__0d1d2d", false, "triton" },
  { "flash_fwd_kernel", false, "SDPA_fwd" },
  { "flash_bwd_dq_kernel", false, "SDPA_bwd" },
  { "sm80_xmma_wgrad_implicit_gemm_f16f16", false, "CONV_bwd" },
  { "sm80_xmma_fprop_implicit_gemm_f16f16", false, "CONV_fwd" },
  { "sm80_xmma_gemm_f16f16", true, "GEMM" },
  { "ncclDevKernel_AllReduce", false, "communication" },
  { "Memcpy DtoD", false, "memory" },
  { "fused_moe_kernel", false, "MoE" },
  { "embedding_kernel", false, "embedding" },
  { "k", true, "other" },
  { "", false, "other" },
};

static void categories_of_kernels(void)
{
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
    const char *kernel = categories[i].kernel;
    KernelCategory c = kernel_category(kernel, strlen(kernel), categories[i].backward);
    if (!CHECK_STR(kernel_category_names[c], categories[i].category)) CHECK_ROW(kernel);
  }
  for (int i = 1; i < N_KERNEL_CATEGORIES; i++)
    CHECK(strcmp(kernel_category_names[i - 1], kernel_category_names[i]) < 0);
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
  { "triton_poi_x", "Elementwise" },
  { "triton__0d1d2d", "Triton" },
  { "x_triton_poi", "Other" },
  { "triton_poi_fused_add_mul_0", "Elementwise" },
  { "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_3", "Normalization" },
  { "triton_per_fused_native_layer_norm_2", "Normalization" },
  { "triton_per_fused__softmax_1", "Reduction" },
  { "triton_tem_fused_addmm_4", "GEMM" },
  { "triton_tem_fused_flex_attention_0", "Attention" },
  { "triton_poi_fused_embedding_0", "Embedding" },
  { "void symm_mem::multimem_all_reduce_kernel<c10::BFloat16, 8>(c10::BFloat16*)", "COMM" },
  { "void c10d::symmetric_memory::(anonymous "
    "namespace)::one_shot_all_reduce_kernel<float>(float**)",
    "COMM" },
  { "void two_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(c10::BFloat16**)", "COMM" },
  { "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<2, "
    "__half>(int)",
    "COMM" },
  { "void tensorrt_llm::kernels::lamport_style_one_shot_all_reduce_norm_kernel<__half>(int)",
    "COMM" },
  { "void deep_ep::internode::dispatch<false, 4, false, 512>(int4*)", "COMM" },
  { "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(int)", "COMM" },
  { "rccl_main_kernel", "COMM" },
  { "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "COMM" },
  { "hcclAllGather", "COMM" },
  { "xhccl", "Other" },
  { "void tensorrt_llm::kernels::typeConvert<float, __half>(float*)", "Elementwise" },
  { "void copy_rows<cutlass::bfloat16_t>(cutlass::bfloat16_t*)", "Elementwise" },
  { "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, 4, "
    "at::native::templates::cuda::normal_and_transform<float>>(int)",
    "Elementwise" },
  { "void at::native::normal_kernel<float>(float*)", "Other" },
  { "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float>(int)", "GEMM" },
  { "void moe::dev::routing::routingRenormalize::routingIndicesClusterKernel<int>(int)", "MoE" },
  { "void vllm::moe::topkGatingSoftmax<8, 64, 4, 16>(float const*)", "MoE" },
  { "fused_moe_kernel", "MoE" },
  { "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
    "Elementwise" },
  { "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::NormTwoOps<float>>>(int)",
    "Reduction" },
  { "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
    "float>(int)",
    "Normalization" },
  { "void at::native::batch_norm_collect_statistics_kernel<float>(int)", "Normalization" },
  { "void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(int)", "Normalization" },
  { "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16>(int)", "Elementwise" },
  { "void flashinfer::BatchDecodeWithPagedKVCacheKernel<2>(int)", "Attention" },
  { "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64>>(Flash_fwd_params)",
    "Attention" },
  { "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<int>>>(int)",
    "Attention" },
  { "void ck_tile::kentry<256, 2, ck_tile::FmhaFwdKernel<int>>(int)", "Attention" },
  { "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<int>::"
    "Params)",
    "Attention" },
  { "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128>(int)", "GEMM" },
  { "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int>>(int)", "GEMM" },
  { "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64", "GEMM" },
  { "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", "GEMM" },
  { "void gemv2T_kernel_val<int, int, float, float, float, float, 128>(int)", "GEMM" },
  { "void marlin::Marlin<__half, 256, 4>(int)", "GEMM" },
  { "sm80_xmma_fprop_implicit_gemm_f16f16", "Convolution" },
  { "void cudnn::ops::nchwToNhwcKernel<__half>(int)", "Elementwise" },
  { "void causal_conv1d_fwd_kernel<int>(int)", "Convolution" },
  { "miopenSp3AsmConv_v30_3_1_gfx9", "Convolution" },
  { "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>(int)", "Normalization" },
  { "void at::native::(anonymous "
    "namespace)::multi_tensor_apply_kernel<at::native::FusedAdamMathFunctor<float>>(int)",
    "Optimizer" },
  { "void at::native::(anonymous "
    "namespace)::multi_tensor_apply_kernel<at::native::LpNormFunctor<float>>(int)",
    "Reduction" },
  { "void at::native::(anonymous "
    "namespace)::multi_tensor_apply_kernel<at::native::BinaryOpListAlphaFunctor<float>>(int)",
    "Elementwise" },
  { "void at::native::(anonymous namespace)::embedding_backward_feature_kernel<float>(int)",
    "Embedding" },
  { "void at::native::sbtopk::gatherTopK<float, unsigned int, 2>(int)", "Reduction" },
  { "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(int)", "Elementwise" },
  { "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u>(int)", "Other" },
  { "_ZN7cutlass13device_kernelIN5flash11FlashAttnFwd", "Attention" },
  { "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float>(int)", "GEMM" },
  { "reshape_and_cache_kernel_flash", "Elementwise" },
  { "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16>(int)", "Elementwise" },
  { "void gptq_marlin::permute_cols_kernel(int)", "Elementwise" },
  { "_fwd_grouped_kernel_stage1", "Attention" },
  { "_fwd_kernel", "Attention" },
  { "fused_fwd_kernel", "Other" },
  { "aiter::pa_bf16_pertokenFp8_gqa8_2tg_4w", "Attention" },
  { "void flashinfer::PersistentVariableLengthMergeStatesKernel<4>(int)", "Attention" },
  { "chunk_gated_delta_rule_fwd_kernel_h_blockdim64", "Attention" },
  { "fused_recurrent_gated_delta_rule_fwd_kernel", "Attention" },
  { "_chunk_scan_fwd_kernel", "Attention" },
  { "_state_passing_fwd_kernel", "Attention" },
  { "void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<32>>(int)", "Attention" },
  { "void fbgemm_gpu::split_embedding_nobag_codegen_forward_unweighted_kernel<float>(int)",
    "Embedding" },
  { "void fbgemm_gpu::permute_2D_sparse_data_kernel_vec<false>(int)", "Elementwise" },
  { "kOptimizerStatic8bit2StateBlockwise", "Optimizer" },
  { "void ln_fwd_kernel<float>(int)", "Normalization" },
  { "void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(int)",
    "Normalization" },
  { "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel_32x32<float>(int)",
    "Normalization" },
  { "void at::native::bitonicSortKVInPlace<-2, -1, 16, 16, float, long>(int)", "Reduction" },
  { "void cub::DeviceScanKernel<int>(int)", "Reduction" },
  { "void at::native::(anonymous namespace)::max_pool_forward_nhwc<float>(int)", "Reduction" },
  { "void dot_kernel<float, 128, 0, cublasDotParams>(int)", "Reduction" },
  { "liger_cross_entropy_kernel", "Reduction" },
  { "void tensorrt_llm::kernels::cutlass_kernels::expandInputRowsKernel<int>(int)", "MoE" },
  { "void at::native::triu_tril_kernel<bool, int>(int)", "Elementwise" },
  { "void transformer_engine::gated_kernel<float>(int)", "Elementwise" },
  { "loop_add_fusion_2", "Elementwise" },
  { "unrolled_kernel", "Elementwise" },
  { "", "Other" },
};

/* What moves data is known without the other classes, and is the same. */
static void kernels_that_move(void)
{
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
    KernelClass class = kernel_class_of(kernels[i].name, strlen(kernels[i].name));
    bool moves = class == KERNEL_COMM || class == KERNEL_MEMORY;
    if (!CHECK(kernel_moves(kernels[i].name, strlen(kernels[i].name)) ==
               (moves ? class : KERNEL_OTHER)))
      CHECK_ROW(kernels[i].name);
  }
}

static void kernels_by_name(void)
{
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (!CHECK_STR(kernel_class(kernels[i].name, strlen(kernels[i].name)), kernels[i].class))
      CHECK_ROW(kernels[i].name);
}

TEST_MAIN({ "operators", operators }, { "categories of kernels", categories_of_kernels },
          { "kernels by name", kernels_by_name }, { "kernels that move", kernels_that_move })
