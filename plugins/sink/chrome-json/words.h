/* Words that printf writes for numbers that JSON does not have. */
#ifndef CHROME_JSON_WORDS_H
#define CHROME_JSON_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* True when "nan" or "inf" is anywhere in the text, in strings too. */
bool words_suspicious(const char *text, size_t len);

#endif
