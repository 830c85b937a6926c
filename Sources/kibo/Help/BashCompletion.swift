import Arguments

/// Completion for bash, to be sourced or put where bash-completion looks.
enum BashCompletion {
    static func script(_ commands: [CommandCompletion]) -> String {
        var out = """
            # Completion of kibo for bash, made by: kibo completions bash

            # _kibo_offer KIND [WORD…]: offers what begins with the word at the cursor.
            _kibo_offer() {
                local kind=$1 word
                shift
                case $kind in
                files)
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                    return
                    ;;
                words) ;;
                *) mapfile -t words < <(kibo completions "$kind" 2>/dev/null) && set -- "${words[@]}" ;;
                esac
                COMPREPLY=()
                for word in "$@"; do
                    [[ $word != "$current"* ]] || COMPREPLY+=("$(printf %q "$word")")
                done
            }

            _kibo() {
                local current previous=() words=() place=0 index command='' option=''
                # A colon belongs to a group's name.
                if declare -F _get_comp_words_by_ref >/dev/null; then
                    _get_comp_words_by_ref -n : -c current -w words
                    previous=("${words[@]:1:${#words[@]}-2}")
                else
                    current=${COMP_WORDS[COMP_CWORD]} previous=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
                fi
                # The quotes around a name that has been begun.
                current=${current#[\\"\\']} current=${current//\\\\/}
                COMPREPLY=()
                for ((index = 0; index < ${#previous[@]}; index++)); do
                    if [ -n "$option" ]; then option=''; continue; fi
                    case $command:${previous[index]} in

            """
        let patterns =
            labels(of: CommandCompletion.everywhere, "*") + commands.flatMap { labels(of: $0.options, $0.name) }
        out += "        \(patterns.map(\.label).joined(separator: " | "))) option=${previous[index]} ;;\n"
        out += """
                    *:-*) ;;
                    :*) command=${previous[index]} ;;
                    *) place=$((place + 1)) ;;
                    esac
                done
                case $command:$option in

            """
        for (label, value) in patterns where value != .nothing {
            out += "    \(label)) _kibo_offer \(offer(value)) ;;\n"
        }
        out += "    *:-*) ;;\n"
        let names = commands.map(\.name).joined(separator: " ")
        let options = CommandSpec.globalOptions.map(\.name).joined(separator: " ")
        out += "    :) _kibo_offer words \(names) \(options) ;;\n    *) _kibo_place ;;\n    esac\n"
        out += """
                if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "$current"; fi
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
