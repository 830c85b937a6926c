import Basics

/// What is done to a daemon while two friends talk, each with the rate that a process of its own keeps to.
enum Attack: String, CaseIterable {
    /// Datagrams of random bytes, some with the right beginning.
    case garbage
    /// Announcements of made-up devices, rightly signed, each of another.
    case devices
    /// Forged announcements in the names of the two daemons, each newer than the last genuine one.
    case forged
    /// Sessions of fresh strangers who ask for 300 pages of the peer exchange each.
    case peerExchange
    /// Connections on which nothing is said, as many as may be held, and ever new ones.
    case connects
    /// Handshakes of a byte a second, as many as may be held, and ever new ones.
    case slow
    /// Whole handshakes by fresh strangers, each with half a frame, who then stay.
    case strangers
    /// A friend's frames that need no disk, as many as it can send.
    case frames
    /// A friend's messages, as many as it can send, all of them to be stored.
    case messages

    /// Things a second; nil: as many as it can.
    var rate: Int? {
        switch self {
        case .garbage: 20_000
        case .devices: 2_000
        case .forged: 20_000
        case .peerExchange: 8
        case .connects: 1_000
        case .slow: 200
        case .strangers: 100
        case .frames, .messages: nil
        }
    }

    /// For people.
    var text: String {
        let what =
            switch self {
            case .garbage: "garbage datagrams"
            case .devices: "signed datagrams of made-up devices"
            case .forged: "forged datagrams in the friends' names"
            case .peerExchange: "strangers who ask for 300 pages of the peer exchange"
            case .connects: "connects that say nothing"
            case .slow: "handshakes of a byte a second"
            case .strangers: "fresh strangers with half a frame"
            case .frames: "a friend's frames, as fast as it can"
            case .messages: "a friend's messages, as fast as it can"
            }
        return rate.map { "\(what), \($0)/s" } ?? what
    }

    /// Connections held at once: more than a daemon lets in.
    static let held = 600
}
