import ControlProtocol
import Glibc

/// Which of our files others may read. It blocks, and only looks.
enum PermissionCheck {
    struct Problem: Equatable {
        let finding: Remark<DoctorFinding>
        let advice: Remark<DoctorAdvice>
    }

    /// Looks at those of the paths that exist.
    static func problems(_ paths: [String]) -> [Problem] {
        paths.compactMap { path in
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            if status.st_uid != geteuid() {
                return Problem(
                    finding: .init(.foreignOwner, ["path": .string(path)]),
                    advice: .init(.takeOwnership, ["path": .string(path)]))
            }
            let mode = status.st_mode & 0o777
            guard mode & 0o077 != 0 else { return nil }
            return Problem(
                finding: .init(
                    .openToOthers, ["path": .string(path), "mode": .string(String(mode, radix: 8))]),
                advice: .init(.closePath, ["path": .string(path)]))
        }
    }
}
