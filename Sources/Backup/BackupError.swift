/// Why a file can't be read as a backup.
public enum BackupError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file doesn't begin as a backup does.
    case notABackup
    /// A later version of Kibo has written it.
    case newer(version: UInt16)
    /// The file was changed or cut at this byte or in the 64 KiB behind it; what stands before is as it was written.
    case damaged(at: Int)
    /// What the seal held doesn't follow the definition: the program that wrote the file had a fault. Everything before
    /// this byte of the file is in order.
    case malformed(at: Int, String)
    /// The compressor failed because memory ran out.
    case outOfMemory

    public var description: String {
        switch self {
        case .notABackup: "this is no backup of Kibo"
        case .newer(let version): "this backup has version \(version), and a newer Kibo reads it"
        case .damaged(let place): "the file is damaged or cut at byte \(place)"
        case .malformed(let place, let detail): "the file has a wrong content before byte \(place): \(detail)"
        case .outOfMemory: "there is not enough memory"
        }
    }
}
