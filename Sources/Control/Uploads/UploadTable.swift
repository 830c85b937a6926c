import Basics
import ControlProtocol
import Messaging
import Transfer
import Vocabulary

/// Decides which uploads may begin, and what may be done with them. It holds no bytes and looks at no disk.
struct UploadTable {
    /// What a client asks for when it begins an upload.
    struct Request {
        var name: String
        var size: Int64?
        var isFolder = false
        var purpose = Upload.Purpose.message
        var parent: UUIDv7?
        var path: String?
        /// Whether the user has said that a file of any type goes.
        var anyType = false
    }

    private struct Entry {
        var record: UploadRecord
        /// Whether a message names it.
        var isSent = false
        /// Whether something is being done with its files.
        var isBusy = false
        /// Requests under way that read it.
        var holds = 0
        /// Whether a request has read it since the database was last asked which uploads messages name.
        var isTouched = false
    }

    private var entries: [UUIDv7: Entry] = [:]

    init(_ records: [UploadRecord] = []) { for record in records { entries[record.id] = Entry(record: record) } }

    var isEmpty: Bool { entries.isEmpty }
    func record(_ id: UUIDv7) -> UploadRecord? { entries[id]?.record }
    /// The uploads that no message names.
    var unsent: [UploadRecord] { entries.values.filter { !$0.isSent }.map(\.record).sorted { $0.id < $1.id } }

    /// Begins an upload, whose files the caller then makes; ``settle(_:)`` or ``forget(_:)`` follows.
    mutating func begin(
        _ request: Request, id: UUIDv7, at time: WallTime, policy: FilePolicy
    ) throws(ControlError)
        -> UploadRecord
    {
        guard entries.values.count(where: { !$0.isSent }) < ControlLimits.uploads else {
            throw ControlError(
                .busy, "\(ControlLimits.uploads) uploads wait to be sent already", hint: .tryInAMoment)
        }
        guard SafeName.problem(request.name) == nil else {
            throw ControlError(.invalid, "a file can't have this name", hint: .renameFile, field: "name")
        }
        guard (request.parent == nil) == (request.path == nil), request.parent == nil || !request.isFolder else {
            throw ControlError(.invalid, "in and path belong together, and to a file", field: "path")
        }
        let place = try request.path.map { path throws(ControlError) in try Self.place(path, named: request.name) }
        if !request.isFolder, request.purpose == .message, !request.anyType {
            try Self.checkType(of: request.name, policy)
        }
        let taken = try request.parent.map { parent throws(ControlError) in try self.occupied(in: parent, place: place)
        }
        try Self.check(size: request.size ?? 0, beside: taken ?? 0, for: request.purpose, policy)
        let record = UploadRecord(
            id: id, name: request.name, size: request.isFolder ? nil : request.size, isFolder: request.isFolder,
            purpose: request.purpose, parent: request.parent, place: place ?? [], createdAt: time)
        entries[id] = Entry(record: record, isBusy: true)
        return record
    }

    /// A small file that comes as a whole into a folder.
    struct SmallFile: Sendable {
        /// Its place: names with / between them.
        let path: String
        let bytes: [UInt8]
        /// The names of that; empty until ``put(_:into:anyType:policy:)`` has checked them.
        var place: [String] = []
    }

    /// Begins to put small files into a folder; ``added(_:bytes:to:)`` follows.
    /// - Returns: the folder, the files that may be put there, and the places that no file can have.
    mutating func put(
        _ files: [SmallFile], into folder: UUIDv7, anyType: Bool, policy: FilePolicy
    ) throws(ControlError) -> (folder: UploadRecord, files: [SmallFile], leftOut: [String]) {
        var (taking, leftOut): ([SmallFile], [String]) = ([], [])
        for var file in files {
            let name = file.path.split(separator: "/", omittingEmptySubsequences: false).last.map(String.init) ?? ""
            guard let place = try? Self.place(file.path, named: name) else {
                leftOut.append(file.path)
                continue
            }
            if !anyType { try Self.checkType(of: name, policy) }
            file.place = place
            taking.append(file)
        }
        let places = Set(children(of: folder).map(\.place))
        guard !taking.contains(where: { places.contains($0.place) }) else { throw Self.isThere }
        let taken = try occupied(in: folder, place: nil, adding: taking.count)
        let size = taking.reduce(Int64(0)) { $0 + Int64($1.bytes.count) }
        try Self.check(size: size, beside: taken, for: .message, policy)
        return (try work(on: folder), taking, leftOut)
    }

