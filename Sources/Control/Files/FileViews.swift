import Basics
import ControlProtocol
import Glibc
import Media
import Reactor
import Runtime
import Store
import Vocabulary

/// Opens what a page shows: files of transfers, thumbnails, pictures of people and groups.
@ReactorActor package final class FileViews {
    private let environment: Environment
    private let media: MediaProgram
    private let picturePath: @Sendable ([UInt8]) -> String
    private let cache: ThumbnailCache

    /// - Parameter picturePath: where an avatar lies, by its digest.
    package init(
        environment: Environment, media: MediaProgram, picturePath: @escaping @Sendable ([UInt8]) -> String
    ) {
        self.environment = environment
        self.media = media
        self.picturePath = picturePath
        cache = ThumbnailCache(data: environment.directory)
    }

    /// Opens a whole file, with the type of its content.
    func file(_ id: UUIDv7, entry: Int64?) async throws -> (file: StoredFile, mediaType: String) {
        let (store, media) = (environment.store, media)
        return try await environment.workers.views.run {
            let file = try StoredFile(id, entry: entry, store: store)
            return (file, file.mediaType(media))
        }
    }

    /// Shows a whole file or a folder in the file manager.
    func reveal(_ id: UUIDv7) async throws {
        let store = environment.store
        try await environment.workers.commands.run { try FileManagerCall.show(StoredFile.path(of: id, store: store)) }
    }

    /// Makes a JPEG of a picture, or of its offer's preview while the picture is not here. For a video it always uses
    /// that preview: the program that decodes videos is only for those that the user sends, and a page draws those that
    /// are here itself.
    func thumbnail(
        _ id: UUIDv7, entry: Int64?, side: Int64
    ) async throws -> (file: Descriptor, width: Int64, height: Int64) {
        let (store, media, cache, directory) = (environment.store, media, cache, environment.directory)
        return try await environment.workers.thumbnails.run {
            var file: StoredFile?
            do {
                let stored = try StoredFile(id, entry: entry, store: store)
                switch stored.type.kind {
                case .image: file = stored
                case .video where entry == nil: break
                default: throw Self.none
                }
            } catch let refusal as ControlError where refusal.kind == .notFound {
                // Only a single file has a preview with its offer.
                guard entry == nil, try store.readAndWait({ try $0.asset(id) }) != nil else { throw refusal }
            }
            // What the file shows differs from the preview that its sender made, so the two are kept apart.
            let name = "\(id)-\(entry ?? 0)-\(side)\(file == nil ? "-offer" : "").jpg"
            if let kept = cache.open(name), let size = JPEGSize(of: kept.number) {
                return (kept, size.width, size.height)
            }
            let deadline = SystemClocks().now + ControlLimits.thumbnailTime
            let made: Thumbnail?
            if let file {
                made = withExtendedLifetime(file) {
                    media.thumbnail(of: file.file.number, side: side, until: deadline)
                }
            } else {
                made = try store.readAndWait { try $0.asset(id)?.bytes }.flatMap {
                    media.thumbnail(of: $0, side: side, until: deadline)
                }
            }
            guard let made else { throw Self.none }
            cache.store(made.jpeg, as: name)
            guard let file = cache.open(name) ?? Self.unnamed(made.jpeg, in: directory) else {
                throw ControlError(.noSpace, "there is no room for a thumbnail", hint: .freeSpace)
            }
            return (file, made.width, made.height)
        }
    }

    private nonisolated static let none = ControlError(.unsupported, "no thumbnail can be made of this")

    private nonisolated static func unnamed(_ content: [UInt8], in directory: String) -> Descriptor? {
        guard let file = UnnamedFile.make(in: directory),
            pwrite(file.number, content, content.count, 0) == content.count
        else { return nil }
        return file
    }

    /// The picture of an account or a group.
    func picture(_ id: String) async throws -> (file: Descriptor, size: Int64, digest: [UInt8]) {
        let path = picturePath
        let digest = try await environment.store.read { transaction -> [UInt8]? in
            if let account = AccountID(id) {
                if let own = try transaction.ownAccount(), own.account == account { return own.avatar }
                return try transaction.contact(account)?.avatar
            }
            return try UUIDv7(id).flatMap { try transaction.group($0)?.shownAvatar }
        }
        guard let digest else { throw Self.noPicture }
        return try await environment.workers.views.run {
            let file = open(path(digest), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard file >= 0 else { throw Self.noPicture }
            let opened = Descriptor(adopting: file)
            var status = stat()
            guard fstat(file, &status) == 0 else { throw Self.noPicture }
            return (opened, Int64(status.st_size), digest)
        }
    }

    private nonisolated static let noPicture = ControlError(.notFound, "there is no picture", field: "id")
}
