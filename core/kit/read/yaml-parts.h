/* What the files of the YAML reader share; see yaml-doc.h. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_YAML_PARTS_H
#define KIT_YAML_PARTS_H

#include <glib.h>
#include <yaml.h>

#include "kit/read/yaml-doc.h"

/* Gives a scalar its type and value, by its looks when it is plain and untagged.  False when the tag
 * and the text do not agree, or the tag is not known. */
bool yaml_scalar_type(YamlNode *node, const char *tag, bool plain);
/* What libyaml stumbled over, in plain words. */
void yaml_syntax_fault(const yaml_parser_t *parser, const char *text, size_t len, YamlFault *out);

#endif
