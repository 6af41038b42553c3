/* What the nsys-sqlite source has to say about its input, with causes and remedies. */
/* SPDX-License-Identifier: MIT */
#include "nsys-sqlite.h"

#define MAKE "nsys export --type sqlite REPORT.nsys-rep makes one"

const MillNotice nsql_notices[NSQL_N_NOTICES] = {
  MILL_ERROR(
      NSQL_NO_PATH, "a database cannot be read from standard input", "give its path",
      "SQLite reads pages anywhere in the file, so it needs a file that it can open. Write the "
      "data of the pipe to a file first."),
  MILL_ERROR(
      NSQL_COMPRESSED, "the file itself is not an SQLite database", MAKE,
      "SQLite found no database in the file, or in what it holds compressed: it is damaged or is "
      "something else."),
  MILL_ERROR(NSQL_BROKEN, "the database cannot be read", "export it again: " MAKE,
             "SQLite found that the file is damaged or truncated; the message has its reason. "
             "Usually a copy was stopped, or the disk was full during the export."),
  MILL_ERROR(
      NSQL_NOT_NSYS, "the database is not an export of nsys", MAKE,
      "Exports of nsys have a table of kernels, CUPTI_ACTIVITY_KIND_KERNEL, and one of names, "
      "StringIds. This is some other program's database."),
  MILL_ERROR(
      NSQL_NO_KERNELS, "the profile has no GPU kernels",
      "profile with --trace=cuda, while the GPU works",
      "The database is an export of nsys, but there is no table of kernels in it: CUDA was not "
      "traced, or no kernel ran while the profile was taken."),
  MILL_ERROR(
      NSQL_NO_COLUMN, "the table of kernels lacks a column", "export it again: " MAKE,
      "Each kernel needs start, end and one of demangledName, shortName and mangledName. All "
      "versions of nsys write them; the table was made or changed by something else."),
  MILL_ERROR(
      NSQL_TOO_MANY, "the profile has too many kernels", "export a shorter part of the profile",
      "At most 200,000 pairs of kernel and device are summed up, so that memory stays bounded. "
      "Real programs have some hundreds."),
  MILL_ERROR(
      NSQL_ABSURD, "the kernels of one name take more than 292 years", NULL,
      "The sum of their times does not fit into 64 bits of nanoseconds. Times in the database are "
      "wrong, or it is damaged."),
  MILL_ERROR(NSQL_CANCELLED, "reading the database was stopped", NULL,
             "The run was cancelled while SQLite was at work. Nothing is wrong with the file."),
  MILL_ERROR(NSQL_NO_MEMORY, "there is not enough memory to read the database",
             "free memory, or export a shorter part of the profile",
             "SQLite got no memory from the system. The file itself may be valid."),
  MILL_ERROR(NSQL_PENDING, "changes of the database are in files beside it and not in it yet",
             "let SQLite put them in: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'",
             "The program that wrote the database was stopped, or still writes: a file FILE-wal "
             "holds rows that the database lacks, or FILE-journal those that must be taken back. "
             "The database alone would give other numbers. SQLite cannot read both without writing "
             "beside them, and stagemill never writes beside an input. Open the database once with "
             "sqlite3 in a writable folder, or copy it together with the files beside it."),
  MILL_ERROR(
      NSQL_UNPACK, "the compressed database cannot be unpacked to a temporary file",
      "name a folder that has room for it with TMPDIR, or unpack it first",
      "SQLite needs direct access to pages, so that a compressed database is unpacked to the "
      "folder for temporary files. There was no space, or files cannot be made in it."),
  MILL_ERROR(NSQL_REPORT, "reports of nsys are not read",
             "export it as a database: nsys export --type sqlite REPORT.nsys-rep",
             "The report is in a format of its own that only nsys reads. The database that nsys "
             "export writes has the same data, and is read."),

  MILL_LEFT_OUT(
      NSQL_BAD_TIME, "{count} kernel[|s] of {lane} [has|have] no valid time",
      "[it is|they are] left out", NULL,
      "Start or end is missing or is not a whole number, or the end is before the start. Kernels "
      "that still ran when the profile ended look like this. They are in no sum and no count."),
  MILL_WARNING(
      NSQL_NO_NAME, "{count} kernel[|s] of {lane} [has|have] no name",
      "[it is|they are] listed with a number, or as one", NULL,
      "The table of kernels refers to a name that is not in StringIds, or to no name. Their times "
      "count, but stages that use names cannot classify them."),
  MILL_WARNING(
      NSQL_NO_DEVICE, "{count} kernel[|s] of {lane} [has|have] no valid device",
      "[it counts|they count] for all devices together, but for no single device", NULL,
      "The number of the device is missing, or is not a whole number that a device can have. All "
      "versions of nsys write one; the table was made or changed by something else."),
  MILL_WARNING(
      NSQL_BAD_NAME, "{count} kernel name[|s] of {lane} [is|are] not UTF-8",
      "each byte that is wrong is shown as U+FFFD", "export it again: " MAKE,
      "A name in StringIds holds bytes that are not UTF-8, or NULs: it was cut, or written in "
      "another encoding. Times and counts do not depend on it; stages that go by names may not "
      "know the kernel."),
  MILL_LEFT_OUT(
      NSQL_ROW_TIME, "{count} row[|s] of {lane} [has|have] no valid time",
      "[it is|they are] left out", NULL,
      "Start or end is missing or is not a whole number, or the end is before the start. Work that "
      "still ran when the profile ended looks like this. No event is made of such a row."),
  MILL_WARNING(
      NSQL_NAMELESS, "{count} name[|s] of {lane} [is|are] missing in the database",
      "[it is|they are] replaced by numbers", NULL,
      "A table refers to a text that is not in StringIds, or to none. The events are there with "
      "their times, but stages that go by names cannot know them."),
  MILL_WARNING(
      NSQL_BAD_TEXT, "{count} text[|s] of {lane} [is|are] not UTF-8",
      "each byte that is wrong is shown as U+FFFD", "export it again: " MAKE,
      "A text of the database holds bytes that are not UTF-8, or NULs: it was cut, or written in "
      "another encoding. Times and counts do not depend on it."),
  MILL_INFO(
      NSQL_SCHEMA, "the schema of the database is of a version that is not known: {version}",
      "tables and columns that are known are read", NULL,
      "META_DATA_EXPORT names the version of the schema, and this one is newer than those that "
      "were looked at. Columns that have another name there cost their attribute."),
};
