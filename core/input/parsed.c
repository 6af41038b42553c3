/* Answers of sources, looked at; see parsed.h. */
/* SPDX-License-Identifier: MIT */
#include "input/parsed.h"

static Error *broke(const Descriptor *source, const char *what)
{
  Error *e = error_new(EXIT_INTERNAL, "RUN-70", "source \"%s\" %s broke its contract: %s",
                       source->name, source->version, what);
  error_of_kind(e, ERROR_BROKEN_RULE);
  return error_help(e, "report it to the author: the answers are in stagemill/source.h");
}

Error *parsed_check(const Descriptor *source, const MillBlock *block, size_t pos, int status,
                    uint32_t n_events)
{
  bool moved = block->pos != pos || n_events;
  if (status < 0) return NULL;
  if (status > MILL_PARSE_DONE) return broke(source, "parse gave an answer that there is not");
  if (block->pos < pos || block->pos > block->len)
    return broke(source, "parse says that it consumed bytes that it was not given");
  if (status == MILL_PARSE_FULL && !moved)
    return broke(source, "parse says that the batch is full, and it is empty");
  if (status == MILL_PARSE_STOP && !moved && block->pos < block->stop)
    return broke(source, "parse says that it reached `stop`, and it has not moved");
  if ((status == MILL_PARSE_MORE || (status == MILL_PARSE_STOP && !moved)) && block->at_end)
    return broke(source, "parse asks for more than there is");
  return NULL;
}

enum { MOST_IDLE = 100000, MOST_IDLE_LANES = 1000 };

Error *parsed_check_next(const Descriptor *source, int status, uint32_t n_idle)
{
  if (status > MILL_NEXT_LANE) return broke(source, "next gave an answer that there is not");
  if (status == MILL_NEXT_MORE && n_idle >= MOST_IDLE)
    return broke(source, "next says that more may follow, 100,000 times without an event or a byte");
  if (status == MILL_NEXT_LANE && n_idle >= MOST_IDLE_LANES)
    return broke(source, "next ends one lane after the other, 1,000 without an event or a byte");
  return NULL;
}

/* What is in it is nobody's: its memory may be anywhere. */
static Error *break_batch(const Descriptor *source, const MillBatch *before, Batch *b, const char *what)
{
  b->pub = (MillBatch){ .size = before->size,
                        .lane = before->lane,
                        .events = before->events,
                        .max_events = before->max_events,
                        .raw_ = before->raw_,
                        .own_ = "" };
  b->own_len = b->own_max = 0;
  return broke(source, what);
}

Error *parsed_check_batch(const Descriptor *source, const MillBatch *before, Batch *b)
{
  const MillBatch *now = &b->pub;
  if (now->events != before->events || now->max_events != before->max_events ||
      now->lane != before->lane || now->raw_ != before->raw_ || now->size != before->size)
    return break_batch(source, before, b, "it changed the header of a batch");
  if (now->n_events < before->n_events || now->n_events > now->max_events)
    return break_batch(source, before, b, "it gave more events than a batch holds");
  if (now->n_attrs > now->max_attrs)
    return break_batch(source, before, b, "it gave more attributes than a batch holds");
  return NULL;
}
