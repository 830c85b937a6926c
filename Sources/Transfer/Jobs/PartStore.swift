import Basics
import Glibc

/// The part file or part folder of one transfer, which holds received bytes until everything is there.
///
/// All operations happen beneath two descriptors, the destination folder's and the part's own. So a name that leads
/// elsewhere, or a folder exchanged for a link, is an error and not a way out. It belongs to the transfer's thread.
final class PartStore {
    let files: any FileLayer
    let manifest: Manifest
    let partName: String
    /// The destination folder.
    let destination: CInt
    /// The part file or part folder.
    let root: CInt
    /// Whether this disk drops dots at the end of names.
    let dropsDots: Bool
    /// What the files and folders in a folder are called here.
    let names: NamesOnDisk
    private let rootStatus: FileStatus
    private var current: (file: UInt32, descriptor: CInt)?
    /// The same file opened again, past the page cache.
    private var direct: DirectFile?
    /// A mode that was set exactly as requested, because the user's mask takes nothing from it.
    private var exactMode: UInt16?
    private var hasExactMode = false
    private let mask: UInt16
    private let isPlain: Bool

    /// Opens the present part, or makes it. Its name contains the whole id, so no other transfer has a part of that
    /// name.
    init(_ plan: ReceivePlan, manifest: Manifest, files: any FileLayer) throws(FileError) {
        self.files = files
        self.manifest = manifest
        mask = plan.mask
        isPlain = plan.isPlain
        partName = plan.partName
        let destination = try files.openFolder(plan.directory)
        do throws(FileError) {
            root =
                manifest.isFolder
                ? try Self.openFolder(files, partName, in: destination)
                : try Self.openFile(files, partName, in: destination, mode: 0o600).descriptor
        } catch {
            files.close(destination)
            throw error
        }
        do throws(FileError) { rootStatus = try files.status(root) } catch {
            files.close(root)
            files.close(destination)
            throw error
        }
        dropsDots = NamesOnDisk.dropsDots(partName, in: destination, sameAs: rootStatus, files)
        names = NamesOnDisk(manifest, dropsDots: dropsDots, files)
        self.destination = destination
    }

    deinit {
        closeCurrent()
        direct?.close(files)
        files.close(root)
        files.close(destination)
    }

    /// How a checkpoint synchronises its descriptor.
    var syncScope: SyncScope { manifest.isFolder ? .fileSystem : .data }

    /// Makes folders and reserves space, after a check of the free space.
    func prepare(reserve: UInt64, bytesDone: UInt64) throws(TransferFailure) {
        do {
            let onDisk = manifest.isFolder ? bytesDone : max(bytesDone, rootStatus.blocks.multipliedClamping(by: 512))
            try checkSpace(reserve: reserve, needed: manifest.size - min(manifest.size, onDisk))
            if manifest.isFolder {
                try makeFolders()
            } else {
                if rootStatus.size > manifest.size { try files.truncate(root, size: manifest.size) }
                try files.reserve(root, size: manifest.size)
            }
        } catch let error as FileError { throw error.failure } catch let error as TransferFailure { throw error } catch
        {
            throw .interrupted("\(error)")
        }
    }

    /// Throws `.noSpace` if less than `reserve` and `needed` together is free.
    func checkSpace(reserve: UInt64, needed: UInt64) throws(TransferFailure) {
        let free: UInt64
        do { free = try files.freeBytes(destination) } catch { throw error.failure }
        let (sum, overflow) = reserve.addingReportingOverflow(needed)
        guard !overflow, free >= sum else { throw .noSpace }
    }

    func write(_ bytes: UnsafeRawBufferPointer, file: UInt32, at offset: UInt64) throws(FileError) {
        let descriptor = try descriptor(of: file)
        if bytes.count == TransferLimits.chunkBytes, manifest.size(Int(file)) >= TransferLimits.directBytes,
            try writeDirectly(bytes, file: file, at: offset, descriptor)
        {
            return
        }
        try files.write(bytes, to: descriptor, at: offset)
    }

    /// Returns false if this file can't be written past the page cache; then nothing counts as written.
    private func writeDirectly(
        _ bytes: UnsafeRawBufferPointer, file: UInt32, at offset: UInt64, _ descriptor: CInt
    ) throws(FileError) -> Bool {
        if direct?.file != file {
            direct?.close(files)
            let path = file == 0 ? partName : names.path(Int(file))
            direct = DirectFile(
                file: file, path, in: file == 0 ? destination : root, sameAs: descriptor, files)
        }
        guard let target = direct?.descriptor else { return false }
        do {
            var done = 0
            while done < bytes.count {
                let end = min(bytes.count, done + TransferLimits.directPieceBytes)
                try files.write(
                    UnsafeRawBufferPointer(rebasing: bytes[done..<end]), to: target, at: offset + UInt64(done))
                done = end
            }
            return true
        } catch {
            // File systems with another alignment return EINVAL.
            guard error.code == EINVAL else { throw error }
            direct?.giveUp(files)
            return false
        }
    }

