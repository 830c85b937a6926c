import ControlProtocol
import Vocabulary

/// What is done about files.
extension ChatController {
    mutating func file(_ rest: String) -> Bool {
        guard let words = PathWords.read(rest, home: surroundings.home) else { return refuse("A quote is not closed") }
        if words.isEmpty { return refuse("Which file? For example: /file ~/drawing.pdf") }
        do {
            send("", files: try words.map(surroundings.path))
            return true
        } catch {
            return refuse(TextWrap.shown((error as? Failure)?.message ?? "\(error)"))
        }
    }

    /// Takes, refuses, holds, goes on with or ends what the conversation's messages carry: all of it that the command can be
    /// about, or what is named, or what the tagged message carries.
    mutating func move(_ command: SlashCommand) -> Bool {
        guard let action = FileAction(command.name) else { return false }
        var messages = state.model.messages
        if command.tag != nil {
            guard let message = target(command) else { return false }
            messages = [message]
        }
        let files = messages.flatMap { message in
            message.attachments.filter { file in
                let known = state.transfers[file.transfer]?.state ?? file.state
                return action.fits(known, isOwn: message.sender == state.people.own)
            }
        }
        if files.isEmpty { return refuse(action.nothing) }
        let candidates = files.map { Candidate(id: $0.transfer, names: [$0.name], label: Words.name($0.name)) }
        let found = command.rest.isEmpty ? candidates : Resolver.matches(command.rest, among: candidates)
        let isNamed = !command.rest.isEmpty || command.tag != nil
        guard isNamed ? found.count == 1 || command.rest.isEmpty : action.takesAll else {
            let names = (found.isEmpty ? candidates : found).map(\.label)
            let isOfOneName = Set(names).count < names.count
            return refuse(
                TextWrap.shown("Which one? " + names.joined(separator: ", "))
                    + (isOfOneName ? " – name its message too: /\(command.name.rawValue) #TAG (/ids)" : ""))
        }
        for file in found { call(action.method, ["id": .string(file.id)], .moved(file.label)) }
        return true
    }
}

/// What a command does to a transfer.
private enum FileAction {
    case get, decline, pause, resume, cancel

    init?(_ name: SlashCommand.Name) {
        switch name {
        case .get: self = .get
        case .decline: self = .decline
        case .pause: self = .pause
        case .resume: self = .resume
        case .cancel: self = .cancel
        default: return nil
        }
    }

    var method: String {
        switch self {
        case .get: "transfer.accept"
        case .decline: "transfer.decline"
        case .pause: "transfer.pause"
        case .resume: "transfer.resume"
        case .cancel: "transfer.cancel"
        }
    }

    /// Whether no name means all: not where that would end something.
    var takesAll: Bool { self != .cancel }

    var nothing: String {
        switch self {
        case .get, .decline: "Nothing is offered"
        case .pause: "Nothing moves that could be paused"
        case .resume: "Nothing stands or has failed"
        case .cancel: "There is nothing to cancel"
        }
    }

    func fits(_ state: TransferState, isOwn: Bool) -> Bool {
        switch self {
        case .get, .decline: state == .offered && !isOwn
        case .pause: state == .active || state == .queued
        case .resume: state == .paused || state == .failed
        case .cancel: !state.isOver && (state != .offered || isOwn)
        }
    }
}
