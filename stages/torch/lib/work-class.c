/* Classes of device work; see work-class.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/work-class.h"

#include <string.h>

#include "kit/devices/op-category.h"
#include "kit/text/words.h"
#include "kit/trace/tree-attrs.h"

const char *const class_names[N_CLASSES] = {
  "GEMM",      "attention", "convolution",   "normalisation", "elementwise", "reduction", "MoE",
  "embedding", "optimiser", "communication", "copies",        "other",       "idle"
};

void work_classes_open(WorkClasses *c, const MillHost *common)
{
  c->common = common;
  c->category = tree_key(common, TREE_CATEGORY);
}

/* How categories of operators and kernels begin; see op-category.h.  Others say nothing. */
static const struct {
  const char *category;
  WorkClass class;
} by_category[] = {
  { "GEMM", CLASS_GEMM },
  { "GroupedGEMM", CLASS_GEMM },
  { "SDPA", CLASS_ATTENTION },
  { "InferenceAttention", CLASS_ATTENTION },
  { "CONV", CLASS_CONVOLUTION },
  { "NORM", CLASS_NORMALISATION },
  { "RMSNorm", CLASS_NORMALISATION },
  { "RoPE", CLASS_ELEMENTWISE },
  { "elementwise", CLASS_ELEMENTWISE },
  { "reduce", CLASS_REDUCTION },
  { "MoE", CLASS_MOE },
  { "embedding", CLASS_EMBEDDING },
  { "optimizer", CLASS_OPTIMISER },
  { "multi_tensor_apply", CLASS_OPTIMISER },
  { "memory", CLASS_COPIES },
  { "communication", CLASS_COMMUNICATION },
};

static WorkClass class_of_category(const char *category)
{
  for (uint32_t i = 0; i < MILL_COUNT(by_category); i++)
    if (strncmp(category, by_category[i].category, strlen(by_category[i].category)) == 0)
      return by_category[i].class;
  return CLASS_OTHER;
}

WorkClass class_of_operator(const char *op)
{
  const char *category = op_category(op);
  return category ? class_of_category(category) : CLASS_OTHER;
}

/* As inductor names its kernels: pointwise, reductions over one or more axes, and products. */
static WorkClass class_of_triton(const char *name, size_t len)
{
  if (words_begin_any_case(name, len, "triton_poi_")) return CLASS_ELEMENTWISE;
  if (words_begin_any_case(name, len, "triton_red_")) return CLASS_REDUCTION;
  if (words_begin_any_case(name, len, "triton_per_")) return CLASS_REDUCTION;
  if (words_begin_any_case(name, len, "triton_tem_")) return CLASS_GEMM;
  if (words_begin_any_case(name, len, "triton_mm")) return CLASS_GEMM;
  return CLASS_OTHER;
}

static WorkClass class_of_kernel(WorkClasses *c, MillSym kernel)
{
  size_t len;
  const uint8_t known = symclass_get(&c->of_kernel, kernel);
  if (known) return (WorkClass)(known - 1);
  const char *name = c->common->symbol_text(c->common, kernel, &len);
  WorkClass class = class_of_category(kernel_category_names[kernel_category(name, len, false)]);
  if (class == CLASS_OTHER) class = class_of_triton(name, len);
  symclass_put(c->common, &c->of_kernel, kernel, (uint8_t)(class + 1));
  return class;
}

/* What the operator says goes before what the kernel says. */
static WorkClass class_of_compute(WorkClasses *c, const MillBatch *b, const MillEvent *e)
{
  size_t len;
  const MillSym category = tree_sym(c->common, b, e, c->category);
  uint8_t known = symclass_get(&c->of_category, category);
  if (!known) {
    known = 1 + (uint8_t)class_of_category(c->common->symbol_text(c->common, category, &len));
    symclass_put(c->common, &c->of_category, category, known);
  }
  const WorkClass class = (WorkClass)(known - 1);
  return class == CLASS_OTHER || class == CLASS_COMMUNICATION ? class_of_kernel(c, e->name) : class;
}

WorkClass work_class(WorkClasses *c, const MillBatch *b, const MillEvent *e, TorchWork does)
{
  if (does == WORK_COMMUNICATION) return CLASS_COMMUNICATION;
  return does == WORK_MEMORY ? CLASS_COPIES : class_of_compute(c, b, e);
}
