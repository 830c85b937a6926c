import Glibc
import Reactor
import Runtime

extension StartError {
    /// Why a socket can't be opened.
    /// - Parameter what: what can't be done, for the user.
    package init(_ error: SocketError, _ what: String) {
        let text = "\(what): \(error)"
        self =
            switch error {
            // It is the address that is wrong.
            case .addressInUse, .unusablePath, .system(_, EADDRNOTAVAIL), .system(_, EACCES), .system(_, ENODEV),
                .system(_, EAFNOSUPPORT), .system(_, EINVAL):
                .unusable(text)
            case .system, .timedOut: .failed(text)
            }
    }
}
