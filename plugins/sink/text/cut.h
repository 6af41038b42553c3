/* Names of one column, cut so that what they differ in stays visible. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_TEXT_CUT_H
#define SINK_TEXT_CUT_H

#include <glib.h>
#include <stddef.h>

/* A copy of each, at most `width` characters (3 at least) wide. */
GPtrArray *cut_names(const GPtrArray *names, size_t width);

#endif
