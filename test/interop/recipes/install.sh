#!/usr/bin/env bash
# Puts the clients of docs/clients-recipes.md that npm does not bring where their tests look for them: install.sh django|spring|go|dovecot
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
built=$(cd "$here/../../.." && pwd)/node_modules/.cache/recipes
mkdir -p "$built"

# Installs Debian packages as root, where they are missing.
debian() {
  dpkg -s "$@" >/dev/null 2>&1 && return
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update && apt-get -qq install --yes --no-install-recommends "$@" >/dev/null
}

case "${1-}" in
  django)
    python3 -c 'import venv, ensurepip' 2>/dev/null || debian python3 python3-venv
    [[ -x $built/django/bin/python ]] || python3 -m venv "$built/django"
    "$built/django/bin/pip" --quiet --disable-pip-version-check install --requirement "$here/django/requirements.txt"
    ;;
  spring)
    command -v mvn >/dev/null && command -v java >/dev/null || debian maven default-jdk-headless
    mvn --quiet --batch-mode --no-transfer-progress --file "$here/spring/pom.xml" -Dtarget="$built/spring" package
    ;;
  go)
    command -v go >/dev/null || debian golang-go
    (cd "$here/goOidc" && go build -o "$built/goOidc" .)
    ;;
  dovecot)
    # What is installed starts no service: the tests start one of their own.
    [[ -x /usr/sbin/dovecot ]] || { printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d && debian dovecot-core dovecot-imapd; }
    ;;
  *)
    echo "Usage: install.sh django|spring|go|dovecot" >&2
    exit 2
    ;;
esac
