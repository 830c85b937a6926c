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

    @Test("A client looks for the system unit's socket where none is at the usual place, and none was named")
    func system() {
        func find(_ explicit: String? = nil, _ environment: [String: String] = [:], there: [String]) -> String {
            SocketPath.find(
                explicit: explicit, environment: { environment[$0] }, uid: 1000, user: "anna", isThere: there.contains)
        }
        let (own, system) = ("/r/kibo/kibod.sock", "/run/kibo/anna/kibod.sock")
        let runtime = ["XDG_RUNTIME_DIR": "/r"]
        #expect(find(nil, runtime, there: [own, system]) == own)
        #expect(find(nil, runtime, there: [system]) == system)
        #expect(find(nil, runtime, there: []) == own)
        #expect(find(there: [system]) == system)
        #expect(find("/e", runtime, there: [system]) == "/e")
        #expect(find(nil, ["KIBO_SOCKET": "/k"], there: [system]) == "/k")
        #expect(find(nil, ["KIBO_SOCKET": "", "XDG_RUNTIME_DIR": "/r"], there: [system]) == system)
    }
}
