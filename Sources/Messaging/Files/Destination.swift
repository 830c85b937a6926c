/// What we know, when an offer comes, about the directory where files go and about the link.
package struct Destination: Hashable, Sendable {
    /// Bytes that an unprivileged user may fill; nil if it can't be told.
    package var freeBytes: UInt64?
    /// Whether files can be made there, as far as permissions go.
    package var isWritable = false
    /// Whether the link costs by the byte.
    package var isMetered = false
    /// The folders of `files.folders`, by their paths.
    package var folders: [String: Destination] = [:]

    package init(freeBytes: UInt64? = nil, isWritable: Bool = false, isMetered: Bool = false) {
        self.freeBytes = freeBytes
        self.isWritable = isWritable
        self.isMetered = isMetered
    }
}
