import Glibc
import Threads

/// A folder that comes from elsewhere than a peer, as files with a path before their names. The first ``ArrivingFile`` in it makes
/// a directory of its own for it, and the others look for that one. One thread finishes them, one after the other.
public final class ArrivingFolder: Sendable {
    private struct Place: Sendable {
        let name: String
        let status: FileStatus
    }

    /// The name that it gets, unless that is taken.
    let name: String
    private let place = Lock<Place?>(nil)

    /// - Parameter name: one that ``SafeName`` has no problem with.
    public init(_ name: String) { self.name = name }

    /// Notes which directory was made for it.
    func isAt(_ name: String, _ status: FileStatus) {
        let made = Place(name: name, status: status)
        place.withLock { $0 = made }
    }

    /// Opens the directory that was made for it.
    /// - Returns: nil if there is none yet, or if it was moved away; something else may be in its place.
    func open(in folder: CInt, _ files: any FileLayer) throws(FileError) -> (descriptor: CInt, name: String)? {
        guard let place = place.withLock({ $0 }) else { return nil }
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

    /// Opens a directory in one that was made for a folder. Where something else has its name, the directory has one with a number.
    /// - Returns: nil if there is none.
    static func open(_ name: String, in folder: CInt, _ files: any FileLayer) throws(FileError) -> CInt? {
        for spelling in [name] + DiskName.substitutes(name, isFolder: true) {
            for number in 0..<TransferLimits.nameAttempts {
                let candidate = SafeName.numbered(spelling, number, isFolder: true)
                do throws(FileError) {
                    return try files.open(candidate, in: folder, flags: O_RDONLY | O_DIRECTORY, mode: 0)
                } catch {
                    // A file, a link, or a directory that is closed to us.
                    if [ENOTDIR, ELOOP, EACCES].contains(error.code) { continue }
                    guard DiskName.mayRefuse(error) else { throw error }
                    break
                }
            }
        }
        return nil
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
