// Swarm: fetches a group's file from any members that have all or parts of it (docs/PROTOCOL-FILES.md, "Files of a
// group"). Disk, records and journal are those of transfers between two. This folder holds what is different: the
// hashes that prove a chunk from any member, and the choice of which member to ask for which chunks.

/// The list of what is transferred and the hashes of all its chunks. With it each chunk can be checked by itself,
/// whichever member it comes from. The signed message names its root.
public struct SharedFileList: Sendable {
    public let manifest: Manifest
    public let layout: ChunkLayout
    /// The chunks' hashes, 32 bytes each, in the order of their indices.
    public let leaves: [UInt8]
    public let fileRoot: TreeHash

    /// Nil unless there are as many leaves as the manifest has chunks.
    public init?(manifest: Manifest, leaves: [UInt8]) {
        let layout = ChunkLayout(manifest)
        guard UInt64(leaves.count) == layout.count * UInt64(TreeHash.size) else { return nil }
        self.manifest = manifest
        self.layout = layout
        self.leaves = leaves
        fileRoot = TreeHash(manifest: TreeHash(manifest: manifest), chunks: Self.top(of: leaves))
    }

    /// The hash of the chunk at an index; nil beyond the end.
    public func leaf(_ chunkIndex: UInt64) -> TreeHash? {
        guard chunkIndex < layout.count, let index = Int(exactly: chunkIndex) else { return nil }
        return TreeHash(leaves[index * TreeHash.size..<(index + 1) * TreeHash.size])
    }

    /// The tree of RFC 9162: the left side of each node is the largest power of two that leaves something for the
    /// right. It is computed from left to right with one subtree for each bit of the number of leaves so far.
    private static func top(of leaves: [UInt8]) -> TreeHash {
        var stack: [(hash: TreeHash, leaves: Int)] = []
        for start in stride(from: 0, to: leaves.count, by: TreeHash.size) {
            guard let leaf = TreeHash(leaves[start..<start + TreeHash.size]) else { break }
            stack.append((leaf, 1))
            while let right = stack.last, stack.count > 1, stack[stack.count - 2].leaves == right.leaves {
                stack.removeLast()
                let left = stack.removeLast()
                stack.append((TreeHash(left: left.hash, right: right.hash), left.leaves * 2))
            }
        }
        // A folder without files has no chunk, and gets the hash of an empty tree.
        guard var top = stack.popLast()?.hash else { return TreeHash(of: [UInt8](), key: "kibo-file-node-v1") }
        while let left = stack.popLast() { top = TreeHash(left: left.hash, right: top) }
        return top
    }
}

extension TreeHash {
    fileprivate init(manifest: Manifest) {
        var pages: [UInt8] = []
        ManifestCodec.forEachPage(of: manifest) { page, _ in pages += page }
        self.init(of: pages, key: "kibo-file-list-v1")
    }
}
