import Basics
import Testing

@testable import Transfer

private func file(_ path: String, _ size: UInt64 = 1) -> ManifestEntry {
    ManifestEntry(path: path, kind: .file, size: size, mode: 0o644, modified: 5)
}

private func folder(_ path: String) -> ManifestEntry {
    ManifestEntry(path: path, kind: .folder, size: 0, mode: 0o755, modified: -5)
}

private func problem(_ entries: [ManifestEntry]) -> Manifest.Problem? {
    do throws(Manifest.Problem) { _ = try Manifest(entries) } catch { return error }
    return nil
}

/// The problem for which the pages are refused, or nil.
private func problem(pages: [CBOR]) -> Manifest.Problem? {
    var assembler = ManifestAssembler()
    do throws(Manifest.Problem) {
        for page in pages { _ = try assembler.append(page: page.encoded()[...]) }
    } catch { return error }
    return nil
}

private func page(_ first: UInt64, _ total: UInt64, _ items: [CBOR]) -> CBOR {
    .map([1: .unsigned(first), 2: .array(items), 3: .unsigned(total)])
}

private func item(
    _ parent: UInt64, _ name: String, _ kind: UInt64 = 0, _ size: UInt64 = 0, _ mode: UInt64 = 0o644
) -> CBOR {
    .array([.unsigned(parent), .text(name), .unsigned(kind), .unsigned(size), .unsigned(mode), .integer(7)])
}

@Suite("The manifest")
struct ManifestTests {
    @Test("a list is refused for its root, parents, names, clashes and sizes")
    func rules() {
        #expect(problem([file("")]) == nil)
        #expect(problem([folder(""), folder("a"), file("a/b"), file("c")]) == nil)
        #expect(problem([]) == .root)
        #expect(problem([file("x")]) == .root)
        #expect(problem([folder(""), folder("")]) == .root)
        #expect(problem([file(""), file("a")]) == .parent(index: 1))
        #expect(problem([folder(""), file("a/b"), folder("a")]) == .parent(index: 1))
        #expect(problem([folder(""), file("a"), file("a/b")]) == .parent(index: 2))
        #expect(problem([folder(""), file("..")]) == .name(index: 1, .reserved))
        #expect(problem([folder(""), file("/a")]) == .name(index: 1, .separator))
        #expect(problem([folder(""), file("//")]) == .name(index: 1, .separator))
        #expect(problem([folder(""), folder("a"), file("a/../b")]) != nil)
        #expect(problem([folder(""), file("a"), file("a")]) == .clash(index: 2))
        #expect(problem([folder(""), file("a"), file("A")]) == .clash(index: 2))
        #expect(problem([folder(""), folder("caf\u{e9}"), file("cafe\u{301}/x")]) == .parent(index: 2))
        #expect(problem([folder(""), file("a", .max), file("b", .max)]) == .tooLarge)
        #expect(problem([folder(""), file("a", TransferLimits.transferBytes), file("b", 1)]) == .tooLarge)
    }

    @Test("depth, path length and number of entries are limited exactly")
    func limits() {
        var deep = [folder("")]
        for depth in 1...TransferLimits.depth {
            deep.append(folder(Array(repeating: "d", count: depth).joined(separator: "/")))
        }
        #expect(problem(deep) == nil)
        deep.append(folder(Array(repeating: "d", count: TransferLimits.depth + 1).joined(separator: "/")))
        #expect(problem(deep) == .tooDeep(index: TransferLimits.depth + 1))
        var long = [folder("")]
        let name = String(repeating: "n", count: 255)
        for depth in 1...16 { long.append(folder(Array(repeating: name, count: depth).joined(separator: "/"))) }
        #expect(problem(long) == .pathTooLong(index: 16))
        var many = [folder("")]
        for index in 1..<TransferLimits.entries { many.append(file(String(index))) }
        #expect(problem(many) == nil)
        #expect(problem(many + [file("more")]) == .tooManyEntries)
    }

