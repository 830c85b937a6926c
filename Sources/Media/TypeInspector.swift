import Basics
import Glibc
import Messaging
import Transfer
import Vocabulary

/// Looks at files by name and by content, where types are limited. Blocking.
package struct TypeInspector: Sendable {
    package let types: FileTypes
    package let media: MediaProgram
    /// Whose files they are.
    package let origin: MediaOrigin

    package init(types: FileTypes, media: MediaProgram, origin: MediaOrigin) {
        self.types = types
        self.media = media
        self.origin = origin
    }

    /// What becomes of a file for its content.
    package enum Verdict: Hashable, Sendable {
        case refused
        case goes
        /// A picture or table under another one's name goes, as its own type is let through.
        case goesAs(type: String)
    }

    /// Whether a file of that name may have this content. What can't be told is refused: else a content that makes
    /// the program fail would pass for anything. Where the program is not installed, names alone count.
    /// - Throws: ``MediaProgram/Failure`` where the program could not even be started, which is no fault of the file's.
    func verdict(on bytes: UnsafeRawBufferPointer, name: String) throws(MediaProgram.Failure) -> Verdict {
        guard !types.acceptsUnread(name: name), !bytes.isEmpty, media.path != nil else { return .goes }
        let type = FileTypes.type(ofName: name)
        do throws(MediaProgram.Failure) {
            let content = try media.type(of: bytes, from: origin, onlyForm: ContentType.formDecides(type))
            if content.suits(type: type) { return .goes }
            guard let real = content.realType(named: type), types.allows(unlisted: real) else { return .refused }
            return .goesAs(type: real)
        } catch {
            if error.isOurs { throw error }
            return .refused
        }
    }

    /// Tells the type of an open file by its beginning; nil if that fails.
    package static func content(of file: CInt, from origin: MediaOrigin, _ media: MediaProgram) -> ContentType? {
        guard media.path != nil else { return nil }
        return beginning(of: file).flatMap { bytes in
            bytes.isEmpty
                ? ContentType(mediaType: "application/x-empty", form: .empty)
                : bytes.withUnsafeBytes { try? media.type(of: $0, from: origin) }
        }
    }

    /// Why a single file may not be sent although its name may be; nil if it may.
    package func objection(to content: ContentType?, name: String) -> FilePolicy.Objection? {
        guard !types.acceptsUnread(name: name), media.path != nil else { return nil }
        guard let content else {
            return FilePolicy.Objection(reason: .typeNotAllowed, detail: "what is in it could not be told")
        }
        let type = FileTypes.type(ofName: name)
        guard !content.suits(type: type) else { return nil }
        let form = content.form == .script ? "a script" : content.words
        return FilePolicy.Objection(
            reason: .typeNotAllowed, detail: "its name says \(type ?? "nothing"), but what is in it is \(form)")
    }

    /// What becomes of a file in a folder that is about to be sent. A file that can't be read is found by other code.
    package func verdict(on name: String, in folder: CInt) -> Verdict {
        guard types.allows(name: name) else { return .refused }
        guard !types.acceptsUnread(name: name), media.path != nil else { return .goes }
        let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return .goes }
        defer { close(file) }
        guard let bytes = Self.beginning(of: file) else { return .goes }
        return bytes.withUnsafeBytes { (try? verdict(on: $0, name: name)) ?? .refused }
    }

    /// Whether a file that has come from elsewhere may be kept, by its content. What can't be told is not.
    package func takes(_ file: CInt, name: String) -> Bool {
        guard let bytes = Self.beginning(of: file) else { return false }
        return bytes.withUnsafeBytes { (try? verdict(on: $0, name: name)) ?? .refused } != .refused
    }

    private static func beginning(of file: CInt) -> [UInt8]? {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let wanted = min(Int(clamping: status.st_size), MediaLimits.mediaBeginning)
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
            while count < wanted {
                let read = pread(file, buffer.baseAddress?.advanced(by: count), wanted - count, off_t(count))
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { break }
                count += read
            }
            initialized = count
        }
        return bytes
    }
}

/// Decides what a receiver takes from one offer.
package struct OfferInspector: ContentInspector {
    package let inspector: TypeInspector
    /// The name of the offer.
    package let name: String

    package init(inspector: TypeInspector, name: String) {
        self.inspector = inspector
        self.name = name
    }

    package func refusal(ofName path: String) -> Reason? {
        inspector.types.allows(name: last(path)) ? nil : .typeNotAllowed
    }

    package func refusal(ofContent bytes: UnsafeRawBufferPointer, path: String) throws -> Reason? {
        try inspector.verdict(on: bytes, name: last(path)) == .refused ? .typeNotAllowed : nil
    }

    private func last(_ path: String) -> String {
        guard !path.isEmpty else { return name }
        return path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}
