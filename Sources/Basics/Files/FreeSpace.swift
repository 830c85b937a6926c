import Glibc

extension statvfs {
    /// The bytes that a program without privileges can still write to the file system.
    package var freeBytes: UInt64 {
        let (bytes, overflow) = UInt64(f_bavail).multipliedReportingOverflow(by: UInt64(f_frsize))
        return overflow ? .max : bytes
    }
}
