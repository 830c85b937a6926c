import ControlProtocol
import Testing

@testable import WebGateway

@Suite("The body of /rpc")
struct PageCallsTests {
    private func calls(_ body: String) -> PageCalls? { try? PageCalls(body: Array(body.utf8)) }

    @Test("One request or an array of them")
    func forms() {
        #expect(calls(#"{"method":"account.get"}"#)?.isBatch == false)
        #expect(calls(#"[{"method":"account.get","params":{}},{"method":"x","params":null}]"#)?.items.count == 2)
    }

    @Test(
        "Anything else is refused",
        arguments: [
            "", "1", "{}", "[]", #"{"method":1}"#, #"{"method":"a","params":[]}"#, #"{"method":"a","id":1}"#,
            #"{"jsonrpc":"2.0","method":"a"}"#, #"[{"method":"a"},2]"#, #"{"method":"a"}x"#, "\u{0}",
        ])
    func refused(_ body: String) { #expect(calls(body) == nil) }

    @Test("Fifty requests and no more")
    func fifty() {
        func array(_ count: Int) -> String {
            "[" + Array(repeating: #"{"method":"a"}"#, count: count).joined(separator: ",") + "]"
        }
        #expect(calls(array(50))?.items.count == 50)
        #expect(calls(array(51)) == nil)
    }

    @Test("Methods of the gateway and such as answer with a descriptor are withheld")
    func withheld() throws {
        for method in PageCalls.withheld.union(["events.subscribe", "events.ack"]) {
            let items = try #require(calls(#"{"method":"\#(method)"}"#)).items
            guard case .refused(let error)? = items.first else {
                Issue.record("\(method) is not withheld")
                continue
            }
            #expect(error.data?["kind"]?.string == "not_allowed")
        }
    }
}
