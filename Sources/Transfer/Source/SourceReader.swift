import CLinux
import Glibc

/// Reads what is being sent, one file at a time, and compares it with its identity. It belongs to the transfer's
/// thread.
final class SourceReader {
    private let path: String
    private let source: SourceList
    private let root: CInt
    private let sent: SentChunks
    private var current: (file: Int, descriptor: CInt)?
    /// The data extent around the last position, so that a file without holes costs only two seeks.
    private var extent: Range<UInt64> = 0..<0
    private let files = SystemFiles()

    /// Opens the source and checks all of it.
    /// - Parameter sent: what was sent of it before.
    init(path: String, source: SourceList, sent: SentChunks) throws(TransferFailure) {
        self.path = path
        self.source = source
        self.sent = sent
        root = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard root >= 0 else {
            let code = errno
            switch code {
            case ENOENT, ENOTDIR: throw .sourceGone
            case ELOOP: throw .sourceChanged("")
            default: throw .io(FileError("open the source", code))
            }
        }
        try verify()
    }

    deinit {
        closeCurrent()
        if root >= 0 { close(root) }
    }

    /// Compares the source with what was offered: at the start, when resuming, and before the end is announced. For a
    /// folder it checks only that it is the same one; each file in it is checked before its first byte and after its
    /// last.
    func verify() throws(TransferFailure) {
        guard let named = try? files.status(path, in: AT_FDCWD) else { throw .sourceGone }
        guard matches(named, 0, at: root), let opened = try? files.status(root), matches(opened, 0, at: root) else {
            throw .sourceChanged("")
        }
    }

    /// Like ``verify()``, before the end is announced. If the receiver had all of a single file before this connection,
    /// nobody has checked yet whether the file has changed. This checks it.
    func verifyEnd(isSame: IsSame) throws(TransferFailure) {
        try verify()
        guard source.manifest.kind(0) == .file, !sent.isFinished(0) else { return }
        defer { closeCurrent() }
        try check(0, at: open(0), isSame)
    }

    /// Fills the buffer from a file. A file that has become shorter is a changed source.
    func read(into buffer: UnsafeMutableRawBufferPointer, file: UInt32, at offset: UInt64) throws(TransferFailure) {
        try read(into: buffer, at: descriptor(of: file), Int(file), offset)
    }

    private func read(
        into buffer: UnsafeMutableRawBufferPointer, at descriptor: CInt, _ index: Int, _ offset: UInt64
    ) throws(TransferFailure) {
        let count: Int
        do { count = try files.read(into: buffer, from: descriptor, at: offset) } catch { throw .io(error) }
        guard count == buffer.count else { throw .sourceChanged(source.manifest.path(index)) }
    }

    /// The number of whole chunks from `offset` on that lie in a hole of the file; 0 in data, or where holes are
    /// unknown.
    func holeChunks(file: UInt32, at offset: UInt64) throws(TransferFailure) -> UInt64 {
        guard let index = Int(exactly: file), index < source.count else { return 0 }
        let size = source.manifest.size(index)
        let chunk = UInt64(TransferLimits.chunkBytes)
        guard size > chunk else { return 0 }
        let descriptor = try descriptor(of: file)
        if extent.contains(offset) { return 0 }
        guard let position = Int64(exactly: offset) else { return 0 }
        let data = kibo_seek_data(descriptor, position)
        if data < 0 {
            // ENXIO means that only a hole follows; any other error means that nothing is known.
            return errno == ENXIO ? (size - offset + chunk - 1) / chunk : 0
        }
        let start = UInt64(clamping: data)
        guard start < offset + chunk else { return (start - offset) / chunk }
        let hole = kibo_seek_hole(descriptor, data)
        extent = offset..<(hole < 0 ? size : max(offset + 1, UInt64(clamping: hole)))
        return 0
    }

    /// Whether a file still has the content that was sent.
    /// - Parameters: the file's number; the time of its last change, in nanoseconds since 1970; a function that reads a
    ///   part of the file.
    typealias IsSame = (UInt32, Int64, (UnsafeMutableRawBufferPointer, UInt64) throws(TransferFailure) -> Void)
        throws(TransferFailure) -> Bool

    /// Checks after a file's last chunk that it is unchanged since before the first.
    func finish(file: UInt32, isSame: IsSame) throws(TransferFailure) {
        guard let index = Int(exactly: file), let current, current.file == index else { return }
        try check(index, at: current.descriptor, isSame)
        closeCurrent()
    }

