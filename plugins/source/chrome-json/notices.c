/* What the chrome-json source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "parser.h"

#define MENDED "[it is|they are] written anew, with the rest of [its|their] text unchanged"

const MillNotice jsn_notices[JSN_N_NOTICES] = {
  MILL_ERROR(JSN_EMPTY, "the input is empty", "check how the trace was written",
             "The input has no bytes, or nothing but white space. Usually the profiler was stopped "
             "before it exported its trace, the disk was full, or a copy was cut short. There is "
             "nothing to read, and an empty result would look like a run in which nothing "
             "happened; so this is an error."),
  MILL_ERROR(
      JSN_NOT_JSON, "the input is not JSON", "stagemill info shows what a file seems to be",
      "A trace in this format begins, after white space, with { or with [. Anything else is "
      "another format: a binary trace, a log, an archive that was not unpacked (gzip and zstd are "
      "recognised and need no unpacking), or JSON in UTF-16, which must be converted to UTF-8 "
      "first."),
  MILL_ERROR(JSN_NO_EVENTS, "the document has no traceEvents",
             "stagemill info shows what a file seems to be",
             "The document is a JSON object, but none of its members is a list named traceEvents. "
             "It is probably a file of another kind: a summary, a configuration, or an execution "
             "graph. If the events are in a list of another name, extract that list; a bare list "
             "of events is read as it is."),
  MILL_ERROR(JSN_TRUNCATED, "the input ends inside an event or a member",
             "add --recover to use the complete events",
             "The text stops before the last event or the last member of the document is complete. "
             "Most often the profiler was killed while it wrote (time limit, out of memory, full "
             "disk), or a transfer was cut short. With --recover the complete events are used and "
             "the loss is counted; totals and the end of the time line are then those of the part "
             "that was saved."),
  MILL_ERROR(
      JSN_BAD_EVENT, "an event is not valid JSON", NULL,
      "The text of an event breaks the rules of JSON in a way that allows more than one reading: "
      "brackets that do not match, a missing colon or quote, a word that is not a value, or more "
      "than 1,000 nested levels. Reading on would mean guessing. The message gives the place in "
      "the uncompressed text; the usual causes are two processes that wrote to one file, and a "
      "label with an unescaped quote."),
  MILL_ERROR(JSN_BAD_MEMBER, "the document around the events is not valid JSON", NULL,
             "A member of the outermost object (deviceProperties, distributedInfo and the like) "
             "cannot be read. The message gives the place. Written traces contain such members, so "
             "they must be valid: remove the member or correct the text."),
  MILL_ERROR(
      JSN_STRICT, "--strict: the text needs repair", "leave out --strict to have it repaired",
      "With --strict, every byte of every event is checked against RFC 8259 and nothing is "
      "repaired. The message says what was found and where. Without --strict, the same error is "
      "repaired if there is only one sensible reading, and counted under its own code."),
  MILL_ERROR(
      JSN_ATTR_LIMIT, "one event has more attributes than fit in memory", "raise --max-memory",
      "A single event needs more memory for its decoded attributes than the memory limit leaves. "
      "Traces have tens of attributes per event; hundreds of thousands point to a list that was "
      "meant for another place. Raise the limit, or use a profile whose stages do not read that "
      "attribute."),

  MILL_WARNING(
      JSN_FIX_FIRST, "{count} event[|s] held raw control characters in texts", MENDED, NULL,
      "A string in JSON must not hold the bytes 0 to 31 as they are; tabs and line breaks must be "
      "escaped. Tools that copy operator names or Python file names without escaping them produce "
      "this. The character is kept and written as an escape, so names compare as expected."),
  MILL_WARNING(
      JSN_FIX_FIRST + 1, "{count} event[|s] held backslashes that escape nothing", MENDED, NULL,
      "A backslash in a JSON string must be followed by one of nine characters. Windows paths and "
      "C++ symbols written without escaping break this rule. The backslash is taken as a plain "
      "character. Note that in such texts a sequence like \\t or \\n that was meant literally has "
      "already become a tab or a line break."),
  MILL_WARNING(
      JSN_FIX_FIRST + 2, "{count} event[|s] held bytes that are not UTF-8", MENDED, NULL,
      "JSON is UTF-8. Names cut in the middle of a character and texts in a local encoding break "
      "it. Each invalid byte is replaced by U+FFFD, the replacement character, so that the output "
      "can be read by every tool; two names that differed only in such bytes become equal."),
  MILL_WARNING(
      JSN_FIX_FIRST + 3, "{count} event[|s] held NaN or Infinity", "such values count as absent",
      NULL,
      "JSON has no way to write NaN or infinity, but Python's json module and some C++ writers "
      "print them nevertheless, for example for a ratio with a zero divisor. They become null: the "
      "attribute is absent for all stages and null in written traces, which then load in every "
      "viewer."),
  MILL_WARNING(
      JSN_FIX_FIRST + 4, "{count} event[|s] held extra commas", MENDED, NULL,
      "A comma before a closing bracket, or two commas in a row, is allowed in JavaScript but not "
      "in JSON. It comes from writers that print a comma after every member. The comma is dropped; "
      "no value is lost."),
  MILL_WARNING(
      JSN_FIX_FIRST + 5, "{count} event[|s] held numbers in an odd form", MENDED, NULL,
      "Leading zeros, a leading plus or a point without digits around it are not allowed in JSON "
      "numbers. The value is still clear: it is read as decimal (012 is twelve) and written in the "
      "correct form."),
  MILL_WARNING(
      JSN_FIX_FIRST + 6, "{count} event[|s] held halves of surrogate pairs", MENDED, NULL,
      "An escape such as \\ud83d is only half of a character and must be followed by its other "
      "half. Names that were cut at a fixed length produce this. The half is replaced by U+FFFD."),
  MILL_WARNING(
      JSN_DUPLICATE_KEY, "{count} event[|s] had a duplicate key", "the last value counts", NULL,
      "RFC 8259 does not define a repeated key in one object. The last value counts, as in Python "
      "and most JavaScript engines. The text of the event is not changed unless a stage changes "
      "the event. If the values differ, the writer of the trace has a bug."),
  MILL_WARNING(
      JSN_COMMA, "{count} comma[|s] between events [was|were] missing or extra",
      "none: the events are complete", NULL,
      "There must be exactly one comma between two events, and none before the closing bracket. "
      "Writers that append to a trace, and manual joins of files, cause this error. All events "
      "were read."),
  MILL_WARNING(
      JSN_NO_BRACKET, "the closing bracket of the trace is missing",
      "members after the events, if any, are lost", NULL,
      "The text ends after a complete event. Chrome's format allows that on purpose, so that a "
      "program can stop at any time. All events were read. If the writer was cut off, later events "
      "and the members after the list, such as the rank, may be missing."),
  MILL_LEFT_OUT(
      JSN_NOT_OBJECT, "{count} entr[y|ies] in the list of events [is not an event|are not events]",
      "[it is|they are] left out", NULL,
      "The list of events holds values that are not objects, such as null or a number. Some "
      "writers end the list with null to avoid a trailing comma. They carry no information and are "
      "not written."),
  MILL_WARNING(
      JSN_TRAILING, "text follows the end of the trace", "it is ignored", NULL,
      "After the closing bracket of the document comes more than white space. If a longer file was "
      "overwritten by a shorter trace, or two traces were joined, the rest belongs to another "
      "trace: split the file to read it too."),
  MILL_WARNING(
      JSN_RECOVERED, "the trace ends too early; its complete events were used",
      "whatever came later is missing", NULL,
      "The text ends inside an event or a member, and --recover was given. The incomplete part was "
      "dropped. Slices that had not ended, flow ends and the last counters may be missing, and "
      "totals cover only the saved part."),
  MILL_INFO(
      JSN_TEXT_NUMBER, "{count} event[|s] [has|have] times written as texts",
      "none: [it was|they were] read as numbers", NULL,
      "ts or dur is a string that holds a number. Some writers do that to keep digits which a "
      "double-precision reader would lose. The value is read exactly, like a number."),
  MILL_WARNING(
      JSN_BAD_TIME, "{count} event[|s] [has|have] a time that is not a number",
      "[it is|they are] treated as having no time", NULL,
      "ts or dur holds something that cannot be read as a number. An event without ts sorts first "
      "and is not part of any interval; an event without dur has no length. Its text is kept as it "
      "is."),
  MILL_WARNING(
      JSN_NEGATIVE_DUR, "{count} event[|s] [has|have] a negative duration",
      "[it is|they are] treated as having no duration", NULL,
      "A slice cannot end before it begins. Negative durations come from clocks that were "
      "corrected between start and end, or from counters that overflowed. No mean or sum counts "
      "them; the text of the event keeps the number unless a stage changes the duration."),
  MILL_WARNING(
      JSN_CLIPPED, "{count} event[|s] [has|have] an absurd time",
      "[it is|they are] treated as having no start, or as lasting 146 years", NULL,
      "A time or duration lies beyond 2^62 nanoseconds, about 146 years. Unset fields (all bits "
      "one) and times in the wrong unit look like this. An event with such a start sorts first and "
      "is not part of any interval; a duration is clipped so that sums cannot overflow. The text "
      "of the event keeps the number unless a stage changes it."),
  MILL_INFO(
      JSN_INEXACT, "{count} event[|s] [has|have] times finer than a nanosecond",
      "rounded to the nearest nanosecond", NULL,
      "Times are kept as whole nanoseconds. A number with more than three decimals of a "
      "microsecond usually went through a double on its way, and its last digits are noise. It is "
      "rounded half to even, once, on reading. Events that no stage changes are written with their "
      "original digits."),
  MILL_WARNING(
      JSN_MANY_ATTRS, "{count} event[|s] [has|have] more than 65,535 attributes",
      "those beyond are not seen by stages", NULL,
      "The attributes of one event are counted in 16 bits. Further ones are not decoded; they stay "
      "in the event's text. Lists of more than 4,096 numbers are kept as one JSON text and do not "
      "count."),
  MILL_WARNING(
      JSN_TWO_LISTS, "the document has {count} more list[|s] of events",
      "the events of all are read", "if the document has its events twice, remove one list",
      "RFC 8259 does not define a repeated key in one object, and many readers see only the last "
      "list traceEvents. stagemill reads the lists one after the other, as one list. That is right "
      "if traces were joined by hand; if the writer repeats its events, they count twice."),
  MILL_WARNING(JSN_BAD_CYCLES,
               "{count} event[|s] [has|have] a cycles_ts that is not a list of five numbers",
               "[it gets|they get] no stamps from it", NULL,
               "Accelerator events under PyTorch carry the five stamps TS1 to TS5 of the device's "
               "counter as one list, cycles_ts. If it has another length, or holds something other "
               "than numbers, the stamps cannot be identified, and none is read. The list stays in "
               "the event's text."),
  MILL_WARNING(
      JSN_PROCESSED, "the trace was processed by the AIU trace analyser already", "it is left out",
      "--set chrome-json.processed=true reads it anyway",
      "otherData.Application of the document says that the AIU trace analyser wrote it. Its times "
      "are aligned, its names have no numbers and its counters are computed already; a second "
      "analysis gives wrong results without a warning. Such files are often read by mistake, "
      "because they are in the same folder as the original traces."),
  MILL_WARNING(
      JSN_PROCESSED_LATE, "the trace was processed by the AIU trace analyser already",
      "its events were read anyway", "leave it out, or unpack it",
      "otherData.Application of the document says that the AIU trace analyser wrote it. This entry "
      "comes after the events, and stagemill sees the end of a compressed file only after it has "
      "read them; it leaves out an uncompressed file. The times are aligned and the counters are "
      "computed already, so results from them are wrong."),
  MILL_WARNING(JSN_NO_START, "{count} slice[|s] [has|have] no start",
               "[it is|they are] left out of every interval and sum", NULL,
               "An event of phase X stands for an interval, and has no ts, or null. It is unknown "
               "when it ran, so no result counts its duration. Its text is not changed."),
  MILL_WARNING(
      JSN_NO_DUR, "{count} slice[|s] [has|have] no duration",
      "[it is|they are] left out of every interval and sum", NULL,
      "An event of phase X stands for an interval, and has no dur, or null. Profilers write that "
      "when the recording stops while something runs. Its text is not changed."),
  MILL_WARNING(JSN_BAD_PHASE, "{count} event[|s] [has|have] no phase, or an unknown one",
               "[it is|they are] part of no result", "check how the trace was written",
               "The phase (ph) is the kind of an event: X a slice, B and E its begin and end, C a "
               "counter, M metadata and so on. Without a known phase, an event has no meaning. Its "
               "text is not changed."),
  MILL_INFO(JSN_CATEGORIES, "{count} event[|s] [has|have] a list of categories",
            "the first one that is a category of PyTorch's profiler is used", NULL,
            "In Chrome's format cat may hold several categories, with commas between them. If one "
            "of them is a category of PyTorch's profiler, such as kernel or cpu_op, the event has "
            "this category. The text of the event keeps all of them."),
};
