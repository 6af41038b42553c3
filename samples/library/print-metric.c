/* Prints a metric as `stagemill metric` does, through libstagemill: print-metric PROFILE NAME[.STAT] INPUT...
 *
 *   cc print-metric.c $(pkg-config --cflags --libs --static stagemill-engine-1) -o print-metric */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <stagemill/run.h>

static MillRun *run;

static void on_interrupt(int sig)
{
  (void)sig;
  mill_run_cancel(run);
}

/* NAME is the metric's name; what follows the dot is its statistic. */
static int is_wanted(const MillMetricResult *m, const char *word)
{
  size_t len = strcspn(word, ".");
  const char *stat = word[len] ? word + len + 1 : "";
  return strlen(m->name) == len && !memcmp(m->name, word, len) && !strcmp(m->stat, stat);
}

/* 3, as of the program, when no input has it. */
static int print(const MillResults *results, const char *word)
{
  MillMetricResult m = { .size = sizeof m };
  char text[64];
  for (uint32_t i = 0; results->metric(results, i, &m); i++) {
    if (!is_wanted(&m, word) || !mill_run_value_text(&m.value, text, sizeof text)) continue;
    if (m.value.type == MILL_NONE) {
      fprintf(stderr, "%s does not apply: %s\n", word, m.reason ? m.reason : "no reason is given");
      return 3;
    }
    puts(text);
    return 0;
  }
  fprintf(stderr, "the profile gives no metric %s\n", word);
  return 3;
}

int main(int argc, char **argv)
{
  if (argc < 4) {
    fprintf(stderr, "usage: %s PROFILE NAME[.STAT] INPUT...\n", argv[0]);
    return 2;
  }
  MillRunOptions options = { .size = sizeof options, .profile = argv[1] };
  run = mill_run_new(&options);
  signal(SIGINT, on_interrupt);
  int status = mill_run_open(run, (const char *const *)argv + 3, (uint32_t)argc - 3);
  if (!status) status = mill_run_plan(run);
  if (!status) status = mill_run_execute(run);
  fputs(mill_run_error(run), stderr);
  if (!status) status = print(mill_run_results(run), argv[2]);
  mill_run_free(run);
  return status;
}
