import Vocabulary

/// An object of the contract, field by field.
public struct ObjectSpec: Hashable, Sendable {
    /// As the contract calls it.
    public let name: String
    /// A sentence that says what it is.
    public let summary: String
    /// All fields, in the order in which they are written.
    public let fields: [FieldSpec]
}

extension ObjectSpec {
    fileprivate init<Object: ContractObject>(_ type: Object.Type, _ summary: String) {
        self.init(name: type.contractName, summary: summary, fields: type.fields)
    }
}

extension Catalogue {
    /// All objects that travel, in the order of the document.
    public static let objects: [ObjectSpec] = [
        ObjectSpec(Account.self, "The account of this daemon."),
        ObjectSpec(Peer.self, "Somebody on the network now."),
        ObjectSpec(Contact.self, "Somebody we know, or who wants to know us."),
        ObjectSpec(Conversation.self, "A chat with one friend or a group."),
        ObjectSpec(Message.self, "One message."),
        ObjectSpec(Message.Line.self, "What Kibo itself says in a group: who did what. Clients word it."),
        ObjectSpec(Message.Call.self, "The record that a call leaves in its conversation."),
        ObjectSpec(Call.self, "A call between two friends or in a group."),
        ObjectSpec(CallSignal.self, "What the other side's window tells this one about their connection."),
        ObjectSpec(Attachment.self, "A file or folder that a message carries."),
        ObjectSpec(Transfer.self, "A file or folder on its way."),
        ObjectSpec(TransferProblem.self, "A file or folder that was left out while the rest went on."),
        ObjectSpec(Setting.self, "A setting with its value."),
        ObjectSpec(Typing.self, "Whether a friend is typing in a conversation just now."),
        ObjectSpec(DiskState.self, "The disk that holds the data."),
        ObjectSpec(Totals.self, "What is waiting for the user, in all conversations together."),
        ObjectSpec(Upload.self, "A file or folder that a client is handing to the daemon."),
        ObjectSpec(
            name: "Gap", summary: "Events that a subscriber can't get any more.",
            fields: [
                .required("from", .count, "the first one missing"), .required("to", .count, "the last one missing"),
            ]),
        ObjectSpec(Group.self, "People who talk to each other without a server."),
        ObjectSpec(Named.self, "A person, a group or the notes, as what a name means or may mean."),
        ObjectSpec(Found.self, "A message in which something was found."),
        ObjectSpec(AddressBookEntry.self, "A person of the address book."),
        ObjectSpec(AddressBookImport.self, "What an import did."),
        ObjectSpec(
            name: "AddressBookChange", summary: "What changed in the address book: list it again.",
            fields: [
                .required("added", .count, "new entries"),
                .required("updated", .count, "entries that are different now"),
                .required("removed", .count, "entries that are gone"),
            ]),
        ObjectSpec(Courier.self, "A courier of yours, or a friend who has named you as one."),
        ObjectSpec(Parcel.self, "Sealed messages of a friend for a friend who is away, kept here."),
        ObjectSpec(
            name: "CourierChange",
            summary:
                "Something about couriers changed: somebody was named as one or removed, says something different "
                + "about keeping messages, or different parcels are kept here. List them again.",
            fields: [
                .required("parcels", .count, "how many parcels are kept here for friends"),
                .required("bytes", .bytes, "their size in all"),
            ]),
        ObjectSpec(
            GuestDevice.self, "A device nearby that speaks LocalSend, such as a phone. Nothing it says is verified."),
        ObjectSpec(GuestOffer.self, "What such a device offers you, or you offer it."),
        ObjectSpec(
            name: "GuestChange",
            summary: "Devices with LocalSend have come or gone, or their offers have changed: list them again.",
            fields: [
                .required("devices", .count, "how many are nearby"),
                .required("waiting", .count, "how many offers are waiting for the user"),
            ]),
        ObjectSpec(
            name: "GuestProgress", summary: "How far the files of an offer are, coming in or going out.",
            fields: [
                .required("offer", .uuid, "the offer"),
                .required("filesDone", .count, "how many files are here, or with the device"),
                .required("bytesDone", .bytes, "how many bytes have arrived here, or there"),
                .required("rate", .bytes, "recent bytes per second"),
            ]),
        ObjectSpec(BackupSummary.self, "What a backup file contains."),
        ObjectSpec(BackupStatus.self, "The state of the account's backups."),
        ObjectSpec(DoctorCheck.self, "One thing that `system.doctor` has looked at."),
        ObjectSpec(
            name: "Refusal", summary: "The `data` of an error −32000.",
            fields: [
                .required("kind", .reason, "the kind of refusal, which programs decide by"),
                .required("retryable", .boolean, "whether the same request may succeed later"),
                .optional("hint", HintCode.contractType, "what can be done about it"),
                .optional("parameters", .anything, "what it is about: a `name`, a `group`, an `id` and the like"),
                .optional("field", .token(maximumBytes: 64), "the parameter at fault"),
                .optional("candidates", .results(.object("Named")), "who a given name may mean"),
            ]),
    ]
}
