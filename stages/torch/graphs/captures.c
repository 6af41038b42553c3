/* Captures; see captures.h. */
/* SPDX-License-Identifier: MIT */
#include "captures.h"

#include "kit/text/symbol.h"
#include "kit/text/words.h"

static const StateField launch_fields[] = {
  STATE_NUMBER(CaptureLaunch, name, 0),  STATE_NUMBER(CaptureLaunch, stack, 0),
  STATE_NUMBER(CaptureLaunch, calls, 0), STATE_FIRST(CaptureLaunch, graph),
  STATE_FIRST(CaptureLaunch, node),
};
static const StateType launch_state = STATE_TYPE(CaptureLaunch, launch_fields);
static const StateField capture_fields[] = {
  STATE_NUMBER(Capture, file, 0),
  STATE_FIRST(Capture, n),
  STATE_FIRST(Capture, rank),
};
static const StateType capture_state = STATE_TYPE(Capture, capture_fields);
static const StateField captures_fields[] = {
  STATE_NAMES(Captures, texts, 0),
  STATE_LIST(Captures, launches, n_launches, launches_capacity, launch_state),
  STATE_LIST(Captures, captures, n, capacity, capture_state),
};
const StateType captures_state = STATE_TYPE(Captures, captures_fields);

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

MillSym launch_key(const MillHost *common, LaunchKind kind, MillSym kernel)
{
  char key[CAPTURE_LETTERS];
  size_t len = 0, n = 0;
  const char *name = kind == LAUNCH_KERNEL ? common->symbol_text(common, kernel, &len) : "";
  if (kind == LAUNCH_COPY || words_have(name, len, "rocclr_copyBuffer"))
    return symbol_of(common, "memcpy");
  if (kind == LAUNCH_FILL || words_have(name, len, "rocclr_fillBuffer"))
    return symbol_of(common, "memset");
  for (size_t i = 0; i < len && n < CAPTURE_LETTERS; i++)
    if (is_letter(name[i])) key[n++] = name[i];
  return common->intern(common, key, n);
}
