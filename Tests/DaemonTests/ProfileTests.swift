import Basics
import ControlProtocol
import Crypto
import Store
import TestSupport
import Testing

@testable import Control
@testable import Daemon
@testable import Network

@Suite("The rules of our own profile")
struct ProfileChangesTests {
    private func changes(_ params: JSONObject) throws -> ProfileChanges {
        try ProfileChanges(Catalogue.validate(method: "account.update", params: params))
    }

    /// Returns the kind and the field of the refusal; nil if there is none.
    private func refusal(_ params: JSONObject) -> String? {
        do {
            _ = try changes(params)
            return nil
        } catch let error as ControlError {
            return "\(error.kind.rawValue) \(error.field ?? "")"
        } catch let error as RPCError {
            return "\(error.data?["kind"]?.string ?? "\(error.code)") \(error.data?["field"]?.string ?? "")"
        } catch {
            return "\(error)"
        }
    }

    private static func text(_ count: Int) -> JSONValue { .string(String(repeating: "n", count: count)) }

    @Test("A value at its limit passes, one more or one less doesn't, and the answer names the field")
    func limits() {
        for (field, good, bad): (String, [Int], [Int]) in [
            ("displayName", [1, 50], [0, 51]), ("statusText", [0, 1, 256], [257]),
        ] {
            for count in good { #expect(refusal([field: Self.text(count)]) == nil, "\(field) \(count)") }
            for count in bad { #expect(refusal([field: Self.text(count)]) == "invalid \(field)", "\(field) \(count)") }
        }
        // A domain has labels of at most 63 bytes.
        func email(_ count: Int) -> JSONValue {
            .string("a@" + (1...count - 2).map { $0 % 64 == 0 ? "." : "e" }.joined())
        }
        #expect(refusal(["email": email(254)]) == nil && refusal(["email": email(255)]) == "invalid email")
        // These letters have more bytes than characters: the limit of an address is in bytes.
        #expect(refusal(["email": .string("a@" + String(repeating: "ü", count: 130))]) == "invalid email")
        #expect(refusal(["phone": "+12345"]) == nil && refusal(["phone": "+1234"]) == "invalid phone")
        #expect(refusal(["phone": "+123456789012345"]) == nil)
        #expect(refusal(["phone": "+1234567890123456"]) == "invalid phone")
        #expect(refusal([:])?.hasPrefix("-32602") == true, "a call without any change is a mistake")
    }

    @Test("Control characters, characters that turn text around, and invisible names are refused")
    func hostile() {
        for text in ["Anna\nBerg", "Anna\u{202E}greB", "Anna\u{1B}[2J", "An\0na", "Anna\u{FEFF}"] {
            for field in ["displayName", "statusText", "email", "phone"] {
                #expect(refusal([field: .string(text)]) == "invalid \(field)", "\(field)")
            }
        }
        // A line about oneself may have marks of direction, as Hebrew and Arabic need them.
        for text in ["Anna\u{2066}x", "שלום\u{200F}!"] {
            #expect(refusal(["displayName": .string(text)]) == "invalid displayName")
            #expect(refusal(["statusText": .string(text)]) == nil)
        }
        #expect(refusal(["displayName": "   "]) == "invalid displayName")
        #expect(refusal(["displayName": "\u{200B}\u{200B}\u{200B}"]) == "invalid displayName")
        #expect(refusal(["displayName": "Ben\u{200B}"]) == "invalid displayName")
    }

    @Test("Texts that are no address or number are refused; numbers in the form that people use are taken")
    func addresses() throws {
        for text in ["a", "@b", "a@", "a@b@c", "a b@c", "Anna <a@b.org>", "a@b.org,c@d.org", "a@b.org;"] {
            #expect(refusal(["email": .string(text)]) == "invalid email", "\(text)")
        }
        #expect(try changes(["email": "anna@intranet"]).email == .some("anna@intranet"))
        for text in ["030 123456", "0049 30 123456", "+0 30 123456", "+49 30 CALL-ME", "49301234567", "+", "+49١٢٣٤٥"] {
            #expect(refusal(["phone": .string(text)]) == "invalid phone", "\(text)")
        }
        #expect(try changes(["phone": "+49 (30) 123-456/7"]).phone == .some("+49301234567"))
        // The zero that is dialled inside a country is left out behind the country's code; Italy's belongs to the
        // number.
        #expect(try changes(["phone": "+49 (0)170 1234567"]).phone == .some("+491701234567"))
        #expect(try changes(["phone": "+39 06 698 12345"]).phone == .some("+390669812345"))
    }

    @Test("An empty text removes a field; a field that isn't given stays")
    func clearing() throws {
        var row = AccountRow(
            account: try #require(AccountID(bytes: [UInt8](repeating: 1, count: 32))),
            device: try #require(DeviceID(bytes: [UInt8](repeating: 2, count: 32))), deviceName: "desk",
            displayName: "Anna", statusText: "hi", email: "a@b", phone: "+491234567", avatar: [1],
            createdAt: WallTime(milliseconds: 1))
        let before = row
        try changes(["displayName": "Anna B."]).apply(to: &row, avatar: nil)
        #expect(row.displayName == "Anna B." && row.email == "a@b" && row.avatar == [1])
        try changes(["statusText": "", "email": "", "phone": "", "avatarPath": ""]).apply(to: &row, avatar: nil)
        #expect(row.statusText == "" && row.email == nil && row.phone == nil && row.avatar == nil)
        try changes(["avatarPath": "/a.png"]).apply(to: &row, avatar: [9])
        #expect(row.avatar == [9] && row.cardVersion == before.cardVersion)
        #expect(refusal(["displayName": ""]) == "invalid displayName")
        #expect(refusal(["avatarPath": "me.png"]) == "invalid avatarPath")
    }
}

@Suite("Pictures in the data directory")
struct AvatarFilesTests {
    @Test("A picture that no row names is removed, unless a caller holds it to name it soon")
    func sweep() throws {
        let directory = try TemporaryDirectory()
        let files = AvatarFiles(data: directory.path)
        files.sweep { [] }
        let pictures: [[UInt8]] = [[1], [2], [3]]
        let digests = pictures.map { Blake2b.hash($0) }
        for (picture, digest) in zip(pictures, digests) { try files.store(picture, as: digest) }
        files.release(digests[0])
        files.release(digests[1])
        files.sweep { [digests[0]] }
        #expect(files.read(digests[0]) == [1] && files.read(digests[1]) == nil && files.read(digests[2]) == [3])
        // A picture that is held twice stays until both holders have released it.
        #expect(files.hold(digests[2]) && !files.hold(digests[1]))
        files.release(digests[2])
        files.sweep { [] }
        #expect(files.read(digests[2]) == [3] && files.read(digests[0]) == nil)
        files.release(digests[2])
        files.sweep { nil }
        #expect(files.read(digests[2]) == [3], "while it isn't known which pictures are used, none is removed")
        files.sweep { [] }
        #expect(files.read(digests[2]) == nil)
    }

    @Test("A picture whose file was changed is not given out any more")
    func damaged() throws {
        let directory = try TemporaryDirectory()
        let files = AvatarFiles(data: directory.path)
        let digest = Blake2b.hash([1, 2, 3])
        try files.store([1, 2, 3], as: digest)
        try TextFile.write([1, 2, 4], to: files.path(of: digest))
        #expect(files.read(digest) == nil)
    }
}
