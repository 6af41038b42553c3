/* Tests of lib/op-work: work and bytes of operators, worked out by hand. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/op-work.h"

#include <stagemill/harness.h>

#include "check.h"

static const struct {
  const char *op, *dims, *types, *concrete;
  double flop, bytes; /* -1: not known */
} rows[] = {
  /* 2 * 2 * 3 * 4 = 48; (2*3 + 3*4 + 2*4) * 2 = 52 */
  { "aten::mm", "[[2,3],[3,4]]", "['c10::BFloat16','c10::BFloat16']", "", 48, 52 },
  /* + 2 * 4; + 4 * 4 bytes */
  { "aten::addmm", "[[4],[2,3],[3,4],[],[]]", "['float','float','float','Scalar','Scalar']", "", 56,
    120 },
  { "aten::bmm", "[[5,2,3],[5,3,4]]", "['double','double']", "", 240, 1040 },
  { "aten::baddbmm", "[[5,2,4],[5,2,3],[5,3,4]]", "['half','c10::Half','half']", "", 280, 300 },
  /* (6 + 12) * 1 + 8 * 2 bytes */
  { "aten::_scaled_mm", "[[2,3],[3,4],[],[]]", "['c10::Float8_e4m3fn','c10::Float8_e4m3fn']", "",
    48, 34 },
  { "aten::mm", "[[2,3],[5,4]]", "['float','float']", "", -1, -1 },
  { "aten::mm", "[[2,3]]", "['float']", "", -1, -1 },
  { "aten::mm", "[[2,3],[3,4]]", "['','']", "", -1, -1 },
  { "aten::mm", "x", "", "", -1, -1 },
  { "aten::mm", "[[2,-3],[3,4]]", "['float','float']", "", -1, -1 },
  { "aiter::gemm_a16w16", "[[2,3],[4,3]]", "['c10::BFloat16','c10::BFloat16']", "", 48, 52 },
  /* X[6,3], W[2,3,4]: 2*6*3*4 = 144; (18 + 24 + 24) * 2 */
  { "x::grouped_gemm", "[[6,3],[2,3,4],[2]]", "['half','half','long int']", "", 144, 132 },
  { "x::grouped_gemm_backward", "[[6,3],[2,3,4],[2]]", "['half','half','long int']", "", 288, 264 },
  /* x[1,2,5,5], w[3,2,3,3], padding 1: out 3*5*5 = 75; 2*18*75 + 75; (50 + 54 + 75 + 3) * 4 */
  { "aten::convolution", "[[1,2,5,5],[3,2,3,3],[3],[],[],[],[],[],[]]", "['float','float','float']",
    "['','','','[1, 1]','[1, 1]','[1, 1]','False','[0, 0]','1']", 2775, 728 },
  /* stride 2, no padding, one value for both: (5-3)/2+1 = 2: out 12; 2*18*12; (50 + 54 + 12) * 4 */
  { "aten::convolution", "[[1,2,5,5],[3,2,3,3],[],[],[],[],[],[],[]]", "['float','float','']",
    "['','','','[2]','[0]','[1]','False','[0]','1']", 432, 464 },
  /* transposed: w[2,3,3,3], out (5-1)*2 - 0 + 2 + 0 + 1 = 11: 3*121 = 363; 2*27*50; (50 + 54 + 363) * 4 */
  { "aten::convolution", "[[1,2,5,5],[2,3,3,3],[],[],[],[],[],[],[]]", "['float','float','']",
    "['','','','[2, 2]','[0, 0]','[1, 1]','True','[0, 0]','1']", 2700, 1868 },
  { "aten::cudnn_convolution", "[[1,2,5,5],[3,2,3,3]]", "['float','float']",
    "['','','[1, 1]','[1, 1]','[1, 1]','1','False']", 2700, 716 },
  { "aten::convolution", "[[1,2,5,5],[3,2,3,3]]", "['float','float']", "", -1, -1 },
  /* grad 75, w[1:] 18: 2 * 2*18*75 + 75; (2 * (75 + 54 + 50) + 75 + 3) * 4 */
  { "aten::convolution_backward", "[[1,3,5,5],[1,2,5,5],[3,2,3,3],[]]", "['float','float','float']",
    "['','','','[3]','','','','','','1','[True, True, True]']", 5475, 1744 },
  { "aten::convolution_backward", "[[1,3,5,5],[1,2,5,5],[3,2,3,3],[]]", "['float','float','float']",
    "['','','','[3]','','','','','','1','[False, True, False]']", 2700, 716 },
  /* B 1, H 2, N 4, d 8: 2*2*16*16 = 1024; rows 8 each: (8*16 + 8*16) * 2 */
  { "aten::_scaled_dot_product_flash_attention", "[[1,2,4,8],[1,2,4,8],[1,2,4,8]]",
    "['half','half','half']", "['','','','0.','False']", 1024, 512 },
  { "aten::_scaled_dot_product_flash_attention", "[[1,2,4,8],[1,2,4,8],[1,2,4,8]]",
    "['half','half','half']", "['','','','0.','True']", 512, 512 },
  /* N_Q 2 of N_KV 4, causal: (4 - 0.5) / 4 = 0.875 of 2*2*8*16 = 512 */
  { "aten::_scaled_dot_product_efficient_attention", "[[1,2,2,8],[1,2,4,8],[1,2,4,8]]",
    "['half','half','half']", "['','','','','','','True']", 448, 384 },
  /* backward, flash: 4*2*16*16 + 2*2*16*8; (8*24 + 2*8*16) * 2 */
  { "aten::_scaled_dot_product_flash_attention_backward",
    "[[1,2,4,8],[1,2,4,8],[1,2,4,8],[1,2,4,8]]", "['half','half','half','half']",
    "['','','','','','','','','','','','False']", 2560, 896 },
  /* B N H d, grouped heads: H_Q 4, H_KV 2: 2*4*16*16; (16*16 + 8*16) * 2 */
  { "flash_attn::_flash_attn_forward", "[[1,4,4,8],[1,4,2,8],[1,4,2,8]]", "['half','half','half']",
    "['','','','0.','1.','False']", 2048, 768 },
  /* 10 tokens in 3 sequences, longest 6: 36 + 4*4/2 = 44 pairs; 2*2*44*16; (20*16 + 20*16) * 2 */
  { "flash_attn::_flash_attn_varlen_forward", "[[10,2,8],[10,2,8],[10,2,8],[4],[4]]",
    "['half','half','half','int','int']", "['','','','','','6','6','0.','1.','False']", 2816,
    1280 },
  /* E 60, C 3, training: 5*60 + 18; (120 + 3*(2+1+1+2)) * 4 */
  { "aten::batch_norm", "[[5,3,4],[3],[3],[3],[3]]", "['float','float','float','float','float']",
    "['','','','','','True','0.1']", 318, 552 },
  { "aten::batch_norm", "[[5,3,4],[3],[3],[3],[3]]", "['float','float','float','float','float']",
    "['','','','','','False','0.1']", 138, 528 },
  /* E 12, C 4: 60 + 24; (24 + 4*(2+1+0+2)) * 2 */
  { "aten::layer_norm", "[[3,4],[],[4],[]]", "['half','','half','']", "['','[4]','','']", 84, 88 },
  /* backward: 9*12; (36 + 4*(1 + 3)) * 2; without the input's gradient 4*12; (24 + 4*(1+1+1+0)) * 2 */
  { "aten::native_layer_norm_backward", "[[3,4],[3,4],[],[3,1],[3,1],[4],[4]]",
    "['half','half','','float','float','half','half']",
    "['','','[4]','','','','','[True, True, True]']", 108, 104 },
  { "aten::native_layer_norm_backward", "[[3,4],[3,4],[],[3,1],[3,1],[4],[4]]",
    "['half','half','','float','float','half','half']",
    "['','','[4]','','','','','[False, True, False]']", 48, 72 },
  { "aten::native_group_norm", "[[2,3,5],[3],[3]]", "['float','float','float']", "", 168, 312 },
  /* 3 rows of 4: 3*10 + 12 + 12; (24 + 4) * 2; backward 10*12; (36 + 8) * 2 */
  { "aiter::rms_norm", "[[3,4],[4]]", "['half','half']", "", 54, 56 },
  { "aten::rms_norm", "[[3,4],[]]", "['half','']", "", 42, 48 },
  { "aten::_fused_rms_norm_backward", "[[3,4],[3,4],[4]]", "['half','half','half']", "", 120, 88 },
  { "aten::copy_", "[[3,4],[3,4]]", "['float','half']", "", 12, 72 },
  { "aten::sigmoid", "[[3,4]]", "['float']", "", 12, 96 },
  /* [3,1,4] and [5,1]: out [3,5,4] = 60; 12*4 + 5*2 + 60*4 */
  { "aten::mul", "[[3,1,4],[5,1]]", "['float','half']", "", 60, 298 },
  { "aten::add", "[[3,4],[],[]]", "['half','Scalar','Scalar']", "", 12, 52 },
  { "aten::add", "[[3,4],[5,4]]", "['half','half']", "", -1, -1 },
  { "aten::sum", "[[3,4],[]]", "['float','']", "['','[-1]','False']", 12, 60 },
  { "aten::sum", "[[3,4]]", "['float']", "['','']", 12, 52 },
  { "aten::cumsum", "[[3,4],[]]", "['float','']", "['','1']", 12, 96 },
  { "aten::norm", "[[3,4],[],[],[]]", "['float']", "['','2','[0]','False']", 12, 64 },
  { "triton_poi_fused_add_0", "[[3,4],[4],[]]", "['float','half','Scalar']", "", 0, 104 },
  { "triton_red_fused_0", "[[3,4],[4],[]]", "['float','half','Scalar']", "", 0, 56 },
  /* one more for each of 2 * 4 and 4 * 1 bytes; FP8 in, 2 bytes out */
  { "aten::_scaled_mm", "[[2,3],[3,4],[4]]", "['c10::Float8_e4m3fn','c10::Float8_e4m3fn','half']",
    "", 56, 38 },
  { "trtllm::cublas_scaled_mm", "[[2,3],[3,4]]", "['c10::Float8_e4m3fn','c10::Float8_e4m3fn']", "",
    48, 34 },
  { "aiter::gemm_a8w8_bpreshuffle", "[[2,3],[4,3]]",
    "['c10::Float8_e4m3fnuz','c10::Float8_e4m3fnuz']", "", 48, 26 },
  { "vllm::rocm_unquantized_gemm", "[[2,3],[4,3]]", "['half','half']", "", 48, 52 },
  { "x::ck_grouped_gemm", "[[6,3],[2,3,4],[2]]", "['half','half','long int']", "", 144, 132 },
  /* two groups: w[6,2,3,3] of x[1,4,5,5], padding 1: out 6*25; 2*18*150; (100 + 108 + 150) * 4 */
  { "aten::_convolution", "[[1,4,5,5],[6,2,3,3],[],[],[],[],[],[],[]]", "['float','float','']",
    "['','','','[1, 1]','[1, 1]','[1, 1]','False','[0, 0]','2']", 5400, 1432 },
  /* dilation 2 of 3: 8 - 4 - 1 + 1 = 4: out 12; 2*6*12; (16 + 18 + 12) * 4 */
  { "aten::convolution", "[[1,2,8],[3,2,3],[],[],[],[],[],[],[]]", "['float','float','']",
    "['','','','[1]','[0]','[2]','False','[0]','1']", 144, 184 },
  /* padding before stride: (5 + 2 - 2 - 1)/2 + 1 = 3: out 27; 2*18*27 + 27; (50 + 54 + 27 + 3) * 4 */
  { "aten::miopen_convolution", "[[1,2,5,5],[3,2,3,3],[3]]", "['float','float','float']",
    "['','','','[1, 1]','[2, 2]','[1, 1]','1']", 999, 536 },
  /* transposed in two groups: 2 * 2 channels of 5*5; 2*18*36; (36 + 72 + 100) * 4 */
  { "aten::convolution", "[[1,4,3,3],[4,2,3,3],[],[],[],[],[],[],[]]", "['float','float','']",
    "['','','','[1]','[0]','[1]','True','[0]','2']", 1296, 832 },
  /* B 1, H 2, N 4, d 8, causal: half of 1024 */
  { "aten::_scaled_dot_product_cudnn_attention", "[[1,2,4,8],[1,2,4,8],[1,2,4,8]]",
    "['half','half','half']", "['','','','','','','True']", 512, 512 },
  /* backward without the scores: 4*2*16*16, half of it; with them (2048 + 512) / 2 */
  { "aten::_scaled_dot_product_efficient_attention_backward",
    "[[1,2,4,8],[1,2,4,8],[1,2,4,8],[1,2,4,8]]", "['half','half','half','half']",
    "['','','','','','','','','','','','True']", 1024, 896 },
  { "aten::_scaled_dot_product_cudnn_attention_backward",
    "[[1,2,4,8],[1,2,4,8],[1,2,4,8],[1,2,4,8]]", "['half','half','half','half']",
    "['','','','','','','','','','','','True','','','False']", 2048, 896 },
  { "FlashAttnFunc", "[[1,4,2,8],[1,4,2,8],[1,4,2,8]]", "['half','half','half']",
    "['','','','0.','1.','True']", 512, 512 },
  { "aiter::_flash_attn_forward", "[[1,4,2,8],[1,4,2,8],[1,4,2,8]]", "['half','half','half']",
    "['','','','0.','1.','False']", 1024, 512 },
  { "aiter::mha_fwd", "[[1,4,2,8],[1,4,2,8],[1,4,2,8]]", "['half','half','half']",
    "['','','','0.','1.','True']", 512, 512 },
  { "aiter::fmha_v3_fwd", "[[1,4,2,8],[1,4,2,8],[1,4,2,8]]", "['half','half','half']",
    "['','','','0.','1.','True']", 512, 512 },
  { "aiter::wrapper_fmha_v3_fwd", "[[],[1,4,2,8],[1,4,2,8],[1,4,2,8]]", "['','half','half','half']",
    "['','','','','','','True']", 512, 512 },
  { "flash_attn::_flash_attn_backward", "[[1,4,2,8],[1,4,2,8],[1,4,2,8],[1,4,2,8]]",
    "['half','half','half','half']", "['','','','','','','','','','','True']", 1280, 896 },
  { "aiter::mha_bwd", "[[1,4,2,8],[1,4,2,8],[1,4,2,8],[1,4,2,8]]", "['half','half','half','half']",
    "['','','','','','','','','True']", 1280, 896 },
  /* 44 pairs as above: 4*2*44*16 + 2*2*44*8; (20*24 + 2*20*16) * 2 */
  { "flash_attn::_flash_attn_varlen_backward",
    "[[10,2,8],[10,2,8],[10,2,8],[10,2,8],[],[],[],[],[],[4],[4]]",
    "['half','half','half','half','','','','','','int','int']",
    "['','','','','','','','','','','','6','6','','','False']", 7040, 2240 },
  { "aten::cudnn_batch_norm", "[[5,3,4],[3],[3],[3],[3]]",
    "['float','float','float','float','float']", "['','','','','','True','0.1']", 318, 552 },
  { "aten::instance_norm", "[[2,3,5],[3],[]]", "['float','float','']", "", 168, 300 },
  { "aten::group_norm", "[[2,3,5],[],[3],[3]]", "['float','','float','float']", "", 168, 312 },
  /* x first, no mask: 9*60; (180 + 3*(1 + 3)) * 4 */
  { "aten::cudnn_batch_norm_backward", "[[5,3,4],[5,3,4],[3]]", "['float','float','float']", "",
    540, 768 },
  { "aten::miopen_batch_norm_backward", "[[5,3,4],[5,3,4],[3]]", "['float','float','float']", "",
    540, 768 },
  /* no gradient of the bias: (180 + 3*(1 + 2)) * 4 */
  { "aten::native_batch_norm_backward", "[[5,3,4],[5,3,4],[3]]", "['float','float','float']",
    "['','','','','','','','True','','[True, True, False]']", 540, 756 },
  { "aten::native_group_norm_backward", "[[2,3,5],[2,3,5],[2,3],[2,3],[3]]",
    "['float','float','float','float','float']",
    "['','','','','','','','','','[False, True, True]']", 120, 288 },
  { "aten::_fused_rms_norm_backward", "[[3,4],[3,4]]", "['half','half']", "", 84, 72 },
  { "aten::sigmoid_backward", "[[3,4],[3,4]]", "['half','half']", "", 12, 72 },
  /* 4 in, [6, 5] out: 30; without the size of the output nothing is known */
  { "aten::upsample_nearest2d", "[[1,1,2,2],[],[],[]]", "['float']", "['','[6, 5]','','']", 30,
    136 },
  { "aten::upsample_nearest1d", "[[2,3,4],[],[]]", "['half','','']", "['','[8]','']", 48, 144 },
  { "aten::upsample_nearest1d", "[[2,3,4],[],[]]", "['half','','']", "['','[8, 8]','']", -1, -1 },
  { "aten::upsample_nearest1d", "[[2,3,4]]", "['half']", "", -1, -1 },
  { "aten::upsample_nearest1d", "[[2,3,4],[],[]]", "['half','','']", "['','[-8]','']", -1, -1 },
  /* 1 + 3 more of the last dim, 0 + 2 of the one before: [4, 6] */
  { "aten::replication_pad2d", "[[1,1,2,2],[]]", "['float','']", "['','[1, 3, 0, 2]']", 24, 112 },
  { "aten::replication_pad2d", "[[1,1,2,2],[]]", "['float','']",
    "['','[9223372036854775807, 3, 0, 2]']", -1, -1 },
  /* over 3 * 4: 2 rows of 12: 2*26 + 24 + 24; (48 + 12) * 2; with the shape said, and the weight like x */
  { "aiter::rms_norm", "[[2,3,4],[3,4]]", "['half','half']", "", 100, 120 },
  { "aten::rms_norm", "[[2,3,4],[],[3,4],[]]", "['half','','half','']", "['','[3, 4]','','1e-06']",
    100, 120 },
  { "aten::rms_norm", "[[2,3,4],[],[],[]]", "['half','','','']", "['','[3, 4]','','']", 76, 96 },
  { "aten::rms_norm", "[[3,4],[],[3,4],[]]", "['half','','half','']", "['','[3, 4]','','']", 50,
    72 },
  /* a residual is no weight, one of a single row is: 54 and 56 as above */
  { "_C::fused_add_rms_norm", "[[3,4],[3,4],[4]]", "['half','half','half']", "", 54, 56 },
  { "aiter::rms_norm", "[[3,4],[1,4]]", "['half','half']", "", 54, 56 },
  { "aten::_fused_rms_norm_backward", "[[2,3,4],[2,3,4],[],[2,1,1],[3,4],[]]",
    "['half','half','','float','half','']", "['','','[3, 4]','','','[True, True]']", 240, 192 },
  /* 1 byte in, 4 out: 6 + 12 + 8 * 4 */
  { "aten::_int_mm", "[[2,3],[3,4]]", "['signed char','signed char']", "", 48, 50 },
  { "aten::_addmm_activation", "[[4],[2,3],[3,4],[],[],[]]", "['float','float','float','','','']",
    "", 56, 120 },
  /* 2*2*3; (6 + 3 + 2) * 4; a vector more: + 2 and + 2 * 4 */
  { "aten::mv", "[[2,3],[3]]", "['float','float']", "", 12, 44 },
  { "aten::addmv", "[[2],[2,3],[3],[],[]]", "['float','float','float','','']", "", 14, 52 },
  { "aten::mv", "[[2,3],[2]]", "['float','float']", "", -1, -1 },
  /* 144; FP8 in, 2 bytes out: 18 + 24 + 24 * 2 */
  { "aten::_scaled_grouped_mm", "[[6,3],[2,3,4],[6],[2,4],[2]]",
    "['c10::Float8_e4m3fn','c10::Float8_e4m3fn','float','float','int']", "", 144, 90 },
  /* columns shared out: A[2,5,3] B[3,4]: 2*5*3*4; (30 + 12 + 20) * 2.  The inner dim: 2*6*3*4, an output for each of 2
   * groups: (18 + 12 + 48) * 2.  Each group its own: 2*2*5*3*4; (30 + 24 + 40) * 2 */
  { "aten::_grouped_mm", "[[2,5,3],[3,4],[2]]", "['half','half','int']", "", 120, 124 },
  { "aten::_grouped_mm", "[[6,3],[3,4],[2]]", "['half','half','int']", "", 144, 156 },
  { "aten::_grouped_mm", "[[2,5,3],[2,3,4],[]]", "['half','half','']", "", 240, 188 },
  { "aten::_grouped_mm", "[[6,3],[3,4],[]]", "['half','half','']", "", -1, -1 },
  /* as those of the second version above: B 1, N 4, H 2, d 8; causal half of it */
  { "flash_attn_3::fwd", "[[1,4,2,8],[1,4,2,8],[1,4,2,8]]", "['half','half','half']",
    "['','','','','','','','','','','','','','','','','','','','','','','','0.5','True']", 512,
    512 },
  { "flash_attn_3::bwd", "[[1,4,2,8],[1,4,2,8],[1,4,2,8],[1,4,2,8]]",
    "['half','half','half','half']", "", 2560, 896 },
  /* pages of keys */
  { "_vllm_fa3_C::fwd", "[[1,4,2,8],[1,4,2,8],[1,4,2,8],[],[],[],[],[],[],[],[],[1],[],[],[1,1]]",
    "['half','half','half']", "", -1, -1 },
  /* three sequences: 6 and 6 rows, one of 4; 16 + 2*2/2 pairs: 2*1*18*16; (6*16 + 6*16) * 2 */
  { "flash_attn_3::fwd", "[[6,1,8],[6,1,8],[6,1,8],[],[],[],[],[4],[4]]",
    "['half','half','half','','','','','int','int']",
    "['','','','','','','','','','','','','4','4']", 576, 384 },
  /* 4 for each of 3 * 16; (2*48 + 24 + 24) * 2 */
  { "vllm::unified_attention_with_output", "[[3,16],[3,8],[3,8],[3,16]]",
    "['half','half','half','half']", "", 192, 288 },
  { "vllm::unified_attention", "[[3,2,8],[3,1,8],[3,1,8]]", "['half','half','half']", "", 192,
    288 },
  /* the output is operand 2: 12*2 + 12*2 + 12*4 */
  { "aten::div", "[[3,4],[3,4],[3,4]]", "['half','half','float']", "", 12, 96 },
  { "aten::mean", "[[3,4],[]]", "['float','']", "['','[0]','False']", 12, 64 },
  { "aten::cumprod", "[[3,4],[]]", "['float','']", "['','1']", 12, 96 },
  /* longest keys 20: 4 * 20 * 4 queries * 16; (2*4*16 + 2 sequences * 20 * 2 * 8) * 2 */
  { "_vllm_fa3_C::fwd", "[[4,2,8],[9,4,1,8],[9,4,1,8],[],[],[],[],[3],[],[],[],[2],[],[],[2,9]]",
    "['half','half','half']", "['','','','','','','','','','','','','2','20']", 5120, 1536 },
  /* fp4: 2 numbers in each element, so that K is 8: 2*2*4*8; (2*8 + 8*4) / 2 + 2*4*2 */
  { "aten::_scaled_mm", "[[2,4],[4,4]]", "['c10::Float4_e2m1fn_x2','c10::Float4_e2m1fn_x2']", "",
    128, 40 },
  { "aiter::gemm_a4w4", "[[2,4],[4,4]]", "['unsigned char','unsigned char']", "", 128, 40 },
  /* 5 tokens, 2 of 3 experts of 8*4 + 4*4 = 48: 2*5*2*48; 2*20*2 + 3*48*2 bytes */
  { "vllm::inplace_fused_experts", "[[5,4],[3,8,4],[3,4,4],[5,2],[5,2]]",
    "['c10::BFloat16','c10::BFloat16','c10::BFloat16','float','int']", "", 960, 368 },
  /* fp8 weights: 80 + 144; a token with 1 of 3: 2*48, 2*4*2 + 48 */
  { "aiter::fused_moe_", "[[5,4],[3,8,4],[3,4,4],[5,2],[5,2]]",
    "['c10::BFloat16','c10::Float8_e4m3fnuz','c10::Float8_e4m3fnuz','float','int']", "", 960, 224 },
  { "x::fused_experts", "[[1,4],[3,8,4],[3,4,4],[1,1]]",
    "['c10::BFloat16','c10::Float8_e4m3fn','c10::Float8_e4m3fn','float']", "", 96, 64 },
  /* packed: as many numbers, in half of the bytes: 80 + 72 */
  { "x::fused_experts", "[[5,4],[3,8,2],[3,4,2],[5,2]]",
    "['c10::BFloat16','unsigned char','unsigned char','float']", "", 960, 152 },
  { "x::fused_experts", "[[5,4],[3,8,5],[3,4,4],[5,2]]",
    "['c10::BFloat16','c10::BFloat16','c10::BFloat16','float']", "", -1, -1 },
  { "x::fused_experts", "[[5,4],[3,8,4],[3,4,4]]",
    "['c10::BFloat16','c10::BFloat16','c10::BFloat16']", "", -1, -1 },
  { "triton_per_fused_0", "[[3,4]]", "['float']", "", 0, 48 },
};

