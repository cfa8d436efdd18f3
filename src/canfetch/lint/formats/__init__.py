"""Report formats for other tools. Every format is a pure function of reports."""

from canfetch.lint.formats.github import github_lines, github_problem
from canfetch.lint.formats.gitlab import gitlab_issues
from canfetch.lint.formats.html import html_page
from canfetch.lint.formats.junit import junit_document
from canfetch.lint.formats.sarif import sarif_log

__all__ = ["github_lines", "github_problem", "gitlab_issues", "html_page", "junit_document", "sarif_log"]
