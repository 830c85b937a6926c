import Arguments

/// What may stand at a place of a command line.
enum Completion: Equatable {
    /// One of these.
    case words([String])
    /// A path.
    case files
    /// A name that the daemon knows.
    case names(CompletedNames)
    /// Free text, a number.
    case nothing

    /// From what a place is called in the help of a command: `WHO`, `GROUP`, `me|all`, `PATH`.
    init(place: String, choices: [String], of command: String) {
        let parts = place.split(separator: "|").map(String.init)
        if !choices.isEmpty {
            self = .words(choices)
        } else if parts.count > 1, parts.allSatisfy({ $0 == $0.lowercased() }) {
            self = .words(parts)
        } else if let names = CompletedNames(place: place, of: command) {
            self = .names(names)
        } else if place == "MESSAGE" || place == "ID" && command == "send" {
            self = .words(["last", "last-1", "last-2"])
        } else if place == "EMOJI" {
            self = .names(.emoji)
        } else {
            let isPath = ["PATH", "FILE", "DIR"].contains(where: parts.contains)
            self = isPath || (command, place) == ("addressbook", "WORD") ? .files : .nothing
        }
    }
}

/// Names that `kibo completions` asks the daemon for.
enum CompletedNames: String, CaseIterable {
    case people, contacts, chats, groups, transfers, settings
    /// People who ask to be friends; files that are offered; both.
    case requests, offers, declinable
    case blocked
    /// People who are not friends yet.
    case strangers
    /// Conversations with a mark, to take it away.
    case muted, pinned, archived
    /// Transfers that can be paused, resumed or cancelled.
    case pausable, resumable, cancellable
    /// What may stand behind the words of `kibo group`; the values of a setting.
    case group, values
    /// The devices whose LocalSend offers wait or come in, or that something goes out to; all devices with LocalSend nearby.
    case localsend, devices
    /// The names of emoji, with colons if the word begins with one.
    case emoji

    init?(place: String, of command: String) {
        switch (command, place) {
        case ("accept", "WHO"): self = .requests
        case ("decline", _): self = .declinable
        case ("unblock", "WHO"): self = .blocked
        case ("add", "WHO"): self = .strangers
        case ("block", "WHO"): self = .people
        case ("unmute", "CHAT"): self = .muted
        case ("unpin", "CHAT"): self = .pinned
        case ("unarchive", "CHAT"): self = .archived
        case ("call", "WHO"): self = .chats
        case (_, "WHO"): self = .contacts
        case (_, "CHAT"): self = .chats
        case ("group", "WORD"): self = .group
        case (_, "GROUP"): self = .groups
        case ("get", "TRANSFER"): self = .offers
        case ("pause", "TRANSFER"): self = .pausable
        case ("resume", "TRANSFER"): self = .resumable
        case ("cancel", "TRANSFER"): self = .cancellable
        case (_, "TRANSFER"): self = .transfers
        case ("localsend", "OFFER"): self = .localsend
        case ("send", "DEVICE"): self = .devices
        case (_, "KEY"): self = .settings
        case ("settings", "VALUE"): self = .values
        default: return nil
        }
    }
}

/// What a command's words may be, for all shells.
struct CommandCompletion {
    let name: String
    let summary: String
    let options: [(spec: OptionSpec, value: Completion?)]
    let arguments: [(spec: ArgumentSpec, value: Completion)]

    init(_ spec: CommandSpec, commands: [String]) {
        name = spec.name
        summary = spec.summary
        options = Self.values(of: spec.options, name)
        arguments = spec.arguments.map { argument in
            let choices = argument.name == "COMMAND" ? commands : argument.choices
            return (argument, Completion(place: argument.name, choices: choices, of: spec.name))
        }
    }

    /// The options that stand before and behind every command.
    static let everywhere = values(of: CommandSpec.globalOptions, "")

    static func all(of commands: [any Command]) -> [CommandCompletion] {
        let names = commands.map(\.spec.name)
        return commands.map { CommandCompletion($0.spec, commands: names) }
    }

    private static func values(
        of options: [OptionSpec], _ command: String
    ) -> [(spec: OptionSpec, value: Completion?)] {
        options.map { option in
            (option, option.value.map { Completion(place: $0, choices: option.choices, of: command) })
        }
    }
}