/* With double quotes for the single ones above. */
static Field quoted(const char *text, char *out)
{
  size_t n = 0;
  for (; text[n]; n++) out[n] = text[n] == '\'' ? '"' : text[n];
  out[n] = 0;
  return (Field){ out, n };
}

static OpWork work_of(size_t i)
{
  char texts[3][512];
  OpShape s;
  OpWork none = { 0 };
  if (!op_shape_read(quoted(rows[i].dims, texts[0]), quoted(rows[i].types, texts[1]),
                     quoted(rows[i].concrete, texts[2]), &s))
    return none;
  return op_work(op_family(rows[i].op), rows[i].op, &s, NULL);
}

static void work_and_bytes(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    OpWork w = work_of(i);
    bool ok = CHECK_INT(w.known, rows[i].bytes >= 0);
    if (ok && w.known) {
      ok = CHECK_INT(w.flop, rows[i].flop);
      ok = CHECK_INT(w.bytes, rows[i].bytes) && ok;
    }
    if (!ok) CHECK_ROW(rows[i].op);
  }
}

static void params_are_named(void)
{
  CHECK_STR(work_of(0).params, "M=2, N=4, K=3, bias=false");
  CHECK_STR(work_of(2).params, "M=2, N=4, K=3, B=5, bias=false");
  CHECK_STR(op_type_name(work_of(0).type), "bf16");
}

