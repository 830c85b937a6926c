import CLinux
import Glibc

/// Thin typed wrappers: EINTR is retried, every other error goes to the caller.
enum SystemCalls {
    /// Makes a close-on-exec, non-blocking socket.
    static func socket(_ family: CInt, _ type: __socket_type) throws(SocketError) -> CInt {
        let flags = type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let fd = Glibc.socket(family, CInt(flags), 0)
        guard fd >= 0 else { throw .system("socket", errno) }
        return fd
    }

    static func setOption(_ fd: CInt, _ level: CInt, _ option: CInt, _ value: CInt) throws(SocketError) {
        var value = value
        guard setsockopt(fd, level, option, &value, socklen_t(MemoryLayout<CInt>.size)) == 0 else {
            throw .system("setsockopt", errno)
        }
    }

    /// An integer option; nil if the socket has no such option.
    static func option(_ fd: CInt, _ level: CInt, _ option: CInt) -> CInt? {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(fd, level, option, &value, &length) == 0 ? value : nil
    }

    /// The error that waits on a socket; 0 for none.
    static func pendingError(_ fd: CInt) -> CInt { option(fd, SOL_SOCKET, SO_ERROR) ?? 0 }

    /// Makes the socket send what was written at once instead of waiting for a full segment. TCP only; no effect
    /// elsewhere.
    static func disableNagle(_ fd: CInt) {
        var on: CInt = 1
        setsockopt(fd, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Makes TCP send unacknowledged data again after at most a second, however often that has failed. On a network
    /// that was cut for a while, the pauses would have grown as long as the cut. Needs Linux 6.15 or later; no effect
    /// elsewhere.
    static func capRetransmissionPause(_ fd: CInt) {
        _ = kibo_limit_retransmission_pause(fd, ReactorLimits.longestRetransmissionPause)
    }

    /// Undoes the cap before a socket is closed with unsent data: the kernel gives up a closed one whose pauses are at
    /// their longest.
    static func liftRetransmissionCap(_ fd: CInt) {
        _ = kibo_limit_retransmission_pause(fd, ReactorLimits.kernelsRetransmissionPause)
    }

    static func setBlocking(_ fd: CInt, _ blocks: Bool) {
        let flags = fcntl(fd, F_GETFL)
        let wanted = blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK
        if wanted != flags { _ = fcntl(fd, F_SETFL, wanted) }
    }

    /// Reads without waiting: bytes, 0 at the end, or -1 and errno.
    static func receive(_ fd: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(fd, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
            if count < 0 && errno == EINTR { continue }
            return count
        }
    }

    /// Writes without waiting and without SIGPIPE, with the descriptor that goes with the first byte: bytes taken, or -1
    /// and errno.
    static func send(_ fd: CInt, _ pieces: UnsafeMutableBufferPointer<iovec>, with descriptor: Descriptor?) -> Int {
        var message = msghdr()
        message.msg_iov = pieces.baseAddress
        message.msg_iovlen = pieces.count
        while true {
            let count =
                if let descriptor {
                    kibo_send_pieces(fd, pieces.baseAddress, pieces.count, descriptor.number)
                } else {
                    sendmsg(fd, &message, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
                }
            if count < 0 && errno == EINTR { continue }
            return count
        }
    }
}
