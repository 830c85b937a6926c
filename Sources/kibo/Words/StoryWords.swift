import Basics
import ControlProtocol
import Vocabulary

/// The story of a message, in the words of the command line.
enum StoryWords {
    static func step(_ remark: Remark<StoryStep>, now: WallTime) -> String {
        let p = Values(remark.parameters, now: now)
        switch remark.code {
        case .written: return "written by \(p.name) (their clock)"
        case .writtenHere: return "written and stored here"
        case .arrived: return "arrived and stored here"
        case .changed: return "changed"
        case .handedOver: return "sent over the connection to \(p.name)"
        case .deposited: return "left with \(p.courier), sealed, for \(p.name)"
        case .notTaken:
            return p.isDiskFull
                ? "\(p.name)'s disk was full\(p.tries)"
                : "\(p.name)'s computer could not take it: \(p.reason)\(p.tries)"
        case .brought: return "brought to \(p.name) by \(p.bringer)"
        case .stored: return "stored on \(p.name)'s disk"
        case .read: return "read by \(p.name)"
        case .notSentBlocked: return "not sent to \(p.name), because you blocked them"
        case .refused: return "\(p.name)'s computer refused it: \(p.reason)"
        case .fileTaken: return "\(p.file): \(p.name) took it"
        case .fileTakenHere: return "\(p.file): taken here"
        case .fileDelivered: return "\(p.file): \(p.name) has it\(p.leftOut)"
        case .fileHere: return "\(p.file): it is here\(p.leftOut)"
        case .fileDeclined: return "\(p.file): declined by \(p.decliner)\(p.because)"
        case .fileCancelled: return "\(p.file): cancelled\(p.canceller)"
        case .fileFailed: return "\(p.file): failed\(p.because)"
        case .fileRemoved: return "\(p.file): removed here because of its age"
        }
    }

    /// - Parameter message: as much of its id as means it.
    static func state(_ remark: Remark<StoryState>, of message: String, now: WallTime) -> String {
        let p = Values(remark.parameters, message: message, now: now)
        switch remark.code {
        case .deletedForAll: return "It was deleted for all."
        case .deletedByAuthor: return "It was deleted by \(p.name) for all."
        case .unread: return "It is here, and you have not read it yet."
        case .readHere: return "It is here, and you have read it."
        case .forNobody: return "It has no recipients."
        case .kept: return "It is a note to yourself, and kept here."
        case .changeWaits: return "A change to it is waiting to be sent."
        case .readBy: return "\(p.name) has read it."
        case .delivered: return "\(p.name) has it. Kibo doesn't know whether they have read it."
        case .isBlocked: return "It is not sent to \(p.name), because you have blocked them."
        case .wasBlocked:
            return "It was not sent to \(p.name), because you had blocked them. To send it again: kibo retry \(p.id)"
        case .failed: return "It has failed: \(p.reason). To send it again: kibo retry \(p.id)"
        case .nothingMore: return "Nothing more will be sent to \(p.name)."
        case .noFriend: return "It is waiting, because you and \(p.name) are no longer friends."
        case .handingOver: return "\(p.name) is connected: it is being sent."
        case .notTaken:
            return p.isDiskFull
                ? "\(p.name)'s disk is full. Kibo keeps trying."
                : "\(p.name) is connected but could not take it: \(p.reason). Kibo will try again."
        case .waits: return "\(p.what) for \(p.name), who is not connected: \(p.seen)."
        case .held: return "\(p.courier) keeps it for \(p.name) until \(p.keptUntil)."
        case .broughtOver: return "\(p.courier) says that \(p.name) has it; \(p.name)'s own answer isn't here yet."
        case .courierFull: return "\(p.courier), who keeps messages for \(p.name), has no room for it."
        case .goesToCourier:
            return "\(p.courier) will get it and keep it for \(p.name), unless \(p.name) is back first."
        case .couriersAway: return "Those who keep messages for \(p.name) are away, too: \(p.couriers)."
        case .couriersGivenUp:
            return "\(p.name)'s couriers have lost it several times, so it waits until \(p.name) is here."
        case .couriersRefuse: return "Named by \(p.name), but keeping nothing for others: \(p.couriers)."
        case .couriersUnknown:
            return "Named by \(p.name), but not met since, or their Kibo is too old: \(p.couriers)."
        case .noCourier: return "No friend of yours keeps messages for \(p.name)."
        case .fileHeld: return "\(p.files): also kept by \(p.couriers)."
        case .fileGoesToCourier: return "\(p.files): still to be fetched from this computer by \(p.couriers)."
        case .fileWaitsForBoth: return "\(p.files): not left with couriers; \(p.name) can get them when they are here."
        case .tried: return "Tried\(p.address) \(p.ago): \(p.problem)."
        case .trying: return "Trying\(p.address) now."
        case .nextTry: return "Next try \(p.until), or as soon as \(p.name) is heard."
        case .goesWhenHeard: return "It goes out as soon as \(p.name) is heard on the network."
        case .fileOffered: return "\(p.file) waits until \(p.name) takes or declines it."
        case .fileAwaitsAnswer:
            return "\(p.file) waits for your answer: kibo get \(p.transfer) or kibo decline \(p.transfer)"
        case .fileHeldBack:
            return "\(p.file) is held back by \(p.name): \(p.types). It is sent if \(p.name) takes it anyway."
        case .fileHeldBackHere:
            return
                "\(p.file) is held back: \(p.types). To take it: kibo get --any-type \(p.transfer); or: kibo decline \(p.transfer)"
        case .fileQueued: return "\(p.file) is waiting for its turn, or until \(p.name) can be reached."
        case .fileUnderWay: return "\(p.file) is on its way: \(p.progress)."
        case .filePaused: return "\(p.file) is at \(p.progress): \(p.holder)."
        case .fileDelivered: return "\(p.file) is done: \(p.name) has it\(p.leftOut)."
        case .fileHere: return "\(p.file) is done: it is here\(p.leftOut)."
        case .fileDeclined: return "\(p.file) was declined by \(p.decliner)\(p.because)."
        case .fileCancelled: return "\(p.file) was cancelled\(p.canceller)."
        case .fileFailed: return "\(p.file) has failed\(p.because)."
        }
    }
}

