import Arguments

/// Completion for fish.
enum FishCompletion {
    static func script(_ commands: [CommandCompletion]) -> String {
        var out = """
            # Completion of kibo for fish, made by: kibo completions fish
            complete -c kibo -f

            # __kibo_at COMMAND PLACE [more]: whether the cursor is at that word of the command, counted from 0, or behind it.
            function __kibo_at
                set -l words (commandline -opc | string match -v -- '-*')
                test "$words[2]" = "$argv[1]"; or return 1
                set -l place (math (count $words) - 2)
                test $place -eq $argv[2]; or begin; test "$argv[3]" = more; and test $place -gt $argv[2]; end
            end

            """
        for (spec, value) in CommandCompletion.everywhere { out += line(nil, spec, value) }
        for command in commands {
            out += "complete -c kibo -n __fish_use_subcommand -a \(command.name) -d \(Shell.quoted(command.summary))\n"
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
            "-a '(kibo completions \(names.rawValue) --current=(commandline -ct) -- (commandline -opc)[3..] 2>/dev/null)'"
        case .nothing: ""
        }
    }
}
