/* Groups of options, and of exit statuses, that several commands share. */
#include "cmd/groups.h"

const int statuses_of_run[] = { EXIT_DONE,     EXIT_USAGE,       EXIT_INPUT,      EXIT_PROFILE,
                                EXIT_STAGE,    EXIT_OUTPUT,      EXIT_HELPER,     EXIT_LIMIT,
                                EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_TERMINATED, -1 };
const int statuses_of_text[] = { EXIT_DONE, EXIT_USAGE, EXIT_OUTPUT, -1 };
const int statuses_of_modules[] = {
  EXIT_DONE, EXIT_USAGE, EXIT_STAGE, EXIT_OUTPUT, EXIT_LIMIT, -1
};

static const CliOption common[] = {
  { "color", 0, "WHEN", MILL_OPT_CHOICE, "auto|always|never", "auto", NULL, CLI_ONCE, NULL,
    "colour the output: auto (on a terminal), always or never" },
  { "quiet", 'q', NULL, 0, NULL, NULL, NULL, CLI_COUNT, NULL, "log errors only" },
  { "verbose", 'v', NULL, 0, NULL, NULL, NULL, CLI_COUNT, NULL,
    "log more: -v info, -vv debug, -vvv trace" },
  { "log-level", 0, "LEVELS", 0, NULL, "warning", "STAGEMILL_LOG", CLI_LIST, NULL,
    "error, warning, info, debug or trace; for one stage by its tag: OVC=debug" },
  { "log-file", 0, "FILE", MILL_OPT_PATH, NULL, NULL, NULL, CLI_ONCE, "files",
    "log to this file too, info and above" },
  { "log-format", 0, "FORMAT", MILL_OPT_CHOICE, "text|json", "text", NULL, CLI_ONCE, NULL,
    "form of log lines: text or json" },
  { "help", 'h', NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL, "show this help" },
  { "version", 'V', NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL, "show the version" },
};
const CliGroup group_common = GROUP("Common", common);

static const CliOption modules[] = {
  { "stage-path", 0, "PATH", MILL_OPT_PATH, NULL, NULL, NULL, CLI_MANY, "folders",
    "look for stages in this folder first, or load this one file" },
  { "no-user-stages", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "skip the user's folder of stages" },
  { "no-env-stages", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL, "skip STAGEMILL_STAGE_PATH" },
  { "allow-unsafe-stages", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "also load stages that other users could have written" },
};
const CliGroup group_modules = GROUP("Stages", modules);

static const CliOption profiles[] = {
  { "profile-path", 0, "DIR", MILL_OPT_PATH, NULL, NULL, NULL, CLI_MANY, "folders",
    "look for profiles in this folder first" },
};
const CliGroup group_profiles = GROUP("Profiles", profiles);

static const CliOption profile[] = {
  { "profile", 'p', "NAME", MILL_OPT_STRING, NULL, NULL, NULL, CLI_ONCE, "profiles",
    "the analysis: a name from \"stagemill list profiles\", a file such as ./mine.json, or the "
    "name of "
    "a stage, which runs alone" },
};
const CliGroup group_profile = GROUP("Analysis", profile);

static const CliOption edits[] = {
  { "set", 0, "NAME=VALUE", MILL_OPT_STRING, NULL, NULL, NULL, CLI_MANY, NULL,
    "set an option of a stage, format or source (STAGE.OPTION=VALUE; if several share the name, "
    "sink/FORMAT.OPTION=VALUE), a parameter of a rule (RULE.PARAMETER=VALUE) or a parameter of the "
    "profile (PARAMETER=VALUE)" },
  { "enable", 0, "STAGES", MILL_OPT_STRING, NULL, NULL, NULL, CLI_LIST, "entries",
    "enable stages of the profile that are off: ids, names, globs, families 'comm/*'; or rules" },
  { "disable", 0, "STAGES", MILL_OPT_STRING, NULL, NULL, NULL, CLI_LIST, "entries",
    "disable stages, or rules" },
  { "only", 0, "STAGES", MILL_OPT_STRING, NULL, NULL, NULL, CLI_LIST, "stages",
    "disable all other stages" },
  { "cascade", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "also disable stages that need a disabled one" },
};
const CliGroup group_edits = GROUP("Changes to the profile", edits);

