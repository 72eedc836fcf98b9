#!/usr/bin/env bash
# Puts Debian's OpenLDAP in place, as root. The program alone: no service is started, and none is enabled that was not there before.
set -euo pipefail
[[ -x /usr/sbin/slapd ]] && exit
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
policy=/usr/sbin/policy-rc.d
made=
trap 'rm -f "$log" ${made:+"$made"}' EXIT
# The package would start its service; Debian asks this file first.
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made=$policy
fi
if ! { apt-get -qq update && apt-get -qq install --yes --no-install-recommends slapd; } >"$log" 2>&1; then
  cat "$log"
  echo "As root: apt-get install slapd."
  exit 1
fi
rm -f /etc/systemd/system/multi-user.target.wants/slapd.service
