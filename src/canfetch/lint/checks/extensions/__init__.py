"""Checks of records that RFC 9309 does not define."""
