import Basics
import ControlProtocol
import PeerProtocol
import Vocabulary

/// Puts calls into words for clients.
struct CallWording {
    /// The revision of the last object. It begins with the microseconds since the host's start, so that it grows across restarts.
    private var revision: Int64
    /// How often this host's addresses have changed. When it grows, windows look for a new route to the other side.
    var moves: Int64 = 0

    init(now: Instant) { revision = Int64(clamping: now.nanoseconds / 1000) }

    mutating func call(_ view: CallView, in conversation: UUIDv7?, isVerified: (AccountID) -> Bool) -> Call {
        revision += 1
        var told = Call(view, revision: revision, in: conversation, isVerified: isVerified)
        told.moves = moves
        return told
    }
}

extension Call {
    /// - Parameters:
    ///   - revision: the number of the object, greater than that of each object before.
    ///   - conversation: where the call takes place; nil before it is known.
    init(_ view: CallView, revision: Int64, in conversation: UUIDv7?, isVerified: (AccountID) -> Bool) {
        self.init()
        id = view.id.description
        self.revision = revision
        self.conversation = conversation?.description
        direction = view.isOutgoing ? .outgoing : .incoming
        state = view.stage
        group = view.root != nil
        media = view.media
        waiting = view.isWaiting
        participants = view.participants.map {
            Participant(
                account: $0.party.account.description, device: $0.party.device.description, state: $0.phase,
                reachable: $0.isHere, since: $0.since?.milliseconds, silent: $0.isSilent,
                sends: CallSource.all(in: $0.sends), verified: isVerified($0.party.account),
                generation: Int64(clamping: $0.generation))
        }
        sends = CallSource.all(in: view.sends)
        seat = view.seat?.description
        generation = Int64(clamping: view.generation)
        signals = Int64(clamping: view.signals)
        startedAt = view.startedAt.milliseconds
        connectedAt = view.connectedAt?.milliseconds
        duration = view.duration
        reason = view.reason
        replacedBy = view.replacedBy?.description
    }
}

extension CallSource {
    var bit: CallSends {
        switch self {
        case .microphone: .microphone
        case .camera: .camera
        case .screen: .screen
        }
    }

    static func all(in sends: CallSends) -> [CallSource] { allCases.filter { sends.contains($0.bit) } }
}

extension CallSignal {
    init(_ item: CallSignalItem) {
        self.init(
            index: Int64(clamping: item.index), device: item.device.description,
            generation: Int64(clamping: item.generation), kind: item.kind, sdp: item.sdp,
            candidates: item.candidates.map(\.line))
    }
}

extension ControlError {
    /// Words an objection of the machine as a refusal for the client.
    init(_ objection: CallObjection) {
        self =
            switch objection {
            case .noCall: ControlError(.notFound, "there is no such call any more", field: "id")
            case .taken: ControlError(.alreadyExists, "another window has taken the call", field: "id")
            case .notSeated: ControlError(.notAllowed, "another window has the call", field: "seat")
            case .busy: ControlError(.busy, "there is another call, which has to end first")
            case .full: ControlError(.busy, "eight are in the call already", field: "id")
            case .own: ControlError(.notAllowed, "this call is one's own", field: "id")
            case .noDevice: ControlError(.notFound, "no device of that name takes part", field: "device")
            case .tooOften: ControlError(.busy, "that is too much at once: wait a little")
            case .description(let why):
                ControlError(.invalid, "the session description is not taken: \(why)", field: "sdp")
            case .fingerprint:
                ControlError(.invalid, "the session description has another certificate than the seat", field: "sdp")
            case .candidate(let number):
                ControlError(.invalid, "line \(number) is not a candidate", field: "candidates")
            }
    }
}
