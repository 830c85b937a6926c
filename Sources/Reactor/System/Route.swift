import Basics
import CLinux
import Glibc

/// What the kernel's routing table says.
public enum Route {
    /// The address of ours that a connection to this one would come from; nil where none leads there. Sends nothing.
    public static func source(to address: SocketAddress) -> IPAddress? {
        let family = AddressCoding.family(address)
        guard let fd = try? SystemCalls.socket(family, SOCK_DGRAM) else { return nil }
        defer { Glibc.close(fd) }
        // A datagram socket that is connected has only looked up its route.
        guard AddressCoding.with(address, family: family, { Glibc.connect(fd, $0, $1) }) == 0 else { return nil }
        return AddressCoding.ask(fd, getsockname)?.host
    }
}
