/* What the probe-bin source has to say about traces. */
/* SPDX-License-Identifier: MIT */
#include "probe-bin.h"

const MillNotice probe_bin_notices[PB_N_NOTICES] = {
  MILL_ERROR(
      PB_SHORT, "the file is too short to be a trace", "copy the trace again",
      "A trace begins with a header of 32 bytes: grid, block, shared memory and the number of "
      "sections. The program may have ended while it wrote, or the copy was cut."),
  MILL_ERROR(
      PB_HEADER, "the header of a trace is not possible", "check whether this is a trace",
      "Grid and block have at least one thread, a block has at most 1,024, and there is a section. "
      "Traces have no magic number, so another file with this ending is also taken for a trace."),
  MILL_ERROR(PB_SECTION, "the sections do not lie within the file", "copy the trace again",
             "The table of sections has the place of each section. Sections begin after the table, "
             "one after another, and within the file. Otherwise the file is truncated, damaged, or "
             "not a trace."),
  MILL_ERROR(PB_DAMAGED, "the size of a section fits none of the three layouts",
             "copy the trace again",
             "Versions of the writer give the size of the whole section, of each thread or warp, "
             "or of each with the number of threads that share it. The size in the file must be "
             "one of these. Otherwise the file is truncated or damaged."),
  MILL_ERROR(
      PB_NO_SCHEMA, "record layout unknown: no probe.toml beside it",
      "copy probe.toml of the trace beside it, or name the schema: schema=block_sched:FILE; known "
      "schemas are block_sched, sched, amd, gmem_bytes, tensorop_count, dmat, program_progress, "
      "acc; one for each section, joined by +",
      "A trace does not describe its records. The settings of its probe describe them, in "
      "probe.toml beside the trace or up to two folders above; without it, give the tag schema."),
  MILL_ERROR(PB_BAD_NAME, "there is no schema of that name",
             "block_sched, sched, amd, gmem_bytes, tensorop_count, dmat, program_progress, acc",
             "The tag schema has a name for each section of the trace, with + between them."),
  MILL_ERROR(PB_BAD_TOML, "the settings of the probe cannot be read",
             "correct probe.toml, or name the schema by the tag schema",
             "Both generations of settings are read: tables with a datamodel and SAVE statements, "
             "and tables map.NAME with regs. Fields are u32 or u64."),
  MILL_ERROR(PB_MISFIT, "the records of a section do not have the size of the schema",
             "name another schema: block_sched, sched, amd, gmem_bytes, tensorop_count, dmat, "
             "program_progress, acc",
             "A section has the number of bytes of each thread or warp. The schema has another "
             "level, or a record size that does not divide this number; or the numbers of schemas "
             "and sections differ."),
  MILL_ERROR(
      PB_BAD_DMAT, "the condensed trace is cut short or damaged", "condense the trace again",
      "A .dmat has the number of pages and of clocks, the pages, and for each clock the pages that "
      "were referenced. It ends with the last of them."),
  MILL_ERROR(PB_TOO_LONG, "the input is too long to be held", "give the file by its name",
             "stagemill must know the size of a trace before it reads it. It holds the data of a "
             "pipe in memory, up to 256 MiB."),
  MILL_ERROR(PB_NOTHING, "the folder holds no trace", "check that the traces were copied",
             "A trace folder has event.log or result/. The given folder has such folders up to six "
             "levels down, but they hold no files."),
  MILL_WARNING(PB_PARTIAL, "{count} block[|s] [has|have] a warp that is not whole",
               "its threads have no record of their own", NULL,
               "If the number of threads of a block is no multiple of a warp, its last warp is not "
               "whole. The record of this warp has the place of the first record of the next "
               "block, so one overwrites the other."),
  MILL_WARNING(
      PB_FULL, "{count} thread[|s] or warp[|s] used [its|their] last record",
      "further records may have overwritten those of the next thread or warp",
      "trace with a larger capacity",
      "The device does not check bounds, so records beyond the capacity are written into the "
      "memory of the next thread or warp. If the capacity was counted before the launch, it is "
      "exactly what the busiest thread needs, and you can ignore this notice."),
  MILL_WARNING(PB_NO_SIZE, "{count} section[|s] [does|do] not say [its|their] size",
               "it was derived from the length of the file", NULL,
               "Writers of April and May 2025 wrote 2^64-1 for sections whose capacity was counted "
               "when the program ran."),
  MILL_WARNING(PB_SHIFTED, "{count} trace[|s] [has|have] offsets that are too small",
               "sections were read by their order in the table", NULL,
               "With several sections and a block that is no multiple of a warp, a writer computed "
               "offsets from whole warps and wrote all of them. The length of the file shows it."),
  MILL_WARNING(PB_NO_WARPS,
               "{count} section[|s] [has|have] records of warps, but blocks have no whole warp",
               "nothing is read from [it|them]", NULL,
               "Blocks with fewer threads than a warp leave no distinct record."),
  MILL_WARNING(
      PB_EMPTY, "{count} log[|s] of the folder [is|are] empty", "[its|their] values count as 0",
      NULL,
      "A program that was ended before its first line leaves an empty event.log or stdout.log."),
  MILL_WARNING(PB_UNWRITTEN, "{count} warp[|s] [has|have] no record of when [it|they] ran",
               "[it is|they are] left out of schedules",
               "repeat the trace if the kernel ended early",
               "The buffer is zeroed before the launch, and a warp writes its record at its end. "
               "If there are only zeros, the warp did not reach its end, or the copy is "
               "incomplete."),
  MILL_WARNING(
      PB_SECOND,
      "{count} section[|s] of schedules or turns [is|are] not the first of [its|their] trace",
      "schedules, and turns, are those of the first one", NULL,
      "A launch has one schedule. If a probe saves two, for example by cycles and by the global "
      "timer, the tables of schedules use the first section. The tables of turns also use the "
      "first section, so a second loop is not in them."),
  MILL_WARNING(PB_BLANK, "{count} section[|s] [has|have] nothing but zeros",
               "tables of [its|their] records are empty, and counts are 0",
               "check whether the kernel does what the probe records, then repeat the trace",
               "The buffer is zeroed before the launch. If a section was not written, the kernel "
               "did nothing that the probe records, the probe did not run, or the copy is "
               "incomplete."),
};
