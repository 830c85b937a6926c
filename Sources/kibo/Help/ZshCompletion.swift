import Arguments

/// Completion for zsh: the function `_kibo` of a folder in its `fpath`.
enum ZshCompletion {
    static func script(_ commands: [CommandCompletion]) -> String {
        var out = """
            #compdef kibo
            # Completion of kibo for zsh, made by: kibo completions zsh

            # What the daemon knows, a line each. The kind is the last word; what _arguments adds stands before it.
            _kibo_names() {
                local -a names daemon
                # The names are those of the daemon that is meant.
                [[ -z $socket ]] || daemon=(--socket $socket)
                names=(${(f)"$(kibo completions ${@[-1]} --current=${words[CURRENT]} -- $daemon ${(Q)words[2,CURRENT-1]} 2>/dev/null)"})
                compadd "${(@)argv[1,-2]}" -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -a names
            }

            _kibo_commands() {
                local -a commands
                commands=(

            """
        for command in commands { out += "        \(Shell.quoted("\(command.name):\(command.summary)"))\n" }
        out += """
                )
                _describe command commands
            }

            _kibo() {
                local context state state_descr line socket
                typeset -A opt_args
                _arguments -C \\

            """
        for option in CommandCompletion.everywhere { out += entry(option.spec, option.value) }
        out +=
            """
                    '1:command:_kibo_commands' '*::word:->words'
                socket=${(Q)opt_args[--socket]}
                # Behind an option that stands everywhere, zsh leaves the command out of the words.
                (( $#words < $#line )) && words=("$line[1]" "${words[@]}") && (( CURRENT++ ))
                case $line[1] in

            """
        for command in commands {
            out += "    \(command.name))\n        _arguments -s \\\n"
            for option in command.options + CommandCompletion.everywhere { out += entry(option.spec, option.value) }
            for (index, argument) in command.arguments.enumerated() {
                let place =
                    switch argument.spec.count {
                    case .one: "\(index + 1):"
                    case .optional: "\(index + 1)::"
                    case .any: "*:"
                    }
                out +=
                    "            \(Shell.quoted("\(place)\(plain(argument.spec.name)):\(action(argument.value))")) \\\n"
            }
            out += "            && return 0\n        ;;\n"
        }
        return out + "    esac\n}\n\n_kibo \"$@\"\n"
    }

    private static func entry(_ option: OptionSpec, _ value: Completion?) -> String {
        let tail = value.map { ":\(plain(option.value ?? "")):\(action($0))" } ?? ""
        let repeats = option.repeats ? "*" : ""
        return [option.name, option.short].compactMap { $0 }.map { name in
            // A value may stand behind an equals sign, too.
            let equals = value != nil && name.hasPrefix("--") ? "=" : ""
            let words = "\(repeats)\(name)\(equals)[\(plain(option.help))]\(tail)"
            return "            \(Shell.quoted(words)) \\\n"
        }.joined()
    }

    /// Without what _arguments reads as its own signs.
    private static func plain(_ text: String) -> String {
        var out = ""
        for character in text {
            if "[]:\\".contains(character) { out.append("\\") }
            out.append(character)
        }
        return out
    }

    private static func action(_ value: Completion) -> String {
        switch value {
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .names(let names): "_kibo_names \(names.rawValue)"
        case .nothing: " "
        }
    }
}
