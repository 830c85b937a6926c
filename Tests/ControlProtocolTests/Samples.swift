import ControlProtocol

/// One sample of each object. Every field differs from the value that stands for a missing one.
enum Samples {
    static let account = Account(
        id: "kibo1a", displayName: "Anna", statusText: "here", email: "a@example.org", phone: "+4930123", avatar: "x",
        locked: true, hasPassphrase: true, remembered: true, device: .init(id: "kibodev1a", name: "desk"), createdAt: 1,
        presence: .away)
    static let peer = Peer(
        account: "kibo1b", device: "kibodev1b", displayName: "Bob", address: "127.0.0.1:1", relation: .incoming,
        lastHeard: 2, entry: .init(id: "e", name: "Bob M"))
    static let contact = Contact(
        id: "kibo1b", displayName: "Bob", alias: "Bobby", statusText: "away", email: "b@example.org", phone: "+4",
        relation: .friend, trust: .verified, presence: .away, lastSeen: 3, conversation: "c", note: "hello",
        autoDownload: .always, avatar: "/a.jpg", entry: .init(id: "e", name: "Bob M"), reason: .notAllowed,
        detail: "no", changedTo: "kibo1c", changedAt: 20, requestSource: "192.0.2.1", knowsUs: true)
    static let entry = AddressBookEntry(
        id: "e", name: "Bob M",
        phones: [
            .init(
                number: "030 1", e164: "+49301", prefix: "+49", national: "301", region: "DE", extension: "7",
                label: "home")
        ], emails: ["b@example.org"],
        matches: [.init(account: "kibo1b", displayName: "Bob", relation: .friend, here: true)], invitedAt: 14)
    static let imported: AddressBookImport = {
        var done = AddressBookImport()
        (done.added, done.updated, done.unchanged, done.removed, done.skipped) = (1, 2, 3, 4, 5)
        (done.numbersWithoutCountry, done.country, done.countryFrom, done.problemCount) = (6, "DE", "locale", 7)
        done.problems = [.init(line: 8, name: "Bob", problem: .base64, detail: "FN")]
        return done
    }()
    static let attachment = Attachment(
        transfer: "t", name: "a.pdf", size: 4, kind: .document, mediaType: "application/pdf", state: .done,
        path: "/a.pdf", savedAs: "a (1).pdf", preview: "AA==", cancelledBy: .peer, reason: .noSpace, detail: "full",
        duration: 12,
        heldBack: .type, unlisted: ["zip"])
    static let message: Message = {
        var message = Message(
            id: "m", conversation: "c", sender: "kibo1a", senderName: "Anna", kind: .file, text: "look", sentAt: 5,
            receivedAt: 6,
            position: "p",
            state: .failed,
            recipients: [
                .init(
                    id: "kibo1b", state: .failed, at: 7, reason: .noSpace, detail: "full",
                    heldBy: .init(id: "kibo1c", name: "Carl", until: 9))
            ],
            replyTo: "l", editedAt: 8, deleted: true, reactions: [.init(account: "kibo1b", emoji: "👍")],
            attachments: [attachment],
            line: .init(
                .roleChanged, by: .init(id: "kibo1a", name: "Anna", own: true),
                subjects: [.init(id: "kibo1b", name: "Bob")],
                more: 2, role: .admin, value: "v", count: 3, gone: true, undone: true),
            call: .init(id: "m", media: .video, outcome: .declined, startedAt: 5, duration: 6))
        (message.sentence, message.duplicate, message.guest) = ("Anna left", true, "Nice Orange")
        message.givenTo = "Good Pear"
        return message
    }()
    static let found = Found(message: message, snippet: "… look", marks: [.init(start: 2, length: 4)])
    static let conversation = Conversation(
        id: "c", kind: .group, title: "All", contact: "kibo1b", group: "g", unread: 9, missedCalls: 2,
        lastMessage: message, pinned: true, archived: true, muted: true, mutedUntil: 11, updatedAt: 10)
    static let group = Group(
        id: "g", name: "All", description: "of us", avatar: "/g.jpg",
        members: [.init(id: "kibo1b", displayName: "Bob", role: .admin, presence: .away, joinedAt: 11, forked: true)],
        former: [.init(id: "kibo1d", displayName: "Dora")], online: 1, createdAt: 12, epoch: 13, conversation: "c",
        history: 14, state: .removed, role: .owner, addedBy: "kibo1b")
    static let problem = TransferProblem(path: "b/c.exe", reason: .typeNotAllowed, cause: .type, detail: "a program")
    static let transfer = Transfer(
        id: "t", direction: .incoming, peer: "kibo1b", conversation: "c", message: "m", name: "a.pdf", size: 11,
        bytesDone: 12, files: 13, filesDone: 14, skipped: 19,
        problems: [problem], members: 21, membersDone: 20, rate: 15, secondsLeft: 16, state: .paused, cancelledBy: .us,
        reason: .offline, detail: "gone", changed: true, path: "/a", savedAs: "a (1)", createdAt: 17, finishedAt: 18,
        heldBack: .type,
        unlisted: [""], keptBy: ["account"])
    static let hello = DaemonHello(version: "1.2.3", protocol: 1, api: 1, capabilities: ["x"], account: "kibo1a")
    static let status = DaemonStatus(
        uptime: 1, listen: ["127.0.0.1:1"], interfaces: ["lo"], peers: 2, sessions: 3, queued: 4, transfers: 5,
        locked: true, data: "/d", databaseBytes: 6)

