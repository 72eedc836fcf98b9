#!/usr/bin/env bash
# Puts Debian's MariaDB in place, as root.
exec "$(dirname "$0")/../support/installDebian.sh" /usr/sbin/mariadbd mariadb-server mariadb
