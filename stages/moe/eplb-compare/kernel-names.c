/* Finds the words of classes in kernel names.  Nearly every name of a large table has none of
 * them, so a name is first searched, 16 bytes a step, for pairs of letters that the words hold
 * and other names rarely do. */
#include "kernel-names.h"

#include <stdlib.h>
#include <string.h>

enum { STEP = 16 };
typedef signed char Bytes __attribute__((vector_size(STEP)));

typedef struct Word {
  const char *text;
  uint32_t class, within; /* only in names of that class; 0: in all */
} Word;

/* Each holds one of the pairs below, or lies in a class whose word does. */
static const Word words[] = {
  { "moe", KERNEL_MOE, 0 },
  { "expert", KERNEL_MOE, 0 },
  { "fused_moe", KERNEL_FUSED, KERNEL_MOE },
  { "nccl", KERNEL_NCCL, 0 },
  { "alltoall", KERNEL_ALLTOALL, KERNEL_NCCL },
  { "sendrecv", KERNEL_SENDRECV, KERNEL_NCCL },
  { "allreduce", KERNEL_ALLREDUCE, KERNEL_NCCL },
  { "attention", KERNEL_ATTENTION, 0 },
  { "flash", KERNEL_ATTENTION, 0 },
  { "attn", KERNEL_ATTENTION, 0 },
  { "reshape_and_cache", KERNEL_CACHE, 0 },
};
static const char pairs[][2] = { "oe", "xp", "cc", "tt", "sh" };
enum { N_WORDS = sizeof words / sizeof words[0], N_PAIRS = sizeof pairs / sizeof pairs[0] };

void kernel_names_clear(KernelNames *names)
{
  free(names->lower);
  *names = (KernelNames){ 0 };
}

static inline Bytes all_of(char c) { return (Bytes){ 0 } + (signed char)c; }

/* Bytes of p, 17 of them, where a pair begins.  Setting bit 5 lowers letters, and makes a letter
 * of nothing else. */
static inline Bytes pairs_in(const char *p)
{
  Bytes first, second, found = { 0 };
  memcpy(&first, p, STEP);
  memcpy(&second, p + 1, STEP);
  first |= all_of(0x20);
  second |= all_of(0x20);
  for (int i = 0; i < N_PAIRS; i++)
    found |= (first == all_of(pairs[i][0])) & (second == all_of(pairs[i][1]));
  return found;
}

static bool may_have_class(const char *name, size_t len)
{
  char rest[2 * STEP + 1] = { 0 };
  Bytes found = { 0 };
  size_t i = 0;
  for (; i + STEP < len; i += STEP) found |= pairs_in(name + i);
  memcpy(rest, name + i, len - i);
  found |= pairs_in(rest);
  uint64_t halves[2];
  memcpy(halves, &found, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

static bool make_room(KernelNames *names, size_t len)
{
  if (len < names->room) return true;
  size_t room = len < 1024 ? 1024 : 2 * len;
  char *lower = realloc(names->lower, room);
  if (!lower) return false;
  names->lower = lower;
  names->room = room;
  return true;
}

bool kernel_names_classify(KernelNames *names, const char *name, size_t len, uint32_t *out_classes)
{
  uint32_t classes = 0;
  *out_classes = 0;
  if (!may_have_class(name, len)) return true;
  if (!make_room(names, len)) return false;
  for (size_t i = 0; i < len; i++)
    names->lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
  names->lower[len] = '\0';
  for (int i = 0; i < N_WORDS; i++) {
    bool asked = !words[i].within || (classes & words[i].within);
    if (asked && strstr(names->lower, words[i].text)) classes |= words[i].class;
  }
  *out_classes = classes;
  return true;
}
