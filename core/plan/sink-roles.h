/* Which sink does what nobody named a format for: each says so by its flags. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_SINK_ROLES_H
#define PLAN_SINK_ROLES_H

#include "plan/modules.h"

/* The format of the sink with that role, MILL_SUMMARY and the like; of one without a vendor before others.  Where there
 * is none, a word that no format is: whoever asks for it is told which there are. */
const char *format_of_role(Modules *modules, uint32_t role);
/* The first sink of that format, or NULL. */
const Module *sink_of_format(Modules *modules, const char *format);
/* const char *, to unref: those of MILL_USUAL, the summary and the document first, events last or (false) not at all. */
GPtrArray *usual_formats(Modules *modules, bool events);

#endif
