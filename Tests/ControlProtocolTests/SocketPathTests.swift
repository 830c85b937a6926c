import ControlProtocol
import Testing

struct SocketPathTests {
    private func resolve(_ explicit: String?, _ environment: [String: String]) -> String {
        SocketPath.resolve(explicit: explicit, environment: { environment[$0] }, uid: 1000)
    }

    @Test("The path follows the contract: option, variable, runtime directory, /tmp; an empty one counts as not set")
    func order() {
        let all = ["KIBO_SOCKET": "/k", "XDG_RUNTIME_DIR": "/run/user/1000"]
        #expect(resolve("/e", all) == "/e")
        #expect(resolve(nil, all) == "/k")
        #expect(resolve(nil, ["KIBO_SOCKET": "", "XDG_RUNTIME_DIR": "/r"]) == "/r/kibo/kibod.sock")
        #expect(resolve(nil, ["XDG_RUNTIME_DIR": "relative"]) == "/tmp/kibo-1000/kibod.sock")
        #expect(resolve(nil, [:]) == "/tmp/kibo-1000/kibod.sock")
    }
}
