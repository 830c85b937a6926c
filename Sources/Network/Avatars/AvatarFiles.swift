import Basics
import Crypto
import Glibc
import Media
import Runtime
import Threads

/// The avatars in the data directory: `avatars/DIGEST.jpg`, with the digest of the file as its owner has it. A
/// friend's avatar is re-encoded before it is kept, so that no program that shows it reads what a friend has written.
///
/// Its methods block. All but ``path(of:)`` are for one thread.
package final class AvatarFiles: Sendable {
    package let folder: String
    /// Avatars that are here and in no row yet, each with the number of callers that are about to write the row.
    private let held = Lock<[[UInt8]: Int]>([:])

    package init(data directory: String) { folder = directory + "/avatars" }

    package func path(of digest: [UInt8]) -> String { folder + "/" + Hex.encode(digest) + ".jpg" }

    /// Writes an avatar; it is safe once this returns. It stays until ``release(_:)``, and after that as long as a row
    /// names it.
    package func store(_ avatar: [UInt8], as digest: [UInt8]) throws(StartError) {
        try Paths.makeDirectory(folder)
        try AtomicFile.write(avatar, to: path(of: digest))
        held.withLock { $0[digest, default: 0] += 1 }
    }

    /// Keeps an avatar that is here already, our own or another friend's; false if it isn't here.
    package func hold(_ digest: [UInt8]) -> Bool {
        guard access(path(of: digest), R_OK) == 0 else { return false }
        held.withLock { $0[digest, default: 0] += 1 }
        return true
    }

    /// Call when the row that names the avatar is written, or will not be.
    package func release(_ digest: [UInt8]) {
        held.withLock { held in
            let count = held[digest, default: 0] - 1
            held[digest] = count > 0 ? count : nil
        }
    }

    /// An avatar of our own; nil if it isn't here, or isn't what it was.
    package func read(_ digest: [UInt8]) -> [UInt8]? {
        guard let bytes = try? Paths.readFile(path(of: digest), limit: MediaLimits.avatarBytes),
            Blake2b.hash(bytes) == digest
        else { return nil }
        return bytes
    }

    /// Removes avatars that no row names.
    /// - Parameter used: returns the digests that rows name. Called after the held avatars are known: an avatar that
    ///   isn't held by then is named by its row.
    package func sweep(_ used: () -> Set<[UInt8]>?) {
        let held = Set(held.withLock { $0.keys })
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        guard let used = used() else { return }
        let kept = Set((held.union(used)).map { Hex.encode($0) + ".jpg" })
        var unused: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix("."), !kept.contains(name) { unused.append(name) }
        }
        for name in unused { unlink(folder + "/" + name) }
    }
}
