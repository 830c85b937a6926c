import Glibc

/// The file mode creation mask (umask(2)) with which the daemon was started: what is received gets no permission that
/// it takes away. The daemon's own files are for it alone, so its own mask is 077 from the first look at this on.
package enum UserMask {
    package static let bits = UInt16(truncatingIfNeeded: umask(0o077) & 0o777)
}
