import CLinux
import Crypto
import Glibc

/// Reads chunks of a file or folder, or of its part, in any order. Each chunk is compared with the list before it is
/// sent, so that a file that a user changed meanwhile is not given to others. It belongs to one thread.
final class SharedFileReader {
    private let list: SharedFileList
    private let seal: FileSeal?
    /// The descriptor stays with the same file or folder when that is renamed.
    private let root: CInt
    private var current: (file: UInt32, descriptor: CInt)?
    private let files = SystemFiles()
    private let names: NamesOnDisk

    init(_ sharedFile: SharedFile) throws(TransferFailure) {
        list = sharedFile.list
        seal = sharedFile.seal
        root = open(sharedFile.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard root >= 0 else {
            let code = errno
            switch code {
            case ENOENT, ENOTDIR, ELOOP: throw .sourceGone
            default: throw .io(FileError("open the source", code))
            }
        }
        names = NamesOnDisk(list.manifest, at: sharedFile.path, files)
        let kind: FileStatus.Kind = list.manifest.isFolder ? .folder : .file
        guard (try? files.status(root))?.kind == kind else {
            close(root)
            throw .sourceChanged("")
        }
    }

    deinit {
        closeCurrent()
        close(root)
    }

    /// Fills the buffer with the chunk at an index. False if it is not there or not what the list says.
    func read(_ chunkIndex: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard let (file, chunk) = list.layout.locate(chunkIndex), let descriptor = descriptor(of: file) else {
            return false
        }
        let offset = UInt64(chunk) * UInt64(TransferLimits.chunkBytes)
        var done = 0
        while done < buffer.count {
            let end = min(buffer.count, done + TransferLimits.pieceBytes)
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<end])
            guard let count = try? files.read(into: piece, from: descriptor, at: offset + UInt64(done)),
                count == piece.count
            else { return false }
            InteractivePriority.shared.give()
            done = end
        }
        seal?.apply(to: buffer, at: offset)
        return TreeHash(chunk: UnsafeRawBufferPointer(buffer)) == list.leaf(chunkIndex)
    }

    private func descriptor(of file: UInt32) -> CInt? {
        guard list.manifest.isFolder else { return root }
        if let current, current.file == file { return current.descriptor }
        closeCurrent()
        guard let descriptor = try? names.open(Int(file), in: root) else { return nil }
        current = (file, descriptor)
        return (try? files.status(descriptor))?.kind == .file ? descriptor : nil
    }

    private func closeCurrent() {
        if let current { close(current.descriptor) }
        current = nil
    }
}

extension SharedFileList {
    /// Reads and hashes everything that is to be sent; holes are not read. Blocking.
    /// - Parameters:
    ///   - seal: for a single file that is given sealed and without its name; then the hashes are those of what is sealed.
    ///   - stopped: asked before each chunk.
    public init(
        path: String, source: SourceList, sealedBy seal: FileSeal? = nil, stopped: () -> Bool = { false }
    ) throws(TransferFailure) {
        let sent = SentChunks()
        let reader = try SourceReader(path: path, source: source, sent: sent)
        let layout = ChunkLayout(source.manifest)
        var leaves: [UInt8] = []
        leaves.reserveCapacity(Int(clamping: layout.count) * TreeHash.size)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: TransferLimits.chunkBytes, alignment: 4096)
        defer { buffer.deallocate() }
        for index in 0..<source.manifest.count where source.manifest.kind(index) == .file {
            let file = UInt32(truncatingIfNeeded: index)
            var holes: UInt64 = 0
            for chunk in 0..<UInt32(clamping: layout.chunks(of: file)) {
                if stopped() { throw .cancelled }
                let offset = UInt64(chunk) * UInt64(TransferLimits.chunkBytes)
                let length = layout.length(file: file, chunk: chunk)
                if holes == 0, seal == nil { holes = try reader.holeChunks(file: file, at: offset) }
                if holes > 0, length == TransferLimits.chunkBytes {
                    leaves += TreeHash.fullZeros.bytes
                    sent.add(chunk, of: file, Checksum.ofZeros(length))
                } else {
                    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
                    try reader.read(into: room, file: file, at: offset)
                    sent.add(chunk, of: file, Checksum(of: UnsafeRawBufferPointer(room)))
                    seal?.apply(to: room, at: offset)
                    leaves += TreeHash(chunk: UnsafeRawBufferPointer(room)).bytes
                    InteractivePriority.shared.give()
                }
                if holes > 0 { holes -= 1 }
            }
            try reader.finish(file: file) { (file, changed, read) throws(TransferFailure) in
                try sent.isSame(file, changed: changed, layout, mayGoOn: { true }, read: read)
            }
        }
        let manifest = seal == nil ? source.manifest : .nameless(size: source.manifest.size)
        guard let list = SharedFileList(manifest: manifest, leaves: leaves) else { throw .sourceChanged("") }
        self = list
    }
}
