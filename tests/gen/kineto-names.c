/* The name tables of kineto-gen: kernels with C++ template names, Python frames, operators. */
/* SPDX-License-Identifier: MIT */
#include "kineto.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const scalar_types[] = { "float", "c10::Half", "c10::BFloat16", "double",
                                            "long" };
static const char *const functors[] = { "CUDAFunctor_add",    "MulFunctor",       "FillFunctor",
                                        "GeluCUDAKernelImpl", "CompareGTFunctor", "DivFunctor",
                                        "neg_kernel_cuda",    "rsqrt_kernel_cuda" };
static const char *const op_words[] = { "linear",    "matmul", "addmm",   "layer_norm",
                                        "softmax",   "gelu",   "dropout", "embedding",
                                        "transpose", "view",   "copy_",   "add",
                                        "mul",       "cat",    "split",   "empty_strided",
                                        "to",        "sum",    "clone",   "bmm" };
static const char *const modules[] = { "linear",    "normalization", "activation", "container",
                                       "dropout",   "module",        "sparse",     "loss",
                                       "batchnorm", "transformer" };
static const char *const runtime_names[] = { "cudaLaunchKernel",
                                             "cudaMemcpyAsync",
                                             "cudaMemsetAsync",
                                             "cudaDeviceSynchronize",
                                             "cudaStreamIsCapturing",
                                             "cudaEventRecord",
                                             "cudaEventQuery",
                                             "cudaStreamWaitEvent",
                                             "cudaGetDevice",
                                             "cudaFuncGetAttributes",
                                             "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                                             "cudaPeekAtLastError",
                                             "cudaDeviceGetAttribute",
                                             "cudaStreamGetPriority",
                                             "cudaThreadExchangeStreamCaptureMode",
                                             "cudaEventCreateWithFlags" };

#define PICK(list, random) (list)[random_below(random, sizeof(list) / sizeof *(list))]

static char *copy_text(const char *text)
{
  char *copy = strdup(text);
  if (!copy) die("no memory for names");
  return copy;
}

/* Nested template arguments until the name has about `length` bytes, as CUTLASS names do. */
static void grow_template(char *text, size_t capacity, size_t length, Random *random)
{
  size_t used = strlen(text);
  while (used < length && used + 64 < capacity)
    used += (size_t)snprintf(text + used, capacity - used, ", at::native::%s<%s, %u>",
                             PICK(functors, random), PICK(scalar_types, random),
                             random_below(random, 16));
}

/* The longest name has 400 bytes. The number in front of the closing bracket makes it unique. */
static char *kernel_name(int i, Random *random)
{
  char text[480];
  if (i % 8 == 0) {
    snprintf(text, sizeof text, "ampere_%s_s%d_%ux%u_ldg8_f2f_stages_%ux5_tn",
             i % 16 ? "fp16" : "bf16", 1000 + i, 64u << random_below(random, 3),
             64u << random_below(random, 2), 32u << random_below(random, 2));
    return copy_text(text);
  }
  snprintf(text, sizeof text, "void at::native::%s<%d, at::native::%s<%s>",
           i % 3 ? "vectorized_elementwise_kernel" : "reduce_kernel", i, PICK(functors, random),
           PICK(scalar_types, random));
  if (i % 4 == 1) grow_template(text, 360, 80 + random_below(random, 200), random);
  size_t used = strlen(text);
  snprintf(text + used, sizeof text - used, ", std::array<char*, %u> >(int, ...)",
           1 + random_below(random, 4));
  if (i == 1) {
    memset(text + strlen(text), 'x', 400 - strlen(text));
    text[400] = 0;
  }
  return copy_text(text);
}

static char *python_name(int i, Random *random)
{
  char text[160];
  switch (i % 5) {
  case 0:
    snprintf(text, sizeof text, "<built-in method %s of type object at 0x%08x%04x>",
             PICK(op_words, random), 0x7f3a0000u + (unsigned)i, random_below(random, 65536));
    break;
  case 1: snprintf(text, sizeof text, "nn.Module: %s_%d", PICK(modules, random), i); break;
  case 2:
    snprintf(text, sizeof text, "C:\\\\runs\\\\new\\\\model_%d.py(%u): forward \\\"%s\\\"", i,
             1 + random_below(random, 900), PICK(modules, random));
    break;
  default:
    snprintf(text, sizeof text, "torch/nn/modules/%s.py(%u): _call_impl_%d", PICK(modules, random),
             1 + random_below(random, 2000), i);
  }
  return copy_text(text);
}

static char *op_name(int i)
{
  char text[80];
  int words = (int)(sizeof op_words / sizeof *op_words), turn = i / words;
  if (turn == 0)
    snprintf(text, sizeof text, "aten::%s", op_words[i]);
  else if (turn == 1)
    snprintf(text, sizeof text, "autograd::engine::evaluate_function: %sBackward0",
             op_words[i % words]);
  else
    snprintf(text, sizeof text, "aten::_%s_%d", op_words[i % words], turn);
  return copy_text(text);
}

static char *runtime_name(int i)
{
  char text[80];
  int known = (int)(sizeof runtime_names / sizeof *runtime_names);
  if (i < known) return copy_text(runtime_names[i]);
  snprintf(text, sizeof text, "cuFunctionGetAttribute_v%d", i);
  return copy_text(text);
}

void names_make(Names *names, uint64_t seed)
{
  Random random = { hash3(seed, 1, 0) };
  for (int i = 0; i < KERNEL_NAMES; i++) names->kernel[i] = kernel_name(i, &random);
  for (int i = 0; i < PYTHON_NAMES; i++) names->python[i] = python_name(i, &random);
  for (int i = 0; i < OP_NAMES; i++) names->op[i] = op_name(i);
  for (int i = 0; i < RUNTIME_NAMES; i++) names->runtime[i] = runtime_name(i);
}

void names_free(Names *names)
{
  for (int i = 0; i < KERNEL_NAMES; i++) free(names->kernel[i]);
  for (int i = 0; i < PYTHON_NAMES; i++) free(names->python[i]);
  for (int i = 0; i < OP_NAMES; i++) free(names->op[i]);
  for (int i = 0; i < RUNTIME_NAMES; i++) free(names->runtime[i]);
}
