"""A Django site that signs people in with mozilla-django-oidc: `python site.py migrate`, then `python site.py runserver PORT`."""

import os
import sys

import django
from django.conf import settings

issuer = os.environ["ISSUER"]

settings.configure(
    DEBUG=True,
    SECRET_KEY="the site's own secret, which signs its cookies",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATABASE"]}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    LOGIN_REDIRECT_URL="/me",
    LOGIN_REDIRECT_URL_FAILURE="/failed",
    OIDC_RP_CLIENT_ID="django",
    OIDC_RP_CLIENT_SECRET=os.environ["OIDC_RP_CLIENT_SECRET"],
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_RP_SCOPES="openid profile email",
    OIDC_USE_PKCE=True,
    OIDC_OP_AUTHORIZATION_ENDPOINT=f"{issuer}/connect/authorize",
    OIDC_OP_TOKEN_ENDPOINT=f"{issuer}/connect/token",
    OIDC_OP_USER_ENDPOINT=f"{issuer}/connect/userinfo",
    OIDC_OP_JWKS_ENDPOINT=f"{issuer}/.well-known/openid-configuration/jwks",
)
django.setup()

from django.http import HttpResponse, JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402


def me(request):
    return JsonResponse({"email": getattr(request.user, "email", None)})


urlpatterns = [
    path("oidc/", include("mozilla_django_oidc.urls")),
    path("me", me),
    path("failed", lambda request: HttpResponse("not signed in")),
]

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
