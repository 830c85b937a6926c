import Basics
import Glibc

/// What daemons did to their files (``TestDisk``), in order.
///
/// The log and the earlier content of the disk give every state that a power cut may leave: see ``PowerCut``.
public struct DiskLog: Sendable {
    /// A file or a directory. An inode's number may be reused later, so each node gets a number of its own.
    typealias Node = Int

    /// One change.
    enum Change: Sendable {
        case make(parent: Node, name: String, node: Node, isDirectory: Bool, mode: mode_t)
        case link(parent: Node, name: String, node: Node)
        case remove(parent: Node, name: String, node: Node)
        case rename(from: Node, String, to: Node, String, node: Node)
        case write(Node, offset: Int, bytes: Range<Int>)
        case resize(Node, Int)
        case zero(Node, offset: Int, count: Int)
    }

    struct Entry: Sendable {
        /// The end of its record in the log.
        let end: Int
        let change: Change
        /// The end of the record of the synchronisation that made it safe; nil if none did.
        var safe: Int?
    }

    /// The log's bytes, which contain the written bytes.
    let bytes: [UInt8]
    private(set) var entries: [Entry] = []
    let base: DiskTree
    /// The positions in the log at which records end.
    public private(set) var ends: [Int] = []

    /// - Parameter base: the files before the first record.
    /// - Throws: ``SystemError``.
    public init(path: String, base: DiskTree) throws {
        self.base = base
        bytes = try TextFile.bytes(path)
        var reader = Reader(bytes: bytes, base: base)
        // Changes that no synchronisation has covered so far, by the node that has to be synchronised.
        var waiting: [Node: [Int]] = [:]
        while let record = reader.next() {
            ends.append(reader.position)
            switch record {
            case .change(let change):
                for node in Self.holders(of: change) { waiting[node, default: []].append(entries.count) }
                entries.append(Entry(end: reader.position, change: change))
            case .synchronised(let node, let position):
                for node in node.map({ [$0] }) ?? Array(waiting.keys) {
                    let covered = waiting[node]?.prefix { entries[$0].end <= position } ?? []
                    for index in covered where entries[index].safe == nil { entries[index].safe = reader.position }
                    waiting[node]?.removeFirst(covered.count)
                }
            case .nothing: break
            }
        }
        guard reader.position == bytes.count else { throw SystemError("\(path) at \(reader.position)", code: EBADMSG) }
    }

    /// The nodes whose synchronisation makes a change safe. If there are two directories, either is enough (a rename is
    /// one change to a journal).
    static func holders(of change: Change) -> Set<Node> {
        switch change {
        case .make(let node, _, _, _, _), .link(let node, _, _), .remove(let node, _, _), .write(let node, _, _),
            .resize(let node, _), .zero(let node, _, _):
            [node]
        case .rename(let from, _, let to, _, _): [to, from]
        }
    }

    /// Reads records, and tracks which node an inode and a name belong to.
    private struct Reader {
        enum Record {
            case change(Change)
            case synchronised(Node?, before: Int)
            case nothing
        }

        let bytes: [UInt8]
        var position = 0
        private var nodes: [UInt64: Node]
        private var names: [Node: [String: Node]]
        private var nextNode: Node

        init(bytes: [UInt8], base: DiskTree) {
            self.bytes = bytes
            nodes = base.inodes
            names = base.nodes.mapValues(\.entries)
            nextNode = base.nextNode
        }

        mutating func next() -> Record? {
            guard let newline = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let fields = String(decoding: bytes[position..<newline], as: UTF8.self).split(separator: " ")
            let numbers = fields.dropFirst().compactMap { UInt64($0) }
            guard numbers.count == 6, let letter = fields.first, let count = Int(exactly: numbers[5]),
                newline + 1 + count <= bytes.count
            else { return nil }
            let data = newline + 1..<newline + 1 + count
            position = data.upperBound
            return record(letter, numbers, data) ?? .nothing
        }

        private mutating func record(_ letter: Substring, _ numbers: [UInt64], _ data: Range<Int>) -> Record? {
            let offset = Int(clamping: numbers[1])
            switch letter {
            case "C", "M", "L": return named(letter, numbers, text(data))
            case "U":
                let name = text(data)
                guard let parent = nodes[numbers[0]], let node = names[parent]?.removeValue(forKey: name)
                else { return nil }
                return .change(.remove(parent: parent, name: name, node: node))
            case "R":
                let split = data.lowerBound + Int(clamping: numbers[4])
                let (old, new) = (text(data.lowerBound..<split), text(split..<data.upperBound))
                guard let from = nodes[numbers[0]], let to = nodes[numbers[1]],
                    let node = names[from]?.removeValue(forKey: old)
                else { return nil }
                names[to, default: [:]][new] = node
                return .change(.rename(from: from, old, to: to, new, node: node))
            case "W": return nodes[numbers[0]].map { .change(.write($0, offset: offset, bytes: data)) }
            case "T": return nodes[numbers[0]].map { .change(.resize($0, offset)) }
            case "Z":
                return nodes[numbers[0]].map { .change(.zero($0, offset: offset, count: Int(clamping: numbers[2]))) }
            case "S": return nodes[numbers[0]].map { .synchronised($0, before: offset) }
            case "Y": return .synchronised(nil, before: offset)
            default: return nil
            }
        }

        private mutating func named(_ letter: Substring, _ numbers: [UInt64], _ name: String) -> Record? {
            guard let parent = nodes[numbers[0]] else { return nil }
            if letter == "L" {
                guard let node = nodes[numbers[1]] else { return nil }
                names[parent, default: [:]][name] = node
                return .change(.link(parent: parent, name: name, node: node))
            }
            let node = nextNode
            nextNode += 1
            nodes[numbers[1]] = node
            names[parent, default: [:]][name] = node
            return .change(
                .make(
                    parent: parent, name: name, node: node, isDirectory: letter == "M",
                    mode: mode_t(truncatingIfNeeded: numbers[2])))
        }

        private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    }
}
