/// Looks for bytes in files, to test whether deleted content is gone.
public enum DiskSearch {
    /// Whether any file under a directory contains a text.
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

    /// Whether `bytes` contains `needle`.
    public static func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
        guard let first = needle.first, bytes.count >= needle.count else { return false }
        for start in 0...(bytes.count - needle.count)
        where bytes[start] == first && bytes[start..<start + needle.count].elementsEqual(needle) {
            return true
        }
        return false
    }
}
