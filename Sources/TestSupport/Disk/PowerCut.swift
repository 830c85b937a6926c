import Basics

/// A power cut at one moment of a ``DiskLog``. Everything that a completed synchronisation covered remains; the rest
/// may be lost.
public struct PowerCut: Sendable {
    /// What remains of the changes that no synchronisation covered.
    public enum Loss: String, Sendable, CaseIterable {
        /// Everything remains, as after `kill -9`.
        case none
        /// Nothing remains.
        case all
        /// A coin decides for each change.
        case halves
        /// A coin decides for each change, and within a write for each 512 bytes.
        case torn
    }

    /// The loss for the files beneath some directories.
    public struct Side: Sendable {
        let roots: Set<String>
        let loss: Loss

        public init(roots: [String], loss: Loss) {
            self.roots = Set(roots)
            self.loss = loss
        }
    }

    private static let sector = 512

    let sides: [Side]
    /// Whether synchronisations count as if they had never been made. This is the control, which must lose what was
    /// promised.
    let ignoresSyncs: Bool

    public init(_ sides: [Side], ignoresSyncs: Bool = false) {
        self.sides = sides
        self.ignoresSyncs = ignoresSyncs
    }

    /// The state of the files after a cut.
    /// - Parameter position: a position in the log; records that end later have not happened.
    public func state(
        of log: DiskLog, at position: Int, using random: inout some RandomNumberGenerator
    ) -> DiskTree {
        var tree = log.base
        var owners = owners(in: tree)
        for entry in log.entries {
            guard entry.end <= position else { break }
            let isSafe = !ignoresSyncs && entry.safe.map { $0 <= position } ?? false
            if case .make(let parent, _, let node, _, _) = entry.change { owners[node] = owners[parent] }
            let loss = isSafe ? .none : DiskLog.holders(of: entry.change).compactMap { owners[$0] }.first ?? .none
            apply(entry.change, loss, to: &tree, log.bytes, &random)
        }
        return tree
    }

    /// The loss that holds for each node that was there at first.
    private func owners(in tree: DiskTree) -> [DiskLog.Node: Loss] {
        var owners: [DiskLog.Node: Loss] = [:]
        func walk(_ node: DiskLog.Node, _ loss: Loss) {
            owners[node] = loss
            for entry in tree.nodes[node]?.entries.values ?? [:].values { walk(entry, loss) }
        }
        for (path, root) in tree.roots {
            walk(root, sides.first { $0.roots.contains(path) }?.loss ?? .none)
        }
        return owners
    }

    private func apply(
        _ change: DiskLog.Change, _ loss: Loss, to tree: inout DiskTree, _ bytes: [UInt8],
        _ random: inout some RandomNumberGenerator
    ) {
        switch loss {
        case .none: break
        case .all:
            // A node must exist so that safe changes in it remain.
            if case .make(_, _, let node, let isDirectory, let mode) = change {
                tree.nodes[node] = DiskTree.Node(isDirectory: isDirectory, mode: mode)
            }
            return
        case .halves, .torn:
            if case .write(let node, let offset, let range) = change, loss == .torn {
                var at = 0
                while at < range.count {
                    // A piece ends at the next sector boundary of the file.
                    let count = min(Self.sector - (offset + at) % Self.sector, range.count - at)
                    if Bool.random(using: &random) {
                        let start = range.lowerBound + at
                        tree.nodes[node]?.put(bytes[start..<start + count], at: offset + at)
                    }
                    at += count
                }
                return
            }
            if Bool.random(using: &random) {
                if case .make(_, _, let node, let isDirectory, let mode) = change {
                    tree.nodes[node] = DiskTree.Node(isDirectory: isDirectory, mode: mode)
                }
                return
            }
        }
        apply(change, to: &tree, bytes)
    }

    private func apply(_ change: DiskLog.Change, to tree: inout DiskTree, _ bytes: [UInt8]) {
        switch change {
        case .make(let parent, let name, let node, let isDirectory, let mode):
            tree.nodes[node] = DiskTree.Node(isDirectory: isDirectory, mode: mode)
            tree.nodes[parent]?.entries[name] = node
        case .link(let parent, let name, let node): tree.nodes[parent]?.entries[name] = node
        case .remove(let parent, let name, let node):
            if tree.nodes[parent]?.entries[name] == node { tree.nodes[parent]?.entries[name] = nil }
        case .rename(let from, let old, let to, let new, let node):
            if tree.nodes[from]?.entries[old] == node { tree.nodes[from]?.entries[old] = nil }
            tree.nodes[to]?.entries[new] = node
        case .write(let node, let offset, let range): tree.nodes[node]?.put(bytes[range], at: offset)
        case .resize(let node, let size): tree.nodes[node]?.resize(size)
        case .zero(let node, let offset, let count): tree.nodes[node]?.zero(offset, count)
        }
    }
}

extension DiskTree.Node {
    mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        if content.count < offset + bytes.count { resize(offset + bytes.count) }
        // This copies by hand because there are many bytes and tests are not optimised.
        content.withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                if let from = source.baseAddress {
                    target.baseAddress?.advanced(by: offset).copyMemory(from: from, byteCount: source.count)
                }
            }
        }
    }

    mutating func resize(_ size: Int) {
        if size <= content.count {
            content.removeSubrange(size...)
        } else {
            content += [UInt8](repeating: 0, count: size - content.count)
        }
    }

    mutating func zero(_ offset: Int, _ count: Int) {
        let end = min(content.count, offset + count)
        guard offset < end else { return }
        content.replaceSubrange(offset..<end, with: [UInt8](repeating: 0, count: end - offset))
    }
}
