import Store
import Transfer

/// Writes the progress of a group's file into the database, as for other files, with two differences: the list stays,
/// because other members will ask for it, and the sender is not told of the end.
struct SwarmJournal: DownloadJournal {
    let base: StoreJournal

    func hashesReceived(_ leaves: [UInt8]) throws {
        let transfer = base.transfer
        // The list is written in pieces, between which others write. The list doesn't count until its last piece is
        // there.
        var start = 0
        repeat {
            let piece = Array(leaves[start..<min(leaves.count, start + StoreLimits.listBytesAtOnce)])
            let row = Int64(start / StoreLimits.leafBytes)
            try base.store.commitAndWait { try $0.setLeaves(piece, of: transfer, from: row) }
            start += StoreLimits.listBytesAtOnce
        } while start < leaves.count
    }

    func manifestReceived(_ manifest: Manifest) throws { try base.manifestReceived(manifest) }
    func committedChunksReplaced(_ runs: [ChunkRun]) throws { try base.committedChunksReplaced(runs) }
    func leftOut(_ files: [LeftOutFile]) throws { try base.leftOut(files) }
    func checkpoint(_ newChunks: [ChunkRun], bytesDone: UInt64, filesDone: Int) throws {
        try base.checkpoint(newChunks, bytesDone: bytesDone, filesDone: filesDone)
    }
    func willFinish(_ mark: FinishMark) throws { try base.willFinish(mark) }
    func finished(path: String, renamed: [RenamedEntry]) throws { try base.finished(path: path, renamed: renamed) }
}