    static let setting = Setting(
        key: "k", value: 5, standard: 0, type: "integer", description: "what", host: false,
        limits: ["minimum": 1, "maximum": 9])
    static let upload = Upload(
        id: "u", name: "a.png", size: 5, received: 3, folder: false, purpose: .message, parent: "f", path: "b/a.png",
        files: 0, finished: false, createdAt: 1)
    static let totals = Totals(unread: 1, muted: 2, requests: 3, missedCalls: 4)
    static let typing = Typing(conversation: "c", account: "kibo1b", typing: true)

    static let call: Call = {
        var call = Call()
        (call.id, call.revision, call.conversation, call.direction, call.state) = ("m", 7, "c", .outgoing, .ended)
        (call.media, call.waiting, call.sends, call.seat) = (.video, true, [.camera], "s")
        call.participants = [
            .init(
                account: "kibo1b", device: "kibodev1", state: .joined, reachable: true, since: 8, silent: true,
                sends: [.screen], verified: true,
                generation: 2)
        ]
        call.group = true
        (call.generation, call.signals, call.startedAt, call.connectedAt) = (1, 3, 4, 5)
        call.moves = 7
        (call.duration, call.reason, call.replacedBy) = (6, .hangup, "n")
        return call
    }()
    static let signal = CallSignal(
        index: 1, device: "kibodev1", generation: 2, kind: .candidates, sdp: "v=0", candidates: ["candidate:1"])

    static let check = DoctorCheck(
        name: "port", ok: true, findings: [.init(.listens, ["addresses": ["a"]])],
        advice: [.init(.openPorts, ["commands": "c"])])

    static let backup: BackupSummary = {
        var backup = BackupSummary(path: "/b.kibo")
        (backup.bytes, backup.madeAt, backup.account, backup.displayName) = (1, 2, "kibo1b", "Anna")
        (backup.software, backup.schema, backup.hasPassphrase) = ("kibo 1", 3, true)
        (backup.takesPassphrase, backup.takesCode) = (true, true)
        (backup.people, backup.conversations, backup.messages) = (4, 5, 6)
        (backup.rows, backup.rowsAnnounced, backup.damagedAt) = (7, 8, 9)
        return backup
    }()

    static let backups: BackupStatus = {
        var status = BackupStatus()
        var last = BackupStatus.Last()
        (last.madeAt, last.name, last.path, last.bytes) = (1, "b.kibo", "/b.kibo", 2)
        (last.takesPassphrase, last.takesCode) = (true, true)
        (status.last, status.due, status.codeShownAt) = (last, true, 3)
        status.running = .init(step: .writing, done: 4, total: 5)
        return status
    }()

    static let named = Named(
        kind: .person, id: "kibo1b", name: "Anna", alias: "Anna", relation: .friend, trust: .verified, since: 1,
        conversation: "c", word: "Anna", others: 1)

    static let courier = Courier(id: "kibo1c", name: "Carl", carries: true, parcels: 1, bytes: 2)
    static let parcel = Parcel(
        id: "p", from: "kibo1a", fromName: "Anna", to: "kibo1b", toName: "Bob", cameAt: 1, until: 2, bytes: 3)

    static let guest = GuestDevice(
        id: "0123456789abcdef", name: "Nice Orange", model: "Pixel", kind: .mobile, address: "192.168.1.7:53317",
        encrypted: true, known: true, namesake: true)
    static let guestOffer = GuestOffer(
        id: "o", device: guest, state: .failed, text: "hi",
        items: [GuestOffer.Item(number: 0, name: "a.jpg", folder: "b/c", size: 3, refusal: .tooLarge)], size: 3,
        cameAt: 1, until: 2,
        filesDone: 1, bytesDone: 3, problem: .noSpace, detail: "the disk is full")

    static let objects: [String: JSONValue] = [
        "Account": account.json, "Peer": peer.json, "Contact": contact.json, "Conversation": conversation.json,
        "Message": message.json, "Attachment": attachment.json, "Transfer": transfer.json,
        "TransferProblem": problem.json, "Gap": ["from": 1, "to": 2],
        "Totals": totals.json, "Upload": upload.json,
        "Setting": setting.json, "Typing": typing.json,
        "Disk": DiskState(room: .short, freeBytes: 7).json,
        "DoctorCheck": check.json, "Backup": backup.json, "BackupStatus": backups.json, "Found": found.json,
        "Group": group.json, "Named": named.json, "Courier": courier.json, "Parcel": parcel.json,
        "AddressBookEntry": entry.json,
        "AddressBookImport": imported.json,
        "Line": message.line?.json ?? .null,
        "MessageCall": message.call?.json ?? .null, "Call": call.json, "CallSignal": signal.json,
        "Refusal": RPCError(
            ControlError(
                .ambiguous, "who?", hint: .chooseCandidate, parameters: ["name": "A"], field: "name",
                candidates: [named])
        ).data ?? .null,
        "AddressBookChange": ["added": 1, "updated": 2, "removed": 3],
        "CourierChange": ["parcels": 2, "bytes": 4096],
        "GuestDevice": guest.json, "GuestOffer": guestOffer.json, "GuestChange": ["devices": 1, "waiting": 1],
        "GuestProgress": ["offer": "o", "filesDone": 1, "bytesDone": 2, "rate": 3],
    ]
}
