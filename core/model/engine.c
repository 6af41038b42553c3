/* What the engine itself reports: its notices, in the shape of a stage's. */
#include "model/engine.h"

#include <string.h>

static const MillNotice rows[] = {
  MILL_WARNING(
      ENGINE_DUPLICATE_RANK,
      "{count} input[|s] [has|have] a rank that another input has too (first: {lane})",
      "[it is|they are] kept apart; tables show the input's name beside "
      "the rank",
      "give ranks with {rank} in a quoted pattern, or with --rank-regex; --join-ranks makes one "
      "input of the files of a rank",
      "Two inputs say that they come from the same rank. This happens when the metadata "
      "was copied, when a run was traced twice, or when the number in the file name is "
      "not a rank. Nothing is merged: each input is reported on its own. Where a "
      "rank wrote several files, one for each job, --join-ranks puts them together by time."),
  MILL_INFO(
      ENGINE_SKIPPED,
      "{count} time[|s] a stage was left out for an input (first: {stage}, which needs {fact})",
      NULL, "stagemill plan shows what each input has",
      "A stage runs only on inputs that have what it needs, for example device cycle "
      "counters. Inputs of other formats or dialects are not changed by it."),
  MILL_WARNING(
      ENGINE_DEPRECATED,
      "{count} deprecated option[|s] [is|are] set (first: {stage}.{option}, by {origin})",
      "[it still works|they still work]; a later version will refuse [it|them]",
      "stagemill show {stage} says what replaces [it|them]",
      "The author of the stage marked the option as deprecated. Take it out of the profile or the "
      "command "
      "line, or set what its help names instead."),
  MILL_WARNING(
      ENGINE_UNKNOWN_TAG,
      "{count} stage[|s] [is|are] grouped by a tag that no input has (first: {stage} by {tag})",
      "all inputs are in one row, whose value of the tag is empty", "the inputs have: {tags}",
      "Tags come from the command line (TAG=VALUE:PATH), from a card beside the inputs, from the "
      "inputs "
      "themselves and from names of folders. Every input also has the tags input and file, and "
      "rank and label "
      "where "
      "they are known."),
  MILL_WARNING(
      ENGINE_UNKNOWN_BASE,
      "{count} input[|s] whose base time is unknown [is|are] on one time line with others, whose "
      "base "
      "time is known (first: {lane})",
      "[its|their] events are placed by their own times, which may be far from where they belong; "
      "the "
      "base time of the output does not hold for them",
      "put inputs of one profiler together, or give all of them a base time",
      "A trace may say from which date its times count (baseTimeNanoseconds of Kineto). Inputs "
      "that "
      "say so are put on one time line by it. For an input that does not, nothing is known: its "
      "times are taken as if they counted from the date of the first input that has one."),
  MILL_WARNING(
      ENGINE_CLIPPED,
      "{count} number[|s] of the results [is|are] beyond what 64 bits hold (first: of {stage})",
      "[it is|they are] given as the largest that fits, which is a lower bound of a sum",
      "check whether the times of the input are in its format's unit, or cut it with --from and "
      "--to",
      "Times are counted in nanoseconds, and 64 bits hold 292 years of them. Durations that add up "
      "to more come from times in a wrong unit, or from damaged ones. Means and shares of the same "
      "row rest on the exact sum where the stage has it."),
  MILL_WARNING(ENGINE_UNSEEN,
               "{count} name[|s] in the folders given could not be read (first: {what})",
               "inputs in [it|them] are missing from all results",
               "correct [its mode|their modes], or take [it|them] out of the folder",
               "A folder was looked through for inputs, and something in it could not be read: a "
               "folder without permission, a link to nothing, or too many open files. Without "
               "--keep-going that is an error."),
  MILL_INFO(
      ENGINE_LEFT_OUT, "{count} file[|s] in the folders given [was|were] left out (first: {what})",
      NULL, "stagemill info lists [it|them]",
      "Files beside the data, such as scripts, notes and other results, are left out when they "
      "are empty or no source knows their content. A file that is named itself must be one "
      "that can be read."),
  MILL_WARNING(ENGINE_HELPER_MISSING,
               "{count} format[|s] [was|were] left out (first: {format}: {what})",
               "all other results are complete",
               "--format with its name makes this an error",
               "A format may need what this build does not have, as cairo for pictures, or a table "
               "that this run does not have. Then it is left out. Asked for "
               "by name (--format plot), that is an error with status 7 instead."),
  MILL_WARNING(ENGINE_EMPTY, "{count} input[|s] [has|have] no events (first: {lane})",
               "results are those of the others",
               "check whether [its|their] recording was on while the work ran, and record "
               "[it|them] again",
               "The input could be read to its end, but its list of events is empty, or holds only "
               "names of processes and threads. A profiler that was started too late, or in the "
               "wrong process, writes such files. Where no input at all has events, a profile that "
               "needs them ends with an error (RUN-19)."),
  MILL_WARNING(ENGINE_NO_LABEL,
               "{count} file[|s] in the folders given [is|are] read only beside traces, and "
               "[was|were] left out (first: {what})",
               "what [it says|they say] about the traces is in no result", "{remedy}",
               "The log of a compiler says something about the kernels of traces, and is no trace. "
               "It counts where it is named with the label log, for all ranks or for one "
               "(rank=1:log=PATH); in a folder of traces it is left out."),
};

static const Descriptor stage = {
  .kind = MILL_KIND_STAGE,
  .scope = MILL_SCOPE_RUN,
  .name = "engine",
  .family = "engine",
  .version = "1",
  .tag = "RUN",
  .code = "RUN",
  .title = "The engine",
  .notices = rows,
  .n_notices = MILL_COUNT(rows),
};

const Descriptor *engine_stage(void) { return &stage; }

void engine_note(Notices *notices, uint32_t number, uint32_t lane, ...)
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
  notices_add(notices, (uint32_t)notices_find(&stage, number), lane, NULL, named, n, NULL, NULL);
}
