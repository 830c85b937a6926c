#!/bin/sh
# Takes every file that a friend offers into a folder, and thanks: file_drop.sh FOLDER. Needs jq.
# It watches first, and then takes what waits already, so that nothing comes in between. From then on the daemon
# remembers how far this consumer has come.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
folder=$(realpath "$1")

{
    kibo --json watch --consumer file-drop --type transfer.changed | jq --unbuffered -c .data &
    sleep 1
    kibo rpc transfer.list '{"state":"offered","direction":"in","limit":500}' | jq -c '.transfers[]'
    wait
} |
    jq --unbuffered -r 'select(.direction == "in" and .state == "offered") | "\(.id) \(.peer) \(.name)"' |
    while read -r id peer name; do
        # An offer that has been taken or withdrawn since is refused, which is as well.
        if kibo get "$id" --to "$folder" </dev/null; then
            kibo send "$peer" "Thank you for $name." </dev/null
        fi
    done
