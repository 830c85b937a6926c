import Basics

/// What is on disk of a transfer: the part and the map of its chunks. Belongs to the transfer's thread.
final class ReceivedParts {
    let manifest: Manifest
    let store: PartStore
    var map: ChunkMap
    /// Chunks found intact by ``verify(_:stopped:)``.
    private(set) var verifiedRuns: [ChunkRun] = []

    init(_ plan: ReceivePlan, manifest: Manifest, files: any FileLayer) throws(TransferFailure) {
        self.manifest = manifest
        do {
            store = try PartStore(
                files: files, directory: plan.directory, name: plan.name, transfer: plan.transfer, manifest: manifest)
        } catch { throw error.failure }
        map = ChunkMap(ChunkLayout(manifest))
        for file in plan.leftOut { map.leaveOut(file: file.file) }
    }

    /// Reads committed chunks and keeps those whose checksum is right.
    /// - Returns: whether that is all of them.
    func verify(_ runs: [ChunkRun], stopped: () -> Bool) throws(TransferFailure) -> Bool {
        guard !runs.isEmpty else { return true }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: TransferLimits.chunkBytes, alignment: 4096)
        defer {
            buffer.deallocate()
            store.endReading()
        }
        var isIntact = true
        for run in runs.sorted(by: { ($0.file, $0.first) < ($1.file, $1.first) }) {
            for index in 0..<run.count {
                if stopped() { throw .cancelled }
                if map.leftOut.contains(run.file) { continue }
                guard let checksum = run.checksum(index),
                    let chunk = UInt32(exactly: UInt64(run.first) + UInt64(index)),
                    try isOnDisk(file: run.file, chunk: chunk, checksum, buffer)
                else {
                    isIntact = false
                    continue
                }
                if map.insert(file: run.file, chunk: chunk) {
                    verifiedRuns.append(file: run.file, chunk: chunk, checksum: checksum)
                }
            }
        }
        return isIntact
    }

    /// Files that have all their chunks, counted once; the caller goes on from there.
    var filesDone: Int {
        manifest.entries.indices.reduce(0) { sum, index in
            sum
                + (manifest.entries[index].kind == .file && map.isComplete(file: UInt32(truncatingIfNeeded: index))
                    ? 1 : 0)
        } - map.leftOut.count
    }

    /// A crash may have brought back what was removed.
    func dropLeftOut() throws(FileError) { for file in map.leftOut { try store.drop(file: file) } }

    /// A crash may have come between a file's last chunk and its attributes.
    func completeFiles() throws(FileError) {
        guard manifest.isFolder, map.chunksDone > 0 else { return }
        for index in manifest.entries.indices where manifest.entries[index].kind == .file {
            let file = UInt32(truncatingIfNeeded: index)
            if map.isComplete(file: file), !map.leftOut.contains(file) { try store.complete(file: file) }
        }
    }

    private func isOnDisk(
        file: UInt32, chunk: UInt32, _ checksum: Checksum, _ buffer: UnsafeMutableRawBufferPointer
    ) throws(TransferFailure) -> Bool {
        guard map.layout.place(file: file, chunk: chunk) != nil else { return false }
        let length = map.layout.length(file: file, chunk: chunk)
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
        do {
            let offset = UInt64(chunk) * UInt64(TransferLimits.chunkBytes)
            guard try store.read(into: room, file: file, at: offset) == length else { return false }
        } catch { throw error.failure }
        return Checksum(of: UnsafeRawBufferPointer(room)) == checksum
    }
}
