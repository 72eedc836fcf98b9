#!/usr/bin/env bash
# installDebian.sh PROGRAM PACKAGE SERVICE: puts a package of Debian's in place, as root. The program alone: no service is started, and none is enabled that was not there before.
set -euo pipefail
program=$1 package=$2 service=$3
[[ -x $program ]] && exit
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
policy=/usr/sbin/policy-rc.d
made=
trap 'rm -f "$log" ${made:+"$made"}' EXIT
# The package would start its service; Debian asks this file first.
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made=$policy
fi
if ! { apt-get -qq update && apt-get -qq install --yes --no-install-recommends "$package"; } >"$log" 2>&1; then
  cat "$log"
  echo "As root: apt-get install $package."
  exit 1
fi
rm -f "/etc/systemd/system/multi-user.target.wants/$service.service"
