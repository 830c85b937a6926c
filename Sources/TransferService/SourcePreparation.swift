import Basics
import ControlProtocol
import Glibc
import Media
import Messaging
import Transfer
import Vocabulary

extension PreparedSource {
    /// Reads the whole file to make the tree, which proves that a chunk is right, whichever member it comes from.
    /// Blocking.
    fileprivate mutating func hash() throws {
        do { list = try SharedFileList(path: path, source: scanned.source) } catch {
            throw ControlError(
                error.reason, "\(ForeignText.escaped(path)) can't be sent: \(error.detail)",
                hint: .sendWhenQuiet, parameters: ["path": .string(path)], field: "files")
        }
    }
}

/// Looks at what a client wants to send.
package enum SourcePreparation {
    /// Looks at everything that one message sends. Blocking: previews hold it up for a moment at most, and the hashes
    /// for a group take as long as reading all of it.
    /// - Parameter origin: says whose bytes a video is, given its path and size. Blocking.
    package static func scan(
        _ paths: [NamedPath], policy: FilePolicy, media: MediaProgram, forGroup: Bool = false,
        origin: (_ path: String, _ size: UInt64) throws -> MediaOrigin
    ) throws -> [PreparedSource] {
        var sources: [PreparedSource] = []
        var refusals: [ControlError] = []
        for path in paths {
            do { sources.append(try scan(path, policy: policy, media: media)) } catch let refusal as ControlError {
                refusals.append(refusal)
            }
        }
        // Refuse all at once: a user who sends ten files doesn't want to hear about one after the other.
        if let first = refusals.first {
            throw ControlError(
                first.kind, refusals.map(\.message).joined(separator: "; "), hint: first.hint,
                parameters: first.parameters, field: first.field)
        }
        let deadline = SystemClocks().now + TransferServiceLimits.previewTime
        var bytes = 0
        for index in sources.indices {
            guard var show = sources[index].show, SystemClocks().now < deadline else { continue }
            let (path, size) = (sources[index].path, sources[index].scanned.size)
            let whose = show.type.kind == .video ? try origin(path, size) : .own
            let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { continue }
            show.look(at: file, size: size, from: whose, media: media, until: deadline)
            close(file)
            bytes += show.preview?.count ?? 0
            if bytes > PreviewRules.bytesInMessage { show.preview = nil }
            sources[index].show = show
        }
        if forGroup { for index in sources.indices { try sources[index].hash() } }
        return sources
    }

    /// Looks at one file or folder. Blocking.
    private static func scan(_ named: NamedPath, policy: FilePolicy, media: MediaProgram) throws -> PreparedSource {
        let path = named.path
        let shown = ForeignText.escaped(path)
        let inspector = TypeInspector(types: policy.typesSent, media: media, origin: .own)
        let types = OfferedTypes()
        var scanned: ScannedSource
        do {
            scanned = try SourceScanner.scan(path) { folder, name in
                switch inspector.verdict(on: name, in: folder) {
                case .refused: return true
                case .goes: break
                // In a folder the file keeps its name, and the offer names the type of its content too.
                case .goesAs(let type): types.add("x." + type)
                }
                types.add(name)
                return false
            }
        } catch {
            throw ControlError(
                error.reason, "\(shown) can't be sent: \(words(error))", hint: hint(error),
                parameters: ["path": .string(path)], field: "files")
        }
        if let name = named.name {
            if let problem = SafeName.problem(name) {
                throw ControlError(
                    .invalid, "\(shown) can't be sent as \(ForeignText.escapedName(name)): \(words(problem))",
                    hint: .renameFile, parameters: ["path": .string(path)], field: "names")
            }
            scanned.rename(to: name)
        }
        func refuse(_ objection: FilePolicy.Objection?, _ hint: HintCode?) throws {
            guard let objection else { return }
            throw ControlError(
                objection.reason,
                "\(shown) can't be sent: \(objection.detail)", hint: hint,
                parameters: [
                    "path": .string(path), "types": .strings(types.unusual(beside: policy.types)),
                    "bytes": .integer(Int64(clamping: scanned.size)),
                    "most": .integer(Int64(clamping: policy.maxSend)),
                ], field: "files")
        }
        var content: ContentType?
        if scanned.kind == .file {
            content = Self.content(of: path, media)
            if let objection = inspector.objection(to: content, name: scanned.name) {
                // A picture or table with the extension of another one goes under its own extension. Anything else is
                // refused whatever the settings allow.
                guard let real = content?.realType(named: FileTypes.type(ofName: scanned.name)) else {
                    try refuse(policy.objection(toSendingName: scanned.name), .seeAllowedTypes)
                    try refuse(objection, .renameFile)
                    return PreparedSource(path: path, scanned: scanned)
                }
                types.add("." + real)
                scanned.rename(to: SafeName.split(scanned.name).stem + "." + real)
                if policy.objection(toSendingName: scanned.name) != nil { try refuse(objection, .seeAllowedTypes) }
            }
            types.add(scanned.name)
        }
        let problem = objection(to: scanned, policy)
        try refuse(problem, problem.flatMap(hint))
        var source = PreparedSource(path: path, scanned: scanned)
        if policy.sendsAnyType {
            guard let unlisted = types.named(beside: scanned.kind == .folder ? policy.types : nil) else {
                throw ControlError(
                    .tooLarge, "\(shown) can't be sent: it has files of more than \(SharedLimits.unlistedTypes) types",
                    hint: .sendInParts, parameters: ["path": .string(path)], field: "files")
            }
            source.unlisted = unlisted
        }
        guard scanned.kind == .file else { return source }
        source.show = FileShow(name: scanned.name, content: content)
        return source
    }

    /// The types of what was scanned.
    private final class OfferedTypes {
        private var types: Set<String> = []

        func add(_ name: String) { types.insert(FileType.offered(name)) }

        /// The types that the settings don't let through.
        func unusual(beside allowed: FileTypes) -> [String] {
            types.filter { !$0.isEmpty && !allowed.allows(unlisted: $0) }.sorted()
        }

        /// The types that the offer names; nil if there are too many.
        /// - Parameter allowed: for a folder, the types that the settings let through, which the offer doesn't name.
        ///   Nil for a single file, whose type is always named, because its receiver may have another list.
        func named(beside allowed: FileTypes?) -> [String]? {
            let named = allowed.map { allowed in types.filter { !allowed.allows(unlisted: $0) } } ?? types
            return named.count > SharedLimits.unlistedTypes ? nil : named.sorted()
        }
    }

    private static func content(of path: String, _ media: MediaProgram) -> ContentType? {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return TypeInspector.content(of: file, from: .own, media)
    }

    private static func objection(to source: ScannedSource, _ policy: FilePolicy) -> FilePolicy.Objection? {
        if source.kind == .file, let objection = policy.objection(toSendingName: source.name) { return objection }
        let leftOut = source.skipped.count { $0.cause == .type }
        if source.files == 0, leftOut > 0 {
            return FilePolicy.Objection(
                reason: .typeNotAllowed, detail: "none of the files in it is of a type that is sent")
        }
        return policy.objection(toSendingBytes: source.size)
    }

    private static func hint(_ objection: FilePolicy.Objection) -> HintCode? {
        switch objection.reason {
        case .typeNotAllowed: .seeAllowedTypes
        case .tooLarge: .seeLargestSent
        default: nil
        }
    }

    private static func hint(_ failure: SourceScanner.Failure) -> HintCode {
        switch failure {
        case .relativePath: .givePathFromRoot
        case .notFound, .io: .checkPath
        case .symbolicLink, .special: .sendTarget
        case .name: .renameFile
        case .tooManyEntries, .tooLarge: .sendInParts
        }
    }

    private static func words(_ problem: SafeName.Problem) -> String {
        switch problem {
        case .empty: "it is empty"
        case .tooLong: "it has more than \(TransferLimits.nameBytes) bytes"
        case .reserved: "it means a folder"
        case .separator: "it has a / or \\ in it"
        case .hostileCharacter: "it has control characters in it"
        case .outerSpace: "it begins or ends with a space"
        case .partFile: "it ends like an incomplete file of Kibo"
        }
    }

    private static func words(_ failure: SourceScanner.Failure) -> String {
        switch failure {
        case .relativePath: "only absolute paths are taken"
        case .notFound: "there is no such file or folder"
        case .symbolicLink: "it is a symbolic link; send what it points to"
        case .special: "it is neither a file nor a folder"
        case .name(let problem): "its name would not be taken anywhere: \(words(problem))"
        case .tooManyEntries: "it holds more than \(TransferLimits.entries) files and folders"
        case .tooLarge: "it is larger than a transfer may be"
        case .io(let error): error.description
        }
    }
}
