/* What the bench-json source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "notices.h"

const MillNotice bench_notices[BENCH_N_NOTICES] = {
  MILL_ERROR(
      BENCH_EMPTY, "the input is empty", "check whether the benchmark finished",
      "The file has no bytes, or nothing but white space. Benchmarks write their result when they "
      "end, so the run was probably stopped before, or the disk was full."),
  MILL_ERROR(BENCH_NOT_JSON, "the result is not valid JSON",
             "correct the file at that place, or repeat the benchmark",
             "The text breaks the rules of JSON in a way that allows more than one reading. The "
             "message gives line and column in the uncompressed text. Usual causes are a file that "
             "was edited by hand and two benchmarks that wrote to one file at once."),
  MILL_ERROR(BENCH_TRUNCATED, "the result ends too early",
             "copy the file once more or repeat the benchmark; --recover does not work for results",
             "The text stops before the object of the result is complete: the benchmark was killed "
             "while it wrote, the disk was full, or a copy was cut short. Half of a result is not "
             "a result of half the run, because totals and the columns of requests are in no fixed "
             "order; so --recover does not help here."),
  MILL_ERROR(BENCH_NO_RESULT, "there is no result of a known benchmark here",
             "stagemill show bench-json lists what can be read",
             "The file holds something other than a result: a value that is not an object, or an "
             "object without the keys of a result. In a file with several appended results, each "
             "of them is checked."),
  MILL_ERROR(BENCH_BAD_VALUE, "a number is needed that is not negative",
             "correct the value, or remove its key when it was not measured",
             "A time, a count or a rate is null, a text, NaN, infinite or negative. Averaging over "
             "it would give a wrong number silently, so it is an error. Infinity is understood in "
             "request_rate only."),
  MILL_ERROR(BENCH_LENGTHS, "columns of requests have different lengths",
             "repeat the benchmark: values cannot be matched to requests",
             "The lists of a detailed result are parallel: the n-th value of each belongs to the "
             "n-th request. With different lengths it is unknown which request lacks a value."),
  MILL_ERROR(BENCH_HUGE, "one value is larger than 64 MiB", NULL,
             "Lists of any length are read piece by piece, but one text, one object or one element "
             "of a list must fit in 64 MiB of memory. No benchmark writes such values; the file is "
             "probably damaged: a quote or a bracket is missing."),
  MILL_ERROR(BENCH_BESIDE, "the totals beside the requests cannot be read",
             "copy the file once more, or move it out of the folder",
             "AIPerf writes the requests of a run (profile_export.jsonl) and the totals of the run "
             "(profile_export_aiperf.json). The file of totals exists, but cannot be opened or "
             "holds something else."),
  MILL_WARNING(
      BENCH_DUPLICATE, "{count} key[|s] [is|are] duplicated in one result of {lane}",
      "the last value counts", NULL,
      "A JSON object should have each key once. Metadata that was given a name which the benchmark "
      "uses itself is the usual cause. The last value is taken, as other readers of JSON do."),
  MILL_WARNING(
      BENCH_FAILED,
      "in {count} result[|s] of {lane} \"failed\" is not the number of failed requests",
      "counts come from the listed requests", NULL,
      "A request failed if it has an error or no output. The result also has a total of failures "
      "from its writer, and the two differ. Statistics over requests use the requests; the total "
      "is not changed."),
  MILL_WARNING(BENCH_TEXT,
               "{count} text[|s] of {lane} held raw control characters, bad UTF-8 or bad escapes",
               "[it was|they were] read anyway; numbers are not affected", NULL,
               "Strings in JSON must be valid UTF-8 and must escape control characters. Some "
               "writers copy generated texts without escaping them. The meaning of the rest is "
               "clear, so reading goes on."),
  MILL_INFO(
      BENCH_PHASE, "{count} request[|s] of {lane} [does|do] not belong to the measurement",
      "[it is|they are] left out", NULL,
      "Each record of a request has the phase in which it was sent. Requests of the warm-up and "
      "other phases are not measurements, so only the phase \"profiling\" is used."),
  MILL_WARNING(
      BENCH_STD, "{count} standard deviation[|s] of {lane} [has|have] no number of values",
      "[it is|they are] left out", NULL,
      "This producer reports standard deviations of a sample (n - 1). All others, and the tables "
      "of stagemill, have those of the population. The conversion needs the number of values, "
      "which the file lacks."),
  MILL_WARNING(
      BENCH_FOREIGN,
      "{count} file[|s] among results [is|are] not [a result|results] of a benchmark, first {lane}",
      "[it is|they are] skipped", NULL,
      "The file is in the folder of results, or was named as one, and is valid JSON. But it is a "
      "list, or an object without the keys of a result: perhaps a companion that some tool left "
      "there. If it should be a result, stagemill does not know its producer."),
  MILL_INFO(
      BENCH_NAN, "{count} member[|s] of results of {lane} [holds|hold] NaN or infinity",
      "nothing is read from [it|them]", NULL,
      "NaN and Infinity are not JSON, but Python writes them, for a rate of no time at all. In a "
      "member that is read such a value is an error."),
  MILL_WARNING(
      BENCH_COMPLETED,
      "in {count} result[|s] of {lane} \"completed\" is not the number of requests that are listed",
      "computed rates use the number in the file",
      "check whether the file was cut or joined by hand",
      "The lists of requests, without failed ones, must be as long as the number of completed "
      "requests. Otherwise the number or the lists belong to another run. Statistics over requests "
      "use the requests; the total is not changed."),
  MILL_WARNING(
      BENCH_TOKENS,
      "in {count} result[|s] of {lane} a total of tokens is not the sum over the requests that are "
      "listed",
      "computed rates use the total in the file",
      "check whether the file was cut or joined by hand",
      "The total of input tokens, or that of output tokens, is off by more than 1 % from the sum "
      "over the lists of requests, with and without those that failed. One of them is of another "
      "run, or numbers were written with a dot for thousands."),
  MILL_WARNING(
      BENCH_DIFFERS,
      "{count} file[|s] of totals [differs|differ] from the requests beside [it|them] (first: "
      "{total} of {lane})",
      "the requests count, and only tags are taken from the totals",
      "check whether both files are of one run",
      "AIPerf writes the requests of a run (profile_export.jsonl) and its totals "
      "(profile_export_aiperf.json). The number of completed or of failed requests, the sum of "
      "input or of output tokens, or the duration is another one in the totals; sums and the "
      "duration may be off by 1 %."),
};

const WindowNotices bench_window_notices = { .rows = bench_notices,
                                             .not_json = BENCH_NOT_JSON,
                                             .truncated = BENCH_TRUNCATED,
                                             .huge = BENCH_HUGE,
                                             .bad_value = BENCH_BAD_VALUE,
                                             .text = BENCH_TEXT,
                                             .nan = BENCH_NAN };