    /// Counts small files that are now in a folder.
    mutating func added(_ files: Int64, bytes: Int64, to folder: UUIDv7) {
        entries[folder]?.record.files += files
        entries[folder]?.record.bytes += bytes
        settle(folder)
    }

    private static func checkType(of name: String, _ policy: FilePolicy) throws(ControlError) {
        guard let objection = policy.objection(toSendingName: name) else { return }
        let types = [FileType.offered(name)].filter { !$0.isEmpty }
        throw ControlError(
            objection.reason, "\(objection.detail)", hint: .seeAllowedTypes, parameters: ["types": .strings(types)],
            field: "name")
    }

    /// The components of a place. Each must be as harmless as a name from a peer.
    private static func place(_ path: String, named name: String) throws(ControlError) -> [String] {
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard names.count <= TransferLimits.depth, path.utf8.count <= TransferLimits.pathBytes,
            names.allSatisfy({ SafeName.problem($0) == nil }), names.last == name
        else {
            throw ControlError(.invalid, "this is no place in a folder", hint: .renameFile, field: "path")
        }
        return names
    }

    /// The bytes that a folder has, with those of its files under way.
    private func occupied(in parent: UUIDv7, place: [String]?, adding count: Int = 1) throws(ControlError) -> Int64 {
        guard let folder = entries[parent]?.record, folder.isFolder, !folder.isFinished else {
            throw ControlError(.notFound, "there is no folder \(parent) that takes files", field: "in")
        }
        let children = children(of: parent)
        guard !children.contains(where: { $0.place == place }) else { throw Self.isThere }
        guard folder.files + Int64(children.count + count) <= ControlLimits.uploadedFiles else {
            throw ControlError(
                .tooLarge, "a folder may have \(ControlLimits.uploadedFiles) files", hint: .sendInParts, field: "in")
        }
        return children.reduce(folder.bytes) { $0.addingReportingOverflow($1.size ?? 0).partialValue }
    }

    static let isThere = ControlError(.alreadyExists, "the folder has a file in this place already", field: "path")

    private func children(of parent: UUIDv7) -> [UploadRecord] {
        entries.values.map(\.record).filter { $0.parent == parent }
    }

    private static func check(
        size: Int64, beside taken: Int64, for purpose: Upload.Purpose, _ policy: FilePolicy
    ) throws(ControlError) {
        let (sum, overflow) = size.addingReportingOverflow(taken)
        guard !overflow else { throw tooLarge(purpose, policy) }
        try check(size: sum, for: purpose, policy)
    }

    /// Whether so many bytes may be uploaded for a purpose.
    static func check(size: Int64, for purpose: Upload.Purpose, _ policy: FilePolicy) throws(ControlError) {
        if size > most(for: purpose, policy) { throw tooLarge(purpose, policy) }
    }

    /// Bytes that may be uploaded for a purpose.
    static func most(for purpose: Upload.Purpose, _ policy: FilePolicy) -> Int64 {
        switch purpose {
        case .message: Int64(clamping: policy.maxSend)
        case .picture: ControlLimits.uploadedPicture
        case .addressBook: ControlLimits.uploadedAddressBook
        }
    }

    private static func tooLarge(_ purpose: Upload.Purpose, _ policy: FilePolicy) -> ControlError {
        let most = UInt64(most(for: purpose, policy))
        return ControlError(
            .tooLarge, "at most \(SizeText.text(most)) are taken", hint: purpose == .message ? .seeLargestSent : nil,
            field: "size")
    }

    /// The uploads, except this one, that were begun and may still write: their bytes are promised.
    func promised(beside id: UUIDv7) -> [UploadRecord] {
        entries.values.map(\.record).filter { !$0.isFinished && !$0.isFolder && $0.id != id }
    }

    // MARK: One of them

    /// Begins to do something with an upload that is not finished; ``settle(_:)`` or ``forget(_:)`` follows.
    mutating func work(on id: UUIDv7) throws(ControlError) -> UploadRecord {
        let entry = try entry(id)
        guard !entry.record.isFinished else {
            throw ControlError(.invalid, "the upload is finished", field: "id")
        }
        entries[id]?.isBusy = true
        return entry.record
    }

    /// Begins to finish an upload. A folder must have no file under way.
    mutating func finish(_ id: UUIDv7) throws(ControlError) -> UploadRecord {
        guard children(of: id).isEmpty else {
            throw ControlError(.invalid, "files of the folder are under way", field: "id")
        }
        return try work(on: id)
    }

