import Basics

/// A transfer's data on disk: the part and the map of its chunks. It belongs to the transfer's thread.
final class ReceivedParts {
    let manifest: Manifest
    let store: PartStore
    var map: ChunkMap
    /// Chunks that ``verify(_:stopped:)`` found intact.
    private(set) var verifiedRuns: [ChunkRun] = []

    init(_ plan: ReceivePlan, manifest: Manifest, files: any FileLayer) throws(TransferFailure) {
        self.manifest = manifest
        do {
            store = try PartStore(plan, manifest: manifest, files: files)
        } catch { throw error.failure }
        map = ChunkMap(ChunkLayout(manifest))
        for file in plan.leftOut { map.leaveOut(file: file.file) }
    }

    /// Reads committed chunks and keeps those with a right checksum.
    /// - Returns: whether all chunks were right.
    func verify(_ runs: [ChunkRun], stopped: () -> Bool) throws(TransferFailure) -> Bool {
        guard !runs.isEmpty else { return true }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: TransferLimits.chunkBytes, alignment: 4096)
        defer {
            buffer.deallocate()
            store.endReading()
        }
        var isIntact = true
        for run in runs.sorted(by: { $0.first < $1.first }) {
            for index in 0..<run.count {
                if stopped() { throw .cancelled }
                let (chunkIndex, overflow) = run.first.addingReportingOverflow(UInt64(index))
                let place = overflow ? nil : map.layout.locate(chunkIndex)
                if let place, map.leftOut.contains(place.file) { continue }
                guard let checksum = run.checksum(index), let (file, chunk) = place,
                    try isOnDisk(file: file, chunk: chunk, checksum, buffer)
                else {
                    isIntact = false
                    continue
                }
                if map.insert(file: file, chunk: chunk) { verifiedRuns.append(chunkIndex, checksum: checksum) }
            }
        }
        return isIntact
    }

    /// The number of files with all their chunks. It is counted once; the caller continues the count.
    var filesDone: Int {
        (0..<manifest.count).reduce(0) { sum, index in
            sum + (manifest.kind(index) == .file && map.isComplete(file: UInt32(truncatingIfNeeded: index)) ? 1 : 0)
        } - map.leftOut.count
    }

    /// Removes left-out files again, because a crash may have brought them back.
    func dropLeftOut() throws(FileError) { for file in map.leftOut { try store.drop(file: file) } }

    /// Completes files again, because a crash may have come between a file's last chunk and its attributes.
    func completeFiles() throws(FileError) {
        guard manifest.isFolder, map.chunksDone > 0 else { return }
        for index in 0..<manifest.count where manifest.kind(index) == .file {
            let file = UInt32(truncatingIfNeeded: index)
            if map.isComplete(file: file), !map.leftOut.contains(file) { try store.complete(file: file) }
        }
    }

    private func isOnDisk(
        file: UInt32, chunk: UInt32, _ checksum: Checksum, _ buffer: UnsafeMutableRawBufferPointer
    ) throws(TransferFailure) -> Bool {
        let length = map.layout.length(file: file, chunk: chunk)
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
        do {
            let offset = UInt64(chunk) * UInt64(TransferLimits.chunkBytes)
            guard try store.read(into: room, file: file, at: offset) == length else { return false }
        } catch { throw error.failure }
        return Checksum(of: UnsafeRawBufferPointer(room)) == checksum
    }
}
