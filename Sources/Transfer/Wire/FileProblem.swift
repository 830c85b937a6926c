import Basics
import Vocabulary

/// Why one file of a folder is left out, or why a sender gives up: the plaintext of `skipped` and `failed` records.
public struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let reason: Reason
    /// Further text for the user; may be empty. A peer's text must be escaped before it is shown.
    public let detail: String

    /// Makes a problem. Details beyond ``TransferLimits/detailCharacters`` scalars are cut, so that every problem fits
    /// its record.
    public init(_ reason: Reason, detail: String = "") {
        self.reason = reason
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: detail.unicodeScalars.prefix(TransferLimits.detailCharacters))
        self.detail = String(scalars)
    }

    /// CBOR {1: reason, 2: detail}.
    public func encoded() -> [UInt8] { CBOR.map([1: .text(reason.rawValue), 2: .text(detail)]).encoded() }

    /// Nil if the bytes are malformed. An unknown reason reads as `internal`.
    public init?(decoding bytes: ArraySlice<UInt8>) {
        guard let map = (try? CBORDecoder.decode(bytes))?.mapValue, let (reason, detail) = BulkMessage.refusal(map)
        else { return nil }
        self.init(reason, detail: detail)
    }

    /// The bytes of the record for this problem, which credit counts.
    var recordBytes: Int { RecordHeader.size + encoded().count + TransferLimits.tagBytes }

    public var description: String { detail.isEmpty ? reason.words : ForeignText.escaped(detail) }
}

/// A file of a folder that the receiver refuses, with the reason.
public struct RefusedFile: Hashable, Sendable {
    /// The number of the entry in the manifest.
    public let file: UInt32
    public let reason: Reason

    public init(file: UInt32, reason: Reason) {
        self.file = file
        self.reason = reason
    }
}
