import Basics
import Glibc

/// Old copies of a data directory, as a backup, a snapshot or a machine's image brings them back.
extension DaemonProcess {
    /// Copies the data of a daemon that doesn't run.
    /// - Returns: the path of the copy, for ``putBack(_:)``.
    public func copyData() throws -> String {
        let path = directory.file("copy-\(TemporaryDirectory.names(in: directory.path).count)")
        try copy(dataPath, to: path)
        return path
    }

    /// Puts a copy in the place of the data of a daemon that doesn't run. The copy stays.
    public func putBack(_ copy: String) throws {
        TemporaryDirectory.remove(dataPath)
        try self.copy(copy, to: dataPath)
    }

    private func copy(_ from: String, to path: String) throws {
        precondition(!isRunning, "\(name) runs")
        let copier = try ChildProcess(
            "/bin/cp", ["-a", from, path], environment: [:], outputPath: directory.file("copies"))
        guard case .exited(0) = copier.wait(Patience.usual) else {
            throw Failure(description: "\(from) can't be copied to \(path)")
        }
    }
}
