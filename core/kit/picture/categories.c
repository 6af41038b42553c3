/* The one table of categories and their colours: what work of a device, of the host and of operators is; see colors.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/picture/colors.h"

/* Categories that stand in one picture have colours that are told apart; names of one category in several stages one. */
static const struct {
  const char *names, *color; /* names in lower case, with bars between */
} categories[] = {
  { "computation|compute|computation_time|gpu_compute|gpu_computation|kernel|gpu", "#0072b2" },
  { "communication|comm|exposed_comm|exposed_comm_time|communication_time|gpu_communication",
    "#e69f00" },
  { "comm_not_hidden|moe_comm|record_param_comms", "#e69f00" },
  { "memory|memcpy|exposed_memcpy|exposed_memcpy_time|gpu_memory|gpu_memcpy|copy", "#009e73" },
  { "idle|idle_time|gpu_idle|micro-idle", COLOR_IDLE },
  { "cpu|host", "#cc79a7" },
  { "kernel_launch|launch", "#56b4e9" },
  { "data_loading", "#f0e442" },
  { "gemm", "#d55e00" },
  { "groupedgemm_fwd", "#a04000" },
  { "attention|sdpa_fwd|inferenceattention", "#882255" },
  { "sdpa_bwd", "#aa4499" },
  { "elementwise|pointwise", "#999933" },
  { "reduce|reduction", "#332288" },
  { "convolution|conv_fwd", "#88ccee" },
  { "conv_bwd", "#4477aa" },
  { "normalization|norm_fwd|rmsnorm", "#117733" },
  { "norm_bwd", "#44aa99" },
  { "moe|moedispatch|moecombine", "#ddcc77" },
  { "triton", "#cc6677" },
  { "optimizer|multi_tensor_apply", "#661100" },
  { "embedding|rope|rope_fwd|rope_bwd", "#6699cc" },
  { "other|unknown", "#7f7f7f" },
};

static bool has_name(const char *names, const char *name, size_t len)
{
  for (const char *p = names; p; p = strchr(p, '|')) {
    p += *p == '|';
    if (strcspn(p, "|") == len && !g_ascii_strncasecmp(p, name, len)) return true;
  }
  return false;
}

const char *category_color(const char *name)
{
  size_t len = strlen(name);
  for (size_t i = 0; i < G_N_ELEMENTS(categories); i++)
    if (has_name(categories[i].names, name, len)) return categories[i].color;
  return NULL;
}
