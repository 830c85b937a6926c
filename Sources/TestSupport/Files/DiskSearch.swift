/// Looks for bytes in files: whether something that was deleted is gone.
public enum DiskSearch {
    /// Whether a text is in any file under a directory.
    public static func contains(_ text: String, under directory: String) throws -> Bool {
        for name in TemporaryDirectory.names(in: directory) {
            let path = "\(directory)/\(name)"
            if !TemporaryDirectory.names(in: path).isEmpty {
                if try contains(text, under: path) { return true }
            } else if let bytes = try? TextFile.bytes(path), contains(Array(text.utf8), in: bytes) {
                return true
            }
        }
        return false
    }

    /// Whether some bytes are in others.
    public static func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
        guard let first = needle.first, bytes.count >= needle.count else { return false }
        for start in 0...(bytes.count - needle.count)
        where bytes[start] == first && bytes[start..<start + needle.count].elementsEqual(needle) {
            return true
        }
        return false
    }
}
