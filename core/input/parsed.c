/* Answers of sources, looked at; see parsed.h. */
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

Error *parsed_check_next(const Descriptor *source, int status)
{
  if (status <= MILL_NEXT_LANE) return NULL;
  return broke(source, "next gave an answer that there is not");
}
