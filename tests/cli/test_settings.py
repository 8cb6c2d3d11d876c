from __future__ import annotations

from pathlib import Path

import pytest

from kgraph.settings import VARIABLES, BadSettingError, Settings, read_settings


def read(tmp_path: Path, **environ: str) -> Settings:
    return read_settings(
        {"HOME": str(tmp_path / "home"), **environ},
        working_folder=tmp_path / "here",
        package_folder=tmp_path / "site" / "kgraph",
    )


def make_store(folder: Path) -> Path:
    (folder / "log").mkdir(parents=True)
    return folder


def test_without_any_store_the_default_is_the_working_folders_objects(tmp_path: Path) -> None:
    settings = read(tmp_path)

    assert settings.store == str(tmp_path / "here" / "objects")
    assert not settings.is_starter


def test_stores_are_looked_for_from_the_nearest_to_the_starter(tmp_path: Path) -> None:
    starter = make_store(tmp_path / "site" / "kgraph" / "starter")
    assert read(tmp_path).store == str(starter)
    assert read(tmp_path).is_starter

    own = make_store(tmp_path / "home" / ".local" / "share" / "kgraph" / "objects")
    assert read(tmp_path).store == str(own)
    assert not read(tmp_path).is_starter

    checkout = make_store(tmp_path / "site" / "objects")
    assert read(tmp_path).store == str(checkout)

    local = make_store(tmp_path / "here" / "objects")
    assert read(tmp_path).store == str(local)

    assert read(tmp_path, KGRAPH_STORE="/named").store == "/named"


def test_a_folder_named_objects_without_a_log_is_not_a_store(tmp_path: Path) -> None:
    (tmp_path / "here" / "objects").mkdir(parents=True)
    starter = make_store(tmp_path / "site" / "kgraph" / "starter")

    assert read(tmp_path).store == str(starter)


def test_empty_variables_count_as_unset(tmp_path: Path) -> None:
    settings = read(tmp_path, KGRAPH_STORE="", KGRAPH_PORT="", KGRAPH_CACHE="")

    assert settings == read(tmp_path)


def test_user_folders_follow_xdg_and_ignore_relative_ones(tmp_path: Path) -> None:
    settings = read(tmp_path, XDG_CACHE_HOME="/x/cache", XDG_DATA_HOME="relative")

    assert settings.cache == Path("/x/cache/kgraph")
    assert settings.own_store == tmp_path / "home/.local/share/kgraph/objects"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("KGRAPH_PORT", "http"),
        ("KGRAPH_PORT", "65536"),
        ("KGRAPH_PORT", "-1"),
        ("KGRAPH_WORKERS", "0"),
        ("KGRAPH_WORKERS", "1.5"),
        ("KGRAPH_REQUEST_SECONDS", "nan"),
        ("KGRAPH_REQUEST_SECONDS", "inf"),
        ("KGRAPH_LOG_LEVEL", "loud"),
        ("KGRAPH_STORE", "gs://bucket/x"),
        ("KGRAPH_STORE", "s3:///x"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_by_name(
    tmp_path: Path, variable: str, value: str
) -> None:
    with pytest.raises(BadSettingError) as caught:
        read(tmp_path, **{variable: value})

    assert value in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_bucket_is_kept_as_an_address(tmp_path: Path) -> None:
    assert read(tmp_path, KGRAPH_STORE="s3://bucket/a/b/").store == "s3://bucket/a/b"


def test_bucket_keys_are_read_and_never_shown(tmp_path: Path) -> None:
    shown_to_nobody = "two"
    settings = read(tmp_path, AWS_ACCESS_KEY_ID="one", KGRAPH_S3_SECRET_ACCESS_KEY=shown_to_nobody)

    assert settings.s3.access_key_id == "one"
    assert settings.s3.secret_access_key == shown_to_nobody
    assert shown_to_nobody not in repr(settings)


def test_a_store_named_on_the_command_line_replaces_the_starter(tmp_path: Path) -> None:
    make_store(tmp_path / "site" / "kgraph" / "starter")

    settings = read(tmp_path).with_store(str(tmp_path / "mine"))

    assert settings.store == str(tmp_path / "mine")
    assert not settings.is_starter


def test_every_variable_is_listed_once_and_every_listed_one_is_read(tmp_path: Path) -> None:
    names = [variable.name for variable in VARIABLES]
    assert len(names) == len(set(names))

    plain = read(tmp_path)
    changed = {
        "KGRAPH_STORE": "/s", "KGRAPH_CACHE": "/c", "KGRAPH_HOST": "h", "KGRAPH_PORT": "1",
        "KGRAPH_PUBLIC_URL": "https://x/", "KGRAPH_CORS_ORIGINS": "*",
        "KGRAPH_WORKERS": "2", "KGRAPH_PUBLISHER": "p", "KGRAPH_LOG_LEVEL": "info",
        "KGRAPH_MAX_REQUEST_BYTES": "2048", "KGRAPH_MAX_DEPTH": "3", "KGRAPH_MAX_COST": "4",
        "KGRAPH_REQUEST_SECONDS": "5", "KGRAPH_S3_ENDPOINT": "e", "KGRAPH_S3_REGION": "r",
        "KGRAPH_S3_ACCESS_KEY_ID": "k", "KGRAPH_S3_SECRET_ACCESS_KEY": "s",
        "KGRAPH_S3_ANONYMOUS": "true", "KGRAPH_S3_SESSION_TOKEN": "t",
        "KGRAPH_LOG_FORMAT": "json", "KGRAPH_METRICS": "false", "KGRAPH_TRACES": "console",
        "KGRAPH_REFRESH_SECONDS": "1", "KGRAPH_DOCUMENTS": "/d", "KGRAPH_DOCUMENTS_ONLY": "true",
        "KGRAPH_MAX_LIVE_CONNECTIONS": "9",
    }  # fmt: skip
    assert set(changed) == set(names)
    for name, value in changed.items():
        assert read(tmp_path, **{name: value}) != plain, name
