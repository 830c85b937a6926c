import ControlProtocol
import Glibc
import Store

/// Whether the disk with the database has room for what peers say. Asked on the writing thread, which waits for that disk anyhow.
struct DataSpace: Sendable {
    /// Free bytes, as far as an unprivileged user may fill them; nil if that can't be told.
    var free: @Sendable () -> UInt64? = { nil }

    /// Nothing is known: there is always room.
    init() {}

    init(free: @escaping @Sendable () -> UInt64?) { self.free = free }

    init(of directory: String) {
        free = {
            var figures = statvfs()
            guard statvfs(directory, &figures) == 0 else { return nil }
            let (bytes, overflow) = UInt64(figures.f_bavail).multipliedReportingOverflow(by: UInt64(figures.f_frsize))
            return overflow ? .max : bytes
        }
    }

    /// Whether so little is free that what peers say is put off.
    func isFull(in transaction: ReadTransaction) throws -> Bool {
        guard let free = free() else { return false }
        let floor = UInt64(clamping: try transaction.setting(SettingsCatalogue.filesFreeSpaceFloorBytes))
        return free < min(floor, DaemonLimits.peerSpaceFloor)
    }
}
