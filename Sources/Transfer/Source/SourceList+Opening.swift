import CLinux
import Glibc

extension SourceList {
    /// Opens a file of the source for reading, if it is still the one that was scanned. Blocking.
    /// - Parameters:
    ///   - index: its place in the list.
    ///   - path: where the source is.
    /// - Returns: the descriptor, which the caller closes.
    public func open(_ index: Int, at path: String) throws(TransferFailure) -> CInt {
        let root = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard root >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .sourceGone : .sourceChanged("")
        }
        guard index > 0 else { return try checked(root, index) }
        defer { close(root) }
        let descriptor = kibo_open_beneath(root, manifest.path(index), O_RDONLY | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw .sourceChanged(manifest.path(index)) }
        return try checked(descriptor, index)
    }

    private func checked(_ descriptor: CInt, _ index: Int) throws(TransferFailure) -> CInt {
        guard let status = try? SystemFiles().status(descriptor),
            identity(index).matches(
                status, kind: .file, numbersLast: FileNumbers.last(at: descriptor))
        else {
            close(descriptor)
            throw .sourceChanged(manifest.path(index))
        }
        return descriptor
    }
}
