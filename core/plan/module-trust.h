/* Whether a file or folder of modules may be trusted: who could put another one in its place. */
/* SPDX-License-Identifier: MIT */
#ifndef PLAN_MODULE_TRUST_H
#define PLAN_MODULE_TRUST_H

#include "model/error.h"

/* An error of this kind: what, where it comes from, why.  Where the owner or mode are not at fault, the caller says
 * what helps. */
Error *module_unfit(const char *what, const char *path, const char *origin, const char *why);
Error *distrust(const char *what, const char *path, const char *origin, const char *why);
/* By what errno says. */
Error *distrust_unreadable(const char *what, const char *path, const char *origin);

/* NULL when nobody but root and the user can have put the file or folder there, nor can exchange it: each
 * component of the path is theirs, is no link, and cannot be written by others. */
Error *search_distrust(const char *path, const char *origin, bool folder, bool allow_unsafe);

#endif
