#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""validate.py SCHEMADIR [FILE...]: is each file (or standard input) an answer
that its schema allows, with no key that the schema does not know? Says which
answers there were, one a line."""
import copy
import json
import os
import sys
import jsonschema


def strict(schema):
    """The same, for tests: a key that is not described is an error."""
    if isinstance(schema, dict):
        schema = {k: strict(v) for k, v in schema.items()}
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return schema


def check(where, text, directory):
    answer = json.loads(text)
    name = answer["schema"]
    with open(os.path.join(directory, name + ".json"), encoding="utf-8") as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)
    if len(schema["properties"]) > 2:  # it says more than its name
        schema = strict(copy.deepcopy(schema))
    errors = list(jsonschema.Draft202012Validator(schema).iter_errors(answer))
    for e in errors:
        print(f"{where}: {name}: {'/'.join(map(str, e.absolute_path))}: "
              f"{e.message[:300]}", file=sys.stderr)
    if not errors:
        print(name)
    return not errors


def main():
    ok = True
    for path in sys.argv[2:] or ["/dev/stdin"]:
        with open(path, encoding="utf-8") as f:
            ok &= check(path, f.read(), sys.argv[1])
    sys.exit(not ok)


main()
