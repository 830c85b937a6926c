import Basics
import Glibc
import Transfer

/// Whether a disk has room for the rest of a transfer. It only looks, and moves nothing.
enum SpaceCheck {
    /// Whether there is room; also true if the disk can't be asked, since receiving finds out what is wrong. Blocking.
    static func hasRoom(for plan: ReceivePlan, bytesDone: Int64) -> Bool {
        var system = statvfs()
        guard statvfs(plan.directory, &system) == 0 else { return true }
        var here = UInt64(clamping: bytesDone)
        var status = stat()
        // The space that was reserved for a single file belongs to it already.
        if !plan.offer.isFolder, lstat(plan.partPath, &status) == 0 {
            here = max(here, UInt64(clamping: status.st_blocks) &* 512)
        }
        let needed = plan.offer.size - min(plan.offer.size, here)
        let sum = plan.freeSpaceReserve.addingReportingOverflow(needed)
        return system.freeBytes == .max || !sum.overflow && system.freeBytes >= sum.partialValue
    }
}
