#!/bin/sh
# Writes what docker-compose.yml mounts as secrets into docker/secrets, or the folder that is given. What is there stays.
#   APPLICATION_SECRET='the application secret' sh docker/make-secrets.sh
# The folder is closed to others; the files in it can be read, as the containers' users are not yours.
set -eu
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
chmod 700 "$folder"

write() {
  [ -s "$folder/$1" ] && return
  printf %s "$2" > "$folder/$1"
  chmod 444 "$folder/$1"
}

random() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}

if [ ! -s "$folder/application_secret" ] && [ -z "${APPLICATION_SECRET:-}" ]; then
  echo "make-secrets: expected the application's secret in APPLICATION_SECRET, received nothing: set it and run this again" >&2
  exit 1
fi
write application_secret "${APPLICATION_SECRET:-}"
write redis_password "$(random)"
write redis_url "redis://:$(cat "$folder/redis_password")@redis:6379"
write admin_token "$(random)"
