/* The page that the build made of report/: what comes before its data, and what comes after. */
/* SPDX-License-Identifier: MIT */
#ifndef SINK_HTML_PAGE_H
#define SINK_HTML_PAGE_H

#include <stddef.h>

/* Both have no bytes where the build was told to make none. */
extern const char html_page_head[], html_page_tail[];
extern const size_t html_page_head_len, html_page_tail_len;

#endif
