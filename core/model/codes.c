/* Explanations of the program's own error codes, by tag and number; see codes.h. */
/* SPDX-License-Identifier: MIT */
#include "model/codes.h"

#include <glib.h>

static const Code codes[] = {
  { "OUT-01", "the output folder is a file",
    "Results need a folder of their own, and a file of that name exists. Choose another name with "
    "-o." },
  { "OUT-02", "the output exists already",
    "stagemill does not overwrite files by itself. It replaces a folder that holds a finished run "
    "of the same profile; anything else, also a file that convert wrote, needs -f." },
  { "OUT-03", "the output cannot be written",
    "The system refused to create, write or rename a file; the message has its reason. Results are "
    "written beside their final place and moved there at the end, so no unfinished result has the "
    "final name." },
  { "OUT-04", "there is no space for the output",
    "stagemill checks the free space of the file system before it reads inputs. Free some space, "
    "or choose another place with -o." },
  { "OUT-05", "the disk is full",
    "The file system became full while results were written. The unfinished results are removed, "
    "or kept under a name that ends in .failed. Free some space and repeat the run." },
  { "OUT-06", "the program was stopped while it wrote",
    "A signal or --timeout stopped the run, and the run did not end by itself. Its unfinished "
    "output was removed, and nothing more is written." },
  { "OUT-07", "a file cannot replace the output",
    "Results replace only regular files and folders. convert also writes into a pipe or a device, "
    "one file into each; run needs a folder. A link to a missing file, a socket, or a folder in "
    "place of a file is not replaced: choose another name with -o. A folder of results replaces "
    "the whole folder, and a mount point cannot be replaced: name a folder in it." },
  { "OUT-08", "two outputs have one name",
    "Two sinks, or a sink and the program itself (run.json), would write into one file, or two "
    "links lead to the same file. Give one of them another name: stagemill show NAME lists the "
    "options of a sink, --set SINK.OPTION=VALUE sets them." },
  { "OUT-09", "files of an earlier folder could not be moved back",
    "When a run replaces a folder of results, it moves files that no run wrote to the new folder. "
    "Some could not be moved. Nothing was deleted: the message names the folder in which they are. "
    "The results are complete." },
  { "OUT-10", "standard output cannot be written",
    "The reader of the output has ended, the file behind it could not be written, or it is closed: "
    "by >&- in a shell, or by a service manager. Results in files are complete." },
  { "OUT-11", "the output is one of the inputs",
    "Both names lead to the same file, perhaps through a link. It would be overwritten while it is "
    "read. Write to another name, then rename it. The same is true for --log-file: its lines would "
    "be in the input or the output. A run replaces the whole folder of an earlier run, so no file "
    "of that folder can be an input." },
  { "OUT-12", "the log file could not be written",
    "The file of --log-file took no more lines, so the log is not complete; the disk may be full. "
    "The results are complete; the status says that the log is not." },
  { "OUT-13", "a sink cannot write its file itself",
    "Some sinks use a library that writes the file. The library needs a file in a folder of "
    "results, not a pipe, a device or standard output. If there is no such file afterwards, the "
    "sink has a bug: report it to its author." },
  { "OUT-14", "a folder for unfinished files could not be removed",
    "stagemill writes results into a hidden folder beside their place and then moves them. The "
    "results are complete and in place; the system refused to remove the hidden folder, for the "
    "reason in the message. The next run to the same place tries to remove it." },
  { "OUT-15", "the folder of --state cannot be written",
    "The system refused to make the folder of --state or a file in it, or the disk is full; the "
    "message has its reason. What is complete in the folder stays, so after the reason is gone the "
    "same command goes on from there. The file system must have hard links." },
  { "PRF-01", "the profile cannot be found or read",
    "stagemill looks for a bare name in --profile-path, in STAGEMILL_PROFILE_PATH, in the user's "
    "configuration folder and among the installed profiles, in this order; never in the current "
    "folder. A name with a slash is a path: write ./name.json for a file of the current folder. "
    "stagemill list profiles shows the profiles found, and where." },
  { "PRF-02", "the profile is not valid JSON",
    "Profiles are strict JSON: no comments (use a \"//\" key), no trailing commas, no duplicate "
    "keys. The place is that of the first character that is not allowed; the mistake is often just "
    "before it." },
  { "PRF-03", "a stage is unknown",
    "No module of this name was found. The name is misspelled, or the folder of the module is not "
    "searched: name the folder with --stage-path or STAGEMILL_STAGE_PATH. stagemill list stages "
    "lists the stages found; stagemill doctor lists what was refused and why." },
  { "PRF-04", "a key is unknown",
    "An unknown key is an error, because a misspelled key would silently leave a default in force. "
    "Comments go under keys that begin with \"//\"." },
  { "PRF-05", "the profile has the wrong shape",
    "A value has the wrong type, a required key is missing, or a name is not made of lower-case "
    "words joined by '-'. The message says where, and what is expected. stagemill schema describes "
    "the format for editors." },
  { "PRF-06", "inheritance does not end",
    "Profiles may inherit in a chain, but the chain must end at a profile that inherits nothing. "
    "The message shows the path. A profile cannot inherit from a profile of the same name, because "
    "it hides that one: give it a new name." },
  { "PRF-07", "the position or the id of a stage is not clear",
    "Ids are unique: the same stage twice needs \"as\". In a profile that inherits, an entry whose "
    "id is inherited edits that entry and stays where it is; a new entry says \"after\" or "
    "\"before\" which one it goes. Order is never guessed, because it changes results." },
  { "PRF-08", "a stage has no such option",
    "The options of a stage are those of its table, shown by stagemill show STAGE. An option that "
    "a newer version of the stage removed or renamed gives the same error." },
  { "PRF-09", "an option does not accept its value",
    "The value is not of the option's type or is outside its range. Durations and sizes take units "
    "(10ms, 4MiB); lists are separated by commas; choices are spelled as stagemill show STAGE "
    "lists them. A value that comes from a parameter is checked against every option that uses "
    "it." },
  { "PRF-10", "an option needs a value",
    "The option has no sensible default, so it must be given: under \"with\" in the profile, or by "
    "--set STAGE.OPTION=VALUE." },
  { "PRF-11", "a parameter is unknown",
    "An option's value \"$name\" takes the parameter of that name, and --set NAME=VALUE sets it; "
    "both need a line under \"params\". A text that really begins with a dollar sign is written "
    "with two." },
  { "PRF-12", "--enable, --disable or --only name no stage of the profile",
    "The patterns match the ids of the profile's entries (ovc, pec-*), or family/id (comm/*). A "
    "stage that the profile does not list cannot be enabled, because it has no position in the "
    "list. A profile lists such a stage with \"enabled\": false." },
  { "PRF-13", "--set does not fit the profile",
    "The form is STAGE.OPTION=VALUE, where STAGE is the id in the profile, FORMAT.OPTION=VALUE, "
    "SOURCE.OPTION=VALUE or PARAMETER=VALUE. If a stage, a source and a format share a name and an "
    "option, write the kind before the name: stage/NAME.OPTION, source/NAME.OPTION or "
    "sink/NAME.OPTION. The text is split at the first '=' and then at the last dot before it. An "
    "option of a disabled stage cannot be set, because it would have no effect." },
  { "PRF-14", "a source or sink is in the list of stages",
    "Stages work on events. Sources come before them and sinks after them, and neither is listed. "
    "The content of the input, or --source, chooses a source. --format, or the profile's "
    "\"formats\", chooses sinks." },
  { "PRF-16", "a profile sets options of a sink or source that is not there",
    "\"sinks\" has the formats whose options are set, \"sources\" the names of sources. stagemill "
    "list sinks and stagemill list sources show those found; --stage-path adds folders to look "
    "in." },
  { "PRF-17", "two stages report under one name",
    "The results cannot hold two tables or metrics of one name. This happens if a profile uses one "
    "stage twice, or if two stages of one vendor use the same name. Give one of them its own id "
    "with \"as\" in the profile: the names of its results then begin with this id." },
  { "PRF-18", "a figure of a profile is wrong",
    "\"figures\" names a stage of the profile by its id (\"use\") and a figure by its \"name\". An "
    "entry changes a figure that the stage declares, or with \"enabled\": false leaves it out. A "
    "new figure needs \"table\" and \"kind\". Columns must be in its table; docs/figures.md lists "
    "the other words. stagemill show STAGE lists tables, columns and figures." },
  { "PRF-19", "a module has another version than the profile asks for",
    "\"modules\" of the profile says which versions of a stage, source or sink will do, such as "
    "\">=1.2\" or \">=1.2,<2\". The one that was found is of another. Install one that fits, or "
    "name its folder with --stage-path: the first folder that has the module wins. stagemill show "
    "NAME shows its version and its file." },
  { "PRF-20", "a stage needs a fact that nothing provides",
    "Stages declare the facts about events that they need (slices, clock.wall, attr.class) and "
    "that they provide. stagemill does not change the order of the list, so the stage that "
    "provides the fact must come earlier and be enabled. The message names the stages that provide "
    "it. stagemill plan shows which facts hold where." },
  { "PRF-21", "the head of a rule is wrong",
    "A rule is a file of SQL that begins with comments: \"-- title: ...\", \"-- help: ...\" and, "
    "for each parameter, \"-- param: NAME = VALUE [LEAST, MOST] help\". A name has lower-case "
    "letters, digits and underscores." },
  { "PRF-22", "a rule cannot be found or read",
    "A profile names rules under \"rules\". A rule NAME is the file NAME.sql in a folder of "
    "profiles, or in the folder rules beside it; a name with a slash is a path from where the "
    "profile is." },
  { "PRF-23", "--set does not fit a rule",
    "--set RULE.PARAM=VALUE sets a parameter that the head of the rule declares, to a number in "
    "its range. stagemill show RULE lists them." },
  { "PRF-24", "a rule does not give findings",
    "The SELECT of a rule gives the columns text, share, advice and evidence, and it may give "
    "cost_ns and where_NAME. Each parameter that it uses, :NAME, is declared in the head of the "
    "file. The message names what is missing or unknown." },
  { "PRF-30", "the gate rules cannot be read",
    "The file of --rules does not exist, cannot be read, or is not JSON. The message has the place "
    "of the error." },
  { "PRF-31", "a gate rule has an unknown key",
    "stagemill schema rules lists the known keys. An unknown key is an error, because a rule with "
    "a misspelled key would check something else. Comments go under keys that begin with //." },
  { "PRF-32", "a gate rule is wrong",
    "A value has the wrong type for its key, or a limit has a unit that the metric does not have. "
    "Every rule needs a metric, and max_change, max or min. If the metric does not declare the "
    "better direction, the rule needs \"worse\"." },
  { "PRF-33", "a gate rule is about an unknown metric",
    "Neither the runs nor any stage that was found has a metric of this name. A statistic follows "
    "the name after a dot: ttft.p99." },
  { "RUN-02", "an input cannot be read",
    "Reading the input failed: the compressed file is damaged, or the device has an error. "
    "--recover reads a truncated file up to its end." },
  { "RUN-03", "the format of an input is unknown",
    "No source recognised the first bytes of the input. The file name does not count. The log of a "
    "compiler is a side input, not a trace: give it together with traces, as log=PATH. Sources "
    "from outside stagemill read inputs only if they are named. stagemill list sources shows the "
    "formats; --source NAME forces one." },
  { "RUN-04", "an input cannot be opened or read",
    "The message has the reason of the system or the decompressor. A file that shrinks while it is "
    "read counts as unreadable: its writer has not ended." },
  { "RUN-05", "an input is empty",
    "The file has no bytes. Usually a profiler was stopped before it wrote anything." },
  { "RUN-06", "an output format or its option is unknown",
    "A format is the name of what a sink writes; stagemill show NAME shows it. stagemill list "
    "sinks lists the sinks found; --stage-path adds folders to search." },
  { "RUN-07", "one event is too long",
    "An event may have 64 MiB, or half of --max-memory if that is less, so that a damaged file "
    "cannot take all memory. A longer event means that the text is not a trace, or that a "
    "quotation mark is missing." },
  { "RUN-08", "held events or rows could not be kept",
    "Some stages must see all events before they change any, so stagemill holds the events. "
    "Events, "
    "and rows of tables, beyond --max-memory go to a temporary file beside the output, and writing "
    "or reading it failed. Give more memory, or more free space. If the output is standard output, "
    "TMPDIR names the folder of "
    "the temporary file." },
  { "RUN-09", "the run was interrupted",
    "A signal or --timeout ended the run. Temporary output is removed." },
  { "RUN-10", "the time limit was reached",
    "The run took longer than --timeout allows and was stopped; nothing was written. Give it more "
    "time, or analyse a part of the input with --from, --to, --steps or --ranks. The time to open "
    "the inputs counts, too: a pipe may be silent, and a FIFO may have no writer." },
  { "RUN-11", "a lane's times cannot be put on the base of the others",
    "stagemill was writing the events of several inputs into one trace, and one input gave its "
    "base time only after its events. Files are checked beforehand; pipes cannot be. Save the "
    "input to a file, or write one file per rank." },
  { "RUN-12", "data that cannot be spilled takes more than the memory limit",
    "Held events and rows of tables beyond --max-memory go to a temporary file. Names, processes "
    "and "
    "threads, the points of pictures, the list of inputs and the memory of stages stay in memory. "
    "For example, each name "
    "is kept once for the whole run: in a trace in which every event has its own name, they add "
    "up. The message says what took how much; nothing was written. Raise the limit, or cut the "
    "input with stagemill convert." },
  { "RUN-13", "two sinks write the same format",
    "A format names one sink, and two sinks of one vendor use the same format name. The message "
    "names the files; remove one of them." },
  { "RUN-14", "a stopped run did not end",
    "A signal or --timeout asks every stage to stop. The stage in the message did not return from "
    "a call within two seconds. The program removed the unfinished output and ended. This is a bug "
    "in that stage." },
  { "RUN-15", "out of memory",
    "The system gave no more memory: it has none left, or there is a limit (ulimit -v, a "
    "container). The unfinished output was removed. Each thread needs memory, so use fewer threads "
    "(-j); --max-memory limits the memory of held events." },
  { "RUN-16", "an input cannot be reread",
    "With --hold never, stagemill does not hold events until a stage has seen all of them; it "
    "rereads their file. The file must be openable twice, and its source must let the program feed "
    "it. Standard input and pipes cannot be reread. Without --hold never, events are held where "
    "necessary." },
  { "RUN-17", "an input cannot be joined with others of its rank",
    "With --join-ranks, the files of one rank are one lane. A file that holds several runs has a "
    "lane for each run, so it cannot be joined. Remove the option, or give the file a rank of its "
    "own." },
  { "RUN-18", "side inputs need traces",
    "An input labelled log is the log of a compiler: it only describes the kernels of traces. Also "
    "name a trace. A trace cannot have the label log; give it another label." },
  { "RUN-19", "no input has events",
    "All inputs were read to their end, but their lists of events are empty, or hold only names of "
    "processes and threads: there is nothing to report. The recording was off while the work ran, "
    "or the file was written before the work began. --keep-going writes the empty results. "
    "Profiles without \"needs-events\" accept such inputs. For convert, rows of a table are not "
    "events, because a trace cannot show them. If only some inputs have no events, this is a "
    "warning (RUN-29)." },
  { "RUN-30", "results of an earlier run cannot be read",
    "A command that works on finished runs takes the folder that stagemill run wrote, or the "
    "summary.json in it. The file is missing, or the system refused to open it; the message has "
    "its reason. A run writes summary.json if json is among its formats, as it is by default." },
  { "RUN-31", "a summary of a run is damaged or too new",
    "summary.json holds all results of a run. This one ends too early, was changed, or comes from "
    "an unknown version of the program; the message says where and why. Members that a newer minor "
    "version adds are ignored." },
  { "RUN-32", "the format is made of events",
    "Finished results hold tables and numbers. A trace needs the events, which only a run has: "
    "give the format to stagemill run, or use stagemill convert." },
  { "RUN-33", "a run has no figures",
    "Stages declare figures of their tables; stagemill show STAGE lists them. No stage of this "
    "run's profile declares a figure, or the run made none of their tables. A profile can add "
    "figures with \"figures\" (stagemill schema profile)." },
  { "RUN-34", "a file is named twice",
    "A file that is named twice, also through a link or by its folder, would count twice: sums "
    "would double, and in joined files kernels would overlap themselves. Name it once. The same "
    "file with another label or tag counts as another experiment. A copy under another name is a "
    "warning (RUN-37)." },
  { "RUN-35", "a format of --format wrote nothing",
    "Some formats need one kind of table, or figures. If --format names such a format and the "
    "results lack the table, its file is missing, so the status is 7. All other files are written. "
    "If only the profile names the format, there is no error." },
  { "RUN-40", "the sides of a comparison are runs of different profiles",
    "Numbers of different profiles are not comparable, even if they have the same names. Run one "
    "profile over both inputs. --force compares metrics and tables of the same names anyway." },
  { "RUN-41", "a side of a comparison has no finished run",
    "A side is a folder that stagemill run wrote, its summary.json, or a folder or quoted pattern "
    "of such folders, which are repeats of one measurement. A trace is an input, not a finished "
    "run: run a profile over it first, or name the profile with -p, so that compare does." },
  { "RUN-42", "the runs of one side are of different profiles",
    "Several runs on one side are repeats of one measurement and show how much it varies. Name the "
    "runs of one profile with a narrower pattern. --force accepts them anyway." },
  { "RUN-43", "a comparison met the condition of --fail-on",
    "The results were written and show what changed. With --fail-on regression, a headline metric "
    "became worse: by more than --min-change and, with at least four runs a side, by more than "
    "chance explains, corrected for the number of headline metrics. The table headline has a row "
    "for each." },
  { "RUN-44", "a gate rule is broken",
    "A metric became worse than a rule allows, or is beyond its limit. The results list every rule "
    "with its numbers. With repeated runs, the interval of the change does not include 0, so noise "
    "is an unlikely explanation." },
  { "RUN-45", "a gate rule does not apply",
    "A side has no value of the metric, or no group that the rule's \"where\" names. A gate that "
    "checks nothing must not pass, so the status is 3. \"optional\": true in the rule allows "
    "this." },
  { "RUN-46", "a column is not compared",
    "Only one side has the column, or the sides use different units, as after a new version of a "
    "stage. The other columns are compared. Run the profile over the older inputs once more." },
  { "RUN-47", "a headline metric is not judged",
    "The test needs four runs a side, and more runs if there are many headline metrics, because "
    "one of many may look worse by chance. A regression of this metric would not be found: compare "
    "more runs. A metric that has the same value in nearly all runs cannot be judged, nor one that "
    "only one side has. Results of an earlier version have no headline metrics: repeat these "
    "runs." },
  { "RUN-50", "the folder of --state is of another run",
    "All processes that share a run need the same stagemill, profile, options and inputs. An input "
    "counts as the same if its path as given, its size, its time of change, and its rank, label "
    "and "
    "tags are. The message names the first difference, and nothing was written. If an input was "
    "changed on purpose, remove the folder and begin again." },
  { "RUN-51", "a file in the folder of --state cannot be used",
    "The file is damaged, a newer stagemill or another program wrote it, it is of another run, or "
    "the system refused to read it. A file that a killed process left incomplete is no such error. "
    "Remove the file that the message names and give the commands again: what it held is then read "
    "again, all else stays." },
  { "RUN-52", "the folder of --state lacks inputs",
    "With --no-read, a run only takes what other processes have left in the folder of --state. "
    "Some "
    "shard was not started, has not ended, or failed. Give it again, or leave --no-read out: then "
    "this process reads what is missing." },
  { "RUN-53", "two processes read an input with different results",
    "The same input, stage and options must give the same bytes in each process. If the input is "
    "as it was, the stage uses something else: a clock, an address, the order of a table with a "
    "seed. Report it to the author of the stage. Results are not written, because they would "
    "depend on chance." },
  { "RUN-54", "a run cannot be shared by several processes",
    "A process that reads only some of the inputs cannot run a stage that needs the events of all "
    "lanes (scope whole), write events, or wait for other lanes between two runs in one file. The "
    "message names what to leave out. To convert many files, let each process convert its own. "
    "stagemill plan says whether a run can be shared, and how often each shard is given." },
  { "RUN-55", "an input or a folder cannot be used with --state",
    "Each process opens all inputs, perhaps several times, so they must be files or folders: not "
    "standard input, a pipe, a socket or a device. The folder of --state must be a folder of its "
    "own: neither the output nor an input." },
  { "RUN-70", "a source broke its contract",
    "What it answered is no answer, or would bring the same call for ever: a full batch without an "
    "event, a stop without a move, more bytes than there are, one empty lane after the other; or "
    "its "
    "batch is not as it was given. This is a bug in the source, not in "
    "the input. Please report it to its author, with the message." },
  { "RUN-71", "a process that ran an input gave no answer",
    "What another process made of an input did not arrive, or is damaged. Such a process is "
    "usually killed when memory is short; the system's log says so. Run again, with fewer at "
    "once." },
  { "RUN-72", "a file of cases cannot be read",
    "A case is a line \"case NAME\" and items below it: with, given and expect. The message names "
    "the file and the line. The page cases.md of the documentation has the form." },
  { "RUN-73", "a case failed",
    "A module did not do what one of its cases expects, broke a rule of the headers, or gave "
    "something else when the case was run in another way. The command prints what came and what "
    "was expected. --update writes what came into the file." },
  { "RUN-90", "the command line is wrong",
    "An option or argument is unknown, missing or misplaced. stagemill help COMMAND shows what is "
    "accepted; abbreviations are not." },
  { "RUN-91", "an input does not exist or is not visible",
    "No file has this name, or no file matches the pattern. Patterns may be quoted: the program "
    "expands * and ? itself, and {rank} stands for the digits of a rank. @FILE names a list of "
    "files. In a folder every possible input must be readable, because the results would silently "
    "lack the others; with --keep-going, stagemill leaves them out and counts them." },
  { "RUN-92", "a folder has no inputs",
    "stagemill reads only the files of the folder itself, not of folders in it. Use a quoted "
    "pattern to reach those. If there are other inputs, the folder must still hold one, because "
    "the results would silently lack it; with --keep-going, stagemill leaves it out and counts "
    "it." },
  { "RUN-93", "no profile gives the metric",
    "The metric belongs to a stage, and the profile does not list that stage. stagemill list "
    "metrics names the stage of each metric. Write a profile of two lines that lists the stage." },
  { "RUN-94", "the metric does not apply to these inputs",
    "The stage ran and had nothing to measure, for example no device events or no communication. "
    "The message has the reason. Standard output stays empty, so that scripts cannot mistake it "
    "for zero." },
  { "RUN-95", "the SQL is wrong",
    "SQLite does not take the text, or it went wrong on a row. The message is SQLite's own, with "
    "the place and the word at fault. A name in double quotes is a table or column, a text stands "
    "in single quotes. stagemill query without SQL lists tables and columns." },
  { "RUN-96", "the SQL may not run",
    "SQL reads tables, and does nothing else: it is one SELECT, and calls only functions that give "
    "the same for the same arguments. ATTACH, PRAGMA, whatever writes, extensions, and functions "
    "that tell the time or a random number are refused." },
  { "RUN-97", "the SQL went beyond its limits",
    "SQL may take a number of SQLite's steps and of bytes, so that the same SQL ends in the same "
    "way on any machine. Usually two tables are joined without a condition, or a recursion does "
    "not end." },
  { "RUN-99", "the program crashed",
    "This is a bug in the program or in a stage. After a crash inside a stage, the message names "
    "the stage and its version. After a crash in the loader, it names the file, which may be "
    "damaged. Please report it with the command line and what stagemill doctor prints." },
  { "STG-01", "a module is unknown",
    "No file of this name is in the searched folders. stagemill doctor lists these folders in "
    "order; --stage-path adds one in front." },
  { "STG-02", "a module was built for another ABI",
    "A module states the version of the interface for which it was built. stagemill cannot safely "
    "load another major version or a newer minor version. Rebuild the module with the headers of "
    "this program, or use the program for which it was built." },
  { "STG-03", "a folder or file of modules is not trusted",
    "Loading a module runs its code with your rights. A folder or file that others can write, or "
    "that belongs neither to you nor to root, may hold code of someone else. The same is true for "
    "each folder above it, because others could replace what is in it; a sticky folder such as "
    "/tmp may be above, and a group may write if you are its only member. Relative folders in the "
    "environment are refused, because the current folder could then run code. Correct the mode or "
    "owner. If a file system reports owners wrongly, --allow-unsafe-stages overrides the check. An "
    "untrusted path in --stage-path ends the run; it is not skipped." },
  { "STG-04", "the loader refused a module",
    "The system's dynamic loader could not open the file; its own message is shown. Usual causes "
    "are a library that is not installed, a symbol that the module expects and nothing defines, a "
    "file for another processor, or a damaged file." },
  { "STG-05", "a file is not a module",
    "The file is a shared object but does not carry exactly one sound stagemill descriptor named "
    "mill_module_v1. It is something else, or its author forgot MILL_STAGE_MODULE, "
    "MILL_SOURCE_MODULE or MILL_SINK_MODULE." },
  { "STG-06", "a module's descriptor is faulty",
    "The descriptor is checked before any code of the module is called: names (the file has that "
    "of its module), tag, operations, options with their defaults and ranges, notices, tables, "
    "metrics and figures. The name of a module whose vendor is not stagemill begins with that "
    "vendor and a dot. All faults are listed; the author of the module must correct them." },
  { "STG-07", "a name is ambiguous",
    "A stage, a source and a sink may share a name. Write source/NAME, sink/NAME or stage/NAME." },
  { "STG-08", "two modules use one tag",
    "A tag appears in log lines and in the codes of notices, so it must belong to one module. RUN, "
    "PRF, JSN, STG and OUT belong to the program. The module that was found first keeps the tag." },
  { "STG-09", "a folder or file of modules cannot be read",
    "The system refused access, for the reason in the message: the path is gone, may not be read, "
    "or the disk failed. So stagemill does not know whether it holds a module that can be "
    "trusted." },
  { "STG-10", "a stage failed without a reason",
    "The stage returned a failure without a reason. Its author should use mill_fail. The line "
    "after the message says what the stage was doing." },
  { "STG-11", "a stage reads its summary wrongly",
    "A stage must read what it saved in the same order and with the same types. The results would "
    "be wrong, so the run ends. Report it to the author of the stage." },
  { "STG-12", "a module cannot be loaded",
    "A module that is not part of stagemill is loaded in a process of its own before the program "
    "loads it for the first time. That process crashed, ended or did not return, as the message "
    "says, so the module is refused and all others are used. A file that was survived once is "
    "remembered in the cache folder of the user, stagemill/modules, until its bytes change. Report "
    "it to the author of the module." },
  { "STG-13", "an isolated stage was lost",
    "With --isolate a stage works in a process of its own. That process crashed, ended, needed too "
    "much memory, or did not return from a call within --isolate-limit, as the message says. "
    "Nothing else is affected: with --keep-going the results of all other stages are written. "
    "Report it to the author of the stage." },
  { "STG-70", "a stage broke its contract",
    "The stage made a call that is not allowed at that point. Or, with --verify, the stage broke a "
    "promise: the word in brackets says which one, and docs/write-a-stage.md lists them. This is a "
    "bug: report it to its author." },
  { "STG-71", "a stage ended the program",
    "Code of a stage, source or sink, or of a library that it uses, called exit. The run is not "
    "finished, whatever the status, and its output was removed. This is a bug in the module, which "
    "should return an error: report it to its author." },
  { "STG-73", "a module forked",
    "A stage, source or sink, or a library that it uses, started a process with fork, and the "
    "child returned into the program. The child shares the open files of the run, so it was ended "
    "at once; the run itself went on. This is a bug in the module: report it to its author." },
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
