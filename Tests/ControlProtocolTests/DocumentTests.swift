import ControlProtocol
import Foundation
import Testing

struct DocumentTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static var url: URL { root.appendingPathComponent("docs/CONTROL-API.md") }
    private static let writes = ProcessInfo.processInfo.environment["KIBO_WRITE_DOCS"] == "1"

    @Test("docs/CONTROL-API.md says what the catalogue says; KIBO_WRITE_DOCS=1 writes it anew")
    func inStep() throws {
        let document = try String(contentsOf: Self.url, encoding: .utf8)
        let begin = try #require(document.range(of: CatalogueMarkdown.begin))
        let end = try #require(document.range(of: CatalogueMarkdown.end))
        let written = document[begin.lowerBound..<end.upperBound]
        if Self.writes {
            let text = document[..<begin.lowerBound] + CatalogueMarkdown.text + document[end.upperBound...]
            try text.write(to: Self.url, atomically: true, encoding: .utf8)
        } else {
            #expect(written == CatalogueMarkdown.text[...], "run the tests once with KIBO_WRITE_DOCS=1")
        }
    }

    @Test("Web/src/contract says what the catalogue says; KIBO_WRITE_DOCS=1 writes it anew")
    func typeScript() throws {
        let folder = Self.root.appendingPathComponent("Web/src/contract")
        for (name, text) in CatalogueTypeScript.files {
            let file = folder.appendingPathComponent(name)
            if Self.writes {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            } else {
                let written = try? String(contentsOf: file, encoding: .utf8)
                #expect(written == text, "\(name): run the tests once with KIBO_WRITE_DOCS=1")
            }
        }
    }

    @Test("The examples of the document are requests that the catalogue accepts")
    func examples() throws {
        let document = try String(contentsOf: Self.url, encoding: .utf8)
        let requests = document.split(separator: "\n").filter { $0.hasPrefix(#"→ {"jsonrpc""#) }
        #expect(requests.count >= 3)
        for line in requests {
            guard case .single(.request(let request)) = RPCIncoming(line: line.dropFirst(2).utf8) else {
                Issue.record("not a request: \(line)")
                continue
            }
            #expect(throws: Never.self, "\(line)") { try Catalogue.validate(request) }
        }
        for line in document.split(separator: "\n") where line.hasPrefix(#"← {"jsonrpc""#) {
            #expect(throws: Never.self, "\(line)") { try JSONParser.parse(String(line.dropFirst(2))) }
        }
    }
}
