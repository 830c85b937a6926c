import Basics
import CLinux
import Glibc

/// Questions to the kernel's routing table.
public enum Route {
    /// Our address from which a connection to this one would come; nil where there is no route. Sends nothing.
    public static func source(to address: SocketAddress) -> IPAddress? {
        let family = AddressCoding.family(address)
        guard let fd = try? SystemCalls.socket(family, SOCK_DGRAM) else { return nil }
        defer { Glibc.close(fd) }
        // Connecting a datagram socket only looks up its route.
        guard AddressCoding.with(address, family: family, { Glibc.connect(fd, $0, $1) }) == 0 else { return nil }
        return AddressCoding.ask(fd, getsockname)?.host
    }
}
