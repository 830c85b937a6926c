import Basics
import Crypto
import PeerProtocol
import Vocabulary

/// Hashes that tests can distinguish.
func hash(_ number: UInt64) -> EntryHash { EntryHash(hashing: CBOR.unsigned(number).encoded()) }

/// The root of no real group, for code that doesn't look at it.
let someRoot = hash(1)

/// A signed entry without a log around it.
func logEntry(
    _ person: Person, _ sequence: UInt64 = 1, after previous: EntryHash? = nil, root: EntryHash = someRoot,
    heads: [EntryHash] = [someRoot], dependencies: [LogReference] = [], text: String = "hi", id: UUIDv7? = nil,
    seconds: Int64 = 0
) throws -> LogEntry {
    let position = LogEntry.Position(
        root: root, sequence: sequence, previous: previous, heads: heads, dependencies: dependencies)
    let at = WallTime(milliseconds: someTime.milliseconds + seconds * 1000)
    return try LogEntry.make(
        .message, id: id ?? PeerProtocolTests.id(sequence), content: LogContent.message(textMessage(text)).encoded(),
        at: position, key: person.deviceKey, time: HybridTime(milliseconds: at.milliseconds), at: at)
}

/// A valid body for each kind of group frame.
func groupBody(_ kind: FrameKind) throws -> [UInt8] {
    switch kind {
    case .groupHeads: try GroupHeadsBody(root: someRoot, heads: [hash(2)], digest: hash(3)).encoded()
    case .groupTops: try GroupTopsBody(root: someRoot, tops: [], isReply: false).encoded()
    case .groupWant: try GroupWantBody(root: someRoot, heads: [hash(2)]).encoded()
    case .groupEntries: try GroupEntriesBody(root: someRoot).encoded()
    case .groupChange: try GroupChangeBody(root: someRoot, entries: [[1]]).encoded()
    case .groupEntry: try GroupEntryBody(logEntry(Person(3))).encoded()
    case .groupSeen: try GroupSeenBody(root: someRoot, messages: [PeerProtocolTests.id(5)]).encoded()
    case .groupTyping: GroupTypingBody(root: someRoot, isTyping: true).encoded()
    default: []
    }
}
