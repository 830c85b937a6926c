import Glibc

/// Gives a finished part its final name without ever replacing somebody else's file.
///
/// Some disks can't rename without replacing (VirtualBox, exfat-fuse, gvfs, rclone). There a small file holds the final
/// name first, created in a way that only one program can succeed with. The file contains the part's name, so that it
/// is recognised and removed if the daemon dies before the part has taken its place.
package enum FinalName {
    /// Renames a file without replacing anything, on any disk. Blocking.
    /// - Returns: whether the file has the other name now.
    package static func move(_ name: String, to other: String, in folder: CInt) -> Bool {
        let files = SystemFiles()
        release(other, for: name, in: folder, files)
        do { try give(other, to: name, in: folder, isFolder: false, files) } catch { return false }
        return true
    }

    /// Gives a part the name that is wanted, or one with a number if that is taken, spelled as the disk takes it.
    /// - Parameter source: the folder that the part lies in.
    /// - Returns: the name that it has now.
    static func giveFree(
        _ name: String, to part: String, from source: CInt, in folder: CInt, isFolder: Bool, _ files: any FileLayer
    ) throws(FileError) -> String {
        var refusal: FileError?
        for spelling in [name] + DiskName.substitutes(name, isFolder: isFolder) {
            do throws(FileError) {
                return try giveNumbered(spelling, to: part, from: source, in: folder, isFolder: isFolder, files)
            } catch {
                guard DiskName.mayRefuse(error) else { throw error }
                // The problem with the name that is wanted tells the user most.
                refusal = refusal ?? error
            }
        }
        throw refusal ?? FileError("find a free name", EINVAL)
    }

    private static func giveNumbered(
        _ name: String, to part: String, from source: CInt, in folder: CInt, isFolder: Bool, _ files: any FileLayer
    ) throws(FileError) -> String {
        for number in 0..<TransferLimits.nameAttempts {
            let candidate = SafeName.numbered(name, number, isFolder: isFolder)
            guard try files.status(candidate, in: folder) == nil else { continue }
            do throws(FileError) {
                try give(candidate, to: part, from: source, in: folder, isFolder: isFolder, files)
                return candidate
            } catch {
                // Another program took the name after the look.
                guard error.code == EEXIST || error.code == ENOTEMPTY else { throw error }
            }
        }
        throw FileError("find a free name", EEXIST)
    }

    /// - Parameters:
    ///   - source: the folder that the part is in; nil if that is where it gets its name.
    ///   - isFolder: whether the part is a folder.
    /// - Throws: EEXIST (of a folder also ENOTEMPTY) if the name is taken.
    static func give(
        _ name: String, to part: String, from source: CInt? = nil, in folder: CInt, isFolder: Bool,
        _ files: any FileLayer
    ) throws(FileError) {
        let source = source ?? folder
        do { return try files.rename(part, from: source, to: name, in: folder) } catch {
            guard replaces(error) else { throw error }
        }
        if isFolder {
            // The system itself never replaces a folder with something in it.
            guard try files.status(name, in: folder) == nil else { throw FileError("rename", EEXIST) }
            return try files.replace(name, in: folder, by: part, from: source)
        }
        try hold(name, for: part, in: folder, files)
        // Creating the file may have taken a while, and another program may have written to it meanwhile.
        guard isHeld(name, for: part, in: folder, files) else { throw FileError("rename", EEXIST) }
        do { try files.replace(name, in: folder, by: part, from: source) } catch {
            if isHeld(name, for: part, in: folder, files) { try? files.remove(name, in: folder, isFolder: false) }
            guard error.code == EEXIST, try files.status(name, in: folder) == nil else { throw error }
            // This disk never replaces a file, so the name need not be held.
            try files.replace(name, in: folder, by: part, from: source)
        }
    }

    /// Removes the small file that a daemon left under the final name when it died. A power cut may have shortened or
    /// zeroed its content. Such a file counts too if the part is still there and the disk needs files that hold names.
    static func release(_ name: String, for part: String, in folder: CInt, _ files: any FileLayer) {
        guard let words = content(name, in: folder, atMost: part.utf8.count, files) else { return }
        if words != Array(part.utf8) {
            guard zip(words, part.utf8).allSatisfy({ $0 == 0 || $0 == $1 }),
                (try? files.status(part, in: folder)) ?? nil != nil, needsHolding(in: folder, files)
            else { return }
        }
        try? files.remove(name, in: folder, isFolder: false)
    }

    /// Whether this disk can't rename without replacing, so that a file has to hold the part's final name. This is
    /// tried with an empty file, because only the disk itself knows.
    private static func needsHolding(in folder: CInt, _ files: any FileLayer) -> Bool {
        // No received file may have such a name. A daemon that died here may have left files under them.
        let (trial, other) = (".trial" + SafeName.partSuffix, ".trial-2" + SafeName.partSuffix)
        for name in [trial, other] { try? files.remove(name, in: folder, isFolder: false) }
        guard let file = try? files.open(trial, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        else { return false }
        files.close(file)
        defer { for name in [trial, other] { try? files.remove(name, in: folder, isFolder: false) } }
        do {
            try files.rename(trial, to: other, in: folder)
            return false
        } catch { return replaces(error) }
    }

    /// Whether a disk has refused to rename because it can't do that without replacing.
    private static func replaces(_ error: FileError) -> Bool {
        error.code == EINVAL || error.code == ENOSYS || error.code == EOPNOTSUPP
    }

    /// Whether the file with this name only holds the name for the part.
    static func isHeld(_ name: String, for part: String, in folder: CInt, _ files: any FileLayer) -> Bool {
        content(name, in: folder, atMost: part.utf8.count, files) == Array(part.utf8)
    }

    /// The content of a file of at most `most` bytes; nil if there is no such file or it can't be read.
    private static func content(
        _ name: String, in folder: CInt, atMost most: Int, _ files: any FileLayer
    ) -> [UInt8]? {
        guard let status = try? files.status(name, in: folder), status.kind == .file, status.size <= most,
            let file = try? files.open(name, in: folder, flags: O_RDONLY | O_NONBLOCK, mode: 0)
        else { return nil }
        defer { files.close(file) }
        var buffer = [UInt8](repeating: 0, count: Int(clamping: status.size))
        let count = buffer.withUnsafeMutableBytes { try? files.read(into: $0, from: file, at: 0) }
        return count == buffer.count ? buffer : nil
    }

    private static func hold(
        _ name: String, for part: String, in folder: CInt, _ files: any FileLayer
    ) throws(FileError) {
        let file = try files.open(name, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        let words = Array(part.utf8)
        var failure: FileError?
        words.withUnsafeBytes { bytes in
            do throws(FileError) {
                try files.write(bytes, to: file, at: 0)
                // After a power cut we must be able to tell this file from somebody else's.
                try files.synchronise(file, .file)
            } catch { failure = error }
        }
        files.close(file)
        guard let failure else { return }
        // The file is our own, and too short to be recognised later.
        try? files.remove(name, in: folder, isFolder: false)
        throw failure
    }
}
