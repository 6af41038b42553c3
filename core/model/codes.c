/* Explanations of the program's own error codes, by tag and number; see codes.h. */
#include "model/codes.h"

#include <glib.h>

static const Code codes[] = {
  { "OUT-01", "the output folder is a file",
    "Results go into a folder of their own, and a file of that name is in the way. Choose "
    "another name with -o." },
  { "OUT-02", "the output exists already",
    "Nothing is overwritten without being asked for. A folder that holds a finished run of the "
    "same profile is "
    "replaced; anything else, also a file written by convert, needs -f." },
  { "OUT-03", "the output cannot be written",
    "The system refused to create, write or rename a file; its reason is part of the message. "
    "Results are written beside their final place and put there at the end, so nothing "
    "half-finished is left under the final name." },
  { "OUT-04", "there is no space for the output",
    "The free space of the file system is checked before any input is read. Free some, or "
    "choose another place with -o." },
  { "OUT-05", "the disk is full",
    "The file system ran full while results were written. What was written so far is removed "
    "or kept under a name that ends in .failed; free some space and run again." },
  { "OUT-06", "the program was being ended while it wrote",
    "A run that had been stopped by a signal or by --timeout did not end by itself. Its unfinished "
    "output was removed, and nothing more is written." },
  { "OUT-07", "the output is nothing that a file can replace",
    "Results take the place of regular files and folders only. convert writes into pipes and "
    "devices "
    "as they are, one file into each; run needs a folder. A link that leads nowhere, a socket, or "
    "a "
    "folder where a file is to go is left alone: choose another name with -o. A folder of results "
    "takes the place of the whole folder, which a mount point cannot leave: name one in it." },
  { "OUT-08", "two outputs have one name",
    "Two sinks, or a sink and the program itself (run.json), would write into one file, or two "
    "links "
    "lead to the same one. Give one of them another name: stagemill show NAME lists the options of "
    "a "
    "sink, --set SINK.OPTION=VALUE sets them." },
  { "OUT-09", "files of an earlier folder could not be put back",
    "When a folder of results is replaced, files in it that no run wrote are moved to the new one. "
    "Some could not be moved; nothing was deleted: the message says in which folder they are. The "
    "results themselves are complete." },
  { "OUT-10", "standard output cannot be written",
    "The reader of the output is gone, the file that it was sent to could not take it, or it is "
    "closed: by >&- in "
    "a shell, or by a service manager. Results that belong in files are there all the same." },
  { "OUT-11", "the output is one of the inputs",
    "Both names lead to the same file, perhaps through a link. It would be overwritten while it is "
    "read. Write to another name, then rename it. The same goes for --log-file, whose lines would "
    "end "
    "up in the input or the output. A folder that an earlier run wrote is replaced as a whole, "
    "with "
    "all that it wrote: none of that can be an input of the run that replaces it." },
  { "OUT-12", "the log file could not be written",
    "What --log-file names took no more lines, so the log is not complete; the disk may be full. "
    "The "
    "results are as they would be without a log, but the status says that something asked for is "
    "missing." },
  { "OUT-13", "a sink cannot write its file by itself",
    "Some sinks use a library that writes the file. It needs a place in a folder of results: a "
    "pipe, a "
    "device or standard output is none. When the file is not there afterwards, or is no file, the "
    "sink "
    "is at fault: report it to its author." },
  { "OUT-14", "a folder for unfinished files could not be removed",
    "Results are written into a hidden folder beside their place and then moved. The results are "
    "complete and in "
    "place; the system refused to remove the hidden folder, for the reason in the message. The "
    "next run to the same "
    "place tries again." },
  { "PRF-01", "the profile cannot be found or read",
    "A bare name is looked for on --profile-path, in STAGEMILL_PROFILE_PATH, in the user's "
    "configuration folder and among the installed profiles, in this order; never in the current "
    "folder. Anything with a slash is a path, so write ./name.json for a file of the current "
    "folder. stagemill list profiles shows what is found, and where." },
  { "PRF-02", "the profile is not valid JSON",
    "Profiles are strict JSON: no comments (use a \"//\" key), no trailing commas, no duplicate "
    "keys. The location is that of the first character that is not allowed there; the mistake is "
    "often just before it." },
  { "PRF-03", "a stage is unknown",
    "No module of this name was found. Either the name is misspelled, or the folder that holds "
    "the module is not searched: give it with --stage-path or STAGEMILL_STAGE_PATH. stagemill "
    "list stages shows what is found, stagemill doctor what was refused and why." },
  { "PRF-04", "a key is unknown",
    "Every key of a profile has a meaning, and an unknown one is taken for a mistake rather "
    "than ignored, because a misspelled key would silently leave a default in force. Comments "
    "go under keys that begin with \"//\"." },
  { "PRF-05", "the profile has the wrong shape",
    "A value has the wrong type, a needed key is missing, or a name is not made of lower-case "
    "words joined by '-'. The message names the location and what is expected; stagemill schema "
    "describes the format for editors." },
  { "PRF-06", "inheritance does not end",
    "Profiles may inherit in a chain, but the chain must end at a profile that inherits "
    "nothing. The message shows the path. A profile cannot inherit from another one of its own "
    "name that it hides: give it a new name." },
  { "PRF-07", "the position or the id of a stage is not clear",
    "Ids are unique: the same stage twice needs \"as\". In a profile that inherits, an entry "
    "whose id is inherited edits that entry and stays where it is; a new entry says \"after\" "
    "or \"before\" which one it goes. Order is never guessed, because it changes results." },
  { "PRF-08", "a stage has no such option",
    "The options of a stage are those of its table, shown by stagemill show STAGE. An option "
    "that has gone or was renamed in a newer version of the stage is reported in the same way." },
  { "PRF-09", "an option does not accept its value",
    "The value is not of the option's type or is outside its range. Durations and sizes take "
    "units (10ms, 4MiB); lists are separated by commas; choices are spelled as stagemill show "
    "STAGE lists them. A value that comes from a parameter is checked against every option "
    "that uses it." },
  { "PRF-10", "an option needs a value",
    "The option has no sensible default, so it must be given: under \"with\" in the profile, "
    "or by --set STAGE.OPTION=VALUE." },
  { "PRF-11", "a parameter is unknown",
    "An option's value \"$name\" takes the parameter of that name, and --set NAME=VALUE sets "
    "it; both need a line under \"params\". A text that really begins with a dollar sign is "
    "written with two." },
  { "PRF-12", "--enable, --disable or --only name no stage of the profile",
    "The patterns are matched against the ids of the profile's entries (ovc, pec-*), or "
    "family/id (comm/*). A stage that the profile does not list cannot be enabled, because it "
    "has no position in the list; a profile marks that of an optional stage with "
    "\"enabled\": false." },
  { "PRF-13", "--set does not fit the profile",
    "The form is STAGE.OPTION=VALUE, where STAGE is the id in the profile, FORMAT.OPTION=VALUE, "
    "SOURCE.OPTION=VALUE or PARAMETER=VALUE. Where a stage, a source or a format share a name and "
    "an option, the kind goes before it: stage/NAME.OPTION, source/NAME.OPTION or "
    "sink/NAME.OPTION. "
    "The text is split at the first '=' and then at the last dot before it. An option of a "
    "disabled stage cannot be set, since it would have no effect." },
  { "PRF-14", "a source or sink is in the list of stages",
    "Stages work on events; sources and sinks come before and after them and are never listed. "
    "Sources "
    "are chosen by what is in the input, or by --source; sinks by --format or the profile's "
    "\"formats\"." },
  { "PRF-16", "a profile sets options of a sink or source that is not there",
    "\"sinks\" has the formats whose options are set, \"sources\" the names of sources. stagemill "
    "list sinks and stagemill list sources show those found; --stage-path adds folders to look "
    "in." },
  { "PRF-17", "two stages would report under one name",
    "Two tables or metrics of one name could not be told apart in the results. It happens when one "
    "stage is used twice, or when two stages of one vendor use the same name. Give "
    "one of them an id of its own, with \"as\" in the profile: its results then begin with it." },
  { "PRF-18", "a figure of a profile is wrong",
    "\"figures\" names a stage of the profile by its id (\"use\") and a figure by its \"name\". "
    "One that the stage declares "
    "is changed, or with \"enabled\": false left out; a new one needs \"table\" and \"kind\". "
    "Columns are those of its table, and "
    "words those of docs/figures.md. stagemill show STAGE lists tables, columns and figures." },
  { "PRF-20", "a stage needs a fact that nothing provides",
    "Stages say what they need to be true of the events (slices, clock.wall, attr.class) and "
    "what they provide. The order of the list is never changed for you, so the stage that "
    "provides the fact must come earlier and be enabled. The message names those that could. "
    "stagemill plan shows which facts hold where." },
  { "PRF-30", "the gate rules cannot be read",
    "The file of --rules does not exist, cannot be read, or is not JSON. The message has the place "
    "of what the reader "
    "could not take." },
  { "PRF-31", "a gate rule has an unknown key",
    "Only the keys that stagemill schema rules lists are known; a rule with a misspelt key would "
    "check something else "
    "than was meant. Comments go under keys that begin with //." },
  { "PRF-32", "a gate rule is wrong",
    "A value is of another kind than the key takes, or a limit is in a unit that the metric does "
    "not have. Every rule "
    "needs a metric, and max_change, max or min; where a metric does not say which way is better, "
    "the rule says "
    "which is worse." },
  { "PRF-33", "a gate rule is about an unknown metric",
    "Neither the runs nor any stage that was found has a metric of this name. A statistic follows "
    "the name after a "
    "dot: ttft.p99." },
  { "RUN-02", "an input cannot be read",
    "The input failed while it was read: a damaged compressed file, or an error of the device. "
    "A file that was cut can be read up to there with --recover." },
  { "RUN-03", "the format of an input is unknown",
    "None of the sources that were asked recognised the first bytes of the input. The name does "
    "not count. The log of a compiler is no trace: it is given beside traces, as log=PATH. Sources "
    "from outside are asked only when they are named. stagemill list sources "
    "shows the formats; --source NAME forces one." },
  { "RUN-04", "an input cannot be opened or read",
    "The system's or the decompressor's own reason is part of the message. A file that shrinks "
    "while "
    "it is read counts as unreadable: its writer has not ended." },
  { "RUN-05", "an input is empty",
    "The file has no bytes at all, which is usually the trace of a profiler that was stopped "
    "before it wrote anything." },
  { "RUN-06", "an output format or its option is unknown",
    "A format is the word that a sink declares for what it writes; stagemill show sink/NAME shows "
    "it. stagemill list sinks shows the sinks found; --stage-path adds folders to look in." },
  { "RUN-07", "one event is too long",
    "Events of up to 64 MiB, or half of --max-memory where that is less, are read, so that a "
    "damaged file cannot take all memory. A longer "
    "one means that the text is not a trace, or that a quotation mark is missing." },
  { "RUN-08", "held events could not be kept",
    "Stages that look at everything before they change anything make the program hold events; "
    "beyond --max-memory they go to a temporary file beside the output, and that failed. Give "
    "more memory, or more free space; where standard output is written, TMPDIR names the folder." },
  { "RUN-09", "the run was interrupted",
    "A signal or --timeout ended the run. Temporary output is removed." },
  { "RUN-10", "the time limit was reached",
    "The run took longer than --timeout allows and was stopped; nothing was written. Give it more "
    "time, "
    "or analyse a part of the input with --from, --to, --steps or --ranks. Opening the inputs "
    "counts too: a pipe "
    "may be silent, and a FIFO may have no writer." },
  { "RUN-11", "a lane's times cannot be put on the base of the others",
    "Events of several inputs were written into one trace while they were read, and one input gave "
    "the start of its time only after its events. Plain and compressed files are checked "
    "beforehand; pipes cannot be. Save the input to a file, or write one file per rank." },
  { "RUN-12", "what cannot be spilled takes more than the memory limit",
    "Events that wait are put in a temporary file beyond --max-memory; names, processes and "
    "threads, "
    "results, the list of inputs and what stages work with are not. Names, for one, are kept once "
    "each while a run lasts: in a trace where every event has a name of its own they add up. The "
    "message says what took how much; nothing was written. Raise the limit, or cut the input with "
    "stagemill convert." },
  { "RUN-13", "two sinks write the same format",
    "A format names one sink. Two modules that both use this word for theirs cannot be told apart. "
    "It happens when two sinks of one vendor use the same word; the message names the files to "
    "remove." },
  { "RUN-14", "a stopped run did not end",
    "A signal or --timeout asks every stage to end; the one named in the message did not return "
    "from a call within two seconds. The program removed the unfinished output and ended without "
    "it. This is a mistake in that stage." },
  { "RUN-15", "out of memory",
    "The system gave no more memory: it has none left, or a limit is set (ulimit -v, a container). "
    "The unfinished "
    "output was removed. Each thread needs memory of its own, so fewer of them (-j) need less; "
    "--max-memory bounds "
    "the events that are held." },
  { "RUN-16", "an input cannot be read again",
    "With --hold never events do not wait until a stage has seen all of them: their file is read "
    "once "
    "more instead. That needs a file that can be opened twice, and a source that the program "
    "feeds; standard "
    "input and pipes are neither. Without the option events are held where they have to be." },
  { "RUN-17", "an input cannot be joined with others of its rank",
    "With --join-ranks the files of one rank are one lane. A file that holds several runs has a "
    "lane for each of them, "
    "and cannot be part of another one. Leave the option out, or give the file a rank of its "
    "own." },
  { "RUN-18", "side inputs need traces beside them",
    "What is given as log=PATH is the log of a compiler: it says something about the kernels of "
    "traces, and is no trace "
    "itself. Name the traces, too. A trace that is to have the label log must get another one." },
  { "RUN-19", "no input has events",
    "All inputs could be read to their end, but their lists of events are empty, or hold only "
    "names "
    "of processes and threads: there is nothing to report. The recording was off while the work "
    "ran, or the file was written before it began. Profiles that do not say \"needs-events\" take "
    "such inputs as they are; --keep-going writes the empty results. What convert cannot show in a "
    "trace, as "
    "the rows of a table, is none either. "
    "Where other inputs have events it is a warning (RUN-29)." },
  { "RUN-30", "results of an earlier run cannot be read",
    "A command that works on finished runs takes the folder that stagemill run wrote, or the "
    "summary.json in it. The file is not there, or the system refused to open it; its reason is "
    "part "
    "of the message. A run writes summary.json when json is among its formats, as it is by "
    "default." },
  { "RUN-31", "a summary of a run is damaged or too new",
    "summary.json holds all results of a run. This one ends too early, was changed, or comes from "
    "a "
    "version of the program whose documents this one does not know; the message says where and "
    "why. "
    "Members that a newer minor version adds are passed over." },
  { "RUN-32", "the format is made of events",
    "Finished results hold tables and numbers. A trace is written from the events themselves, "
    "which only "
    "a run has: give the format to stagemill run, or use stagemill convert." },
  { "RUN-33", "a run has no figures",
    "Stages declare figures of their tables; stagemill show STAGE lists them. No stage of this "
    "run's profile has any, or "
    "none of their tables came to be. A profile adds figures with \"figures\" (stagemill schema "
    "profile)." },
  { "RUN-34", "a file is named twice",
    "A file that is named twice, also through a link or once by its folder, would count twice: "
    "sums would be doubled, and where files of a rank are joined its kernels would overlap "
    "themselves. Name it once. With another label or tag it is another experiment. Copies of a "
    "file are not recognised." },
  { "RUN-35", "a format that was asked for wrote nothing",
    "Some formats are made of one kind of table, or of figures. --format with such a name over "
    "results that have none would leave its file out without a word, so that the status is 7. "
    "All other "
    "files are written as they would be without it. A profile's own formats may write nothing." },
  { "RUN-40", "the sides of a comparison are runs of different profiles",
    "Numbers of different analyses have nothing to do with each other, even where they have the "
    "same names. Run one "
    "profile over both inputs. --force compares them all the same: metrics and tables of the same "
    "names." },
  { "RUN-41", "a side of a comparison has no finished run",
    "A side is a folder that stagemill run wrote, its summary.json, or a folder or quoted pattern "
    "of such folders, which are then repetitions of one measurement. A trace is none of these: "
    "run it first, or name a profile with -p; then a side is an input, which is run first." },
  { "RUN-42", "the runs of one side are of different profiles",
    "Several runs on one side are repetitions of one measurement, so that they tell how much it "
    "varies. Name the runs "
    "of one profile by a narrower pattern. --force takes them all the same." },
  { "RUN-43", "a comparison found what --fail-on asks for",
    "The results were written and say what changed. With --fail-on regression a headline metric "
    "became worse: "
    "beyond --min-change, and in at least four runs a side by more than chance, corrected for the "
    "number of "
    "headline metrics. The table headline has a line for each." },
  { "RUN-44", "a gate rule is broken",
    "A metric became worse than a rule allows, or is beyond its limit. The results name every rule "
    "with its numbers. "
    "With repeated runs the interval of the change does not reach 0, so that noise explains it "
    "only rarely." },
  { "RUN-45", "a gate rule does not apply",
    "A side has no value of the metric, or no group that the rule's \"where\" names. A gate that "
    "checks nothing must "
    "not pass, so that the status is 3. \"optional\": true in the rule allows it." },
  { "RUN-46", "a column is not compared",
    "Only one side has the column, or it is in another unit there, as after a new version of a "
    "stage. The other "
    "columns are compared. Run the profile again over the older inputs." },
  { "RUN-47", "a headline metric is not judged",
    "Noise is told from change from four runs a side on, and from more where there are many "
    "headline metrics, as "
    "one of many may look worse by chance. A regression of such a metric would not be found: "
    "compare more runs. "
    "A metric with one value in nearly all runs cannot be judged either, nor one that only one "
    "side has. Results "
    "of an earlier version name no headline metrics: run their inputs again." },
  { "RUN-70", "a source broke its contract",
    "This is a mistake in the source or in the program, not in the input. Please report it "
    "with the message." },
  { "RUN-71", "a process that ran an input gave no answer",
    "What another process made of an input did not arrive, or is damaged. Such a process is "
    "usually killed when memory is short; the system's log says so. Run again, with fewer at "
    "once." },
  { "RUN-90", "the command line is wrong",
    "An option or argument is unknown, missing or misplaced. stagemill help COMMAND shows what "
    "is accepted; abbreviations are not." },
  { "RUN-91", "an input does not exist or cannot be seen",
    "No file has this name, or no file matches the pattern. Patterns may be quoted: the "
    "program expands * and ? itself, and {rank} stands for the digits of a rank. A list of "
    "files is given as @FILE. In a folder everything that may be an input must be readable: what "
    "is left out would be missing from the results without a word; --keep-going counts it." },
  { "RUN-92", "a folder has no inputs",
    "Folders are read flat: files in folders below do not count. Quote a pattern to reach them. A "
    "folder that is named beside other inputs must have one in it, too: it would be missing from "
    "the results without a word; --keep-going counts it." },
  { "RUN-93", "no profile gives the metric",
    "The metric belongs to a stage, and the profile (or every installed one) does not list that "
    "stage. stagemill list metrics names the stage of each metric; a profile of your own that "
    "lists "
    "it is two lines long." },
  { "RUN-94", "the metric does not apply to these inputs",
    "The stage ran and had nothing to measure, for example no device events or no communication. "
    "The reason is part of the message. Nothing is printed on standard output, so that scripts "
    "cannot mistake an empty result for zero." },
  { "RUN-99", "the program crashed",
    "A bug in the program or in a stage. A crash inside of a stage names the stage and its version "
    "instead; one in the loader names the file, which may be damaged. Please report it with the "
    "command line and what stagemill doctor prints." },
  { "STG-01", "a module is unknown",
    "No file of this name was found in the folders that are searched. stagemill doctor lists "
    "these folders in order; --stage-path adds one in front." },
  { "STG-02", "a module was built for another ABI",
    "A module says for which version of the plug-in interface it was built. Another major "
    "version, or a newer minor one, cannot be loaded safely. Rebuild the module against the "
    "header of this program, or use the program that it was built for." },
  { "STG-03", "a folder or file of modules is not trusted",
    "Loading a module runs its code with your rights. A folder or file that others can "
    "write, or that belongs to neither you nor root, may hold code of someone else. The same goes "
    "for each folder above it, in which they could put another one in its place; a sticky one, as "
    "/tmp, may be above, and a group may write if it is yours alone. And "
    "relative folders in the environment would make the current folder a place to run code "
    "from. Correct the mode or owner; --allow-unsafe-stages overrides the check where file "
    "systems report owners wrongly. What --stage-path names is never passed over: it ends the "
    "run." },
  { "STG-04", "the loader refused a module",
    "The system's dynamic loader could not open the file; its own message is shown. Usual "
    "causes are a library that is not installed, a symbol that the module expects and nothing "
    "defines, a file for another processor, or a damaged file." },
  { "STG-05", "a file is not a module",
    "The file is a shared object but does not carry exactly one sound stagemill descriptor "
    "named mill_module_v1. Either it is something else, or its author left out MILL_STAGE_MODULE "
    "or its like." },
  { "STG-06", "a module's descriptor is faulty",
    "The descriptor is checked before any code of the module is called: names (the file has that "
    "of its module), tag, "
    "operations, options with their defaults and ranges, notices, tables, metrics and figures. The "
    "name of a module whose vendor is not stagemill begins with that vendor and a dot. "
    "All faults are listed; the author of the module must correct them." },
  { "STG-07", "a name is ambiguous",
    "A stage, a source and a sink may share a name. Say which one is meant: source/NAME, "
    "sink/NAME or stage/NAME." },
  { "STG-08", "two modules use one tag",
    "A tag appears in log lines and in the codes of notices, so that it must belong to one "
    "name; RUN, PRF, JSN, STG and OUT belong to the program. The module that was found first "
    "keeps the tag." },
  { "STG-09", "a folder or file of modules cannot be read",
    "The system did not let the program look at it, for the reason in the message: it is gone, may "
    "not be read, or the "
    "disk failed. Whether it holds a module, and whether that could be trusted, is unknown." },
  { "STG-10", "a stage failed without a reason",
    "The stage returned a failure and said nothing about it. Its author should use mill_fail; "
    "the line after the message says what the stage was doing." },
  { "STG-11", "a stage reads its summary wrongly",
    "What a stage saves must be read back in the same order and with the same types. The "
    "results would be wrong, so the run ends; the author of the stage must correct it." },
  { "STG-70", "a stage broke its contract",
    "The stage asked for something where it may not. Or, under --verify, a claim that it makes did "
    "not hold: the word in brackets says which; docs/write-a-stage.md lists them. A bug: report it "
    "to its author." },
  { "STG-71", "a stage ended the program",
    "Code of a stage, source or sink, or of a library that it uses, called exit. Whatever status "
    "it "
    "gave, nothing is finished: what the run had written was removed. It is a bug in the module, "
    "which should return an error; report it to its author." },
  { "STG-73", "a module forked",
    "A stage, source or sink, or a library that it uses, started a process with fork, and the "
    "child "
    "returned into the program. It shares the open files of the run with it, so it was ended at "
    "once; "
    "the run itself went on. It is a bug in the module: report it to its author." },
};

const Code *codes_find(const char *code)
{
  for (size_t i = 0; i < G_N_ELEMENTS(codes); i++)
    if (g_ascii_strcasecmp(codes[i].code, code) == 0) return &codes[i];
  return NULL;
}

const Code *codes_all(size_t *out_n)
{
  *out_n = G_N_ELEMENTS(codes);
  return codes;
}
