/* One description, three forms: plain text, Markdown, and the source of a man page. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_PAGE_H
#define CMD_PAGE_H

#include <glib.h>

typedef enum { PAGE_TEXT, PAGE_MARKDOWN, PAGE_MAN } PageForm;

typedef struct Page {
  PageForm form;
  GString *out;
} Page;

/* name "stagemill-run", section 1, title one line. */
void page_head(Page *p, const char *name, int section, const char *title);
void page_heading(Page *p, const char *text);
void page_text(Page *p, const char *text); /* a paragraph */
void page_code(Page *p, const char *text); /* a line as it is typed */
void page_item(Page *p, const char *term, const char *text);
void page_itemf(Page *p, const char *term, const char *format, ...) G_GNUC_PRINTF(3, 4);

#endif
