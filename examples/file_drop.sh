#!/bin/sh
# Takes every file that a friend sends into a folder, and thanks for each: file_drop.sh FOLDER. Needs jq.
# The daemon takes the files by a line of its setting files.folders, also while this doesn't run. Thanks have a key of
# their own, so that nobody is thanked twice for one file. This ends with the daemon, and systemd starts it again.
set -eu
[ $# -eq 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
folder=$(realpath "$1")

# What is there now: offers from before the line stood in the setting, and files that came while this didn't run.
lists() {
    for state in offered done; do
        kibo rpc transfer.list "{\"state\":\"$state\",\"direction\":\"in\",\"limit\":500}" | jq -c '.transfers[]'
    done
}

# What is to be done about each. A key is remembered for 90 days: nobody is thanked for what is older than 30.
choose() {
    jq --unbuffered -r --arg folder "$folder/" '
        if .gap then "again"
        elif .direction != "in" then empty
        elif .state == "offered" then "take " + ({id} | tojson)
        elif .state == "done" and .finishedAt > (now - 30 * 86400) * 1000
            and ((.path // "") + "/" | startswith($folder)) then
            "thank " + ({to: .peer, text: "Thank you for \(.name).", key: "thanks-\(.id)"} | tojson)
        else empty end'
}

act() {
    while read -r what words; do
        case $what in
            # A gap: events were missed.
            again) lists | choose | act ;;
            # What has been taken or withdrawn since is refused, which is as well.
            take) kibo rpc transfer.accept "$words" </dev/null >/dev/null || true ;;
            # Status 5: the account is locked, so it is tried again. Anything else is final.
            thank)
                until kibo rpc message.send "$words" </dev/null >/dev/null; do
                    [ $? -eq 5 ] || break
                    sleep 1
                done
                ;;
        esac
    done
}

kibo settings files.folders "+*=$folder" >/dev/null
# From here on the daemon remembers how far this consumer has come, so that nothing falls between lists and events.
kibo rpc events.subscribe '{"consumer":"file-drop","types":["transfer.changed"]}' >/dev/null
lists | choose | act
kibo --json watch --consumer file-drop --type transfer.changed |
    jq --unbuffered -c 'if .type == "gap" then {gap: true} else .data end' | choose | act
