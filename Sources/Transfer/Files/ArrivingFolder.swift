import Glibc
import Threads

/// A folder that comes from elsewhere than a peer, as files with a path before their names. The first ``ArrivingFile`` in it makes
/// a directory of its own for it, and the others look for that one. One thread finishes them, one after the other.
public final class ArrivingFolder: Sendable {
    private struct Place: Sendable {
        let name: String
        let status: FileStatus
    }

    private struct State: Sendable {
        /// The directory that was made for it.
        var place: Place?
        /// The names that directories below it got, by the bytes of their paths: strings of other bytes may be equal.
        var below: [[[UInt8]]: String] = [:]
        /// Where those directories are.
        var taken: Set<[[UInt8]]> = []
    }

    /// The name that it gets, unless that is taken.
    let name: String
    private let state = Lock(State())

    /// - Parameter name: one that ``SafeName`` has no problem with.
    public init(_ name: String) { self.name = name }

    /// Notes which directory was made for it.
    func isAt(_ name: String, _ status: FileStatus) {
        let made = Place(name: name, status: status)
        state.withLock { $0 = State(place: made) }
    }

    /// Notes which name a directory below it got.
    /// - Parameter path: the names that it and those above it should have, the outermost first.
    func isAt(_ path: [String], _ name: String) {
        let path = path.map { Array($0.utf8) }
        state.withLock {
            $0.below[path] = name
            $0.taken.insert(path.dropLast() + [Array(name.utf8)])
        }
    }

    /// Opens the directory that was made for it.
    /// - Returns: nil if there is none yet, or if it was moved away; something else may be in its place.
    func open(in folder: CInt, _ files: any FileLayer) throws(FileError) -> (descriptor: CInt, name: String)? {
        guard let place = state.withLock({ $0.place }) else { return nil }
        let descriptor: CInt
        do { descriptor = try files.open(place.name, in: folder, flags: O_RDONLY | O_DIRECTORY, mode: 0) } catch {
            guard [ENOENT, ENOTDIR, ELOOP].contains(error.code) else { throw error }
            return nil
        }
        do throws(FileError) {
            let status = try files.status(descriptor)
            // Where the mount makes up numbers, the name decides. A number may come again, but not with the same time.
            let isSame = status.isSame(as: place.status) && status.born == place.status.born
            if isSame || !FileNumbers.last(at: descriptor) { return (descriptor, place.name) }
        } catch {
            files.close(descriptor)
            throw error
        }
        files.close(descriptor)
        return nil
    }

    /// Opens a directory below it: the one that was made for this path, or else one that has its name and was made for no other.
    /// - Parameters:
    ///   - path: the names that it and those above it should have, the outermost first.
    ///   - folder: the directory above it.
    /// - Returns: nil if there is none; a file, a link, or a directory that is closed to us may have its name.
    func open(_ path: [String], in folder: CInt, _ files: any FileLayer) throws(FileError) -> CInt? {
        let bytes = path.map { Array($0.utf8) }
        let (made, isTaken) = state.withLock { ($0.below[bytes], $0.taken.contains(bytes)) }
        guard let name = made ?? (isTaken ? nil : path.last) else { return nil }
        do throws(FileError) {
            return try files.open(name, in: folder, flags: O_RDONLY | O_DIRECTORY, mode: 0)
        } catch {
            guard DiskName.mayRefuse(error) else { throw error }
            return nil
        }
    }

    /// Makes a directory in a new one.
    /// - Returns: its name, spelled as the disk takes it.
    static func make(_ name: String, in folder: CInt, _ files: any FileLayer) throws(FileError) -> String {
        var refusal: FileError?
        for spelling in [name] + DiskName.substitutes(name, isFolder: true) {
            do throws(FileError) {
                try files.makeFolder(spelling, in: folder)
                return spelling
            } catch {
                guard DiskName.mayRefuse(error) else { throw error }
                refusal = refusal ?? error
            }
        }
        throw refusal ?? FileError("make folder", EINVAL)
    }

    /// Opens a directory that was just made, and sets its permissions. Those that a directory around it hands down stay.
    static func openNew(
        _ name: String, in folder: CInt, mode: UInt16, _ files: any FileLayer
    ) throws(FileError) -> CInt {
        let descriptor = try files.open(name, in: folder, flags: O_RDONLY | O_DIRECTORY, mode: 0)
        do throws(FileError) {
            let inherited = try files.status(descriptor).mode & 0o7000
            guard fchmod(descriptor, mode_t(mode | inherited)) == 0 || errno == EPERM else {
                throw FileError("chmod", errno)
            }
            return descriptor
        } catch {
            files.close(descriptor)
            throw error
        }
    }
}
