import Arguments

/// Completion for fish.
enum FishCompletion {
    static func script(_ commands: [CommandCompletion]) -> String {
        var out = """
            # Completion of kibo for fish, made by: kibo completions fish
            complete -c kibo -f

            # __kibo_words: the words so far without options.
            function __kibo_words
                set -l skip
                for word in (commandline -opc)
                    if test -n "$skip"
                        set skip
                        continue
                    end
                    switch $word
                        case --socket
                            set skip yes
                        case '-*'
                        case '*'
                            printf '%s\\n' $word
                    end
                end
            end

            # __kibo_daemon: the option that names another daemon than the usual one, for asking that one for names.
            function __kibo_daemon
                set -l words (commandline -opc)
                for index in (seq (count $words))
                    switch $words[$index]
                        case --socket
                            printf '%s\\n' --socket $words[(math $index + 1)]
                        case '--socket=*'
                            printf '%s\\n' $words[$index]
                    end
                end
            end

            function __kibo_at_command
                test (count (__kibo_words)) -eq 1
            end

            # __kibo_at COMMAND PLACE [more]: whether the cursor is at that word of the command, counted from 0, or behind it.
            function __kibo_at
                set -l words (__kibo_words)
                test "$words[2]" = "$argv[1]"; or return 1
                set -l place (math (count $words) - 2)
                test $place -eq $argv[2]; or begin; test "$argv[3]" = more; and test $place -gt $argv[2]; end
            end

            """
        for (spec, value) in CommandCompletion.everywhere { out += line(nil, spec, value) }
        for command in commands {
            out += "complete -c kibo -n __kibo_at_command -a \(command.name) -d \(Shell.quoted(command.summary))\n"
        }
        for command in commands {
            for (spec, value) in command.options { out += line(command.name, spec, value) }
            for (place, argument) in command.arguments.enumerated() {
                let words = words(argument.value)
                guard !words.isEmpty else { continue }
                let more = argument.spec.count == .any ? " more" : ""
                out += "complete -c kibo -n '__kibo_at \(command.name) \(place)\(more)' \(words)"
                out += " -d \(Shell.quoted(argument.spec.name))\n"
            }
        }
        return out
    }

    private static func line(_ command: String?, _ option: OptionSpec, _ value: Completion?) -> String {
        var out = "complete -c kibo"
        if let command { out += " -n '__fish_seen_subcommand_from \(command)'" }
        out += " -l \(option.name.drop { $0 == "-" })"
        if let short = option.short { out += " -s \(short.drop { $0 == "-" })" }
        if let value {
            let words = words(value)
            // Other than -x, -r leaves room for paths.
            out += value == .files ? " -r" : " -x"
            if !words.isEmpty { out += " \(words)" }
        }
        return out + " -d \(Shell.quoted(option.help))\n"
    }

    private static func words(_ value: Completion) -> String {
        switch value {
        case .words(let words): "-a \(Shell.quoted(words.joined(separator: " ")))"
        case .files: "-F"
        case .names(let names):
            "-a '(kibo completions \(names.rawValue) --current=(commandline -ct) -- (__kibo_daemon) (commandline -opc)[3..] 2>/dev/null)'"
        case .nothing: ""
        }
    }
}
