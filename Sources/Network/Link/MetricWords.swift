import Basics
import PeerProtocol

/// The names of ends and failures in metrics: few words, and none that a peer chose.
extension ConnectionFailure {
    package var word: String {
        switch self {
        case .unreachable, .timeout: "unreachable"
        case .interrupted, .ended: "interrupted"
        case .closed: "closed"
        case .wrongPeer: "wrong_peer"
        case .channel(let error): error.word
        }
    }
}

extension ConnectionFailure {
    static let words = ["closed", "interrupted", "unreachable", "wrong_peer"] + ChannelError.words
}

extension ChannelError {
    static let words = [
        "copy", "handshake", "identity", "no_knock", "not_kibo", "other_realm", "ourselves", "out_of_turn", "record",
        "timeout", "unexpected", "unknown_purpose", "unsupported_version", "wrong_knock",
    ]

    fileprivate var word: String {
        switch self {
        case .notKibo: "not_kibo"
        case .unsupportedVersion: "unsupported_version"
        case .unknownPurpose: "unknown_purpose"
        case .realmMismatch: "other_realm"
        case .ourselves: "ourselves"
        case .copy: "copy"
        case .unexpected: "unexpected"
        case .noKnock: "no_knock"
        case .wrongKnock: "wrong_knock"
        case .handshakeTimeout: "timeout"
        case .identity: "identity"
        case .handshakeLength, .handshake: "handshake"
        case .recordLength, .record: "record"
        case .outOfTurn, .over: "out_of_turn"
        }
    }
}

extension SessionEnd {
    /// How it ended, for the log. The peer's words are escaped.
    package var text: String {
        switch self {
        case .closedHere(let reason, let detail): "closed here: \(Self.text(reason, detail))"
        case .closedByPeer(let reason, let detail): "closed by the peer: \(Self.text(reason, detail))"
        case .interrupted: "the connection broke"
        case .silence: "nothing was heard for too long"
        }
    }

    private static func text(_ reason: CloseReason, _ detail: String?) -> String {
        detail.map { "\(reason), \(ForeignText.escaped($0))" } ?? "\(reason)"
    }

    static let words =
        ["interrupted", "silence"]
        + ["closed_here_", "closed_by_peer_"].flatMap { end in CloseReason.words.map { end + $0 } }

    package var word: String {
        switch self {
        case .closedHere(let reason, _): "closed_here_\(reason.word)"
        case .closedByPeer(let reason, _): "closed_by_peer_\(reason.word)"
        case .interrupted: "interrupted"
        case .silence: "silence"
        }
    }
}

extension CloseReason {
    fileprivate static let words = [
        "busy", "copied", "goodbye", "idle", "not_allowed", "other", "protocol_error", "renewed", "replaced",
        "unresponsive",
    ]

    /// One word stands for all numbers that this version doesn't know, because the peer chooses the number.
    fileprivate var word: String {
        switch self {
        case .goodbye: "goodbye"
        case .idle: "idle"
        case .replaced: "replaced"
        case .renewed: "renewed"
        case .protocolError: "protocol_error"
        case .busy: "busy"
        case .notAllowed: "not_allowed"
        case .unresponsive: "unresponsive"
        case .copied: "copied"
        default: "other"
        }
    }
}
