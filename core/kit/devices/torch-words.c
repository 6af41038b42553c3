/* Categories and names of torch traces; see torch-words.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/torch-words.h"

#include <string.h>

#include "base/num-digits.h"
#include "kit/devices/kernel-class.h"
#include "kit/text/words.h"

enum { STEP_NO = 1, STEP_YES = 2 };
enum { NAME_OF_WAIT = N_WORKS }; /* one more class of names */

static const struct {
  const char *cat;
  TorchKind kind;
} kinds[] = {
  { "cpu_op", TORCH_OPERATOR },
  { "Operator", TORCH_OPERATOR },
  { "cuda_runtime", TORCH_CALL },
  { "cuda_driver", TORCH_CALL },
  { "mtia_runtime", TORCH_CALL },
  { "Runtime", TORCH_CALL },
  { "python_function", TORCH_FRAME },
  { "user_annotation", TORCH_RANGE },
  { "gpu_user_annotation", TORCH_DEVICE_RANGE },
  { "cuda_sync", TORCH_WAIT },
  { "cuda_event", TORCH_WAIT },
  { "kernel", TORCH_KERNEL },
  { "Kernel", TORCH_KERNEL },
  { "mtia_ccp_events", TORCH_KERNEL },
  { "gpu_memcpy", TORCH_COPY },
  { "Memcpy", TORCH_COPY },
  { "gpu_memset", TORCH_FILL },
  { "Memset", TORCH_FILL },
};

static uint8_t kind_of_category(const char *cat, size_t len)
{
  (void)len;
  for (uint32_t i = 0; i < MILL_COUNT(kinds); i++)
    if (strcmp(cat, kinds[i].cat) == 0) return (uint8_t)kinds[i].kind;
  return TORCH_OTHER;
}

static bool is_wait(const char *name, size_t len)
{
  static const char *const begins[] = { "stream wait",   "stream sync", "event sync",
                                        "context sync",  "device sync", "cudastreamwait",
                                        "hipstreamwait", "custreamwait" };
  for (uint32_t i = 0; i < MILL_COUNT(begins); i++)
    if (words_begin_any_case(name, len, begins[i])) return true;
  return false;
}

static uint8_t class_of_name(const char *name, size_t len)
{
  if (is_wait(name, len)) return NAME_OF_WAIT;
  switch (kernel_moves(name, len)) {
  case KERNEL_COMM: return WORK_COMMUNICATION;
  case KERNEL_MEMORY: return WORK_MEMORY;
  default: return WORK_COMPUTATION;
  }
}

static uint8_t class_of(TorchWords *w, MillSym name)
{
  return symclass_of(w->common, &w->works, name, class_of_name);
}

TorchKind torch_kind(TorchWords *w, const MillEvent *e)
{
  TorchKind kind = (TorchKind)symclass_of(w->common, &w->cats, e->cat, kind_of_category);
  return torch_is_device(kind) && class_of(w, e->name) == NAME_OF_WAIT ? TORCH_WAIT : kind;
}

TorchWork torch_work(TorchWords *w, TorchKind kind, MillSym name)
{
  if (kind == TORCH_COPY || kind == TORCH_FILL) return WORK_MEMORY;
  uint8_t known = class_of(w, name);
  return known == NAME_OF_WAIT ? WORK_COMPUTATION : (TorchWork)known;
}

bool torch_is_graph_call(const char *name, size_t len)
{
  return words_have_any_case(name, len, "cudagraph") ||
         words_have_any_case(name, len, "graphlaunch");
}

int64_t torch_step(TorchWords *w, MillSym name)
{
  static const char prefix[] = "ProfilerStep#";
  const size_t n = sizeof prefix - 1;
  uint64_t number = 0;
  uint8_t known = symclass_get(&w->steps, name);
  if (known == STEP_NO) return -1;
  size_t len;
  const char *text = w->common->symbol_text(w->common, name, &len), *end = text + len;
  bool is_step = len > n && memcmp(text, prefix, n) == 0 &&
                 digits_scan(text + n, end, 10, INT64_MAX, &number) == end;
  if (!known) symclass_put(w->common, &w->steps, name, is_step ? STEP_YES : STEP_NO);
  return is_step ? (int64_t)number : -1;
}