    /// Turns a stretch of a file into zeros.
    func punch(file: UInt32, offset: UInt64, length: UInt64) throws(FileError) {
        let descriptor = try descriptor(of: file)
        let size = manifest.size(Int(file))
        if try files.status(descriptor).size < size { try files.truncate(descriptor, size: size) }
        try files.punch(descriptor, offset: offset, length: length)
    }

    /// Fills the buffer from a file up to its end; nil if there is no such file yet.
    func read(into buffer: UnsafeMutableRawBufferPointer, file: UInt32, at offset: UInt64) throws(FileError) -> Int? {
        if file != 0, current?.file != file {
            closeCurrent()
            do {
                let descriptor = try names.open(Int(file), in: root)
                current = (file, descriptor)
                try Self.check(files, descriptor)
            } catch {
                closeCurrent()
                if error.code == ENOENT || error.code == ENOTDIR || error.code == EACCES { return nil }
                throw error
            }
            let count = try files.read(into: buffer, from: current?.descriptor ?? -1, at: offset)
            return count
        }
        return try files.read(into: buffer, from: file == 0 ? root : current?.descriptor ?? -1, at: offset)
    }

    /// Closes the file that is being read, whose descriptor can't be written to.
    func endReading() { closeCurrent() }

    /// Sets the attributes of a file in a folder that has all its bytes, and closes it.
    func complete(file: UInt32) throws(FileError) {
        guard manifest.isFolder else { return }
        let descriptor = try descriptor(of: file)
        try files.setAttributes(
            descriptor, mode: hasExactMode ? nil : mode(Int(file)), modified: manifest.modified(Int(file)))
        closeCurrent()
    }

