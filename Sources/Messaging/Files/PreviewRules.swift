import PeerProtocol

/// Decides what passes for a preview, of ours and of theirs: a small JPEG or PNG by its first bytes. It is not decoded
/// here.
package enum PreviewRules {
    package static let bytes = PeerLimits.previewBytes

    /// Bytes of all previews of one message: beside them its text must fit into a frame.
    package static let bytesInMessage = PeerLimits.frameBodyBytes / 2

    package static func isPicture(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= Self.bytes else { return false }
        return bytes.starts(with: [0xFF, 0xD8, 0xFF])
            || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }
}
