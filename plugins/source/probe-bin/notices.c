/* What the probe-bin source has to say about traces. */
#include "probe-bin.h"

const MillNotice probe_bin_notices[PB_N_NOTICES] = {
  MILL_ERROR(
      PB_SHORT, "the file is too short to be a trace", "copy the trace again",
      "A trace begins with a header of 32 bytes: grid, block, shared memory and the number of "
      "sections. The program may have ended while it wrote, or the copy was cut."),
  MILL_ERROR(PB_HEADER, "the header of a trace cannot be", "check whether this is a trace",
             "Grid and block have at least one thread, a block has at most 1,024, and there is a "
             "section. Traces have no magic number: another file with this ending looks so."),
  MILL_ERROR(PB_SECTION, "the sections do not lie within the file", "copy the trace again",
             "The table of sections says where each begins. They begin after the table, one after "
             "another, and within the file. Else the file is cut short, damaged, or no trace."),
  MILL_ERROR(PB_DAMAGED, "the size of a section fits none of the three layouts",
             "copy the trace again",
             "Versions of the writer give the bytes of the whole section, of each thread or warp, "
             "or of each with how many threads share them. The size that stands there must be one "
             "of these for the bytes that there are. Else the file is cut short or damaged."),
  MILL_ERROR(
      PB_NO_SCHEMA, "record layout unknown: no probe.toml beside it",
      "copy probe.toml of the trace beside it, or name the schema: schema=block_sched:FILE; those "
      "known are block_sched, sched, amd, "
      "gmem_bytes, tensorop_count, dmat, program_progress, acc, one a section, with + between",
      "A trace does not say what its records mean. The settings of its probe do, as "
      "probe.toml beside it or up to two folders above; else the tag schema."),
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
             "A section says how many bytes each thread or warp has. The schema has another level, "
             "or records whose size is no part of that; or there are more or fewer schemas than "
             "sections."),
  MILL_ERROR(
      PB_BAD_DMAT, "the condensed trace is cut short or damaged", "condense the trace again",
      "A .dmat has the number of pages and of clocks, the pages, and for each clock the pages "
      "that were referenced. It ends with the last of them."),
  MILL_ERROR(PB_TOO_LONG, "the input is too long to be held", "give the file by its name",
             "The size of a trace must be known before it is read. What comes through a pipe is "
             "held in memory, up to 256 MiB."),
  MILL_ERROR(PB_NOTHING, "the folder holds no trace", "check that the traces were copied",
             "A trace folder has event.log or result/. Below the folder that was given, up to six "
             "levels, there is one without any file in it."),
  MILL_WARNING(
      PB_PARTIAL, "{count} block[|s] [has|have] a warp that is not whole",
      "its threads have no record of their own", NULL,
      "A block whose threads are no multiple of a warp has one that is not whole. Its record "
      "lands on the first place of the next block, which overwrites it or is overwritten."),
  MILL_WARNING(
      PB_FULL, "{count} thread[|s] or warp[|s] [has|have] used the last place",
      "there may have been more, which were written over those of the neighbour",
      "trace with a larger capacity",
      "There is no check of bounds on the device. Where the last place is used, further "
      "records may have gone into the places of the next thread or warp. A capacity that was "
      "counted before the launch is as large as what the busiest thread needs: there it "
      "says nothing."),
  MILL_WARNING(PB_NO_SIZE, "{count} section[|s] [does|do] not say [its|their] size",
               "it was derived from the length of the file", NULL,
               "Writers of April and May 2025 wrote 2^64-1 for sections whose capacity was counted "
               "when the program ran."),
  MILL_WARNING(PB_SHIFTED, "{count} trace[|s] [has|have] offsets that are too small",
               "sections were read where they are", NULL,
               "With several sections and a block that is no multiple of a warp, a writer computed "
               "offsets from whole warps and wrote all of them. The length of the file shows it."),
  MILL_WARNING(PB_NO_WARPS, "{count} section[|s] [is|are] of warps, and blocks have no whole one",
               "there is nothing to read in it", NULL,
               "Blocks of fewer threads than a warp leave no record that can be told from others."),
  MILL_WARNING(
      PB_EMPTY, "{count} log[|s] of the folder [is|are] empty",
      "what [it|they] should have said counts as 0", NULL,
      "A program that was ended before its first line leaves an empty event.log or stdout.log."),
  MILL_WARNING(PB_UNWRITTEN, "{count} warp[|s] [has|have] no record of when [it|they] ran",
               "[it is|they are] left out of schedules",
               "trace again if the kernel was ended early",
               "The buffer is zeroed before the launch, and a warp writes its record at its end. "
               "Where there "
               "are zeros alone, the warp did not come to its end, or the copy is not whole."),
  MILL_WARNING(
      PB_SECOND,
      "{count} section[|s] of schedules or turns [is|are] not the first of [its|their] trace",
      "schedules, and turns, are those of the first one", NULL,
      "A launch has one schedule. Where a probe saves two, as by cycles and by the global timer, "
      "the tables of schedules are of the section that comes first. So are those of turns: two "
      "loops are no longer one."),
  MILL_WARNING(PB_BLANK, "{count} section[|s] [has|have] nothing but zeros",
               "tables of what [it|they] should hold are empty, and counts are 0",
               "look whether the kernel does what the probe records, then trace again",
               "The buffer is zeroed before the launch. Where nothing was written to a section, "
               "the kernel did none of it, the probe was not run, or the copy is not whole."),
};
