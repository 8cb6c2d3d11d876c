"""Writes `kgraph/client/generated` from `schema.graphql` and the documents beside it.

Run it after either changed: `python tests/clients/generate_client.py`. The generator is
ariadne-codegen; its version, and those of what it needs in another version than kgraph does, are
pinned in `ariadne.txt` and installed in a folder of their own.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCHEMA = ROOT / "schema.graphql"
DOCUMENTS = ROOT / "kgraph" / "client" / "documents"
GENERATED = ROOT / "kgraph" / "client" / "generated"
BASE = HERE / "base_client.py"
REQUIREMENTS = HERE / "ariadne.txt"
TOOLS = HERE / ".tools"

_INIT = '''"""Generated from schema.graphql and kgraph/client/documents; never edited."""\n'''

# Unknown fields are refused: a misspelt field of a filter would otherwise widen the answer.
_SETTINGS = """
[tool.ariadne-codegen]
schema_path = "{schema}"
queries_path = "{documents}"
target_package_path = "{folder}"
target_package_name = "{package}"
client_name = "{client}"
client_file_name = "{module}"
async_client = {is_async}
multipart_uploads = false
{base}
include_comments = "none"
include_all_inputs = false
include_all_enums = false
include_typename = false
ignore_extra_fields = false
defer_model_build = true

[tool.ariadne-codegen.scalars.BigInt]
type = "int"
[tool.ariadne-codegen.scalars.Digest]
type = "str"
[tool.ariadne-codegen.scalars.DateTime]
type = "datetime.datetime"
[tool.ariadne-codegen.scalars.JSON]
type = "typing.Any"
"""


def install_generator() -> Path:
    """The folder that holds the generator, installed first where it is not there.

    Raises:
        subprocess.CalledProcessError: pip could not fetch it.
    """
    name = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = TOOLS / f"ariadne-{name}"
    if not folder.exists():
        TOOLS.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=TOOLS) as scratch:
            # Without dependencies: the rest of them is what kgraph and its tests use as it is.
            options = ["--quiet", "--no-deps", "--target", f"{scratch}/it", "-r", str(REQUIREMENTS)]
            command = [sys.executable, "-m", "pip", "install", *options]
            subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - ours
            Path(scratch, "it").replace(folder)
    return folder


def generate(
    documents: Path,
    folder: Path,
    package: str,
    *,
    client: str = "Generated",
    module: str = "client",
    is_async: bool = False,
    base: str | None = None,
) -> Path:
    """A Python package made from `schema.graphql` and the documents of one folder.

    Args:
        base: class in `base_client.py` that the client builds on; the generator's own where None.
    Raises:
        subprocess.CalledProcessError: the generator refused a document, or could not be fetched.
    """
    generator = install_generator()
    settings = folder / f"{package}-{module}.toml"
    text = _SETTINGS.format(
        schema=SCHEMA.as_posix(),
        documents=documents.as_posix(),
        folder=folder.as_posix(),
        package=package,
        client=client,
        module=module,
        is_async=str(is_async).lower(),
        base=f'base_client_name = "{base}"\nbase_client_file_path = "{BASE}"' if base else "",
    )
    settings.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "ariadne_codegen", "--config", str(settings)]
    environment = {**os.environ, "PYTHONPATH": str(generator)}
    subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603 - ours
    return folder / package


def generate_both(folder: Path) -> Path:
    """The generated part of `kgraph.client`: one set of models, a client of either kind."""
    made = generate(
        DOCUMENTS, folder, "generated", client="Blocking", module="blocking", base="BlockingClient"
    )
    other = generate(
        DOCUMENTS,
        folder,
        "other",
        client="Awaiting",
        module="awaiting",
        is_async=True,
        base="AwaitingClient",
    )
    (other / "awaiting.py").replace(made / "awaiting.py")
    _take_python_names(made / "input_types.py")
    # The generator's own would import every module.
    (made / "__init__.py").write_text(_INIT, encoding="utf-8")
    return made


def _take_python_names(module: Path) -> None:
    """Let type checkers see the arguments of filters by their Python names, as `not_`."""
    # Of the three kinds of alias, checkers take `alias` for the argument's only name.
    text = module.read_text(encoding="utf-8")
    both = r"validation_alias=\1, serialization_alias=\1"
    module.write_text(re.sub(r'\balias=("\w+")', both, text), encoding="utf-8")


def main() -> None:
    """Replace the committed package by a new one."""
    with tempfile.TemporaryDirectory() as scratch:
        made = generate_both(Path(scratch))
        shutil.rmtree(GENERATED, ignore_errors=True)
        shutil.copytree(made, GENERATED)


if __name__ == "__main__":
    main()
