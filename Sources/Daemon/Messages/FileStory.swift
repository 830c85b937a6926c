import Basics
import ControlProtocol
import Messaging
import Store
import Vocabulary

/// What happened to a file that a message carries, and how it stands: its part of the answer of `message.why`.
struct FileStory: Sendable {
    let row: TransferRow
    /// The other side, fit to be shown.
    let peer: String

    private var name: String { ForeignText.escaped(row.name) }
    private var isOurs: Bool { row.direction == .outgoing }

    var steps: [(at: WallTime, what: String)] {
        var steps: [(at: WallTime, what: String)] = []
        if let at = row.life.acceptedAt { steps.append((at, "\(name): \(isOurs ? "\(peer) took it" : "taken here")")) }
        if let at = row.finishedAt { steps.append((at, "\(name): \(ending)")) }
        if let at = row.life.removedAt { steps.append((at, "\(name): removed here for its age")) }
        return steps
    }

    /// One sentence.
    var now: String {
        switch row.state {
        case .offered:
            return isOurs
                ? "\(name) waits until \(peer) takes or declines it."
                : "\(name) waits for your answer: kibo get or kibo decline."
        case .queued: return "\(name) waits for its turn, or for \(peer) to be reached."
        case .active: return "\(name) is on its way: \(progress)."
        case .paused: return "\(name) stands at \(progress): \(holder)."
        case .done, .declined, .cancelled, .failed: return "\(name) is over: \(ending)."
        }
    }

    private var ending: String {
        switch row.state {
        case .done where isOurs: "it is with \(peer)" + leftOut
        case .done: "it is here" + leftOut
        case .declined: "declined by \(isOurs ? peer : "this side")" + because
        case .cancelled: "cancelled" + (row.detail.map { " " + ForeignText.escaped($0) } ?? "")
        default: "failed" + because
        }
    }

    private var leftOut: String { row.problems > 0 ? ", but for \(row.problems) files that were left out" : "" }

    private var because: String {
        if let detail = row.detail { return ": " + ForeignText.escaped(detail) }
        return row.reason.map { ": " + String($0.map { $0 == "_" ? " " : $0 }) } ?? ""
    }

    private var holder: String {
        switch row.life.pausedBy {
        case .us: "paused here"
        case .peer: "paused by \(peer)"
        case .both: "paused by both sides"
        case nil: row.detail.map { ForeignText.escaped($0) } ?? "it goes on by itself"
        }
    }

    private var progress: String {
        "\(SizeText.text(UInt64(clamping: row.bytesDone))) of \(SizeText.text(UInt64(clamping: row.size)))"
    }
}

extension TransferRow {
    /// Sent to a group: whoever of it wants it takes it, and its peer is nobody but this account.
    var isSharedByUs: Bool { root != nil && direction == .outgoing }
}
