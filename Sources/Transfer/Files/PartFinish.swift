import Glibc

/// From a complete part to its place under its final name, so that a crash at any moment leaves either the part or
/// the whole.
enum PartFinish {
    /// Makes it durable, writes down what is about to happen, renames without replacing anything, makes the name
    /// durable.
    /// - Parameter willRename: writes the chosen path and identity to the journal.
    /// - Returns: the final path.
    static func finish(
        _ part: PartStore, directory: String, name: String, willRename: (FinishMark) throws(TransferFailure) -> Void
    ) throws(TransferFailure) -> String {
        do throws(FileError) {
            try part.setFinalAttributes()
            try part.files.synchronise(part.root, part.manifest.isFolder ? .fileSystem : .file)
            guard try part.isInPlace() else { throw FileError("find the part again", ESTALE) }
        } catch { throw error.failure }
        let (device, inode) = part.identity
        for number in 0..<TransferLimits.nameAttempts {
            let candidate = SafeName.numbered(name, number, isFolder: part.manifest.isFolder)
            do {
                guard try part.files.status(candidate, in: part.destination) == nil else { continue }
            } catch { throw error.failure }
            let path = directory.hasSuffix("/") ? directory + candidate : directory + "/" + candidate
            try willRename(FinishMark(path: path, device: device, inode: inode))
            do {
                try part.files.rename(
                    part.partName, to: candidate, in: part.destination, isFolder: part.manifest.isFolder)
                try part.files.synchronise(part.destination, .file)
                return path
            } catch {
                // Somebody took the name since we looked.
                guard error.code == EEXIST || error.code == ENOTEMPTY else { throw error.failure }
            }
        }
        throw .io(FileError("find a free name", EEXIST))
    }

    /// Whether the rename that was written down has happened.
    static func hasHappened(_ mark: FinishMark, files: any FileLayer) -> Bool {
        guard let status = try? files.status(mark.path, in: AT_FDCWD) else { return false }
        return status.device == mark.device && status.inode == mark.inode
    }
}
