/* Categories and names of torch traces; see torch-words.h. */
#include "lib/torch-words.h"

#include <string.h>

#include "base/num-digits.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { STEP_NO = 1, STEP_YES = 2 };

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
  { "kernel", TORCH_KERNEL },
  { "Kernel", TORCH_KERNEL },
  { "mtia_ccp_events", TORCH_KERNEL },
  { "gpu_memcpy", TORCH_COPY },
  { "Memcpy", TORCH_COPY },
  { "gpu_memset", TORCH_FILL },
  { "Memset", TORCH_FILL },
};

TorchKind torch_kind(TorchWords *w, MillSym cat)
{
  size_t len;
  uint8_t known = symclass_get(&w->cats, cat);
  if (known) return (TorchKind)known;
  const char *text = w->common->symbol_text(w->common, cat, &len);
  known = TORCH_OTHER;
  for (uint32_t i = 0; i < MILL_COUNT(kinds); i++)
    if (strcmp(text, kinds[i].cat) == 0) known = (uint8_t)kinds[i].kind;
  symclass_put(w->common, &w->cats, cat, known);
  return (TorchKind)known;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool begins(const char *text, size_t len, const char *word)
{
  size_t i = 0;
  while (i < len && word[i] && lower(text[i]) == word[i]) i++;
  return word[i] == 0;
}

#if defined(__SSE2__)
static __m128i folded(const char *text)
{
  return _mm_or_si128(_mm_loadu_si128((const __m128i *)text), _mm_set1_epi8(0x20));
}

/* 16 places at a time: a bit for each where the word's first two characters may be.  Every name of a kernel is
 * looked at for some fifty words. */
static unsigned places(const char *text, const char *word)
{
  __m128i first = _mm_cmpeq_epi8(folded(text), _mm_set1_epi8((char)(word[0] | 0x20)));
  __m128i second = _mm_cmpeq_epi8(folded(text + 1), _mm_set1_epi8((char)(word[1] | 0x20)));
  return (unsigned)_mm_movemask_epi8(_mm_and_si128(first, second));
}

/* Returns how many places were looked at; all of them when it was found. */
static size_t look_in_16s(const char *text, size_t len, const char *word, bool *out_found)
{
  size_t i = 0;
  if (!word[0] || !word[1]) return 0;
  for (; i + 17 <= len; i += 16)
    for (unsigned at = places(text + i, word); at; at &= at - 1) {
      size_t place = i + (size_t)__builtin_ctz(at);
      if ((*out_found = begins(text + place, len - place, word))) return len;
    }
  return i;
}
#endif

bool torch_has_word(const char *text, size_t len, const char *word)
{
  bool found = false;
  size_t i = 0;
#if defined(__SSE2__)
  i = look_in_16s(text, len, word, &found);
#endif
  for (; i < len && !found; i++) found = begins(text + i, len - i, word);
  return found;
}

bool torch_name_communicates(const char *name, size_t len)
{
  return torch_has_word(name, len, "nccl") || torch_has_word(name, len, "rccl") ||
         torch_has_word(name, len, "cross_device_reduce") || begins(name, len, "hccl");
}

static bool moves_memory(const char *name, size_t len)
{
  static const char *const starts[] = { "memory_copy_",
                                        "__amd_rocclr_copybuffer",
                                        "__amd_rocclr_fillbuffer",
                                        "memcpy",
                                        "hipmemcpy",
                                        "memset",
                                        "hipmemset",
                                        "dma" };
  for (uint32_t i = 0; i < MILL_COUNT(starts); i++)
    if (begins(name, len, starts[i])) return true;
  return false;
}

TorchWork torch_work(TorchWords *w, TorchKind kind, MillSym name)
{
  size_t len;
  if (kind == TORCH_COPY || kind == TORCH_FILL) return WORK_MEMORY;
  uint8_t known = symclass_get(&w->works, name);
  if (known) return (TorchWork)known;
  const char *text = w->common->symbol_text(w->common, name, &len);
  known = torch_name_communicates(text, len) ? WORK_COMMUNICATION
          : moves_memory(text, len)          ? WORK_MEMORY
                                             : WORK_COMPUTATION;
  symclass_put(w->common, &w->works, name, known);
  return (TorchWork)known;
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
