import Glibc

/// Moves a complete part to its final name, so that a crash at any moment leaves either the part or the whole.
enum PartFinish {
    /// Finishes a part whose chunks have all been written: commits the last of them, and tells the journal of each step.
    /// - Parameter last: what no checkpoint has committed yet.
    /// - Returns: the final path.
    static func finish(
        _ part: PartStore, _ plan: ReceivePlan, _ last: CheckpointThread.Batch, _ journal: any TransferJournal
    ) throws(TransferFailure) -> String {
        var last: CheckpointThread.Batch? = last
        let path = try finish(part, directory: plan.directory, name: plan.name) { mark throws(TransferFailure) in
            do {
                // Everything has just been synchronised, so the last chunks are committed without another synchronisation.
                if let batch = last, !batch.isEmpty { try batch.commit(to: journal) }
                last = nil
                try journal.willFinish(mark)
            } catch { throw .journal("\(error)") }
        }
        do { try journal.finished(path: path) } catch { throw .journal("\(error)") }
        return path
    }

    /// Makes the part durable, stores what is about to happen, renames without replacing anything, and makes the name
    /// durable.
    /// - Parameter willRename: stores the chosen path and identity in the journal.
    /// - Returns: the final path.
    static func finish(
        _ part: PartStore, directory: String, name: String, willRename: (FinishMark) throws(TransferFailure) -> Void
    ) throws(TransferFailure) -> String {
        do throws(FileError) {
            try part.setFinalAttributes()
            try part.files.synchronise(part.root, part.manifest.isFolder ? .fileSystem : .file)
            guard try part.isInPlace() else { throw FileError("find the part again", ESTALE) }
        } catch { throw error.failure }
        for number in 0..<TransferLimits.nameAttempts {
            let candidate = SafeName.numbered(name, number, isFolder: part.manifest.isFolder)
            do {
                guard try part.files.status(candidate, in: part.destination) == nil else { continue }
            } catch { throw error.failure }
            // The folder is the opened one, even if it has been moved meanwhile.
            let folder = place(of: part.destination, opened: directory, part.files)
            let path = folder.hasSuffix("/") ? folder + candidate : folder + "/" + candidate
            try willRename(FinishMark(path: path, inode: part.inode))
            do {
                try part.files.rename(
                    part.partName, to: candidate, in: part.destination, isFolder: part.manifest.isFolder)
                try part.files.synchronise(part.destination, .file)
                return path
            } catch {
                // Another program took the name after the check.
                guard error.code == EEXIST || error.code == ENOTEMPTY else { throw error.failure }
            }
        }
        throw .io(FileError("find a free name", EEXIST))
    }

    /// The absolute path of a folder that was opened at `path`: that path if it still leads there, otherwise the
    /// kernel's.
    private static func place(of folder: CInt, opened path: String, _ files: any FileLayer) -> String {
        guard let status = try? files.status(folder) else { return path }
        func leadsThere(_ path: String) -> Bool {
            (try? files.status(path, in: AT_FDCWD)).map { $0.isSame(as: status) } ?? false
        }
        if leadsThere(path) { return path }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(folder)", &buffer, buffer.count - 1)
        guard count > 0 else { return path }
        let moved = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return leadsThere(moved) ? moved : path
    }

    /// Whether the stored rename has happened. Its file system may have been mounted again since, under another device
    /// number.
    static func hasHappened(_ mark: FinishMark, of plan: ReceivePlan, files: any FileLayer) -> Bool {
        guard let status = try? files.status(mark.path, in: AT_FDCWD),
            status.kind == (plan.offer.isFolder ? .folder : .file),
            plan.offer.isFolder || status.size == plan.offer.size
        else { return false }
        if status.inode == mark.inode { return true }
        // Where inodes don't survive a mount the name decides: nothing had it before, and the part beside it is gone.
        guard let slash = mark.path.lastIndex(of: "/"),
            let folder = try? files.openFolder(slash == mark.path.startIndex ? "/" : String(mark.path[..<slash]))
        else { return false }
        defer { files.close(folder) }
        guard !FileNumbers.last(at: folder) else { return false }
        do { return try files.status(plan.partName, in: folder) == nil } catch { return false }
    }
}
