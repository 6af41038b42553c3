/* Reading operands; see op-shape.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/op-shape.h"

#include <string.h>

#include "kit/devices/torch-words.h"
#include "kit/text/words.h"

static const char *skip_blanks(const char *p, const char *end)
{
  while (p < end && (unsigned char)*p <= ' ') p++;
  return p;
}

/* After a JSON value, without looking into it further than its brackets and quotes. */
static const char *skip_value(const char *p, const char *end)
{
  uint32_t depth = 0;
  bool quoted = false;
  for (; p < end; p++) {
    if (quoted && *p == '\\') {
      p++;
    } else if (*p == '"') {
      quoted = !quoted;
    } else if (!quoted && *p == '[') {
      depth++;
    } else if (!quoted && (*p == ']' || *p == ',')) {
      if (depth == 0) break;
      if (*p == ']') depth--;
    }
  }
  return p < end ? p : end;
}

/* Passes the next element of a list; *io_at is after its "[" or after what follows an element. */
static bool next_item(const char **io_at, const char *end, Field *out)
{
  const char *p = skip_blanks(*io_at, end);
  if (p == end || *p == ']') return false;
  const char *after = skip_value(p, end), *last = after;
  while (last > p && (unsigned char)last[-1] <= ' ') last--;
  *out = (Field){ p, (size_t)(last - p) };
  *io_at = after < end && *after == ',' ? after + 1 : after;
  return true;
}

static bool open_list(Field list, const char **out_at, const char **out_end)
{
  const char *end = list.text + list.len, *p = list.len ? skip_blanks(list.text, end) : end;
  *out_end = end;
  *out_at = p < end ? p + 1 : end;
  return p < end && *p == '[';
}

static Field unquoted(Field f)
{
  bool quoted = f.len >= 2 && f.text[0] == '"' && f.text[f.len - 1] == '"';
  return quoted ? (Field){ f.text + 1, f.len - 2 } : f;
}

Field op_item(Field list, uint32_t i)
{
  const char *at, *end;
  Field item = { "", 0 };
  if (!open_list(list, &at, &end)) return item;
  for (uint32_t k = 0; next_item(&at, end, &item); k++)
    if (k == i) return unquoted(item);
  return (Field){ "", 0 };
}

int op_numbers(Field text, int64_t *out, int max)
{
  const char *at, *end;
  Field item;
  int n = 0;
  if (!open_list(text, &at, &end)) return max > 0 && digits_read(text.text, text.len, out) ? 1 : -1;
  while (next_item(&at, end, &item)) {
    if (n == max || !digits_read(item.text, item.len, &out[n])) return -1;
    n++;
  }
  return n;
}

/* ---- types */

static const struct {
  const char *word; /* in the text, in any case */
  NumberType type;
} types[] = {
  { "float8", TYPE_FP8 },         { "fp8", TYPE_FP8 },
  { "float4", TYPE_FP4 },         { "fp4", TYPE_FP4 },
  { "bfloat16", TYPE_BF16 },      { "half", TYPE_FP16 },
  { "double", TYPE_FP64 },        { "float", TYPE_FP32 },
  { "long", TYPE_INT64 },         { "short", TYPE_INT16 },
  { "unsigned char", TYPE_INT8 }, { "signed char", TYPE_INT8 },
  { "uint8", TYPE_INT8 },         { "int8", TYPE_INT8 },
  { "char", TYPE_INT8 },          { "byte", TYPE_INT8 },
  { "bool", TYPE_INT8 },          { "scalar", TYPE_SCALAR },
  { "int", TYPE_INT32 },
};

static const struct {
  const char *name;
  double bytes;
} type_facts[] = {
  [TYPE_UNKNOWN] = { "", 0 },    [TYPE_FP64] = { "fp64", 8 },   [TYPE_FP32] = { "fp32", 4 },
  [TYPE_FP16] = { "fp16", 2 },   [TYPE_BF16] = { "bf16", 2 },   [TYPE_FP8] = { "fp8", 1 },
  [TYPE_FP4] = { "fp4", 0.5 },   [TYPE_INT64] = { "int64", 8 }, [TYPE_INT32] = { "int32", 4 },
  [TYPE_INT16] = { "int16", 2 }, [TYPE_INT8] = { "int8", 1 },   [TYPE_SCALAR] = { "fp32", 4 },
};

NumberType op_type_of(const char *text, size_t len)
{
  for (uint32_t i = 0; i < MILL_COUNT(types); i++)
    if (words_have_any_case(text, len, types[i].word)) return types[i].type;
  return TYPE_UNKNOWN;
}

double op_type_bytes(NumberType type) { return type_facts[type].bytes; }
const char *op_type_name(NumberType type) { return type_facts[type].name; }

/* ---- shapes */

static bool read_operand(Field item, Operand *out)
{
  *out = (Operand){ 0 };
  if (item.len > 1 && item.text[0] == '[' && memchr(item.text + 1, '[', item.len - 1)) {
    out->is_list = true;
    return true;
  }
  if (item.len == 0 || item.text[0] != '[') return item.len == 0;
  int n = op_numbers(item, out->dims, MAX_DIMS);
  for (int i = 0; i < n; i++)
    if (out->dims[i] < 0) return false;
  if (n >= 0) out->n = (uint32_t)n;
  return n >= 0;
}

bool op_shape_read(Field dims, Field type_list, Field concrete, OpShape *out)
{
  const char *at, *end;
  Field item;
  *out = (OpShape){ .concrete = concrete };
  if (!open_list(dims, &at, &end)) return false;
  while (out->n < MAX_OPERANDS && next_item(&at, end, &item))
    if (!read_operand(unquoted(item), &out->operands[out->n++])) return false;
  if (!open_list(type_list, &at, &end)) return true;
  for (uint32_t i = 0; i < out->n && next_item(&at, end, &item); i++)
    out->operands[i].type = op_type_of(item.text, item.len);
  return true;
}

const Operand *op_operand(const OpShape *s, uint32_t i)
{
  static const Operand none;
  return i < s->n ? &s->operands[i] : &none;
}

double op_size_from(const Operand *o, uint32_t first)
{
  double size = 1;
  for (uint32_t i = first; i < o->n; i++) size *= (double)o->dims[i];
  return size;
}

double op_size(const Operand *o) { return op_size_from(o, 0); }

bool op_concrete_int(const OpShape *s, uint32_t i, int64_t *out)
{
  Field f = op_item(s->concrete, i);
  return digits_read(f.text, f.len, out);
}

bool op_concrete_is(const OpShape *s, uint32_t i, const char *word)
{
  Field f = op_item(s->concrete, i);
  return f.len == strlen(word) && memcmp(f.text, word, f.len) == 0;
}
