#!/usr/bin/env bash
# Writes down who wrote what: the smallest hook command. Turn it on with
#
#   kibo settings notifications.hook "$PWD/examples/on_message.sh $HOME/messages.log"
#
# kibod runs it for each message and each request to be a friend, with a JSON object on standard input (docs/CONTROL-API.md,
# The hook command). It needs jq. It has ten seconds; a status other than 0 lets kibod try again.
set -euo pipefail
file=${1:?"usage: on_message.sh FILE"}
umask 077

jq -r '(.at / 1000 | floor | todate) + " "
    + if .event == "request" then (.contact.displayName // "somebody") + " wants to be your friend"
      else (.sender.name // "somebody") + ": " + (.message.text // "wrote") end' >>"$file"