    @Test("pages carry every field there and back, even when there are many", arguments: [1, 2, 50, 9_000])
    func roundTrip(_ count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        var entries = [folder("")]
        var folders = [""]
        while entries.count < count {
            let base = folders.randomElement(using: &random) ?? ""
            let path = (base.isEmpty ? "" : base + "/") + "é\(entries.count)"
            if folders.count < 20, Bool.random(using: &random) {
                folders.append(path)
                entries.append(folder(path))
            } else {
                entries.append(
                    ManifestEntry(
                        path: path, kind: .file, size: .random(in: 0...1 << 28, using: &random),
                        mode: .random(in: 0...0o777, using: &random),
                        modified: .random(in: .min ... .max, using: &random)))
            }
        }
        let manifest = try Manifest(entries)
        let pages = ManifestCodec.pages(of: manifest)
        #expect(pages.allSatisfy { $0.count <= TransferLimits.manifestPageBytes })
        var assembler = ManifestAssembler()
        var result: Manifest?
        for page in pages {
            #expect(result == nil)
            result = try assembler.append(page: page[...])
        }
        #expect(result == manifest)
        #expect(result?.digest == manifest.digest)
    }

    @Test("hostile pages are refused before they take memory")
    func hostile() {
        let root = item(0, "", 1)
        #expect(problem(pages: [page(0, 1_000_000_000, [root])]) == .tooManyEntries)
        #expect(problem(pages: [page(0, .max, [root])]) == .tooManyEntries)
        #expect(problem(pages: [page(0, 0, [root])]) == .malformed)
        #expect(problem(pages: [page(0, 2, [])]) == .malformed)
        #expect(problem(pages: [page(1, 2, [root])]) == .malformed)
        #expect(problem(pages: [page(0, 3, [root]), page(1, 2, [item(0, "a")])]) == .malformed)
        #expect(problem(pages: [page(0, 1, [root, item(0, "a")])]) == .malformed)
        #expect(problem(pages: [.null]) == .malformed)
        #expect(problem(pages: [page(0, 2, [item(0, "x", 1)])]) == .root)
        for name in ["..", ".", "", "a/b", "/a", "a\\b", "a\u{0}", "\u{202e}x", String(repeating: "x", count: 256)] {
            guard case .name(1, _) = problem(pages: [page(0, 2, [root, item(0, name)])]) else {
                Issue.record("accepted \(name)")
                continue
            }
        }
        #expect(problem(pages: [page(0, 2, [root, item(1, "a")])]) == .parent(index: 1))
        #expect(problem(pages: [page(0, 2, [root, item(.max, "a")])]) == .parent(index: 1))
        #expect(problem(pages: [page(0, 3, [root, item(0, "a"), item(1, "b")])]) == .parent(index: 2))
        #expect(problem(pages: [page(0, 3, [root, item(0, "a"), item(0, "A")])]) == .clash(index: 2))
        #expect(problem(pages: [page(0, 3, [root, item(0, "a", 0, .max), item(0, "b", 0, 2)])]) == .tooLarge)
        #expect(problem(pages: [page(0, 2, [root, item(0, "a", 2)])]) == .malformed)
        #expect(problem(pages: [page(0, 2, [root, item(0, "a", 1, 5)])]) == .malformed)
        #expect(problem(pages: [page(0, 2, [root, item(0, "a", 0, 5, 0o4755)])]) == .malformed)
    }

    @Test("random bytes never make a manifest and never trap", arguments: 0..<10)
    func fuzz(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let good = ManifestCodec.pages(of: try Manifest([folder(""), file("a", 9), folder("b"), file("b/c", 3)]))[0]
        for _ in 0..<500 {
            var bytes = good
            for _ in 0...Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            var assembler = ManifestAssembler()
            _ = try? assembler.append(page: bytes[..<Int.random(in: 0...bytes.count, using: &random)])
        }
    }
}
