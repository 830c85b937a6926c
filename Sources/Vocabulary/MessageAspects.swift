/// A side of a message that can change by itself.
public enum MessageAspect: String, CaseIterable, Hashable, Sendable {
    /// Its author edited it.
    case text
    /// Its author deleted it for all.
    case deleted
    case reactions
    /// How far it has come with its recipients.
    case delivery
    /// Whether it was read here.
    case unread
    /// Its files: how their transfers stand.
    case attachments
    /// What became of a call.
    case call

    fileprivate var bit: UInt8 {
        switch self {
        case .text: 1
        case .deleted: 2
        case .reactions: 4
        case .delivery: 8
        case .unread: 16
        case .attachments: 32
        case .call: 64
        }
    }
}

/// Several sides of a message. The raw value is stored in the event log.
public struct MessageAspects: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public init(_ aspect: MessageAspect) { rawValue = aspect.bit }

    /// All of them, in the order of the contract.
    public var list: [MessageAspect] { MessageAspect.allCases.filter { rawValue & $0.bit != 0 } }
}
