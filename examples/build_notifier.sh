#!/bin/sh
# Runs a command and tells a chat how it ended: build_notifier.sh CHAT COMMAND…
# For example: build_notifier.sh :Builders make -j4
# What the command wrote is shown here as ever; its last 200 lines go along if it failed.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 CHAT COMMAND…" >&2; exit 2; }
chat=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

begun=$(date +%s)
status=0
# The status of the command goes through a file, because tee would hide it.
{ "$@" 2>&1 || echo $? >"$folder/status"; } | tee "$folder/all"
[ ! -s "$folder/status" ] || status=$(cat "$folder/status")
took=$(($(date +%s) - begun))

if [ "$status" -eq 0 ]; then
    kibo send "$chat" "✔ $* took $took s."
else
    tail -n 200 "$folder/all" >"$folder/output.txt"
    # The daemon reads the file when it is fetched, so it stays until then, for at most a minute.
    kibo send "$chat" "✘ $* ended with $status after $took s." --file "$folder/output.txt" --wait done --timeout 60 || true
fi
exit "$status"
