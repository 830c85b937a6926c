import Basics
import ControlProtocol
import Store
import Vocabulary

/// What happened to a file that a message carries, and its state now: its part of the answer of `message.why`.
struct FileStory: Sendable {
    let row: TransferRow
    /// Whether the file belongs to a note to oneself: it stays where it was, and goes nowhere.
    let isNote: Bool
    /// The name of the other side; nil for a member of a group.
    let peer: String?

    private var isOurs: Bool { row.direction == .outgoing && !isNote }

    private func about(_ more: JSONObject = [:]) -> JSONObject {
        var about: JSONObject = ["file": .string(row.name)]
        for field in more.fields { about[field.name] = field.value }
        return about
    }

    private var name: JSONObject { peer.map { ["name": .string($0)] } ?? [:] }
    private var leftOut: JSONObject { row.problems > 0 ? ["leftOut": .integer(row.problems)] : [:] }

    private var reason: JSONObject {
        let canceller = TransferSide.canceller(row.state, reason: row.reason, detail: row.detail)
        var reason: JSONObject = isOurs && row.state == .declined || canceller == .peer ? name : [:]
        if let canceller {
            reason["by"] = .string(canceller.rawValue)
            return reason
        }
        if let why = row.reason { reason["reason"] = .string(why.contract) }
        if let detail = row.detail { reason["detail"] = .string(detail) }
        return reason
    }

    var steps: [(at: WallTime, what: Remark<StoryStep>)] {
        var steps: [(at: WallTime, what: Remark<StoryStep>)] = []
        if let at = row.life.acceptedAt {
            steps.append((at, isOurs ? Remark(.fileTaken, about(name)) : Remark(.fileTakenHere, about())))
        }
        if let at = row.finishedAt {
            switch row.state {
            case .done where isOurs:
                var end = name
                if row.problems > 0 { end["leftOut"] = .integer(row.problems) }
                steps.append((at, Remark(.fileDelivered, about(end))))
            case .done: steps.append((at, Remark(.fileHere, about(leftOut))))
            case .declined: steps.append((at, Remark(.fileDeclined, about(reason))))
            case .cancelled: steps.append((at, Remark(.fileCancelled, about(reason))))
            default: steps.append((at, Remark(.fileFailed, about(reason))))
            }
        }
        if let at = row.life.removedAt { steps.append((at, Remark(.fileRemoved, about()))) }
        return steps
    }

    /// One sentence.
    var now: Remark<StoryState> {
        let progress: JSONObject = ["done": .integer(row.bytesDone), "size": .integer(row.size)]
        let types: JSONObject = ["types": .string(FileType.words(row.unlisted))]
        switch row.state {
        case .offered where isOurs && row.life.heldBack != nil:
            var about = about(types)
            if let peer { about["name"] = .string(peer) }
            return Remark(.fileHeldBack, about)
        case .offered where row.life.heldBack != nil:
            var about = about(types)
            about["transfer"] = .string(row.id.description)
            return Remark(.fileHeldBackHere, about)
        case .offered where isOurs: return Remark(.fileOffered, about(name))
        case .offered: return Remark(.fileAwaitsAnswer, about(["transfer": .string(row.id.description)]))
        case .queued: return Remark(.fileQueued, about(name))
        case .active: return Remark(.fileUnderWay, about(progress))
        case .paused:
            var about = about(progress)
            if let peer { about["name"] = .string(peer) }
            if let side = row.life.pausedBy { about["by"] = .string(side.rawValue) }
            if let detail = row.detail { about["detail"] = .string(detail) }
            return Remark(.filePaused, about)
        case .done where isOurs:
            var end = name
            if row.problems > 0 { end["leftOut"] = .integer(row.problems) }
            return Remark(.fileDelivered, about(end))
        case .done: return Remark(.fileHere, about(leftOut))
        case .declined: return Remark(.fileDeclined, about(reason))
        case .cancelled: return Remark(.fileCancelled, about(reason))
        case .failed: return Remark(.fileFailed, about(reason))
        }
    }
}

extension TransferRow {
    /// Sent to a group: any member may take it, and its peer is this account itself.
    var isSharedByUs: Bool { fileRoot != nil && direction == .outgoing }
}