static void what_is_only_a_bound_says_so(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool packed = strstr(rows[i].op, "varlen") || strncmp(rows[i].dims, "[[6,1,8]", 8) == 0;
    CHECK_INT(work_of(i).is_upper, strstr(rows[i].concrete, "'20'") != NULL);
    CHECK_INT(work_of(i).is_bound, packed || strncmp(rows[i].op, "vllm::unified", 13) == 0);
  }
}

static OpWork served_work(const char *op, const char *dims, const OpServed *served)
{
  static const char types[] = "[\"half\",\"half\",\"half\"]";
  OpShape s;
  CHECK(op_shape_read((Field){ dims, strlen(dims) }, (Field){ types, strlen(types) },
                      (Field){ "", 0 }, &s));
  CHECK(op_work_serves(op_family(op), op, &s));
  return op_work(op_family(op), op, &s, served);
}

/* 4 * 100 pairs * 2 * 8; (2 * 3 * 16 + 50 keys * 16) * 2. */
static void attention_of_known_requests(void)
{
  const OpServed served = { 100, 50, false }, upper = { 100, 0, true };
  OpWork w = served_work("vllm::unified_attention", "[[3,2,8],[3,1,8],[3,1,8]]", &served);
  CHECK_INT(w.flop, 6400);
  CHECK_INT(w.bytes, 1792);
  CHECK(!w.is_bound && !w.is_upper);
  CHECK_STR(w.params, "T=3, pairs=100");
  w = served_work("sglang::unified_attention_with_output", "[[3,16],[3,8],[3,8]]", &upper);
  CHECK_INT(w.flop, 6400);
  CHECK_INT(w.bytes, 288);
  CHECK(!w.is_bound && w.is_upper);
  w = served_work("flash_attn_3::fwd",
                  "[[3,2,8],[9,4,1,8],[9,4,1,8],[],[],[],[],[3],[],[],[],[2],[],[],[2,9]]",
                  &served);
  CHECK_INT(w.flop, 6400);
  CHECK_INT(w.bytes, 1792);
  CHECK(!w.is_bound && !w.is_upper);
}

