"""Serve robots.txt in Django.

    INSTALLED_APPS = [..., "canfetch.integrations.django"]
    MIDDLEWARE = ["canfetch.integrations.django.middleware.RobotsMiddleware", ...]
    CANFETCH_SITE = {"robots": BASE_DIR / "robots.txt", "environment": "production"}

The app adds a system check. The middleware works without it.
"""