    /// Begins to remove an upload that no message names, with the files of a folder that are under way.
    mutating func cancel(_ id: UUIDv7) throws(ControlError) -> [UploadRecord] {
        let upload = try entry(id)
        guard !upload.isSent else { throw ControlError(.invalid, "a message names this upload", field: "id") }
        let all = [upload.record] + children(of: id)
        for record in all { _ = try entry(record.id) }
        for record in all { entries[record.id]?.isBusy = true }
        return all
    }

    private func entry(_ id: UUIDv7) throws(ControlError) -> Entry {
        guard let entry = entries[id] else { throw ControlError(.notFound, "there is no upload \(id)", field: "id") }
        guard !entry.isBusy, entry.holds == 0 else {
            throw ControlError(.busy, "something is being done with this upload", hint: .tryInAMoment)
        }
        return entry
    }

    /// Notes that what was begun with an upload is over, and the upload stays.
    mutating func settle(_ id: UUIDv7) { entries[id]?.isBusy = false }

    /// Notes that an upload is finished, or that a file of a folder is in its place.
    /// - Parameter size: the bytes of the file.
    mutating func finished(_ record: UploadRecord, size: Int64) -> UploadRecord {
        settle(record.id)
        var done = record
        done.isFinished = true
        guard let parent = record.parent else {
            entries[record.id]?.record = done
            return done
        }
        entries[record.id] = nil
        entries[parent]?.record.files += 1
        entries[parent]?.record.bytes += size
        return done
    }

    mutating func forget(_ id: UUIDv7) { entries[id] = nil }

    // MARK: Use

    /// Keeps a finished upload while a request reads it.
    mutating func hold(_ id: UUIDv7) throws(ControlError) -> UploadRecord {
        guard let entry = entries[id], entry.record.parent == nil else {
            throw ControlError(.notFound, "there is no upload \(id)")
        }
        guard entry.record.isFinished, !entry.isBusy else {
            throw ControlError(.invalid, "the upload \(id) is not finished")
        }
        entries[id]?.holds += 1
        entries[id]?.isTouched = true
        return entry.record
    }

    /// - Parameter isSent: whether a message names it now.
    mutating func release(_ id: UUIDv7, isSent: Bool) {
        entries[id]?.holds -= 1
        if isSent { entries[id]?.isSent = true }
    }

    /// Notes that a message names an upload.
    mutating func noteSent(_ id: UUIDv7) { entries[id]?.isSent = true }

    /// Call before the database is asked which uploads messages name; ``expire(_:uses:)`` follows.
    mutating func beginExpiry() { for (id, entry) in entries { entries[id]?.isTouched = entry.holds > 0 } }

    /// The stamps of the trusted clock by which one search for old uploads decides.
    struct Ages {
        let now: Int64
        /// An upload that was here by this stamp has been here for a day.
        let day: Int64
        /// A transfer that was over by this stamp has been over for `files.keepSentDays`. Nil: a copy goes with its message.
        let kept: Int64?
    }

    /// Stamps the uploads that no search has seen before, or whose stamp is in the future because an older copy of
    /// the database was put back.
    /// - Returns: their ids; the caller writes down that they have been here since now.
    mutating func stamp(now: Int64) -> [UUIDv7] {
        let new = entries.filter { _, entry in !entry.isBusy && entry.record.since.map { $0 > now } ?? true }.keys
        for id in new { entries[id]?.record.since = now }
        return Array(new)
    }

    /// Begins to remove the uploads whose time is over; ``forget(_:)`` follows.
    /// - Parameter uses: for each sent upload, the stamp at which its last transfer was over; nil while one is not.
    mutating func expire(_ ages: Ages, uses: [UUIDv7: Int64?]) -> [UploadRecord] {
        var old: [UploadRecord] = []
        for (id, entry) in entries where !entry.isTouched && !entry.isBusy {
            entries[id]?.isSent = uses[id] != nil
            if let use = uses[id] {
                guard let kept = ages.kept, let end = use, end <= kept else { continue }
            } else {
                // A file of a folder lives as long as the folder.
                guard entry.record.parent.map({ entries[$0] == nil }) ?? true,
                    entry.record.since.map({ $0 <= ages.day }) ?? false
                else { continue }
            }
            old.append(entry.record)
        }
        let children = entries.values.filter { entry in
            !entry.isBusy && old.contains { $0.id == entry.record.parent }
        }
        for record in old + children.map(\.record) { entries[record.id]?.isBusy = true }
        return old + children.map(\.record)
    }
}
