import Basics
import ControlProtocol
import Messaging
import PeerProtocol
import Store
import Testing
import Vocabulary

@testable import Daemon
@testable import Network

@Suite("Which files are sent and received")
struct FilePolicyTests {
    private let contact: ContactRow

    init() throws {
        contact = ContactRow(
            account: try #require(AccountID(bytes: [UInt8](repeating: 7, count: 32))), displayName: "Bert",
            relation: .friend, createdAt: WallTime(milliseconds: 0))
    }

    private static func policy(
        types: [String] = SettingsCatalogue.filesAllowedTypes.standard, from: DownloadSenders = .friends,
        kinds: Set<AttachmentKind> = [.image, .document], onMetered: Bool = false
    ) -> FilePolicy {
        FilePolicy(
            types: FileTypes(types), maxSend: 1000, maxReceive: 500, freeSpaceReserve: 100,
            downloads: DownloadPolicy(
                from: from, kinds: kinds, maximum: 50, onMetered: onMetered, directory: "/downloads"))
    }

    private static func offer(
        _ name: String = "a.pdf", size: UInt64 = 10, kind: AttachmentKind = .document, unlisted: [String] = []
    ) -> AttachmentBody {
        AttachmentBody(
            transfer: UUIDv7(high: 1, low: 1), name: name, size: size, kind: kind, mediaType: "", fileCount: 1,
            unlisted: unlisted)
    }

    private static let destination = Destination(freeBytes: 700, isWritable: true)

    private func verdict(
        _ offer: AttachmentBody, _ policy: FilePolicy = policy(), from other: ContactRow? = nil,
        destination: Destination = destination, promised: UInt64 = 0
    ) -> FilePolicy.Verdict {
        policy.verdict(on: offer, from: other ?? contact, destination: destination, promised: promised)
    }

    private func reason(_ verdict: FilePolicy.Verdict) -> Reason? {
        if case .refused(let objection) = verdict { objection.reason } else { nil }
    }

