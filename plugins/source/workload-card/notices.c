/* What the workload-card source has to say about folders and cards. */
/* SPDX-License-Identifier: MIT */
#include "card.h"

const MillNotice card_notices[CARD_N_NOTICES] = {
  MILL_ERROR(
      CARD_NO_RESULTS, "a workload card describes a run and holds no results",
      "give the folder of the card",
      "A workload card is a YAML file that describes the model, the hardware and the settings of a "
      "run. The numbers are in other files of the same folder. Give the folder: its card tags all "
      "results of the run."),
  MILL_ERROR(
      CARD_UNREADABLE, "the workload card of the run cannot be read",
      "correct the card, or remove it",
      "The folder is one run, and its card is broken: it is not valid YAML, has a key twice, holds "
      "several documents or none, is too large (1 MiB, 64 levels, 10,000 values; an alias counts "
      "as all its values), or has no map under the key workload. The message has the place of the "
      "fault. The first *.yaml of the folder by name is the card. Without a card the run is read, "
      "and its tags come from names only. In a tree of runs a broken card is only a warning."),
  MILL_ERROR(
      CARD_NOTHING, "a folder of runs holds nothing to read", "check that the results were copied",
      "The folder, or folders one or two levels below it, look like runs: there are cards, "
      "results_json or gate logs. But none of them holds a file of results, a folder of gate logs, "
      "a kernel table or a database. An empty result would look like a run without work, so this "
      "is an error."),
  MILL_WARNING(
      CARD_LEFT_OUT, "{count} workload card[|s] cannot be read, first {place}: {why}",
      "[that run is known by the name of its folder|those runs are known by the names of their "
      "folders] only",
      "give only this run folder to see the fault of its card",
      "In a tree of runs, one broken card does not stop the other runs. Its run is read, and its "
      "tags come from the name of its folder; phase, model and the other tags of cards are "
      "missing, so the run may be in a group of its own. The tag card_error holds the reason."),
  MILL_WARNING(
      CARD_WRONG_TYPE,
      "{count} value[|s] on workload cards [is|are] of a wrong kind, first {place}: {field} is "
      "{type}",
      "[it gives|they give] no tag", "correct the value, or leave it empty if it is not known",
      "A field for a tag has an unusable value: a list or a map instead of one value, a text or a "
      "negative number instead of a count, or a text of more than 200 bytes. Numbers in quotes, "
      "lists of one value, empty texts, null, N/A and TBD are valid and not counted."),
  MILL_WARNING(CARD_IDLE_RUN, "{count} run folder[|s] [holds|hold] nothing to read, first {place}",
               "[it is|they are] skipped", NULL,
               "The tree has folders with a card, with results_json or with gate logs, but without "
               "a file of results. Perhaps these runs failed, or their results were not copied."),
  MILL_INFO(CARD_SUMMARY, "{count} summar[y|ies] of a sweep [was|were] left out (first: {place})",
            NULL, NULL,
            "vllm bench sweep writes each run into a file of its own (run=0.json) and all of them "
            "once more into summary.json. The runs are read; reading the summary too would count "
            "them twice."),
  MILL_INFO(CARD_TWICE,
            "{count} file[|s] of totals of AIPerf [is|are] no run of [its|their] own (first: "
            "{place})",
            NULL, NULL,
            "AIPerf writes the requests of a run (profile_export.jsonl) and its totals "
            "(profile_export_aiperf.json). If both exist, they are one run: latencies come from "
            "the requests, tags and totals from the other file. To read only the totals, name "
            "their file."),
};
