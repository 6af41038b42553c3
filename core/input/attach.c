/* Who reads an input: its file and an instance of its source; see attach.h. */
/* SPDX-License-Identifier: MIT */
#include "input/attach.h"

#include <string.h>

#include "input/feed.h"
#include "input/found.h"

#define TAIL_BYTES (64u << 10)

Error *attach_reader(Input *in)
{
  g_autofree char *why = NULL;
  if (in->reader || in->is_folder || in->spec->no_file) return NULL;
  in->reader = reader_open(in->spec->path, &why);
  if (!in->reader)
    return error_new(EXIT_INPUT, "RUN-02", "%s cannot be read: %s", in->lane->name, why);
  bool mapped =
      reader_is_plain_file(in->reader) && reader_size(in->reader) >= FEED_CARRY_MAX + FEED_BLOCK;
  if (mapped && reader_stamp(in->reader, &in->stamp)) in->seen_bytes = reader_size(in->reader);
  return NULL;
}

/* ------------------------------- what the source's instance reaches of its input */

static Reader *env_reader(void *input)
{
  Input *in = input;
  in->read = true;
  return in->reader;
}

static int64_t env_peek(void *input, bool from_end, const char **out_bytes)
{
  Input *in = input;
  if (!in->reader) return 0;
  if (!from_end) return (int64_t)reader_peek(in->reader, out_bytes);
  if (!in->tail) {
    in->tail = g_malloc(TAIL_BYTES);
    in->tail_len = reader_tail(in->reader, in->tail, TAIL_BYTES);
  }
  *out_bytes = in->tail;
  return (int64_t)in->tail_len;
}

static int64_t env_size_bytes(void *input)
{
  const Input *in = input;
  return in->reader && reader_is_plain_file(in->reader) ? (int64_t)reader_size(in->reader) : -1;
}

static int env_enter(void *input, const char *path, char **out_why)
{
  Input *in = input;
  Reader *reader = reader_open(path, out_why);
  if (!reader) return -1;
  in->read = true;
  if (in->reader) in->entered_bytes += reader_bytes_in(in->reader);
  g_clear_pointer(&in->reader, reader_close);
  in->reader = reader;
  return 0;
}

/* Only a regular file can be opened a second time; the first bytes of others would be lost. */
static bool can_come_back(const Input *in)
{
  FileStamp stamp;
  if (!in->reader) return true;
  return strcmp(in->spec->path, "-") != 0 && reader_stamp(in->reader, &stamp);
}

static int64_t env_part(void *input)
{
  const Input *in = input;
  return can_come_back(in) ? (int64_t)in->spec->part : -1;
}

static void env_divide(void *input, uint32_t n_parts) { ((Input *)input)->n_parts = n_parts; }

/* ---------------------------------------------------------------- describing */

static Error *open_instance(Input *in, bool mute)
{
  const Descriptor *d = in->source;
  in->instance = instance_new(in->env->host, in->lane, d, d->name);
  in->instance->mute = mute;
  in->instance->again = atomic_load(&in->reading) > 0;
  in->instance->source_env = (SourceEnv){ .input = in,
                                          .reader = env_reader,
                                          .peek = env_peek,
                                          .size_bytes = env_size_bytes,
                                          .enter = env_enter,
                                          .part = env_part,
                                          .divide = env_divide };
  in->options = option_values_new(d->options, d->n_options, d->options_size);
  Error *e =
      option_values_set_named(in->options, d->options, d->n_options, d->name, in->env->settings);
  if (!e) e = option_values_complete(in->options);
  return e ? e : instance_open_source(in->instance, option_values_struct(in->options));
}

static Error *describe(Input *in, bool mute)
{
  Error *e = open_instance(in, mute);
  in->read = false;
  if (!e)
    e = instance_call(in->instance, PHASE_DESCRIBE, "looking at the input",
                      in->source->source_ops->describe);
  in->instance->mute = in->instance->again;
  return e;
}

Error *attach_first(Input *in)
{
  Error *e = describe(in, false);
  for (const char *const *f = in->source->provides; !e && f && *f; f++)
    lane_info_add_fact(in->lane, *f);
  return e;
}

/* Notices were counted the first time, and bytes that it reads on the way are still to come. */
Error *attach_again(Input *in)
{
  Error *e = attach_reader(in);
  if (!e) e = describe(in, true);
  g_clear_pointer(&in->tail, g_free);
  if (e || !in->read) return e;
  g_clear_pointer(&in->reader, reader_close);
  in->entered_bytes = 0;
  return attach_reader(in);
}

/* -------------------------------------------------------------------- ending */

Error *attach_rest(Input *in)
{
  g_clear_pointer(&in->tail, g_free);
  return can_come_back(in) ? attach_end(in) : NULL;
}

Error *attach_end(Input *in)
{
  Instance *i = g_steal_pointer(&in->instance);
  Error *e = i ? instance_close(i) : NULL;
  if (i && in->started)
    found_take(in, &i->notices);
  else if (i)
    sources_add_notices(in->env->sources, &i->notices);
  instance_free(i);
  g_clear_pointer(&in->options, option_values_free);
  g_clear_pointer(&in->reader, reader_close);
  return e;
}