    /// Checks that everything sent of a file belongs to one version of it. If only the time of its last change differs,
    /// as after a hard link, the content decides.
    private func check(_ index: Int, at descriptor: CInt, _ isSame: IsSame) throws(TransferFailure) {
        let file = UInt32(truncatingIfNeeded: index)
        let size = source.manifest.size(index)
        var status = try current(index, at: descriptor)
        guard var checksum = sent.whole(file, chunks: ChunkLayout.chunks(in: size)) else {
            // Some of it was sent before the daemon started, so nothing about it may have changed since it was offered.
            guard status.changed == source.identity(index).changed || !FileNumbers.last(at: descriptor) else {
                throw .sourceChanged(source.manifest.path(index))
            }
            return sent.finish(file, changed: status.changed)
        }
        while status.changed != checksum {
            checksum = status.changed
            // The descriptor still reads a file that was removed or replaced, so look at the name too.
            let isThere = index == 0 || namedStatus(index)?.isSame(as: status) == true
            guard isThere,
                try isSame(
                    file, checksum,
                    { (buffer, offset) throws(TransferFailure) in try read(into: buffer, at: descriptor, index, offset)
                    })
            else { throw .sourceChanged(source.manifest.path(index)) }
            status = try current(index, at: descriptor)
        }
        sent.finish(file, changed: checksum)
    }

    /// The status of an open file, if it is still the one that was offered.
    private func current(_ index: Int, at descriptor: CInt) throws(TransferFailure) -> FileStatus {
        let status: FileStatus
        do { status = try files.status(descriptor) } catch { throw .io(error) }
        guard matches(status, index, at: descriptor) else { throw .sourceChanged(source.manifest.path(index)) }
        return status
    }

    /// What has the entry's name now; nil if nothing has, or it can't be opened.
    private func namedStatus(_ index: Int) -> FileStatus? {
        let descriptor = kibo_open_beneath(root, source.manifest.path(index), O_RDONLY | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return try? files.status(descriptor)
    }

    private func descriptor(of file: UInt32) throws(TransferFailure) -> CInt {
        let index = Int(file)
        if let current, current.file == index { return current.descriptor }
        closeCurrent()
        guard index < source.count, source.manifest.kind(index) == .file else { throw .sourceChanged("") }
        let descriptor = try open(index)
        sent.begin(file, changed: try current(index, at: descriptor).changed)
        if source.manifest.size(index) > UInt64(TransferLimits.chunkBytes) {
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        }
        return descriptor
    }

    /// Makes a file the current one.
    private func open(_ index: Int) throws(TransferFailure) -> CInt {
        let descriptor: CInt
        if index == 0 {
            descriptor = root
        } else {
            descriptor = kibo_open_beneath(root, source.manifest.path(index), O_RDONLY | O_NONBLOCK, 0)
            guard descriptor >= 0 else {
                let code = errno
                // Something of another kind has taken the name, or the name of a folder above it.
                let isOther = [ENOTDIR, EISDIR, ELOOP, EXDEV, ENXIO].contains(code)
                throw isOther ? .sourceChanged(source.manifest.path(index)) : .io(FileError("open", code))
            }
        }
        current = (index, descriptor)
        return descriptor
    }

    /// Ends the reading of the current file.
    func endReading() { closeCurrent() }

    /// The problem to report for one file of a folder that couldn't be read; nil if the failure isn't that file's
    /// alone.
    static func problemOfOneFile(_ failure: TransferFailure) -> FileProblem? {
        switch failure {
        case .sourceChanged: FileProblem(.sourceChanged)
        case .io(let error):
            switch error.code {
            case EACCES, EPERM, ENOENT, ESTALE, EIO, ENODATA, EBADMSG, EUCLEAN:
                FileProblem(error.reason, detail: error.description)
            default: nil
            }
        default: nil
        }
    }

    private func matches(_ status: FileStatus, _ index: Int, at descriptor: CInt) -> Bool {
        source.identity(index).matches(
            status, kind: source.manifest.kind(index), numbersLast: FileNumbers.last(at: descriptor))
    }

    private func closeCurrent() {
        if let current, current.descriptor != root { close(current.descriptor) }
        current = nil
        extent = 0..<0
    }
}
