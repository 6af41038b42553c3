/* Groups of options, and of exit statuses, that several commands share. */
/* SPDX-License-Identifier: MIT */
#include "cmd/groups.h"

const int statuses_of_run[] = { EXIT_DONE,     EXIT_USAGE,       EXIT_INPUT,      EXIT_PROFILE,
                                EXIT_STAGE,    EXIT_OUTPUT,      EXIT_HELPER,     EXIT_LIMIT,
                                EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_TERMINATED, -1 };
const int statuses_of_text[] = { EXIT_DONE, EXIT_USAGE, EXIT_OUTPUT, -1 };
const int statuses_of_modules[] = {
  EXIT_DONE, EXIT_USAGE, EXIT_STAGE, EXIT_OUTPUT, EXIT_LIMIT, -1
};

static const CliOption common[] = {
  { .name = "color",
    .value = "WHEN",
    .type = MILL_OPT_CHOICE,
    .range = "auto|always|never",
    .default_text = "auto",
    .help = "colour the output: auto (on a terminal), always or never" },
  { .name = "quiet", .letter = 'q', .repeat = CLI_COUNT, .help = "log errors only" },
  { .name = "verbose",
    .letter = 'v',
    .repeat = CLI_COUNT,
    .help = "log more: -v info, -vv debug, -vvv trace" },
  { .name = "log-level",
    .value = "LEVELS",
    .default_text = "warning",
    .env = "STAGEMILL_LOG",
    .repeat = CLI_LIST,
    .help = "error, warning, info, debug or trace; for one stage by its tag: OVC=debug" },
  { .name = "log-file",
    .value = "FILE",
    .type = MILL_OPT_PATH,
    .words = "files",
    .help = "log to this file too, info and above" },
  { .name = "log-format",
    .value = "FORMAT",
    .type = MILL_OPT_CHOICE,
    .range = "text|json",
    .default_text = "text",
    .help = "form of log lines: text or json" },
  { .name = "help", .letter = 'h', .help = "show this help" },
  { .name = "version", .letter = 'V', .help = "show the version" },
};
const CliGroup group_common = GROUP("Common", common);

static const CliOption modules[] = {
  { .name = "stage-path",
    .value = "PATH",
    .type = MILL_OPT_PATH,
    .repeat = CLI_MANY,
    .words = "folders",
    .help = "look for stages in this folder first, or load this one file" },
  { .name = "no-user-stages", .help = "skip the user's folder of stages" },
  { .name = "no-env-stages", .help = "skip STAGEMILL_STAGE_PATH" },
  { .name = "allow-unsafe-stages", .help = "also load stages that other users could have written" },
};
const CliGroup group_modules = GROUP("Stages", modules);

static const CliOption profiles[] = {
  { .name = "profile-path",
    .value = "DIR",
    .type = MILL_OPT_PATH,
    .repeat = CLI_MANY,
    .words = "folders",
    .help = "look for profiles in this folder first" },
};
const CliGroup group_profiles = GROUP("Profiles", profiles);

static const CliOption profile[] = {
  { .name = "profile",
    .letter = 'p',
    .value = "NAME",
    .type = MILL_OPT_STRING,
    .words = "profiles",
    .help =
        "the analysis: a name from \"stagemill list profiles\", a file such as ./mine.json, or the "
        "name of a stage, which runs alone" },
};
const CliGroup group_profile = GROUP("Analysis", profile);

static const CliOption edits[] = {
  { .name = "set",
    .value = "NAME=VALUE",
    .type = MILL_OPT_STRING,
    .repeat = CLI_MANY,
    .help = "set an option of a stage, format or source (STAGE.OPTION=VALUE; if several share the "
            "name, sink/FORMAT.OPTION=VALUE), a parameter of a rule (RULE.PARAMETER=VALUE) or a "
            "parameter of the profile (PARAMETER=VALUE)" },
  { .name = "enable",
    .value = "STAGES",
    .type = MILL_OPT_STRING,
    .repeat = CLI_LIST,
    .words = "entries",
    .help = "enable stages of the profile that are off: ids, names, globs, families 'comm/*'; or "
            "rules" },
  { .name = "disable",
    .value = "STAGES",
    .type = MILL_OPT_STRING,
    .repeat = CLI_LIST,
    .words = "entries",
    .help = "disable stages, or rules" },
  { .name = "only",
    .value = "STAGES",
    .type = MILL_OPT_STRING,
    .repeat = CLI_LIST,
    .words = "stages",
    .help = "disable all other stages" },
  { .name = "cascade", .help = "also disable stages that need a disabled one" },
};
const CliGroup group_edits = GROUP("Changes to the profile", edits);

