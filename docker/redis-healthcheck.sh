#!/bin/sh
# Whether Redis takes commands: it answers something else while it loads its data.
REDISCLI_AUTH=$(cat "${REDIS_PASSWORD_FILE:-/run/secrets/redis_password}")
export REDISCLI_AUTH
[ "$(redis-cli "$@" ping)" = PONG ]
