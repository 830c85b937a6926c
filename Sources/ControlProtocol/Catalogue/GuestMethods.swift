import Vocabulary

extension Catalogue {
    private static let offer = FieldSpec.required("offer", .uuid, "which")

    static let guestMethods: [MethodSpec] = [
        MethodSpec(
            "guest.list",
            "The devices nearby that speak LocalSend, such as phones, what they want to give to you, and what you give to them. "
                + "Offers that are over stay for some minutes.",
            [
                .optional(
                    "look", .boolean, "also asks all devices who they are; those that answer come as guest.changed",
                    standard: false)
            ],
            result: .fields([
                .required("on", .boolean, "whether this host takes part, as `localsend.enabled` says"),
                .required("name", .name, "what it is called in their lists"),
                .required("port", .nullable(.integer(1...65_535)), "its TCP port; null: it doesn't listen now"),
                .required("problem", .nullable(.words), "why it doesn't work; null: it does, or it is off"),
                .required("devices", .results(.object("GuestDevice")), "by name"),
                .required("offers", .results(.object("GuestOffer")), "what devices offer, the oldest first"),
                .required("given", .results(.object("GuestOffer")), "what you offer to devices, the oldest first"),
            ])),
        MethodSpec(
            "guest.scan",
            "Asks each address around this host whether a device is there, for networks that keep devices from finding each other. "
                + "Answers when all of them had their time, up to a minute later; who was found comes as guest.changed meanwhile. "
                + "Whoever asks the same while it runs waits for the same answer.",
            [
                .optional(
                    "address", .line,
                    "an IPv4 address on this network, the only one that is asked; without it up to 254 of each network in use"
                )
            ],
            effect: .writes,
            result: .fields([
                .required("asked", .count, "how many addresses were asked"),
                .required("found", .count, "how many devices have answered"),
            ]),
            errors: [.offline, .busy, .invalid, .notAllowed]),
        MethodSpec(
            "guest.take",
            "Takes what a device offers. A text becomes a note at once; files come into the download directory, one offer "
                + "after another, and then stand in your notes.",
            [
                offer,
                .optional(
                    "items",
                    .list(
                        .integer(0...Int64(ProtocolLimits.guestItems)), minimum: 1, maximum: ProtocolLimits.guestItems),
                    "the numbers of the files that are wanted; without it all that the settings for files let in"),
            ],
            effect: .writes, result: .fields([]), errors: [.notFound, .busy, .typeNotAllowed]),
        MethodSpec(
            "guest.decline",
            "Declines an offer, ends one whose files come in, so that those that are here stay, or takes back what you offer.",
            [offer], effect: .writes, result: .fields([]), errors: [.notFound]),
        MethodSpec(
            "guest.give",
            "Offers files or a text to a device. Its user is asked; nothing is queued for one that is away. What the device has "
                + "taken stands in your notes.",
            [
                .required("device", .label(minimum: 16, maximum: 16), "the device's `id`"),
                .optional("text", .text(.bytes(SharedLimits.textBytes)), "what to say"),
                .optional(
                    "files", .list(.file, minimum: 1, maximum: SharedLimits.attachments), "files and folders to give"),
                .optional(
                    "names",
                    .list(
                        .label(minimum: 0, maximum: SharedLimits.attachmentNameBytes), minimum: 0,
                        maximum: SharedLimits.attachments),
                    "the names under which they go, as in `message.send`"),
                .optional(
                    "anyType", .boolean, "also files of types that `files.allowedTypes` doesn't have", standard: false),
                .optional(
                    "pin", .label(minimum: 1, maximum: ProtocolLimits.pinCharacters), "the PIN that the device asks for"
                ),
            ],
            exactlyOne: [["text", "files"]], effect: .writes, result: .object("GuestOffer"),
            errors: [.notFound, .busy, .invalid, .tooLarge, .typeNotAllowed, .notAllowed, .offline, .unsupported],
            sendsFiles: false),
    ]
}

/// The settings of LocalSend.
extension SettingsCatalogue {
    public static let localSendEnabled = SettingKey<Bool>(
        "localsend.enabled", false,
        "take part in LocalSend, so that phones and other devices on this network see this host by your name and can offer it "
            + "files; everything they offer waits for you")
    public static let localSendPIN = SettingKey<String>(
        "localsend.pin", .label(minimum: 0, maximum: ProtocolLimits.pinCharacters), "",
        "what devices must say before they can offer anything; empty: nothing")
    public static let localSendPlain = SettingKey<Bool>(
        "localsend.plain", false,
        "speak without encryption, for devices that don't speak TLS: anybody on the network can then read along")

    static let localSend: [SettingSpec] = [localSendEnabled.spec, localSendPIN.spec, localSendPlain.spec]
}
