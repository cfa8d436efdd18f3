"""Tables of `canfetch bulk parse` on Spark: each row gets the content that decides, so that rows need no other row.

`canfetch.bulk.parsed_files` does the same for a table in memory.
"""

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.functions import arrow_udf

from canfetch.bulk.parsed_files import canonical_url, target_content
from canfetch.core.verdict import Effect

_RULES: Final = str(Effect.CONDITIONAL_ALLOW)
# Its overloads do not describe functions whose arrays have no type.
_udf: Any = arrow_udf


def resolve_files(files: DataFrame, id_name: str, content_name: str, *, has_redirects: bool) -> DataFrame:
    """Return the columns `id_name`, `content_name`, `effect`, `access` and `redirects`.

    The content is that which decides, and a redirect whose target is unknown has no effect.

    Args: has_redirects: Whether a row is a redirect.
    """
    names = files.columns
    own = is_own(files)
    access = files["access"] if "access" in names else f.lit(None).cast("string")
    effect = f.when(is_redirect(files), None).otherwise(files["effect"])
    content = f.when(own, own_content(files, content_name))
    columns = [files[id_name], content.alias(content_name), effect.alias("effect"), access.alias("access")]
    zero = f.lit(0).alias("redirects")
    if not has_redirects or not {"url", "final_url"} <= set(names):
        return files.select(*columns, zero)
    rest = files.where(~is_redirect(files)).select(*columns, zero)
    found = _redirect_contents(files, id_name, content_name)
    resolved = found.select(
        id_name,
        f.col("found").alias(content_name),
        f.when(f.col("found").isNotNull(), f.lit(_RULES)).alias("effect"),
        f.lit(None).cast("string").alias("access"),
        zero,
    )
    return rest.unionByName(resolved)


def is_own(files: DataFrame) -> Column:
    """Return whether the content of a row is that of its file."""
    return f.coalesce((files["effect"] == _RULES) & (_redirects(files) == 0), f.lit(False))


def is_redirect(files: DataFrame) -> Column:
    """Return whether the content that decides is that of another row."""
    return f.coalesce(files["effect"] == _RULES, f.lit(False)) & ~is_own(files)


def own_content(files: DataFrame, content_name: str) -> Column:
    """Return the content of rows. CSV and NDJSON have it in other columns if it is not UTF-8, or empty."""
    content = files[content_name].cast("binary")
    if "content_base64" not in files.columns:
        return content
    encoded = files["content_base64"].cast("string")
    is_empty = files["bytes"].cast("int") == 0 if "bytes" in files.columns else f.lit(False)
    decoded = f.when(f.length(encoded) > 0, f.to_binary(encoded, f.lit("base64")))
    return decoded.when(is_empty, f.lit(b"")).otherwise(content)


def _redirects(files: DataFrame) -> Column:
    return files["redirects"].cast("int")


def _redirect_contents(files: DataFrame, id_name: str, content_name: str) -> DataFrame:
    """Return the IDs of redirects, and in the column `found` the content to which they lead, or null."""
    names = files.columns
    has_hashes = "sha256" in names
    final = _udf(_canonical_urls, returnType="string")
    redirected = files.where(is_redirect(files)).select(
        id_name,
        final(files["final_url"].cast("string")).alias("final"),
        _text(files, "final_sha256").alias("hash"),
        _text(files, "redirect_targets").alias("targets"),
    )
    rows = files.where(is_own(files)).select(
        f.explode(_urls(files)).alias("final"),
        _text(files, "sha256").alias("hash"),
        own_content(files, content_name).alias("content"),
    )
    rows = rows.join(redirected.select("final").distinct(), "final", "left_semi")
    # A row without a hash has a content of its own.
    contents = f.count_distinct("hash") + f.count_if(f.col("hash").isNull())
    is_sole = f.count("*") == 1
    sole = rows.groupBy("final").agg(
        (is_sole | (contents == 1) if has_hashes else is_sole).alias("is_sole"), f.first("content").alias("content")
    )
    sole = sole.where("is_sole").drop("is_sole")
    joined = redirected.join(sole, "final", "left")
    found = f.col("content")
    if has_hashes:
        by_hash = rows.where("hash is not null").dropDuplicates(["final", "hash"])
        joined = joined.join(by_hash.withColumnRenamed("content", "of_hash"), ["final", "hash"], "left")
        found = f.coalesce(found, "of_hash")
    if "redirect_targets" in names:
        target = _udf(_target_contents, returnType="binary")
        found = f.coalesce(found, target("targets", "final"))
    return joined.select(id_name, found.alias("found"))


def _text(files: DataFrame, name: str) -> Column:
    return files[name].cast("string") if name in files.columns else f.lit(None).cast("string")


def _urls(files: DataFrame) -> Column:
    """Return the URLs of a response: that of a host without a scheme is the response of both."""
    url = files["url"].cast("string")
    if "origin" not in files.columns:
        return f.array(url)
    is_of_both = ~f.contains(f.coalesce(files["origin"].cast("string"), f.lit("")), f.lit("://"))
    both = f.array(url, f.concat(f.lit("http:"), f.substring(url, len("https:") + 1, 1 << 30)))
    return f.when(is_of_both & url.startswith("https:"), both).otherwise(f.array(url))


def _canonical_urls(urls: pa.Array) -> pa.Array:
    return pa.array(list(map(canonical_url, _encoded(urls))), pa.string())


def _target_contents(targets: pa.Array, finals: pa.Array) -> pa.Array:
    pairs = zip(_encoded(targets), finals.to_pylist(), strict=True)
    found = [None if target is None or url is None else target_content(target, url) for target, url in pairs]
    return pa.array(found, pa.binary())


def _encoded(texts: pa.Array) -> Sequence[Any]:
    values: list[Any] = texts.cast(pa.binary()).to_pylist()
    return values
