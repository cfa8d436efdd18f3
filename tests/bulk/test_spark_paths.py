"""The Parquet files that `allows_parquet` reads."""

from pathlib import Path

import pytest

from canfetch.errors import InvalidOption

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")

from canfetch.bulk.spark.parquet_rows import list_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("_SUCCESS", ".part.crc", "part-1.parquet", "part-0.parquet"):
        (tmp_path / "urls").mkdir(exist_ok=True)
        (tmp_path / "urls" / name).write_bytes(b"")
    return tmp_path / "urls"


def test_files_folders_and_patterns(folder: Path) -> None:
    parts = [str(folder / "part-0.parquet"), str(folder / "part-1.parquet")]
    assert list_files(folder) == list_files(str(folder)) == list_files(folder.as_uri()) == parts
    assert list_files(f"{folder}/*") == list_files(f"{folder.parent}/u*") == parts
    assert list_files([parts[1], parts[0]]) == parts[::-1]
    assert list_files(Path(parts[0]).as_uri()) == [Path(parts[0]).as_uri()]
    # The error of a missing file comes from reading it.
    assert list_files("missing.parquet") == ["missing.parquet"]
    assert list_files("s3://bucket/a.parquet") == ["s3://bucket/a.parquet"]


def test_paths_without_files(folder: Path) -> None:
    (folder.parent / "empty").mkdir()
    (folder / "date=1").mkdir()
    (folder / "date=1" / "a.parquet").write_bytes(b"")
    for paths, message in [
        ([], "paths is empty"),
        (str(folder.parent / "empty"), "has no Parquet files"),
        (f"{folder}/*.csv", "no file matches"),
        ("s3a://bucket/a.parquet", "does not know s3a://: pass s3:// instead"),
        (str(folder), "partitioned by 'date'"),
    ]:
        with pytest.raises(InvalidOption, match=message):
            list_files(paths)
