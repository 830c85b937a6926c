/// Finds what of a plan is already on disk.
extension ReceivePlan {
    /// Recognises a transfer that was finished before a crash.
    func finishedBefore(
        _ journal: any TransferJournal, _ files: any FileLayer
    ) throws(TransferFailure) -> ReceiveOutcome? {
        if let problem = SafeName.problem(name) { throw .invalid("the name is \(problem.rawValue)") }
        guard let mark = finishMark else { return nil }
        guard PartFinish.hasHappened(mark, of: self, files: files) else {
            // Remove a file that only holds the name, so that nobody takes it for the received file.
            if let folder = try? files.openFolder(directory) {
                releaseName(in: folder, files)
                files.close(folder)
            }
            return nil
        }
        try makeNameDurable(files)
        do { try journal.finished(path: mark.path, renamed: []) } catch { throw .journal("\(error)") }
        return ReceiveOutcome(path: mark.path, size: offer.size, files: offer.files)
    }

    /// Checks every committed chunk on disk against its checksum. Nil while the list is not known.
    func partsOnDisk(
        _ journal: any TransferJournal, _ files: any FileLayer, stopped: () -> Bool
    ) throws(TransferFailure) -> ReceivedParts? {
        guard let manifest else { return nil }
        guard ReceiverMachine.matches(manifest, offer) else { throw .invalid("the manifest is not the offer's") }
        let parts = try ReceivedParts(self, manifest: manifest, files: files)
        let isIntact = try parts.verify(committed, stopped: stopped)
        if !isIntact {
            do { try journal.committedChunksReplaced(parts.verifiedRuns) } catch { throw .journal("\(error)") }
        }
        return parts
    }

    /// A crash may have come between the rename and its synchronisation.
    private func makeNameDurable(_ files: any FileLayer) throws(TransferFailure) {
        do throws(FileError) {
            let folder = try files.openFolder(directory)
            defer { files.close(folder) }
            try files.synchronise(folder, .file)
        } catch { throw error.failure }
    }
}
