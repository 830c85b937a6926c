"""Reads one JSON object from a file: the answer of rpc.discover as `schema`, and in `answers` what methods have answered, by their
names. Says what is wrong with them, by OpenRPC's objects and by JSON Schema."""

import json
import sys

import jsonschema
import openrpc

given = json.load(open(sys.argv[1], encoding="utf-8"))
schema = given["schema"]
openrpc.OpenRPC.model_validate(schema)

schemas = schema["components"]["schemas"]
methods = {method["name"]: method for method in schema["methods"]}
assert len(methods) == len(schema["methods"]), "a method stands there twice"
for name, method in methods.items():
    codes = [error["code"] for error in method["errors"]]
    assert len(codes) == len(set(codes)), f"{name} has a code twice"


def check(value, wanted: dict, place: str) -> None:
    whole = {**wanted, "components": {"schemas": schemas}}
    jsonschema.Draft7Validator.check_schema(whole)
    for error in jsonschema.Draft7Validator(whole).iter_errors(value):
        sys.exit(f"{place}: {'/'.join(map(str, error.absolute_path))}: {error.message}")


for name, answer in given["answers"].items():
    check(answer, methods[name]["result"]["schema"], name)
for name, method in methods.items():
    for parameter in method["params"]:
        jsonschema.Draft7Validator.check_schema({**parameter["schema"], "components": {"schemas": schemas}})
    # Of parameters that exclude each other, one is given and no more.
    together = method.get("x-params", {})
    for group in together.get("allOf", []):
        names = [wish["required"][0] for wish in next(iter(group.values()))]
        if "oneOf" not in group:
            continue
        for count in range(3):
            fits = jsonschema.Draft7Validator(group).is_valid(dict.fromkeys(names[:count], "x"))
            assert fits == (count == 1), f"{name}: {count} of {names}"
print("valid")
