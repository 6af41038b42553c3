/* What the gate-log source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "gate-log.h"

const MillNotice gate_notices[GATE_N_NOTICES] = {
  MILL_ERROR(GATE_BAD_VALUE, "a gate log holds something that is not a count",
             "correct the value, or remove the file",
             "A row of expert_loads, step or num_tokens holds null, a text, NaN, a negative number "
             "or a list where a count must be. The file is valid JSON, so it is not truncated: its "
             "writer counted wrongly. The sum of the rest would not be a measured balance. The "
             "message gives line and column."),
  MILL_ERROR(GATE_NOTHING, "there is no gate log that could be used",
             "a run leaves gates_logs_RUN/gate_logs_LAYER.json, one file per layer",
             "Either the folder has no files named gate_logs_*.json (or .json.gz, .json.zst), or "
             "each of them was skipped. The message says how many were skipped and why. --recover "
             "uses the complete rows of truncated files."),
  MILL_ERROR(GATE_LONG_ROW, "a row has more loads than a layer has experts", NULL,
             "A row of expert_loads holds one number per expert. No layer of any model has more "
             "than 524,288 of them; two files may have been written into one."),
  MILL_ERROR(GATE_CHANGED, "the file changed while it was read", "wait until the run has ended",
             "stagemill reads a large gate log twice: first to check that it is complete, then for "
             "its rows. The file changed in between. The writer rewrites the whole file every 50 "
             "steps, so it was still running."),
  MILL_WARNING(
      GATE_DAMAGED, "{count} gate log[|s] of {lane} [is|are] cut short or damaged",
      "[it is|they are] left out whole; the first is {file}: {why}",
      "add --recover to use [its|their] complete rows",
      "The text is not one complete JSON document, or its compressed data is not complete. The "
      "writer rewrites the whole file every 50 steps and when it ends, so a killed run leaves "
      "truncated files. An incomplete layer beside complete layers would distort the totals, so "
      "such a file counts as missing."),
  MILL_WARNING(
      GATE_RECOVERED, "{count} gate log[|s] of {lane} [is|are] cut short or damaged",
      "[its|their] complete rows are used; the first is {file}: {why}", NULL,
      "With --recover the rows that were complete before the text ended are used. Layers then have "
      "different numbers of steps, and token counts after the break are missing."),
  MILL_WARNING(GATE_NO_LOADS, "{count} file[|s] of {lane} [has|have] no expert_loads",
               "[it is|they are] left out; the first is {file}", NULL,
               "The file is valid JSON, but it is not an object with a list expert_loads. It is "
               "another kind of file under the name of a gate log."),
  MILL_WARNING(GATE_LENGTHS, "{count} gate log[|s] of {lane} [has|have] lists of different lengths",
               "rows without a step or a token count are used without it; the first is {file}",
               NULL,
               "step, num_tokens and expert_loads have one entry for each forward step. If step or "
               "num_tokens is missing or shorter, later rows have none. Entries after the last "
               "row, and after the first 524,288 of a file, are not used."),
  MILL_WARNING(GATE_TWICE, "{count} member[|s] of gate logs of {lane} [is|are] duplicated",
               "the last counts; the first file is {file}", NULL,
               "A key is repeated in one object. As Python does, the last value counts. Two files "
               "may have been written into one."),
  MILL_WARNING(GATE_UNREADABLE, "{count} gate log[|s] of {lane} cannot be read",
               "[it is|they are] left out; the first is {file}: {why}", NULL,
               "The file is there, but opening it fails: a missing permission, or a link to a file "
               "that is gone."),
  MILL_WARNING(GATE_COPY,
               "{count} compressed gate log[|s] of {lane} [lies|lie] beside one of the same name",
               "[it is|they are] left out as copies; the first is {file}", NULL,
               "The folder holds gate_logs_LAYER.json and also the same name with .gz or .zst, or "
               "both of these. Reading both would count the layer twice, so the first by name is "
               "read: the one that is not compressed, if there is one."),
  MILL_INFO(
      GATE_NAN, "{count} value[|s] of gate logs of {lane} [is|are] NaN or infinite",
      "[it is|they are] not read; the first file is {file}", NULL,
      "NaN and Infinity are not JSON, but Python writes them. Among the counts of a gate log such "
      "a value is an error."),
};
