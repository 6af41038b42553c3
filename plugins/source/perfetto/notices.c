/* What the perfetto source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

#define OTHER_HELP "convert the trace with Perfetto's traceconv if they are needed"
#define OTHER(number, things, explain_)                                                           \
  MILL_INFO(                                                                                      \
      number, "{count} packet[|s] of {lane} [is|are] about " things, "[it is|they are] not read", \
      NULL,                                                                                       \
      explain_                                                                                    \
      " Slices, instants, counters and flows of tracks are read; these packets hold other data, " \
      "which Perfetto's own tools show.")

const MillNotice pft_notices[PFT_N_NOTICES] = {
  MILL_ERROR(PFT_CUT, "the trace ends within a packet", "add --recover to use its complete packets",
             "The length of the last packet goes beyond the end of the input: the recording or a "
             "copy of it was stopped. All packets before it can be used."),
  MILL_ERROR(PFT_BROKEN, "a packet cannot be read", "add --recover to leave it out",
             "The packet is not a message in protocol buffers: a length in it goes beyond its end, "
             "or a field has another kind of value than Perfetto's packets have. The file was "
             "damaged, or its writer uses the format wrongly."),
  MILL_ERROR(PFT_LONG, "a packet is too long", "add --recover to use the packets before it",
             "A packet may have 64 MiB. Real ones have some kilobytes, as recorders share out "
             "their buffers in pages; the length is wrong, which means that bytes before it were "
             "lost or changed."),
  MILL_ERROR(PFT_NO_PACKET, "there are bytes where a packet should begin",
             "add --recover to use the packets before them",
             "A trace is one packet after the other, and each begins with the byte 0x0a. Here is "
             "another byte: bytes were lost or changed, or the file is something else."),
  MILL_ERROR(
      PFT_EMPTY, "the trace has no packets", NULL,
      "The input is empty. A recording that has found nothing still has packets that describe it."),
  MILL_ERROR(PFT_INFLATE, "compressed packets cannot be read", "add --recover to leave them out",
             "A packet holds other packets, compressed with zlib or zstd. They cannot be "
             "decompressed, or the result is not a list of packets. The file was damaged."),

  MILL_WARNING(PFT_RECOVERED, "{lane} cannot be read to its end",
               "the packets before {where} are used: {why}", NULL,
               "With --recover the complete packets before the damage are used. Slices that were "
               "open there have no end."),
  MILL_LEFT_OUT(PFT_LEFT_OUT, "{count} packet[|s] of {lane} cannot be read",
                "[it is|they are] left out; the first is at {where}: {why}", NULL,
                "With --recover, damaged packets are left out. Their content, such as the end of a "
                "slice or a name, is missing."),
  MILL_LEFT_OUT(
      PFT_LOST_STATE, "{count} packet[|s] of {lane} [needs|need] others that are lost",
      "[it is|they are] left out", "record with a larger buffer",
      "Writers send names and tracks once and refer to them by number until they clear their "
      "state. If the buffer of the recording was too small, these names and tracks are lost. "
      "Perfetto leaves out the same packets."),
  MILL_WARNING(
      PFT_DROPPED, "{count} time[|s] packets of {lane} were lost while recording",
      "slices may lack their begin or end", "record with a larger buffer",
      "The recorder marks where packets of a writer are missing because the buffer was full."),
  MILL_LEFT_OUT(
      PFT_NO_TIME, "{count} event[|s] of {lane} [has|have] no time that can be known",
      "[it is|they are] left out", NULL,
      "The packet has no timestamp, or one of a clock that no reading of clocks relates to that of "
      "the trace (BOOTTIME, unless the trace says otherwise). Perfetto leaves out the same "
      "events."),
  MILL_WARNING(PFT_BAD_CLOCK,
               "{count} reading[|s] of clocks in {lane} [goes|go] back or [is|are] too large",
               "[it is|they are] not used", NULL,
               "Readings of one clock follow each other in its time. If one goes back, it is "
               "damaged or the clock was set; times in between use the readings before it."),
  MILL_WARNING(PFT_NO_TRACK,
               "{count} event[|s] of {lane} [is|are] on a track that was not described before",
               "[it is|they are] on a track named by its number, in no process", NULL,
               "A track is described by a packet of its own, usually before its first event. It is "
               "missing, was lost, or comes later in the file."),
  MILL_LEFT_OUT(PFT_BAD_COUNTER, "{count} value[|s] of counters of {lane} cannot be used",
                "[it is|they are] left out", NULL,
                "The track is not that of a counter or has no value, a slice is on the track of a "
                "counter, the value is not finite, or the differences of a counter come from "
                "another writer than the one that described it."),
  MILL_WARNING(
      PFT_NO_TEXT, "{count} text[|s] that events of {lane} refer to [is|are] missing",
      "names and categories are empty, arguments left out or empty", NULL,
      "Events refer to texts by numbers that packets before them define. One of these was lost."),
  MILL_LEFT_OUT(PFT_LEGACY, "{count} event[|s] of {lane} [is|are] in Chrome's old form",
                "[it is|they are] left out", OTHER_HELP,
                "Old traces of Chrome keep the phase of an event in legacy_event instead of its "
                "type. Perfetto's traceconv writes such a trace as JSON, which is read."),
  MILL_LEFT_OUT(PFT_NO_TYPE, "{count} event[|s] of {lane} [has|have] no type that is known",
                "[it is|they are] left out", NULL,
                "An event begins or ends a slice, is an instant, or is the value of a counter. The "
                "type of these events is none of them."),
  MILL_WARNING(PFT_FLOW_ORDER,
               "{count} event[|s] of flows of {lane} [is|are] earlier than the first in the file",
               "arrows of these flows go back in time", NULL,
               "A flow goes from its earliest event to the next ones. Events are read in file "
               "order, where events of one writer may come before earlier events of another. The "
               "first event in the file then counts as the start."),
  MILL_WARNING(PFT_FLOW_ALONE, "{count} flow[|s] of {lane} [ends|end] that [has|have] not begun",
               "[its end is|their ends are] left out", NULL,
               "An event says that a flow ends with it, but none before it has that flow."),
  MILL_WARNING(PFT_NOT_UTF8, "{count} text[|s] of {lane} [is|are] not UTF-8",
               "unreadable bytes became U+FFFD", NULL,
               "Names, categories and arguments are texts in UTF-8. The program that was traced "
               "gave other bytes."),
  MILL_WARNING(PFT_BAD_ANNOTATION, "{count} argument[|s] of events of {lane} cannot be read",
               "[it is|they are] left out or null", NULL,
               "The argument has no name, is not a message as it should be, or lies more than 15 "
               "levels deep in others."),
  MILL_WARNING(
      PFT_MANY_ANNOTATIONS, "{count} event[|s] of {lane} [has|have] more than 65,535 arguments",
      "the rest is left out", NULL, "No writer uses that many; the packet is damaged or invented."),

  OTHER(PFT_FTRACE, "events of the Linux kernel",
        "The recording has data of ftrace: scheduling, system calls."),
  OTHER(PFT_PROCESSES, "processes and their statistics",
        "The recording has lists of processes and their use of resources."),
  OTHER(PFT_SYSTEM, "the system",
        "The recording has data of the system: its statistics, network or processors."),
  OTHER(PFT_PROFILES, "profiles",
        "The recording has samples of processors or memory, or their names."),
  OTHER(PFT_GPU, "graphics", "The recording has counters and stages of graphics processors."),
  OTHER(PFT_ANDROID, "Android",
        "The recording has data of Android: logs, power, packages, frames."),
  OTHER(PFT_CHROME, "Chrome", "The recording has data of Chrome: old events, metadata, scripts."),
  OTHER(PFT_OTHER, "something else", "The recording has packets that this version does not know."),
};

void source_note(const Source *s, uint32_t number)
{
  if (!s->is_survey) mill_note(s->common, number);
}
