"""JSON Schema of all kinds of manifest."""

from __future__ import annotations

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from kgraph.manifest.kinds import MODELS


class _Generator(GenerateJsonSchema):
    """Says what models mean in fewer words.

    No `default: null`, since an optional field is left out and never null; no titles, which would
    only repeat the fields' names.
    """

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - overrides
        return False

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        described = super().dict_schema(schema)
        if "patternProperties" in described:
            # A key that does not match is refused, which the pattern alone would not say.
            described["additionalProperties"] = False
        return described

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        # Models have no other default than None.
        return self.generate_inner(schema["schema"])


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of a manifest of any kind; kinds are under `$defs`."""
    _, schema = models_json_schema(
        [(model, "validation") for model in MODELS.values()], schema_generator=_Generator
    )
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "kgraph manifest",
        "oneOf": [{"$ref": f"#/$defs/{kind.value}"} for kind in MODELS],
        "$defs": schema["$defs"],
    }
