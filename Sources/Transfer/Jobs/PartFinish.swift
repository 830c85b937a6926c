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
        do throws(FileError) {
            try part.setFinalAttributes()
            try part.files.synchronise(part.root, part.manifest.isFolder ? .fileSystem : .file)
            guard try part.isInPlace() else { throw FileError("find the part again", ESTALE) }
        } catch { throw error.failure }
        plan.releaseName(in: part.destination, part.files)
        let (path, spelling) = try name(part, plan) { mark throws(TransferFailure) in
            do {
                // Everything has just been synchronised, so the last chunks are committed without another synchronisation.
                if let batch = last, !batch.isEmpty { try batch.commit(to: journal) }
                last = nil
                try journal.willFinish(mark)
            } catch { throw .journal("\(error)") }
        }
        do throws(FileError) { try part.files.synchronise(part.destination, .file) } catch { throw error.failure }
        do {
            try journal.finished(path: path, renamed: renamed(part, plan, path, spelling: spelling))
        } catch { throw .journal("\(error)") }
        return path
    }

    /// Stores what is about to happen, then renames the part without replacing anything. Takes the first spelling of
    /// the name that the disk accepts, with the first number that is free.
    /// - Parameter willRename: stores the chosen path and identity in the journal.
    /// - Returns: the final path, and the spelling in use.
    private static func name(
        _ part: PartStore, _ plan: ReceivePlan, willRename: (FinishMark) throws(TransferFailure) -> Void
    ) throws(TransferFailure) -> (path: String, spelling: String) {
        var spellings = DiskName.substitutes(plan.name, isFolder: part.manifest.isFolder)
        // Where the disk drops dots at the end, the offered name leads to another file.
        if !(part.dropsDots && plan.name.hasSuffix(".")) { spellings.insert(plan.name, at: 0) }
        var refusal: TransferFailure?
        for spelling in spellings {
            do { return (try name(part, plan, spelling, willRename), spelling) } catch {
                guard case .io(let cause) = error, DiskName.mayRefuse(cause) else { throw error }
                // The problem with the offered name tells the user most.
                refusal = refusal ?? error
            }
        }
        throw refusal ?? .io(FileError("find a free name", EINVAL))
    }

    private static func name(
        _ part: PartStore, _ plan: ReceivePlan, _ spelling: String,
        _ willRename: (FinishMark) throws(TransferFailure) -> Void
    ) throws(TransferFailure) -> String {
        let (files, isFolder) = (part.files, part.manifest.isFolder)
        // A shortened name must stay short when it gets a number.
        let isShort = spelling != plan.name && spelling.utf8.count <= DiskName.shortBytes
        let limit = isShort ? DiskName.shortBytes : TransferLimits.nameBytes
        for number in 0..<TransferLimits.nameAttempts {
            let candidate = SafeName.numbered(spelling, number, isFolder: isFolder, limit: limit)
            do {
                guard try files.status(candidate, in: part.destination) == nil else { continue }
            } catch { throw error.failure }
            // Use the folder that was opened, even if it has been moved meanwhile.
            let folder = place(of: part.destination, opened: plan.directory, files)
            let path = folder.hasSuffix("/") ? folder + candidate : folder + "/" + candidate
            try willRename(FinishMark(path: path, inode: part.inode))
            do {
                try FinalName.give(candidate, to: part.partName, in: part.destination, isFolder: isFolder, files)
                return path
            } catch {
                // Another program took the name after the check.
                guard error.code == EEXIST || error.code == ENOTEMPTY else { throw error.failure }
            }
        }
        throw .io(FileError("find a free name", EEXIST))
    }

    /// The entries that have another name here than offered, because the disk doesn't take the offered one.
    private static func renamed(
        _ part: PartStore, _ plan: ReceivePlan, _ path: String, spelling: String
    ) -> [RenamedEntry] {
        let isOffered = spelling == plan.name
        return (isOffered ? [] : [RenamedEntry(offered: plan.name, name: FinishMark.name(of: path))])
            + part.names.renamed
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
        guard let slash = mark.path.lastIndex(of: "/"),
            let folder = try? files.openFolder(slash == mark.path.startIndex ? "/" : String(mark.path[..<slash]))
        else { return status.inode == mark.inode }
        defer { files.close(folder) }
        if FileNumbers.last(at: folder) { return status.inode == mark.inode }
        // Where inodes don't survive a mount the name decides: nothing had it before, and the part beside it is gone.
        guard !FinalName.isHeld(mark.name, for: plan.partName, in: folder, files) else { return false }
        do { return try files.status(plan.partName, in: folder) == nil } catch { return false }
    }
}
