/* The rules that --verify looks after; see verify-ids.h. */
/* SPDX-License-Identifier: MIT */
#include "host/verify-ids.h"

#include <glib.h>

/* What a stage, source or sink did; docs/write-a-stage.md has the same table. */
static const VerifyId ids[] = {
  { "unmarked-change", "wrote a field or an attribute without mill_set_* or set" },
  { "frozen-field", "wrote seq, sub or the offset of the raw bytes, which are the program's" },
  { "batch-size", "changed the number of events by hand" },
  { "frozen-batch",
    "changed another field of a batch: its lane, or where its events and attributes are" },
  { "foreign-batch", "gave the host another batch than the one it was called with" },
  { "past-the-end",
    "touched memory past the end of a batch, of its attributes, or of what resize and scratch "
    "gave, or after it was freed; a source: gave events, texts or attributes that its batch does "
    "not have" },
  { "raw-bytes", "wrote into the bytes of an event as read" },
  { "read-only", "claims MILL_READ_ONLY but changed something" },
  { "undeclared-drop", "dropped or emitted without MILL_MAY_DROP, MILL_MAY_EMIT" },
  { "undeclared-emit", "dropped or emitted without MILL_MAY_DROP, MILL_MAY_EMIT" },
  { "undeclared-notice", "counted a notice that is not in its descriptor" },
  { "false-fact",
    "provides slices but let a begin or an end through that no notice counts (a source: gave "
    "one), or order.lane but gave events out of order" },
  { "false-order",
    "got events in order and gave them out of order without spoils: see the order of events" },
  { "observe-changes", "changed a batch in observe, or is a sink that changed one in write" },
  { "bad-kind", "made an event of a kind that does not exist" },
  { "bad-field",
    "gave an event flags or a kind of id that do not exist; a source: an event that is dropped" },
  { "unknown-track", "put an event on a track, or gave a name, that does not exist" },
  { "unknown-symbol", "put an event on a track, or gave a name, that does not exist" },
  { "bad-value",
    "gave a value of no known type, a number that is NaN or infinite (in a field of row it is "
    "an empty cell), a text that is not UTF-8, or JSON that is not valid; set, cells, row, "
    "metric, note and member refuse such values without --verify, too, and so does add_attr "
    "for types and numbers" },
  { "bad-text",
    "gave a value of no known type, a number that is NaN or infinite (in a field of row it is "
    "an empty cell), a text that is not UTF-8, or JSON that is not valid; set, cells, row, "
    "metric, note and member refuse such values without --verify, too, and so does add_attr "
    "for types and numbers" },
  { "duplicate-row", "reported two rows with the same keys, or a metric twice" },
  { "duplicate-metric", "reported two rows with the same keys, or a metric twice" },
  { "positive-status", "returned a positive number: it is 0 or what fail gave" },
  { "standard-output", "wrote to standard output" },
  { "changed-locale", "changed this of the process, which all modules share" },
  { "working-directory", "changed this of the process, which all modules share" },
  { "changed-environment", "changed this of the process, which all modules share" },
  { "signal-mask", "changed this of the process, which all modules share" },
  { "signal-handler", "changed this of the process, which all modules share" },
  { "standard-files", "changed this of the process, which all modules share" },
  { "changed-arithmetic", "changed this of the process, which all modules share" },
  { "read-only-memory",
    "wrote into what the program lends it to read: a host table, its options, a text" },
  { "wrong-thread", "asked the host from a thread that is not in a call" },
  { "unknown-key",
    "is a source that called describe with an unknown key or a type that does not fit" },
};

const VerifyId *verify_ids(size_t *out_n)
{
  *out_n = G_N_ELEMENTS(ids);
  return ids;
}