    @Test("The last extension counts, in any case and spelling; names without one have no type")
    func types() {
        let types = FileTypes(["pdf", "JPG"])
        for name in ["a.pdf", "A.PDF", "x.exe.pdf", "p.jpeg", "p.JPG", "ä.jpg"] { #expect(types.allows(name: name)) }
        for name in ["a", "pdf", ".pdf", "a.pdf.exe", "a.pdf.", "a.", "a.pdf ", "a.zip", "a.pd\u{0131}f", ""] {
            #expect(!types.allows(name: name), "\(name)")
        }
        #expect(FileTypes(["pdf", "*"]).allows(name: "anything"))
        #expect(!FileTypes([]).allows(name: "a.pdf"))
    }

    @Test("Only the types of the default list pass without a change of settings")
    func defaults() {
        let types = FileTypes(SettingsCatalogue.filesAllowedTypes.standard)
        for type in "doc docx xls xlsx ppt pptx pdf txt png jpg jpeg gif mp3 wav mp4".split(separator: " ") {
            #expect(types.allows(name: "x.\(type)"))
        }
        for type in ["zip", "exe", "sh", "html", "svg", "js", "jar", "docm", "iso"] {
            #expect(!types.allows(name: "x.\(type)"), "\(type)")
        }
    }

    @Test("A sender refuses by type and by size, and names the reason")
    func sending() {
        let policy = Self.policy()
        #expect(policy.objection(toSendingName: "a.pdf") == nil)
        #expect(policy.objection(toSendingName: "a.zip")?.detail == "files of type zip are not sent")
        #expect(policy.objection(toSendingName: "Makefile")?.detail == "files without an extension are not sent")
        #expect(policy.objection(toSendingBytes: 1000) == nil)
        #expect(policy.objection(toSendingBytes: 1001)?.reason == .tooLarge)
    }

    @Test("A receiver refuses types, sizes and files for which there is no room, each exactly at its limit")
    func refusals() {
        #expect(reason(verdict(Self.offer("a.zip"))) == .typeNotAllowed)
        #expect(
            reason(verdict(Self.offer("a.zip", kind: .image))) == .typeNotAllowed,
            "the kind that the sender claims doesn't count")
        #expect(reason(verdict(Self.offer("folder.zip", kind: .folder))) == nil, "a folder's files are looked at later")
        #expect(reason(verdict(Self.offer(size: 501))) == .tooLarge)
        #expect(reason(verdict(Self.offer(size: .max))) == .tooLarge)
        let destination = { Destination(freeBytes: $0, isWritable: true) }
        #expect(verdict(Self.offer(size: 500), destination: destination(600)) == .asked)
        #expect(reason(verdict(Self.offer(size: 500), destination: destination(599))) == .noSpace)
        #expect(
            verdict(Self.offer(size: 500), destination: Destination()) == .asked,
            "unknown free space is no reason to refuse")
    }

    @Test("Of a file that no peer sends, name and size are judged as those of an offer, each exactly at its limit")
    func receivingByName() {
        let policy = Self.policy()
        for name in ["a.pdf", "A.PDF", "x.exe.pdf", "p.jpeg"] {
            #expect(policy.objection(toReceiving: name, size: 0) == nil, "\(name)")
        }
        for name in ["a.zip", "a", ".pdf", "a.pdf.exe", "a.", "file"] {
            #expect(policy.objection(toReceiving: name, size: 0)?.reason == .typeNotAllowed, "\(name)")
        }
        #expect(
            policy.objection(toReceiving: "a.zip", size: 0)?.detail == "files of type zip are not received")
        #expect(
            policy.objection(toReceiving: "file", size: 0)?.detail == "files without an extension are not received")
        #expect(policy.objection(toReceiving: "a.pdf", size: 500) == nil)
        #expect(policy.objection(toReceiving: "a.pdf", size: 501)?.reason == .tooLarge)
        #expect(policy.objection(toReceiving: "a.pdf", size: .max)?.reason == .tooLarge)
        #expect(policy.objection(toReceiving: "a.zip", size: 501)?.reason == .typeNotAllowed, "the type is said first")
        #expect(Self.policy(types: ["*"]).objection(toReceiving: "file", size: 500) == nil)
        #expect(Self.policy(types: ["*"]).objection(toReceiving: "file", size: 501)?.reason == .tooLarge)
        #expect(Self.policy(types: []).objection(toReceiving: "a.pdf", size: 0)?.reason == .typeNotAllowed)
    }

    @Test("Kind, size, sender, link and room each decide alone whether a file is taken without asking")
    func taken() {
        let taken = FilePolicy.Verdict.taken(directory: "/downloads")
        #expect(verdict(Self.offer(size: 50)) == taken)
        #expect(verdict(Self.offer(size: 51)) == .asked)
        #expect(verdict(Self.offer("a.mp4", kind: .document)) == .asked, "its name says that it is a video")
        #expect(verdict(Self.offer("a.png", kind: .folder)) == .asked)
        #expect(verdict(Self.offer("a", kind: .folder), Self.policy(kinds: [.folder])) == taken)
        #expect(verdict(Self.offer(), Self.policy(from: .never)) == .asked)
        #expect(verdict(Self.offer(), Self.policy(from: .verified)) == .asked)
        var verified = contact
        verified.trust = .verified
        #expect(verdict(Self.offer(), Self.policy(from: .verified), from: verified) == taken)
        var changed = contact
        changed.trust = .changed
        #expect(verdict(Self.offer(), from: changed) == .asked)
        let metered = Destination(freeBytes: 700, isWritable: true, isMetered: true)
        #expect(verdict(Self.offer(), destination: metered) == .asked)
        #expect(verdict(Self.offer(), Self.policy(onMetered: true), destination: metered) == taken)
        #expect(verdict(Self.offer(), destination: Destination(freeBytes: 700, isWritable: false)) == .asked)
        #expect(verdict(Self.offer(), destination: Destination(freeBytes: nil, isWritable: true)) == .asked)
        #expect(verdict(Self.offer(size: 50), promised: 550) == taken)
        #expect(verdict(Self.offer(size: 50), promised: 551) == .asked)
        #expect(verdict(Self.offer(size: 50), promised: .max) == .asked)
    }

    @Test("The choice for a contact goes before the settings, but not before limits, links and keys")
    func override() {
        let taken = FilePolicy.Verdict.taken(directory: "/downloads")
        var never = contact
        never.autoDownload = .never
        #expect(verdict(Self.offer(), from: never) == .asked)
        var always = contact
        always.autoDownload = .always
        #expect(verdict(Self.offer("a.mp4", size: 500), Self.policy(from: .never), from: always) == taken)
        #expect(reason(verdict(Self.offer(size: 501), from: always)) == .tooLarge)
        #expect(reason(verdict(Self.offer("a.zip"), from: always)) == .typeNotAllowed)
        let metered = Destination(freeBytes: 700, isWritable: true, isMetered: true)
        #expect(verdict(Self.offer(), from: always, destination: metered) == .asked)
        always.trust = .changed
        #expect(verdict(Self.offer(), from: always) == .asked)
    }

    @Test(
        "A folder for a friend, or for all, takes everything but what limits, links and keys keep out, and what is never taken"
    )
    func folders() {
        var policy = Self.policy(from: .never)
        var ruled = policy.downloads
        ruled.folderForAll = "/all"
        policy = policy.with(ruled)
        var here = Self.destination
        here.folders = ["/all": here, "/own": Destination(freeBytes: 200, isWritable: true)]
        func verdict(_ offer: AttachmentBody, from other: ContactRow? = nil) -> FilePolicy.Verdict {
            self.verdict(offer, policy, from: other, destination: here)
        }
        #expect(verdict(Self.offer("a.mp4", size: 500)) == .taken(directory: "/all"))
        #expect(reason(verdict(Self.offer(size: 501))) == .tooLarge)
        #expect(verdict(Self.offer("a.zip", unlisted: ["zip"])) == .held(["zip"]))
        var other = contact
        other.trust = .changed
        #expect(verdict(Self.offer(), from: other) == .asked)
        other = contact
        other.autoDownload = .never
        #expect(verdict(Self.offer(), from: other) == .asked)
        other = contact
        other.relation = .none
        #expect(verdict(Self.offer(), from: other) == .asked)
        #expect(policy.verdict(on: Self.offer(), from: nil, destination: here, promised: 0) == .asked)
        #expect(policy.downloads.hasRoom(for: .max, today: .max, from: contact))
        // Its own folder goes before that of all, and has its own room.
        ruled.folders = [contact.account: "/own"]
        policy = policy.with(ruled)
        #expect(verdict(Self.offer(size: 100)) == .taken(directory: "/own"))
        #expect(reason(verdict(Self.offer(size: 101))) == .noSpace)
        here.folders["/own"] = Destination()
        #expect(verdict(Self.offer()) == .asked, "the folder is away")
        here.isMetered = true
        here.folders["/own"] = Self.destination
        #expect(verdict(Self.offer()) == .asked)
    }

    @Test("What an offer names as unlisted is held back and never taken unasked, unless the list has it")
    func held() {
        var always = contact
        always.autoDownload = .always
        func verdict(
            _ name: String, _ unlisted: [String], kind: AttachmentKind = .document, size: UInt64 = 10
        ) -> FilePolicy.Verdict {
            self.verdict(Self.offer(name, size: size, kind: kind, unlisted: unlisted), from: always)
        }
        #expect(verdict("a.zip", ["zip"]) == .held(["zip"]))
        #expect(verdict("A.ZIP", ["zip"]) == .held(["zip"]))
        #expect(verdict("Makefile", [""]) == .held([""]))
        #expect(verdict("strange.a b", [""]) == .held([""]))
        #expect(verdict("tools", ["", "exe", "pdf"], kind: .folder) == .held(["", "exe"]))
        #expect(verdict("a.pdf", ["exe"]) == .held(["exe"]), "one that says more than it has is asked about, too")
        // Limits stay, and a name has to be of a type that the offer names.
        #expect(reason(verdict("a.zip", ["zip"], size: 501)) == .tooLarge)
        #expect(reason(verdict("a.exe", ["zip"])) == .typeNotAllowed)
        #expect(reason(verdict("a.exe", [""])) == .typeNotAllowed)
        #expect(reason(verdict("Makefile", ["zip"])) == .typeNotAllowed)
        // What the list has is nothing to be held back for.
        let taken = FilePolicy.Verdict.taken(directory: "/downloads")
        #expect(verdict("a.jpeg", ["jpeg"]) == taken)
        #expect(
            self.verdict(Self.offer("a.zip", unlisted: ["zip", "exe"]), Self.policy(types: ["*"]), from: always)
                == taken)
    }

    @Test("Types that are taken anyway are taken by name; content still has to be what the name says")
    func anyway() {
        let types = FileTypes(["pdf"]).adding(["zip", "jpeg"])
        for name in ["a.pdf", "a.zip", "b.jpg"] {
            #expect(types.allows(name: name) && !types.acceptsUnread(name: name))
        }
        for name in ["a.exe", "Makefile", "a.b c"] {
            #expect(!types.allows(name: name) && !types.acceptsUnread(name: name))
        }
        let nameless = FileTypes(["pdf"]).adding([""])
        for name in ["Makefile", "a.b c", ".profile", "a.verylongextension"] {
            #expect(nameless.allows(name: name) && nameless.acceptsUnread(name: name), "\(name)")
        }
        #expect(!nameless.allows(name: "a.exe") && !nameless.acceptsUnread(name: "a.pdf"))
        let every = FileTypes(["pdf"]).withEveryName
        for name in ["a.exe", "a.zip", "Makefile", ""] { #expect(every.allows(name: name)) }
        #expect(!every.isUnlimited && !every.acceptsUnread(name: "a.exe") && every.acceptsUnread(name: "Makefile"))
        var policy = Self.policy()
        policy.sendsAnyType = true
        #expect(policy.objection(toSendingName: "a.zip") == nil)
        #expect(policy.objection(toSendingBytes: 1001)?.reason == .tooLarge)
    }

    @Test("A type as an offer names it is the extension in lower case, or nothing")
    func offered() {
        for (name, type) in [
            ("a.ZIP", "zip"), ("a.tar.gz", "gz"), ("x.c++", "c++"), ("a", ""), (".zip", ""), ("a.", ""), ("a.b c", ""),
            ("a.документ", ""), ("a.seventeen_letters", ""), ("a.sixteen_letters_", "sixteen_letters_"), ("", ""),
            ("a.pd\u{0131}f", ""),
        ] { #expect(FileType.offered(name) == type, "\(name)") }
        #expect(
            FileType.words(["zip"]) == "type zip"
                && FileType.words(["", "exe", "zip"]) == "types exe, zip, and no type")
        #expect(FileType.words([""]) == "no type" && FileType.words([]) == "no type")
        #expect(FileType.words((0..<12).map { "t\($0)" }).hasSuffix("t7 and 4 more"))
    }

    @Test("Free space is that of the nearest existing directory; it is unknown if that can't be examined")
    func destination() {
        let there = Destination(at: "/")
        #expect(there.freeBytes != nil)
        #expect(Destination(at: "/no/such/place").freeBytes != nil)
        #expect(Destination(at: "/dev/null/below") == Destination())
    }

    @Test(
        "Sizes are told in words",
        arguments: [
            (UInt64(0), "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"),
            (16 << 20, "16 MiB"), (4 << 30, "4 GiB"), ((4 << 30) - 1, "3.9 GiB"), (.max, "15.9 EiB"),
        ])
    func sizes(bytes: UInt64, text: String) { #expect(SizeText.text(bytes) == text) }
}

extension FilePolicy {
    /// The same with other rules of what is taken.
    fileprivate func with(_ downloads: DownloadPolicy) -> FilePolicy {
        FilePolicy(
            types: types, maxSend: maxSend, maxReceive: maxReceive, freeSpaceReserve: freeSpaceReserve,
            downloads: downloads)
    }
}
