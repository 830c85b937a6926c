import Glibc

/// The files beneath some directories, held whole in memory.
public struct DiskTree: Sendable, Equatable {
    struct Node: Sendable, Equatable {
        var isDirectory: Bool
        var mode: mode_t
        var content: [UInt8] = []
        var entries: [String: DiskLog.Node] = [:]
    }

    var nodes: [DiskLog.Node: Node] = [:]
    /// The nodes of the requested directories, by path.
    private(set) var roots: [String: DiskLog.Node] = [:]
    private(set) var inodes: [UInt64: DiskLog.Node] = [:]
    private(set) var nextNode: DiskLog.Node = 0

    /// Reads what is there now. Sockets, links and the like are left out.
    /// - Throws: ``SystemError``.
    public init(_ paths: [String] = []) throws { try add(paths) }

    /// Reads further directories.
    /// - Throws: ``SystemError``.
    mutating func add(_ paths: [String]) throws {
        for path in paths where roots[path] == nil { roots[path] = try read(path) }
    }

    private mutating func read(_ path: String) throws -> DiskLog.Node? {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError("stat \(path)") }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFDIR || kind == S_IFREG else { return nil }
        let inode = inodes[UInt64(status.st_ino)]
        if let inode { return inode }
        let number = nextNode
        nextNode += 1
        inodes[UInt64(status.st_ino)] = number
        var node = Node(isDirectory: kind == S_IFDIR, mode: status.st_mode & 0o777)
        if kind == S_IFREG {
            node.content = try TextFile.bytes(path)
        } else {
            for name in TemporaryDirectory.names(in: path) { node.entries[name] = try read("\(path)/\(name)") }
        }
        nodes[number] = node
        return number
    }

    /// Replaces all present files by these.
    /// - Throws: ``SystemError``.
    public func write() throws {
        for (path, root) in roots {
            for name in TemporaryDirectory.names(in: path) { TemporaryDirectory.remove("\(path)/\(name)") }
            try writeEntries(of: root, at: path)
        }
    }

    private func writeEntries(of directory: DiskLog.Node, at path: String) throws {
        for (name, number) in nodes[directory]?.entries ?? [:] {
            guard let node = nodes[number] else { continue }
            let place = "\(path)/\(name)"
            if node.isDirectory {
                guard mkdir(place, node.mode | 0o700) == 0 else { throw SystemError("mkdir \(place)") }
                try writeEntries(of: number, at: place)
            } else {
                try TextFile.write(node.content, to: place)
                guard chmod(place, node.mode | 0o600) == 0 else { throw SystemError("chmod \(place)") }
            }
        }
    }

    /// The files, by their paths.
    /// - Parameter isWanted: whether to include the file with this path.
    public func files(_ isWanted: (String) -> Bool = { _ in true }) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        func walk(_ directory: DiskLog.Node, _ path: String) {
            for (name, number) in nodes[directory]?.entries ?? [:] {
                guard let node = nodes[number] else { continue }
                if node.isDirectory {
                    walk(number, "\(path)/\(name)")
                } else if isWanted("\(path)/\(name)") {
                    files["\(path)/\(name)"] = node.content
                }
            }
        }
        for (path, root) in roots { walk(root, path) }
        return files
    }
}
