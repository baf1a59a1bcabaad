#!/bin/sh
# Starts Redis with redis.conf and the password of a secret. The password goes in through standard input: everybody in a
# container can read its command lines.
set -eu
password=$(sed 's/["\\]/\\&/g' "${REDIS_PASSWORD_FILE:-/run/secrets/redis_password}")
exec redis-server - "$@" <<CONF
$(cat "$(dirname "$0")/redis.conf")
requirepass "$password"
CONF
