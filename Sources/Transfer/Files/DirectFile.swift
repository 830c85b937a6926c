import CLinux
import Glibc

/// A second descriptor of a part file that writes past the page cache (O_DIRECT). The disk takes the bytes from where
/// the cipher left them, without a copy, and the user's cached files stay cached.
struct DirectFile {
    let file: UInt32
    /// Nil where the file system has no O_DIRECT, or the name belongs to another file now. The caller then writes
    /// normally.
    private(set) var descriptor: CInt?

    /// - Parameter other: the file's other descriptor.
    init(file: UInt32, _ path: String, in folder: CInt, sameAs other: CInt, _ files: any FileLayer) {
        self.file = file
        guard
            let opened = try? files.open(
                path, in: folder, flags: O_RDWR | O_NONBLOCK | kibo_direct_flag(), mode: 0)
        else { return }
        guard let known = try? files.status(other), let found = try? files.status(opened), found.isSame(as: known)
        else {
            files.close(opened)
            return
        }
        descriptor = opened
    }

    mutating func giveUp(_ files: any FileLayer) {
        close(files)
        descriptor = nil
    }

    func close(_ files: any FileLayer) { if let descriptor { files.close(descriptor) } }
}
