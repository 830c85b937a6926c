import Vocabulary

/// A file or folder that is left out of a transfer.
public struct TransferProblemRow: Hashable, Sendable {
    /// The file's number in the transfer's list; negative for a file outside the list.
    public var position: Int64
    /// The path within the offered folder.
    public var path: String
    /// Bytes of the file, as the transfer's size counts them; 0 for a file outside the list.
    public var size: Int64
    /// An error kind of the control API.
    public var reason: Reason
    /// Further text; may be empty.
    public var detail: String

    public init(position: Int64, path: String, size: Int64, reason: Reason, detail: String) {
        self.position = position
        self.path = path
        self.size = size
        self.reason = reason
        self.detail = detail
    }
}