static void types_of_experts(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const OpWork w = work_of(i);
    if (!w.known || op_family(rows[i].op) != FAMILY_MOE) continue;
    const char *type = strstr(rows[i].types, "Float8")     ? "fp8"
                       : strstr(rows[i].types, "unsigned") ? "fp4"
                                                           : "bf16";
    if (!CHECK_STR(op_type_name(w.type), type)) CHECK_ROW(rows[i].op);
    CHECK(op_family_is_matrix(op_family(rows[i].op)));
  }
}

static void types_by_their_words(void)
{
  static const struct {
    const char *text;
    double bytes;
  } types[] = { { "long int", 8 },
                { "c10::Half", 2 },
                { "unsigned char", 1 },
                { "c10::Float8_e5m2", 1 },
                { "c10::Float4_e2m1fn_x2", 0.5 },
                { "ScalarList", 4 },
                { "int", 4 },
                { "", 0 },
                { "bool", 1 },
                { "TensorList", 0 } };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!CHECK(op_type_bytes(op_type_of(types[i].text, strlen(types[i].text))) == types[i].bytes))
      CHECK_ROW(types[i].text);
}

/* Lists of tensors are no operand with dims; more operands than are held are left out. */
static void odd_lists(void)
{
  OpShape s;
  const Field none = { "", 0 };
  CHECK(op_shape_read((Field){ "[[[1,2],[3]],[4]]", 17 }, none, none, &s));
  CHECK_INT(s.n, 2);
  CHECK(s.operands[0].is_list && s.operands[0].n == 0);
  CHECK_INT(s.operands[1].dims[0], 4);
  CHECK(!op_shape_read((Field){ "[[1,2", 5 }, none, none, &s) || s.n == 1);
  CHECK(!op_shape_read((Field){ "[[1.5]]", 7 }, none, none, &s));
  CHECK(!op_shape_read((Field){ "[[1,1,1,1,1,1,1,1,1]]", 21 }, none, none, &s));
  CHECK_INT(op_item((Field){ "[\"a, ]\",2]", 10 }, 0).len, 4);
}

TEST_MAIN({ "work and bytes", work_and_bytes }, { "params are named", params_are_named },
          { "what is only a bound says so", what_is_only_a_bound_says_so },
          { "attention of known requests", attention_of_known_requests },
          { "types of experts", types_of_experts },
          { "types by their words", types_by_their_words }, { "odd lists", odd_lists })
