/* What the engine itself has to tell: its notices, in the shape of a stage's. */
#include "model/engine.h"

#include <string.h>

static const MillNotice notices[] = {
  { sizeof(MillNotice), ENGINE_DUPLICATE_RANK, MILL_LEVEL_WARNING,
    "{count} input[|s] [has|have] a rank that another input has too (first: {lane})",
    "[it stays a lane of its|they stay lanes of their] own; tables show the input's name beside "
    "the rank",
    "give ranks with {rank} in a quoted pattern, or with --rank-regex",
    "Two inputs say that they come from the same rank. This happens when the metadata was copied, "
    "when a run was traced "
    "twice, or when the number in the file name is not a rank. Nothing is joined: each input stays "
    "a lane." },
  { sizeof(MillNotice), ENGINE_BYPASSED, MILL_LEVEL_INFO,
    "{count} lane[|s] passed stage {stage} by: [it lacks|they lack] {fact}", NULL,
    "stagemill plan shows what each lane has",
    "A stage runs only on lanes that have the facts it needs, for example device cycle counters. "
    "Lanes of other formats or "
    "dialects pass it unchanged." },
  { sizeof(MillNotice), ENGINE_DEPRECATED, MILL_LEVEL_WARNING,
    "{count} deprecated option[|s] [is|are] set (first: {stage}.{option}, by {origin})",
    "[it still works|they still work]; a later version will refuse [it|them]",
    "stagemill show {stage} tells what replaces [it|them]",
    "The author of the stage marked the option as deprecated. Take it out of the profile or the "
    "command "
    "line, or set what its help names instead." },
  { sizeof(MillNotice), ENGINE_UNKNOWN_TAG, MILL_LEVEL_WARNING,
    "{count} stage[|s] [is|are] folded by a tag that no lane has (first: {stage} by {tag})",
    "all lanes are in one row, whose value of the tag is empty", "the lanes have: {tags}",
    "Tags come from the command line (TAG=VALUE:PATH), from a card beside the inputs, from the "
    "inputs "
    "themselves and from names of folders. Every lane also has input and file, and rank and label "
    "where "
    "they are known." },
};

static const MillStage stage = {
  .size = sizeof(MillStage),
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_RUN,
  .name = "engine",
  .family = "engine",
  .version = "1",
  .tag = "RUN",
  .title = "The engine",
  .notices = notices,
  .n_notices = MILL_COUNT(notices),
};

const MillStage *engine_stage(void) { return &stage; }

void engine_note(Run *run, uint32_t number, uint32_t lane, ...)
{
  MillNamed named[4];
  uint32_t n = 0;
  va_list pairs;
  va_start(pairs, lane);
  for (const char *name; (name = va_arg(pairs, const char *)); n++) {
    const char *text = va_arg(pairs, const char *);
    named[n] = (MillNamed){ name, mill_text(text, strlen(text)) };
  }
  va_end(pairs);
  notices_add(&run->notices, (uint32_t)notices_find(&stage, number), lane, NULL, named, n, NULL,
              NULL);
}