const CliGroup group_of_profiles = { "Of single profiles", NULL, 0 };

static const CliOption input[] = {
  { "rank-regex", 0, "REGEX", MILL_OPT_REGEX, NULL, NULL, NULL, CLI_ONCE, NULL,
    "the rank is the first group of this regular expression in the file name" },
  { "join-ranks", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "join the files of a rank into one input, by time; their slices get the attribute jobname" },
  { "source", 0, "NAME", MILL_OPT_STRING, NULL, NULL, NULL, CLI_ONCE, "sources",
    "read inputs with this source, whatever their content" },
  { "strict", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "end the run if an input needs repair; end with status 3 after a warning, with results "
    "written" },
  { "recover", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "keep the complete part of a truncated file" },
  { "keep-going", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "go on with the other inputs if one fails" },
};
const CliGroup group_input = GROUP("Input", input);

static const CliOption window[] = {
  { "from", 0, "TIME", MILL_OPT_STRING, NULL, NULL, NULL, CLI_ONCE, NULL,
    "leave out events that end before this time of the trace: 1.5s" },
  { "to", 0, "TIME", MILL_OPT_STRING, NULL, NULL, NULL, CLI_ONCE, NULL,
    "leave out events that begin after this time" },
  { "steps", 0, "RANGE", MILL_OPT_STRING, NULL, NULL, NULL, CLI_ONCE, NULL,
    "only these profiler steps: 10-20" },
  { "ranks", 0, "RANKS", MILL_OPT_STRING, NULL, NULL, NULL, CLI_ONCE, NULL,
    "only these ranks: 0-7,12" },
  { "skip-events", 0, "N", MILL_OPT_INT, "0:", NULL, NULL, CLI_ONCE, NULL,
    "leave out the first N events of each input" },
  { "max-events", 0, "N", MILL_OPT_INT, "0:", NULL, NULL, CLI_ONCE, NULL,
    "keep at most N events of each input" },
};
const CliGroup group_window = GROUP("Window (of profiles that have these parameters)", window);

static const CliOption limits[] = {
  { "jobs", 'j', "N", MILL_OPT_INT, "1:4096", "online processors", "STAGEMILL_JOBS", CLI_ONCE, NULL,
    "threads; results do not depend on it" },
  { "max-memory", 0, "SIZE", MILL_OPT_SIZE, "1048576:", "half of the machine's",
    "STAGEMILL_MAX_MEMORY", CLI_ONCE, NULL,
    "memory for held events: 512MiB; more events go to a temporary file" },
  { "hold", 0, "WHEN", MILL_OPT_CHOICE, "auto|always|never", "auto", NULL, CLI_ONCE, NULL,
    "how to wait for a stage that must see all events first: hold them, or (never) reread the "
    "files; results do not depend on it" },
  { "timeout", 0, "TIME", MILL_OPT_DURATION, "1s:", "none", NULL, CLI_ONCE, NULL,
    "end with status 8 after this time: 10min" },
  { "progress", 0, "WHEN", MILL_OPT_CHOICE, "auto|always|never", "auto", NULL, CLI_ONCE, NULL,
    "show progress: auto (on a terminal), always or never" },
};
const CliGroup group_limits = GROUP("Limits", limits);

static const CliOption engine[] = {
  { "verify", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL,
    "check that stages keep their contract while they run" },
  { "batch-size", 0, "N", MILL_OPT_INT, "1:65536", "1024", NULL, CLI_ONCE, NULL,
    "events per batch; results do not depend on it" },
  { "dump-after", 0, "STAGES", MILL_OPT_STRING, NULL, NULL, NULL, CLI_LIST, "stages",
    "write the events after these stages to DIR/dump" },
  { "timings", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL, "show events and time of each stage" },
};
const CliGroup group_engine = GROUP("For work on stages", engine);

static const CliOption json[] = {
  { "json", 0, NULL, 0, NULL, NULL, NULL, CLI_ONCE, NULL, "one JSON document on standard output" },
};
const CliGroup group_json = GROUP("Output", json);
