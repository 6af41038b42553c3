/* The container of a workbook: a ZIP of deflated parts, written from front to back in constant memory. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_XLSX_PACKAGE_H
#define SINK_XLSX_PACKAGE_H

#include <glib.h>
#include <stagemill/sink.h>

enum { XLSX_CUT = 1, XLSX_TOO_LARGE };
/* The status to return. */
int xlsx_too_large(const MillHost *common, const char *why);

typedef struct Package Package;

/* Into the output of that name. */
Package *package_new(const MillSinkHost *host, const char *file);
void package_free(Package *p);

/* A part begins; the one before it ends.  0, or the status to return. */
int package_begin(Package *p, const char *name);
/* Where the text of the part goes. */
GString *package_text(Package *p);
/* Passes on what has gathered, when it is much. */
int package_flush(Package *p);
/* The last part ends, and the package. */
int package_end(Package *p);

#endif