extension StoryWords {
    /// The parameters of a remark, in words.
    fileprivate struct Values {
        let parameters: JSONObject
        let id: String
        private let now: Int64

        init(_ parameters: JSONObject, message: String = "", now: WallTime) {
            self.parameters = parameters
            id = message
            self.now = now.milliseconds
        }

        func text(_ name: String) -> String { parameters[name]?.string ?? "" }

        var name: String { parameters["name"]?.string ?? "a member of the group" }
        var file: String { text("file") }
        var transfer: String { text("transfer") }
        var types: String { text("types") }
        var courier: String { text("courier") }
        var couriers: String { Humane.list((parameters["couriers"]?.array ?? []).compactMap(\.string)) }
        /// The files' names; there may be many.
        var files: String {
            let names = (parameters["files"]?.array ?? []).compactMap(\.string)
            guard names.count > Self.namedFiles else { return Humane.list(names) }
            return Humane.list(Array(names.prefix(Self.namedFiles - 1)) + ["\(names.count - Self.namedFiles + 1) more"])
        }
        private static let namedFiles = 4
        var bringer: String { parameters["courier"] == nil ? "a courier" : courier }
        var keptUntil: String {
            Humane.date(parameters["until"]?.integer ?? now, now: WallTime(milliseconds: now))
        }
        var decliner: String { parameters["name"]?.string ?? "this side" }

        /// Whether there was no room at the other side.
        var isDiskFull: Bool { text("reason") == Reason.noSpace.rawValue }

        /// An error kind and what more there is to say.
        var reason: String {
            let kind = String(text("reason").map { $0 == "_" ? " " : $0 })
            return parameters["detail"]?.string.map { "\(kind) (\($0))" } ?? kind
        }

        /// The detail, or else the error kind.
        var because: String {
            let text = parameters["detail"]?.string ?? String(self.text("reason").map { $0 == "_" ? " " : $0 })
            return text.isEmpty ? "" : ": " + text
        }

        /// Why a dial failed; the code itself where it is one of a later version.
        var problem: String {
            parameters["problem"].flatMap(DialProblem.read)?.words(parameters["detail"]?.string) ?? text("problem")
        }

        var canceller: String {
            switch parameters["by"].flatMap(TransferSide.read) {
            case .us: " here"
            case .peer: " by \(name)"
            case nil: because
            }
        }

        var tries: String {
            let count = parameters["attempts"]?.integer ?? 1
            return count == 1 ? "" : ", \(count) tries so far"
        }

        var leftOut: String {
            let count = parameters["leftOut"]?.integer ?? 0
            return count > 0 ? ", except \(count) files that were left out" : ""
        }

        var what: String { parameters["deletion"] == true ? "The deletion waits" : "It waits" }
        var address: String { parameters["address"]?.string.map { " at \($0)" } ?? "" }
        var seen: String {
            parameters["at"]?.integer == nil ? "never seen on this network so far" : "last seen \(ago)"
        }

        var ago: String {
            let span = now - min(parameters["at"]?.integer ?? now, now)
            return span < 1000 ? "just now" : SpanText.text(milliseconds: span) + " ago"
        }

        var until: String {
            let span = (parameters["at"]?.integer ?? now) - now
            return span < 1000 ? "now" : "in " + SpanText.text(milliseconds: span)
        }

        var progress: String {
            "\(Humane.size(parameters["done"]?.integer ?? 0)) of \(Humane.size(parameters["size"]?.integer ?? 0))"
        }

        var holder: String {
            switch parameters["by"]?.string.flatMap(TransferPause.init) {
            case .us: "paused here"
            case .peer: "paused by \(name)"
            case .both: "paused by both sides"
            case nil: parameters["detail"]?.string ?? "it continues by itself"
            }
        }
    }
}

/// The answer to `message.why`, fit for a terminal.
struct Story {
    let steps: [(when: String, what: String)]
    let now: String

    /// - Parameter message: as much of its id as means it.
    init(json: JSONValue, of message: String, now: WallTime) {
        steps = (json["steps"]?.array ?? []).compactMap { step in
            guard let remark = Remark<StoryStep>.read(step) else { return nil }
            return (
                step["at"]?.integer.map { Humane.moment($0, now: now, precise: true) } ?? "?",
                Words.excerpt(StoryWords.step(remark, now: now))
            )
        }
        let states = Remark<StoryState>.list(json["now"])
        self.now = Words.excerpt(states.map { StoryWords.state($0, of: message, now: now) }.joined(separator: " "))
    }
}
