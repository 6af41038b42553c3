/* What the engine itself reports: its notices, in the shape of a stage's. */
/* SPDX-License-Identifier: MIT */
#include "model/engine.h"

#include <string.h>

static const MillNotice rows[] = {
  MILL_WARNING(
      ENGINE_DUPLICATE_RANK,
      "{count} input[|s] [has|have] the same rank as another input (first: {lane})",
      "inputs stay separate; tables show the input's name beside the rank",
      "give ranks with {rank} in a quoted pattern, or with --rank-regex; --join-ranks joins the "
      "files of a rank into one input",
      "Two inputs have the same rank. This happens if the metadata was copied, if a run was traced "
      "twice, or if the number in the file name is not a rank. stagemill reports each input by "
      "itself. If a rank wrote several files, one for each job, --join-ranks joins them by time."),
  MILL_INFO(
      ENGINE_SKIPPED,
      "{count} time[|s] a stage was left out for an input (first: {stage}, which needs {fact})",
      NULL, "stagemill plan shows what each input has",
      "A stage runs only on inputs that have the facts that it needs, for example device cycle "
      "counters. It leaves other inputs unchanged."),
  MILL_WARNING(
      ENGINE_DEPRECATED,
      "{count} deprecated option[|s] [is|are] set (first: {stage}.{option}, by {origin})",
      "[it still works|they still work]; a later version will refuse [it|them]",
      "stagemill show {stage} says what replaces [it|them]",
      "The author of the stage marked the option as deprecated. Remove it from the profile or the "
      "command line, or set the option that its help names."),
  MILL_WARNING(
      ENGINE_UNKNOWN_TAG,
      "{count} stage[|s] [is|are] grouped by a tag that no input has (first: {stage} by {tag})",
      "all inputs are in one row, with an empty value of the tag", "the inputs have: {tags}",
      "Tags come from the command line (TAG=VALUE:PATH), from a card beside the inputs, from the "
      "inputs themselves and from names of folders. Every input also has the tags input and file, "
      "and rank and label where they are known."),
  MILL_WARNING(
      ENGINE_UNKNOWN_BASE,
      "{count} input[|s] without a base time [is|are] on one timeline with inputs that have one "
      "(first: {lane})",
      "the events of [this input|these inputs] may be at a wrong time; the base time of the output "
      "is not valid for them",
      "use only inputs of one profiler together, or give all of them a base time",
      "A trace may give the date from which its times count (baseTimeNanoseconds of Kineto). "
      "stagemill uses this date to put inputs on one timeline. An input without the date is "
      "treated as if it had the date of the first input that has one."),
  MILL_WARNING(
      ENGINE_CLIPPED,
      "{count} number[|s] of the results [does|do] not fit into 64 bits (first: of {stage})",
      "the largest number that fits is shown instead, a lower bound of the sum",
      "check the unit of the input's times, or cut the input with --from and --to",
      "stagemill counts times in nanoseconds, and 64 bits hold 292 years of them. Durations that "
      "add up to more have a wrong unit or are damaged. Means and shares of the same row use the "
      "exact sum if the stage has it."),
  MILL_WARNING(ENGINE_UNSEEN,
               "{count} name[|s] in the folders given could not be read (first: {what})",
               "inputs in [it|them] are missing from all results",
               "correct [its mode|their modes], or move [it|them] out of the folder",
               "stagemill searched a folder for inputs and could not read everything in it: there "
               "is no permission, a link has no target, or too many files are open. Without "
               "--keep-going this is an error."),
  MILL_INFO(
      ENGINE_LEFT_OUT, "{count} file[|s] in the folders given [was|were] left out (first: {what})",
      NULL, "stagemill info lists [it|them]",
      "Other files in a folder, such as scripts, notes and other results, are left out if they are "
      "empty or if no source knows their content. A file that you name itself must be readable as "
      "an input."),
  MILL_WARNING(ENGINE_HELPER_MISSING,
               "{count} format[|s] [was|were] left out (first: {format}: {what})",
               "all other results are complete", "--format with its name makes this an error",
               "A format may need what this build lacks, such as cairo for pictures, or a table "
               "that this run lacks. Then the format is left out. If --format names it, there is "
               "an error with status 7 instead."),
  MILL_WARNING(ENGINE_EMPTY, "{count} input[|s] [has|have] no events (first: {lane})",
               "results cover the other inputs",
               "check whether the recording was on while the work ran, and repeat the recording",
               "The input was read to its end, but its list of events is empty, or holds only "
               "names of processes and threads. A profiler that starts too late, or in the wrong "
               "process, writes such files. If no input has events, a profile that needs them ends "
               "with an error (RUN-19)."),
  MILL_WARNING(ENGINE_NO_LABEL,
               "{count} side input[|s] in the folders given [was|were] left out (first: {what})",
               "no result uses [it|them]", "{remedy}",
               "The log of a compiler describes the kernels of traces and is not a trace. "
               "stagemill uses it if you give it the label log, for all ranks (log=PATH) or for "
               "one (rank=1:log=PATH). In a folder of traces it is left out."),
  MILL_WARNING(ENGINE_RULE, "{count} rule[|s] could not judge the results (first: {what})",
               "findings of the other rules are complete",
               "stagemill validate FILE.sql checks a rule; --disable RULE leaves it out",
               "A rule is one SELECT over the tables of the run. Its SQL, or a row that it gave, "
               "is wrong: the message has the file and the place. Results are complete without "
               "it."),
  MILL_WARNING(
      ENGINE_COPY,
      "{count} input[|s] [is a copy|are copies] of another one (first: {copy} of {original})",
      "what is in [it|them] counts twice",
      "leave the [copy|copies] out; to compare equal files, give each a label",
      "Files with the same bytes, the same rank and the same label are one measurement. Sums "
      "double, and repeats seem to agree. A compressed copy is not recognised."),
  MILL_INFO(ENGINE_BESIDE, "{count} side input[|s] beside the traces [is|are] used (first: {what})",
            "stages that need [it|them] have more results",
            "{label}=PATH names another one; move [it|them] away to do without",
            "Some files beside a trace only describe it, such as the capture of its graphs. If a "
            "stage needs what they say and no input has it, they are found by their names, in the "
            "folder of each trace."),
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
