"""The list of a release's parts, as SPDX 2.3: the program, the libraries that it links, and those in the page of charts."""
# SPDX-License-Identifier: MIT
import datetime
import json
import re
import subprocess

# Name for pkg-config, licence
LINKED = {
    "glib-2.0": "LGPL-2.1-or-later", "yaml-0.1": "MIT", "sqlite3": "blessing", "zlib": "Zlib",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only", "libisal": "BSD-3-Clause", "nettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libprotobuf-c": "BSD-2-Clause", "cairo": "LGPL-2.1-only OR MPL-1.1", "pangocairo": "LGPL-2.0-or-later",
}


def linked():
    """Those that are on this machine, with their versions."""
    for name, licence in LINKED.items():
        found = subprocess.run(["pkg-config", "--modversion", name], capture_output=True, text=True, check=False)
        if not found.returncode:
            yield name, found.stdout.strip(), licence


def in_page(root):
    lock = json.loads((root / "report/package-lock.json").read_text(encoding="utf-8"))
    for path, package in sorted(lock["packages"].items()):
        if path.startswith("node_modules/") and not package.get("dev"):
            yield path.removeprefix("node_modules/"), package["version"], package.get("license", "NOASSERTION")


def part(name, version, licence):
    return {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version, "licenseDeclared": licence,
            "licenseConcluded": licence, "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False}


def relation(of, kind, to):
    return {"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to}


def document(root, version, time, has_page):
    own = part("stagemill", version, "MIT")
    links = [part(*of) for of in linked()]
    held = [part(*of) for of in in_page(root)] if has_page else []
    created = datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"stagemill-{version}",
            "documentNamespace": f"urn:stagemill:{version}:{time}", "creationInfo": {"created": created, "creators": ["Tool: packaging/sbom.py"]},
            "packages": [own, *links, *held],
            "relationships": [relation("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"]),
                              *(relation(own["SPDXID"], "DEPENDS_ON", of["SPDXID"]) for of in links),
                              *(relation(own["SPDXID"], "CONTAINS", of["SPDXID"]) for of in held)]}


def write(path, root, version, time, has_page):
    path.write_text(json.dumps(document(root, version, time, has_page), indent=2) + "\n", encoding="utf-8")
