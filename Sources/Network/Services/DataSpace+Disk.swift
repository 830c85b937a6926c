import Basics
import Glibc
import Messaging

extension DataSpace {
    /// Asks the file system of a directory.
    package init(of directory: String) {
        self.init {
            var figures = statvfs()
            return statvfs(directory, &figures) == 0 ? figures.freeBytes : nil
        }
    }
}
