import Glibc
import Messaging

extension DataSpace {
    /// Asks the file system of a directory.
    package init(of directory: String) {
        self.init {
            var figures = statvfs()
            guard statvfs(directory, &figures) == 0 else { return nil }
            let (bytes, overflow) = UInt64(figures.f_bavail).multipliedReportingOverflow(by: UInt64(figures.f_frsize))
            return overflow ? .max : bytes
        }
    }
}
