/* Which GPU each expert lives on. */
/* SPDX-License-Identifier: MIT */
#include "placement.h"

#include <string.h>

#include "base/num-digits.h"

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* A number at *io, below PLACEMENT_MAX_GPUS or equal to it. */
static bool read_number(const char **io, const char *end, uint32_t *out)
{
  uint64_t v;
  const char *after = digits_scan(*io, end, 10, PLACEMENT_MAX_GPUS, &v);
  if (!after || after == *io) return false;
  *io = after;
  *out = (uint32_t)v;
  return true;
}

static bool pass_word(const char **io, const char *end, const char *word)
{
  size_t len = strlen(word);
  if ((size_t)(end - *io) < len || memcmp(*io, word, len)) return false;
  *io += len;
  return true;
}

static int refuse(const char *why, const char **out_why)
{
  *out_why = why;
  return -1;
}

static int parse_count(const char *p, const char *end, Placement *out, const char **out_why)
{
  if (!read_number(&p, end, &out->n_gpus) || p < end || out->n_gpus == 0)
    return refuse("the number of GPUs is from 1 to 65536", out_why);
  return 0;
}

/* Blanks, and a comma among them if `comma`. */
static void pass_gap(const char **io, const char *end, bool comma)
{
  for (; *io < end && (is_space(**io) || (comma && **io == ',')); ++*io)
    if (**io == ',') comma = false;
}

static int parse_map(const char *p, const char *end, uint16_t *space, Placement *out,
                     const char **out_why)
{
  pass_gap(&p, end, false);
  bool list = pass_word(&p, end, "[");
  pass_gap(&p, end, false);
  while (p < end && *p != ']') {
    uint32_t gpu;
    if (!read_number(&p, end, &gpu) || gpu == PLACEMENT_MAX_GPUS)
      return refuse("a GPU is a number from 0 to 65535", out_why);
    if (out->n_experts == PLACEMENT_MAX_EXPERTS)
      return refuse("there are more than 100,000 experts", out_why);
    space[out->n_experts++] = (uint16_t)gpu;
    if (gpu >= out->n_gpus) out->n_gpus = gpu + 1;
    pass_gap(&p, end, true);
  }
  if (list && !pass_word(&p, end, "]")) return refuse("the closing bracket is missing", out_why);
  pass_gap(&p, end, false);
  if (p < end) return refuse("text follows the list", out_why);
  return out->n_experts ? 0 : refuse("the list is empty", out_why);
}

int placement_parse(const char *text, size_t len, uint16_t *space, Placement *out,
                    const char **out_why)
{
  while (len > 0 && is_space(text[len - 1])) len--;
  const char *p = text, *end = text + len;
  *out = (Placement){ .kind = PLACEMENT_NONE };
  if (len == 0) return 0;
  if (pass_word(&p, end, "contiguous:"))
    out->kind = PLACEMENT_CONTIGUOUS;
  else if (pass_word(&p, end, "round-robin:"))
    out->kind = PLACEMENT_ROUND_ROBIN;
  if (out->kind != PLACEMENT_NONE) return parse_count(p, end, out, out_why);
  if (!pass_word(&p, end, "map:") && !strchr("[0123456789 \t\r\n", *p))
    return refuse("it is contiguous:N, round-robin:N or map:0,0,1,1", out_why);
  out->kind = PLACEMENT_MAP;
  out->gpu_of = space;
  return parse_map(p, end, space, out, out_why);
}

static uint32_t block_of(uint32_t expert, uint32_t n_experts, uint32_t n_gpus)
{
  uint32_t least = n_experts / n_gpus, larger = n_experts % n_gpus;
  uint32_t in_larger = larger * (least + 1);
  return expert < in_larger ? expert / (least + 1) : larger + (expert - in_larger) / least;
}

uint32_t placement_gpu(const Placement *p, uint32_t expert, uint32_t n_experts)
{
  switch (p->kind) {
  case PLACEMENT_CONTIGUOUS: return block_of(expert, n_experts, p->n_gpus);
  case PLACEMENT_ROUND_ROBIN: return expert % p->n_gpus;
  case PLACEMENT_MAP: return expert < p->n_experts ? p->gpu_of[expert] : PLACEMENT_NOWHERE;
  default: return PLACEMENT_NOWHERE;
  }
}
