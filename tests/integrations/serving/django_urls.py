"""The URLs of the Django project of the tests: one page at every path."""

from django.http import HttpRequest, HttpResponse
from django.urls import re_path
from tests.integrations.serving.hosts import PAGE


def page(_: HttpRequest) -> HttpResponse:
    return HttpResponse(PAGE, content_type="text/plain")


urlpatterns = [re_path("", page)]