    /// Removes the bytes of a file that is left out. A missing file is no error.
    func drop(file: UInt32) throws(FileError) {
        guard manifest.isFolder, file != 0 else { return }
        if current?.file == file { closeCurrent() }
        do { try removeFile(Int(file)) } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// Sets the attributes of everything that has none yet.
    func setFinalAttributes() throws(FileError) {
        closeCurrent()
        guard manifest.isFolder else {
            return try files.setAttributes(root, mode: mode(0), modified: manifest.modified(0))
        }
        // The deepest folders come first, because filling a folder changes its time.
        for index in (0..<manifest.count).reversed() where manifest.kind(index) == .folder {
            let flags = O_RDONLY | O_DIRECTORY
            let descriptor = index == 0 ? root : try files.open(names.path(index), in: root, flags: flags, mode: 0)
            defer { if index > 0 { files.close(descriptor) } }
            try files.setAttributes(descriptor, mode: mode(index), modified: manifest.modified(index))
        }
    }

    /// Whether the name beside the destination still leads to the part that was filled.
    func isInPlace() throws(FileError) -> Bool {
        try files.status(partName, in: destination)?.isSame(as: rootStatus) ?? false
    }

    /// The inode by which the finished file is recognised.
    var inode: UInt64 { rootStatus.inode }

    /// The sender decides only whether a file can be executed, and not even that if the plan is for plain files. The
    /// receiver's mask decides who may read it, and only its owner may write. The owner keeps access to all of it.
    private func mode(_ index: Int) -> UInt16 {
        guard manifest.kind(index) == .file else { return 0o755 & ~mask | 0o700 }
        return manifest.mode(index) & 0o100 != 0 && !isPlain ? 0o755 & ~mask | 0o600 : 0o644 & ~mask | 0o600
    }

    private func descriptor(of file: UInt32) throws(FileError) -> CInt {
        if file == 0 { return root }
        if let current, current.file == file { return current.descriptor }
        closeCurrent()
        let size = manifest.size(Int(file))
        let (descriptor, isNew) = try names.making(Int(file)) { () throws(FileError) in
            let path = names.path(Int(file))
            do throws(FileError) { return try Self.openFile(files, path, in: root, mode: mode(Int(file))) } catch {
                // A mode that was set before a crash may lock us out. The name is removed, and a new file takes its place.
                guard error.code == EACCES else { throw error }
                try removeFile(Int(file))
                return try Self.openFile(files, path, in: root, mode: mode(Int(file)))
            }
        }
        current = (file, descriptor)
        try learnMode(of: descriptor, asked: mode(Int(file)), isNew: isNew)
        if isNew && size <= UInt64(TransferLimits.chunkBytes) { return descriptor }
        if size > UInt64(TransferLimits.chunkBytes) {
            let length = try files.status(descriptor).size
            if length > size { try files.truncate(descriptor, size: size) }
            if length < size { try files.reserve(descriptor, size: size) }
        } else if try files.status(descriptor).size > size {
            try files.truncate(descriptor, size: size)
        }
        return descriptor
    }

    /// A new file already has its final mode, unless the user's mask or the folder's defaults took something from it.
    private func learnMode(of descriptor: CInt, asked: UInt16, isNew: Bool) throws(FileError) {
        hasExactMode = isNew && exactMode == asked
        guard isNew, !hasExactMode, try files.status(descriptor).mode == asked else { return }
        exactMode = asked
        hasExactMode = true
    }

    private func closeCurrent() {
        if let current {
            files.close(current.descriptor)
            direct?.close(files)
            direct = nil
        }
        current = nil
        hasExactMode = false
    }

    private func removeFile(_ index: Int) throws(FileError) {
        let parent = try openParent(of: index)
        defer { if parent != root { files.close(parent) } }
        try files.remove(names.name(index), in: parent, isFolder: false)
    }

    private func openParent(of index: Int) throws(FileError) -> CInt {
        let parent = manifest.parent(index)
        guard parent > 0 else { return root }
        return try files.open(names.path(parent), in: root, flags: O_RDONLY | O_DIRECTORY, mode: 0)
    }

    /// Parents stand before their children in the manifest. mkdirat follows links on the way to its last component, so
    /// the parent is opened beneath the root first.
    private func makeFolders() throws(FileError) {
        for index in 1..<max(1, manifest.count) where manifest.kind(index) == .folder {
            let parent = try openParent(of: index)
            defer { if parent != root { files.close(parent) } }
            try names.making(index) { () throws(FileError) in
                let name = names.name(index)
                do throws(FileError) { try files.makeFolder(name, in: parent) } catch {
                    guard error.code == EEXIST else { throw error }
                    guard try files.status(name, in: parent)?.kind == .folder else { throw error }
                }
            }
        }
    }

    private static func openFile(
        _ files: any FileLayer, _ path: String, in folder: CInt, mode: UInt16
    ) throws(FileError) -> (descriptor: CInt, isNew: Bool) {
        do {
            return (
                try files.open(path, in: folder, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode_t(mode)), isNew: true
            )
        } catch {
            guard error.code == EEXIST else { throw error }
        }
        let descriptor = try openAgain(files, path, in: folder)
        do { try check(files, descriptor) } catch {
            files.close(descriptor)
            throw error
        }
        return (descriptor, isNew: false)
    }

    /// Opens a file that was made before. Its final mode may have been set just before a crash and may lock out even
    /// its owner; it becomes ours again, with its bytes.
    private static func openAgain(_ files: any FileLayer, _ path: String, in folder: CInt) throws(FileError) -> CInt {
        let flags = O_RDWR | O_NONBLOCK
        do { return try files.open(path, in: folder, flags: flags, mode: 0) } catch {
            guard error.code == EACCES else { throw error }
        }
        let locked = try files.open(path, in: folder, flags: O_RDONLY | O_NONBLOCK, mode: 0)
        defer { files.close(locked) }
        try check(files, locked)
        try files.setAttributes(locked, mode: 0o600, modified: 0)
        return try files.open(path, in: folder, flags: flags, mode: 0)
    }

    /// Checks that an existing part is our own file, with no other name.
    private static func check(_ files: any FileLayer, _ descriptor: CInt) throws(FileError) {
        let status = try files.status(descriptor)
        // Where the mount makes up owners and numbers, they say nothing.
        let isOurs = status.owner == geteuid() && status.links == 1 || !FileNumbers.last(at: descriptor)
        guard status.kind == .file, isOurs else { throw FileError("use the part file", EPERM) }
    }

    private static func openFolder(_ files: any FileLayer, _ name: String, in folder: CInt) throws(FileError) -> CInt {
        do { try files.makeFolder(name, in: folder) } catch {
            guard error.code == EEXIST else { throw error }
        }
        let descriptor = try files.open(name, in: folder, flags: O_RDONLY | O_DIRECTORY, mode: 0)
        do throws(FileError) {
            let status = try files.status(descriptor)
            guard status.kind == .folder, status.owner == geteuid() || !FileNumbers.last(at: descriptor) else {
                throw FileError("use the part folder", EPERM)
            }
            return descriptor
        } catch {
            files.close(descriptor)
            throw error
        }
    }
}

extension UInt64 {
    func multipliedClamping(by factor: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
