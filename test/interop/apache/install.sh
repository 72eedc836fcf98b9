#!/usr/bin/env bash
# Puts Debian's Apache and mod_auth_openidc in place, as root. The programs alone: no service is started or enabled.
set -euo pipefail
[[ -x /usr/sbin/apache2 && -e /usr/lib/apache2/modules/mod_auth_openidc.so ]] && exit
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get -qq update && apt-get -qq install --yes --no-install-recommends apache2-bin libapache2-mod-auth-openidc; } >"$log" 2>&1; then
  cat "$log"
  echo "As root: apt-get install apache2-bin libapache2-mod-auth-openidc."
  exit 1
fi
