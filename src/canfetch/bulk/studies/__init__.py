"""Definitions of research papers as functions, and recipes that count them in an archive."""

from canfetch.bulk.studies.definitions import DEFINITIONS, Definition, StudiedFile, classify
from canfetch.bulk.studies.recipes import RECIPES, Recipe, get_recipe

__all__ = [
    "DEFINITIONS",
    "RECIPES",
    "Definition",
    "Recipe",
    "StudiedFile",
    "classify",
    "get_recipe",
]