const CliGroup group_of_profiles = { "Of single profiles", NULL, 0 };

static const CliOption input[] = {
  { .name = "rank-regex",
    .value = "REGEX",
    .type = MILL_OPT_REGEX,
    .help = "the rank is the first group of this regular expression in the file name" },
  { .name = "join-ranks",
    .help = "join the files of a rank into one input, by time; their slices get the attribute "
            "jobname" },
  { .name = "source",
    .value = "NAME",
    .type = MILL_OPT_STRING,
    .words = "sources",
    .help = "read inputs with this source, whatever their content" },
  { .name = "strict",
    .help = "end the run if an input needs repair; end with status 3 after a warning, with results "
            "written" },
  { .name = "recover", .help = "keep the complete part of a truncated file" },
  { .name = "keep-going", .help = "go on with the other inputs if one fails" },
};
const CliGroup group_input = GROUP("Input", input);

static const CliOption window[] = {
  { .name = "from",
    .value = "TIME",
    .type = MILL_OPT_STRING,
    .help = "leave out events that end before this time of the trace: 1.5s" },
  { .name = "to",
    .value = "TIME",
    .type = MILL_OPT_STRING,
    .help = "leave out events that begin after this time" },
  { .name = "steps",
    .value = "RANGE",
    .type = MILL_OPT_STRING,
    .help = "only these profiler steps: 10-20" },
  { .name = "ranks",
    .value = "RANKS",
    .type = MILL_OPT_STRING,
    .help = "only these ranks: 0-7,12" },
  { .name = "skip-events",
    .value = "N",
    .type = MILL_OPT_INT,
    .range = "0:",
    .help = "leave out the first N events of each input" },
  { .name = "max-events",
    .value = "N",
    .type = MILL_OPT_INT,
    .range = "0:",
    .help = "keep at most N events of each input" },
};
const CliGroup group_window = GROUP("Window (of profiles that have these parameters)", window);

static const CliOption limits[] = {
  { .name = "jobs",
    .letter = 'j',
    .value = "N",
    .type = MILL_OPT_INT,
    .range = "1:4096",
    .default_text = "online processors",
    .env = "STAGEMILL_JOBS",
    .help = "threads; results do not depend on it" },
  { .name = "max-memory",
    .value = "SIZE",
    .type = MILL_OPT_SIZE,
    .range = "1048576:",
    .default_text = "half of the machine's",
    .env = "STAGEMILL_MAX_MEMORY",
    .help = "memory for held events: 512MiB; more events go to a temporary file" },
  { .name = "hold",
    .value = "WHEN",
    .type = MILL_OPT_CHOICE,
    .range = "auto|always|never",
    .default_text = "auto",
    .help =
        "how to wait for a stage that must see all events first: hold them, or (never) reread the "
        "files; results do not depend on it" },
  { .name = "timeout",
    .value = "TIME",
    .type = MILL_OPT_DURATION,
    .range = "1s:",
    .default_text = "none",
    .help = "end with status 8 after this time: 10min" },
  { .name = "progress",
    .value = "WHEN",
    .type = MILL_OPT_CHOICE,
    .range = "auto|always|never",
    .default_text = "auto",
    .help = "show progress: auto (on a terminal), always or never" },
};
const CliGroup group_limits = GROUP("Limits", limits);

static const CliOption engine[] = {
  { .name = "verify", .help = "check that stages keep their contract while they run" },
  { .name = "isolate",
    .value = "STAGES",
    .type = MILL_OPT_STRING,
    .repeat = CLI_LIST,
    .words = "stages",
    .help = "run these stages in processes of their own, so that a crash harms no other: acme.*" },
  { .name = "isolate-limit",
    .value = "TIME",
    .type = MILL_OPT_DURATION,
    .range = "1s:",
    .default_text = "1min",
    .help = "processor time that an isolated stage has for one call" },
  { .name = "batch-size",
    .value = "N",
    .type = MILL_OPT_INT,
    .range = "1:65536",
    .default_text = "1024",
    .help = "events per batch; results do not depend on it" },
  { .name = "dump-after",
    .value = "STAGES",
    .type = MILL_OPT_STRING,
    .repeat = CLI_LIST,
    .words = "stages",
    .help = "write the events after these stages to DIR/dump" },
  { .name = "timings", .help = "show events and time of each stage" },
};
const CliGroup group_engine = GROUP("For work on stages", engine);

static const CliOption json[] = {
  { .name = "json", .help = "one JSON document on standard output" },
};
const CliGroup group_json = GROUP("Output", json);
