import Basics
import ControlProtocol

/// What a device offers: the body of `prepare-upload` (LocalSend protocol 2.1, section 4.1).
public struct UploadOffer: Hashable, Sendable {
    /// Why a body is no offer.
    public enum Problem: String, Error, Hashable, Sendable, CustomStringConvertible {
        case malformed = "the offer is not written as the protocol has it"
        case empty = "the offer has no files"
        /// More than ``LocalSendLimits/files``.
        case tooMany = "the offer has too many files"

        public var description: String { rawValue }
    }

    /// One file. Its texts are the sender's as they came, with whatever signs: nothing here may become a path or be shown as it is.
    public struct Item: Hashable, Sendable {
        /// The sender's word for it, within this offer.
        public let id: String
        /// With the names of folders before it, if it was in some.
        public let name: String
        public let size: Int64
        /// A media type, or one of the words of version 1.
        public let type: String
        /// The text itself, if it is one without a file.
        public let preview: String?
    }

    public let sender: DeviceInfo
    /// In the order in which they stand there, at least one.
    public let items: [Item]

    /// The text, if this is one: the app sends a text as a single file whose preview is all of it, and needs no upload then.
    public var text: String? {
        guard items.count == 1, let item = items.first, item.type == "text" || item.type.hasPrefix("text/") else {
            return nil
        }
        return item.preview
    }

    /// The bytes of all files; saturating.
    public var size: Int64 {
        items.reduce(0) { sum, item in
            let (result, overflow) = sum.addingReportingOverflow(item.size)
            return overflow ? .max : result
        }
    }

    /// Reads a body.
    public init(body: [UInt8]) throws(Problem) {
        guard let json = try? JSONParser.parse(body, maximumBytes: LocalSendLimits.bodyBytes),
            let info = json["info"], let sender = DeviceInfo(info), let files = json["files"]?.object
        else { throw .malformed }
        guard !files.fields.isEmpty else { throw .empty }
        guard files.fields.count <= LocalSendLimits.files else { throw .tooMany }
        var items: [Item] = []
        items.reserveCapacity(files.fields.count)
        for field in files.fields {
            guard let item = Item(field.value), item.id == field.name else { throw .malformed }
            items.append(item)
        }
        // Names that differ in their bytes only are the same to Swift.
        guard Set(items.map(\.id)).count == items.count else { throw .malformed }
        self.sender = sender
        self.items = items
    }
}

extension UploadOffer.Item {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, 1...LocalSendLimits.idBytes ~= id.utf8.count,
            let name = json["fileName"]?.string, 1...LocalSendLimits.nameBytes ~= name.utf8.count,
            let size = json["size"]?.integer, size >= 0,
            let type = json["fileType"]?.string, type.utf8.count <= LocalSendLimits.typeBytes
        else { return nil }
        switch json["preview"] ?? .null {
        case .null: preview = nil
        // A preview of a picture, which may be long, is not asked for.
        case .string(let text): preview = text.utf8.count <= LocalSendLimits.textBytes ? text : nil
        default: return nil
        }
        self.id = id
        self.name = name
        self.size = size
        self.type = type
    }
}
