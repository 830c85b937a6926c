import Glibc
import Testing

@testable import ControlProtocol

/// Whose daemons root speaks to; this needs root, to make files of other users.
@Suite("Whose socket it is")
struct SocketOwnerTests {
    private let other: UInt32 = 65_534

    @Test("A user speaks to their own daemon and to root's, to no other, wherever it is")
    func people() {
        for path in ["/run/user/1000/kibo/kibod.sock", "/tmp/kibo-1000/kibod.sock"] {
            #expect(SocketOwner.isTrusted(1000, own: 1000, path: path))
            #expect(SocketOwner.isTrusted(0, own: 1000, path: path))
            #expect(!SocketOwner.isTrusted(1001, own: 1000, path: path))
        }
        #expect(SocketOwner.isTrusted(0, own: 0, path: "/tmp/kibo-0/kibod.sock"))
    }

    @Test(
        "Root speaks to another user's daemon only where nobody else can have put it",
        .enabled(if: geteuid() == 0, "only root can make files of others"))
    func root() throws {
        var template = Array("/run/kibo-test-XXXXXX".utf8CString)
        let base = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer {
            for name in ["/user/link", "/user", "/open/x", "/open", "/link"] { remove(base + name) }
            rmdir(base)
        }
        #expect(chmod(base, 0o755) == 0)
        for name in ["/user", "/open", "/open/x"] { #expect(mkdir(base + name, 0o700) == 0) }
        #expect(chown(base + "/user", other, other) == 0 && chown(base + "/open/x", other, other) == 0)
        #expect(chmod(base + "/open", 0o1777) == 0)
        #expect(symlink(base + "/user", base + "/link") == 0)
        #expect(SocketOwner.isTrusted(other, own: 0, path: base + "/user/kibod.sock"))
        #expect(SocketOwner.isTrusted(other, own: 0, path: base + "/link/kibod.sock"))
        // Another one's folder, one below a directory that all may write to, by a link of somebody else, and none.
        #expect(!SocketOwner.isTrusted(1001, own: 0, path: base + "/user/kibod.sock"))
        #expect(!SocketOwner.isTrusted(other, own: 0, path: base + "/open/x/kibod.sock"))
        #expect(lchown(base + "/link", 1001, 1001) == 0)
        #expect(!SocketOwner.isTrusted(other, own: 0, path: base + "/link/kibod.sock"))
        #expect(symlink(base + "/open/x", base + "/user/link") == 0)
        #expect(!SocketOwner.isTrusted(other, own: 0, path: base + "/user/link/kibod.sock"))
        #expect(!SocketOwner.isTrusted(other, own: 0, path: base + "/missing/kibod.sock"))
        #expect(!SocketOwner.isTrusted(other, own: 0, path: "/tmp/kibo-\(other)/kibod.sock"))
        #expect(chmod(base + "/user", 0o770) == 0)
        #expect(!SocketOwner.isTrusted(other, own: 0, path: base + "/user/kibod.sock"))
    }
}
