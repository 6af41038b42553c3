/* Log lines on standard error (and to a file); the engine adds the stage's tag. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LOG_H
#define MODEL_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct LogConfig {
  uint32_t level;     /* MILL_LEVEL_*: up to this one */
  const char *levels; /* "OVC=debug,JSN=info" or NULL */
  FILE *file;         /* also here, info and above; or NULL */
  bool json, colour;
  void (*before)(void); /* called before a line on standard error: takes progress away; or NULL */
} LogConfig;

/* Lines go there instead, as of a process that works for the program. */
typedef void LogInstead(uint32_t level, const char *tag, const char *text);
void log_redirect(LogInstead *to);
void log_configure(const LogConfig *config); /* before threads start; levels must live on */
/* 0, or why the file did not take a line (errno): what follows is not written there. */
int log_file_why(void);
bool log_level_parse(const char *text, uint32_t *out_level);
bool log_enabled(uint32_t level, const char *tag);
void log_text(uint32_t level, const char *tag, const char *text);
void log_format(uint32_t level, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
