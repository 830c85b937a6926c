import Arguments

/// Completion for bash, to be sourced or put where bash-completion looks.
enum BashCompletion {
    static func script(_ commands: [CommandCompletion]) -> String {
        var out = #"""
            # Completion of kibo for bash, made by: kibo completions bash

            # _kibo_words: the words up to the cursor. Readline parts them at colons and the like, too.
            _kibo_words() {
                local rest=$COMP_LINE word blanks
                words=()
                for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
                    blanks=${rest%%[![:space:]]*}
                    rest=${rest#"$blanks"} rest=${rest#"$word"}
                    if [ -n "$blanks" ] || [ ${#words[@]} -eq 0 ]; then words+=("$word"); else words[-1]+=$word; fi
                done
            }

            # _kibo_offer KIND [WORD…]: offers what begins with the word at the cursor, whatever its case.
            _kibo_offer() {
                local kind=$1 quote='' typed=$current word reply left
                shift
                if [ "$kind" = files ]; then
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                    return
                fi
                if [ "$kind" != words ]; then
                    mapfile -t words < <(kibo completions "$kind" --current="$current" -- "${given[@]}" 2>/dev/null)
                    set -- "${words[@]}"
                fi
                case $typed in [\"\']*) quote=${typed:0:1} typed=${typed:1} ;; esac
                [ "$quote" = "'" ] || typed=${typed//\\/}
                COMPREPLY=()
                for word in "$@"; do
                    [[ ${word,,} == "${typed,,}"* ]] || continue
                    case $quote in
                    \') reply=${word//\'/\'\\\'\'} ;;
                    # In these quotes an exclamation mark brings the history back, and nothing takes its meaning away.
                    \") [[ $word != *!* ]] || continue; reply=$(printf %s "$word" | sed 's/[\\"$`]/\\&/g') ;;
                    *)
                        reply=$(printf %q "$word") left=$cut
                        while [[ $left == *[:=@]* ]]; do left=${left#*[:=@]} reply=${reply#*[:=@]}; done
                        ;;
                    esac
                    COMPREPLY+=("$reply")
                done
            }

            _kibo() {
                local current previous words given=() place=0 index command='' option='' cut last
                _kibo_words
                current=${words[-1]} previous=("${words[@]:1:${#words[@]}-2}")
                # What stands before the last sign that parts words: readline keeps it, and wants only the rest.
                last=${COMP_WORDS[COMP_CWORD]} cut=${current%"$last"}
                if [[ -n $last && $COMP_WORDBREAKS == *"$last"* ]]; then cut=$current; fi
                COMPREPLY=()
                for ((index = 0; index < ${#previous[@]}; index++)); do
                    if [ -n "$option" ]; then
                        # The names are those of the daemon that is meant.
                        [ "$option" != --socket ] || given=(--socket "${previous[index]//[\\\"\']/}" "${given[@]}")
                        option=''
                        continue
                    fi
                    case $command:${previous[index]} in

            """#
        let patterns =
            labels(of: CommandCompletion.everywhere, "*") + commands.flatMap { labels(of: $0.options, $0.name) }
        out += "        \(patterns.map(\.label).joined(separator: " | "))) option=${previous[index]} ;;\n"
        out += #"""
                    *:--socket=*) given=("${previous[index]//[\\\"\']/}" "${given[@]}") ;;
                    *:-*) ;;
                    :*) command=${previous[index]} ;;
                    *) place=$((place + 1)) given+=("${previous[index]//[\\\"\']/}") ;;
                    esac
                done
                # --option=value
                if [[ -z $option && $current == --*=* ]]; then option=${current%%=*} current=${current#*=} cut=${cut#*=}; fi
                case $command:$option in

            """#
        for (label, value) in patterns where value != .nothing {
            out += "    \(label)) _kibo_offer \(offer(value)) ;;\n"
        }
        out += "    *:-*) ;;\n"
        let names = commands.map(\.name).joined(separator: " ")
        let options = CommandSpec.globalOptions.map(\.name).joined(separator: " ")
        out += "    :) _kibo_offer words \(names) \(options) ;;\n    *) _kibo_place ;;\n    esac\n"
        out += """
            }

            _kibo_place() {
                if [[ $current == -* ]]; then
                    case $command in

            """
        for command in commands {
            let options = (command.options + CommandCompletion.everywhere).map(\.spec.name).joined(separator: " ")
            out += "        \(command.name)) _kibo_offer words \(options) ;;\n"
        }
        out += "        esac\n        return\n    fi\n    case $command:$place in\n"
        for command in commands {
            for (index, argument) in command.arguments.enumerated() where argument.value != .nothing {
                let place = argument.spec.count == .any ? "*" : "\(index)"
                out += "    \(command.name):\(place)) _kibo_offer \(offer(argument.value)) ;;\n"
            }
        }
        return out + "    esac\n}\n\ncomplete -F _kibo kibo\n"
    }

    /// The options that take a value, as a pattern for `COMMAND:OPTION`.
    private static func labels(
        of options: [(spec: OptionSpec, value: Completion?)], _ command: String
    ) -> [(label: String, value: Completion)] {
        options.flatMap { option in
            guard let value = option.value else { return [(label: String, value: Completion)]() }
            return [option.spec.name, option.spec.short].compactMap { $0 }.map { ("\(command):\($0)", value) }
        }
    }

    private static func offer(_ value: Completion) -> String {
        switch value {
        case .words(let words): "words " + words.map(Shell.quoted).joined(separator: " ")
        case .files: "files"
        case .names(let names): names.rawValue
        case .nothing: "words"
        }
    }
}
