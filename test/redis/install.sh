#!/usr/bin/env bash
# Puts Debian's Redis in place, as root.
exec "$(dirname "$0")/../support/installDebian.sh" /usr/bin/redis-server redis-server redis-server
