"""summary.json of a result, with the rows that lie in files of their own."""
# SPDX-License-Identifier: MIT
import hashlib
import json

from broken import Broken


def rows_beside(table, files, read):
    name = table["rows_file"]
    if name not in files:
        raise Broken(f"summary.json: {table['name']}: there is no {name}")
    if hashlib.sha256(files[name]).hexdigest() != table["rows_sha256"]:
        raise Broken(f"{name}: not of the sum that summary.json has")
    document = read(files[name], name)
    names = [column["name"] for column in table["columns"]]
    if (document["table"], document["columns"], len(document["rows"])) != (table["name"], names, table["n_rows"]):
        raise Broken(f"{name}: another table, other columns or another number of rows than summary.json has")
    return [dict(zip(names, row, strict=True)) for row in document["rows"]]


def with_rows(summary, files, read=lambda data, _: json.loads(data)):
    """READ: bytes and the name of their file, to a document."""
    for table in summary["tables"]:
        if "rows_file" in table:
            table["rows"] = rows_beside(table, files, read)
    return summary


def summary_of(files):
    return with_rows(json.loads(files["summary.json"]), files) if "summary.json" in files else None
