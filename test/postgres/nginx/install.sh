#!/usr/bin/env bash
# Puts Debian's nginx and HAProxy in place, as root. The programs alone: no service is started, and none is enabled that was not there before.
set -euo pipefail
[[ -x /usr/sbin/nginx && -x /usr/sbin/haproxy ]] && exit
kept=()
for each in nginx haproxy; do [[ -x /usr/sbin/$each ]] && kept+=("$each"); done
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
policy=/usr/sbin/policy-rc.d
made=
trap 'rm -f "$log" ${made:+"$made"}' EXIT
# The package would start its service; Debian asks this file first.
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made=$policy
fi
if ! { apt-get -qq update && apt-get -qq install --yes --no-install-recommends nginx haproxy; } >"$log" 2>&1; then
  cat "$log"
  echo "As root: apt-get install nginx haproxy."
  exit 1
fi
for each in nginx haproxy; do
  # What was there before may be in use.
  [[ " ${kept[*]-} " == *" $each "* ]] || rm -f "/etc/systemd/system/multi-user.target.wants/$each.service"
done
