import Basics

/// An attack on a daemon while two friends write to each other. Each has a rate that a process of its own keeps.
enum Attack: String, CaseIterable {
    /// Datagrams of random bytes, some with a correct beginning.
    case garbage
    /// Announcements of made-up devices, correctly signed, each by another device.
    case devices
    /// Forged announcements in the names of the two daemons, each newer than the last genuine one.
    case forged
    /// Sessions of fresh strangers. Each asks for 300 pages of the peer exchange.
    case peerExchange
    /// Silent connections, as many as may be open, with new ones all the time.
    case connects
    /// Handshakes at one byte a second, as many as may be open, with new ones all the time.
    case slow
    /// Complete handshakes by fresh strangers that send half a frame each and stay.
    case strangers
    /// Requests to be friends, each under a new name, all from one address.
    case requests
    /// A friend's frames that need no disk, as many as the friend can send.
    case frames
    /// A friend's messages, as many as the friend can send, all of which have to be stored.
    case messages
    /// A friend's long messages, as many as the friend can send, to a daemon whose disk has 500 MiB.
    case disk
    /// A friend that announces sixty groups of 256 people who don't exist, with us in them. It then opens one session
    /// after another, and in each claims to have news in every group.
    case groups
    /// The same with 256 groups.
    case manyGroups

    /// Actions per second; nil for as many as possible.
    var rate: Int? {
        switch self {
        case .garbage: 20_000
        case .devices: 2_000
        case .forged: 20_000
        case .peerExchange: 8
        case .connects: 1_000
        case .slow: 200
        case .strangers: 100
        case .requests: 160
        case .frames, .messages, .disk, .groups, .manyGroups: nil
        }
    }

    /// How many groups are announced.
    var groups: Int { self == .groups ? 60 : 256 }

    /// The text for the report.
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
            case .requests: "requests under ever new names from one address"
            case .frames: "a friend's frames, as fast as it can"
            case .messages: "a friend's messages, as fast as it can"
            case .disk: "a friend who fills a disk of 500 MiB, as fast as it can"
            case .groups, .manyGroups: "a friend's \(groups) groups of 256, session after session"
            }
        return rate.map { "\(what), \($0)/s" } ?? what
    }

    /// Connections held at once: more than a daemon admits.
    static let held = 600
}
