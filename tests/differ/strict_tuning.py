"""Strict readers of the lookup table in C++ and of the rules for NCCL's tuner, against summary.json of the same run.

Each complains by raising Broken with the place; CHECKS is by name of the sink."""
# SPDX-License-Identifier: MIT
import itertools
import json
import re

from broken import Broken, text_of
from summaries import summary_of

CPP = "gen_heuristic_code/generated_lookup_table.cpp"
CONF = "nccl_tuner.conf"
FIELDS = "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff"
RULE_COLUMNS = ("collective", "min_bytes", "max_bytes", "algorithm", "protocol", "channels", "nodes", "ranks", "pipe_ops",
                "reg_buff")
COLLECTIVES = {"broadcast", "reduce", "allgather", "reducescatter", "allreduce"}
ALGORITHMS = {"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"}
PROTOCOLS = {"ll", "ll128", "simple"}


def rows_of(files, table):
    """Nothing without a summary, or without the table in it."""
    summary = summary_of(files)
    tables = summary["tables"] if summary else []
    return next((t["rows"] for t in tables if t["name"] == table), None)


def nested(text):
    """The braces as lists; the text may hold nothing else."""
    code = re.sub(r"//[^\n]*", "", text)
    head = re.match(r"\s*inline AllReduceBestStrategyTableType AllReduceBestStrategyTableSM([0-9]+) = ", code)
    body = code[head.end():] if head else ""
    if not re.fullmatch(r"[{}0-9,\s]+;\n", body) or re.search(r"[0-9]\s+[0-9]|,\s*[,}]|[}]\s*[0-9{]|[0-9]\s*[{]", body):
        raise Broken(f"{CPP}: no definition of a table")
    try:
        return int(head[1]), json.loads(body.rstrip(";\n").translate(str.maketrans("{}", "[]")))
    except ValueError as why:
        raise Broken(f"{CPP}: {why}") from None


def flat(value, counts):
    """Cells in order; every list of a level has the same length."""
    if not counts:
        if not isinstance(value, int):
            raise Broken(f"{CPP}: {value!r} where a number belongs")
        return [value]
    if not isinstance(value, list) or len(value) != counts[0]:
        raise Broken(f"{CPP}: not {counts[0]} entries in {value!r}"[:300])
    return list(itertools.chain.from_iterable(flat(inner, counts[1:]) for inner in value))


def check_cpp(files):
    rows = rows_of(files, "allreduce-table")
    if CPP not in files:
        if rows:
            raise Broken(f"{CPP}: it was not written")
        return None
    sm, table = nested(text_of(files[CPP], CPP))
    if rows is None:
        return table
    axes = [list(dict.fromkeys(row[key] for row in rows)) for key in ("tp", "fusion", "hidden_size", "num_tokens")]
    wanted = {(row["tp"], row["fusion"], row["hidden_size"], row["num_tokens"]): row["number"] for row in rows}
    if {row["sm"] for row in rows} != {sm}:
        raise Broken(f"{CPP}: SM{sm}, the summary has {sorted({row['sm'] for row in rows})}")
    for place, number in zip(itertools.product(*axes), flat(table, [len(axis) for axis in axes]), strict=True):
        if wanted.get(place) != number:
            raise Broken(f"{CPP}: {place} is {number}, the summary has {wanted.get(place)}")
    return table


def check_rule(fields, where):
    words = ((0, COLLECTIVES), (3, ALGORITHMS), (4, PROTOCOLS))
    if len(fields) != len(RULE_COLUMNS) or any(fields[at] not in known for at, known in words):
        raise Broken(f"{where}: {fields}")
    for at in (1, 2, 5, 6, 7, 8, 9):
        if not re.fullmatch("-1|0|[1-9][0-9]*", fields[at]):
            raise Broken(f"{where}: {fields[at]!r} is no number")
    if int(fields[1]) > int(fields[2]):
        raise Broken(f"{where}: the range {fields[1]} to {fields[2]}")


def check_conf(files):
    rows = rows_of(files, "nccl-rules")
    if CONF not in files:
        if rows:
            raise Broken(f"{CONF}: it was not written")
        return None
    header, *lines, end = text_of(files[CONF], CONF).split("\n")
    if header != f"# {FIELDS}" or end:
        raise Broken(f"{CONF}: it begins with {header!r} and ends with {end!r}")
    for number, line in enumerate(lines, 2):
        check_rule(line.split(","), f"{CONF}:{number}")
    wanted = [",".join(str(row[key]) for key in RULE_COLUMNS) for row in rows or []]
    if rows is not None and lines != wanted:
        raise Broken(f"{CONF}: {lines} written, the summary has {wanted}"[:600])
    return lines


CHECKS = {"cpp-table": check_cpp, "nccl-tuner": check_conf}
