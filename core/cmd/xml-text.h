/* Text of any origin in XML, as reports for CI are. */
/* SPDX-License-Identifier: MIT */
#ifndef CMD_XML_TEXT_H
#define CMD_XML_TEXT_H

#include <glib.h>

/* Control characters are shown, and what XML has no form for is escaped. */
void xml_put_text(GString *out, const char *text);
void xml_put_attribute(GString *out, const char *name, const char *text); /* with a blank before it */

#endif
