/* The spec of an input, before it is opened; see input.h. */
/* SPDX-License-Identifier: MIT */
#include "input/input.h"

InputSpec *input_spec_new(const char *path)
{
  InputSpec *s = g_new0(InputSpec, 1);
  s->path = g_strdup(path);
  s->rank = s->folder_rank = -1;
  return s;
}

static GPtrArray *shared(GPtrArray *texts) { return texts ? g_ptr_array_ref(texts) : NULL; }

InputSpec *input_spec_part(const InputSpec *s, uint32_t part)
{
  InputSpec *other = g_memdup2(s, sizeof *s);
  other->part = part;
  other->path = g_strdup(s->path);
  other->label = g_strdup(s->label);
  other->source = g_strdup(s->source);
  other->from = s->from ? g_ref_string_acquire(s->from) : NULL;
  other->tags = shared(s->tags);
  other->card_tags = shared(s->card_tags);
  other->hints = shared(s->hints);
  return other;
}

void input_spec_free(InputSpec *s)
{
  if (!s) return;
  g_free(s->path);
  g_free(s->label);
  g_free(s->source);
  g_clear_pointer(&s->from, g_ref_string_release);
  g_clear_pointer(&s->tags, g_ptr_array_unref);
  g_clear_pointer(&s->card_tags, g_ptr_array_unref);
  g_clear_pointer(&s->hints, g_ptr_array_unref);
  g_free(s);
}
