extension Catalogue {
    private static let region = ValueType.label(minimum: 1, maximum: ProtocolLimits.countryCharacters)
    private static let entries = FieldSpec.required(
        "entries", .list(.uuid, minimum: 1, maximum: ProtocolLimits.invited), "entries of the address book")

    private static let invitation: [FieldSpec] = [
        entries,
        .required("via", .choice(of: InviteVia.self), "by `email` or by `sms`"),
        .optional(
            "text", .text(.characters(ProtocolLimits.inviteCharacters)),
            "what is written, with {name}, {me} and {link} in it; else what `invite.text` says"),
        .optional(
            "subject", .label(minimum: 1, maximum: ProtocolLimits.subjectCharacters),
            "of an e-mail, with the same placeholders; else \"{me} invites you to Kibo\""),
        .optional(
            "evenOnKibo", .boolean, "also those who are on Kibo already; else they are among `failed`", standard: false),
    ]

    static let addressBookMethods: [MethodSpec] = [
        MethodSpec(
            "addressBook.import",
            "Takes a vCard file (2.1, 3.0 or 4.0) into the address book, whole or not at all; the same again changes nothing.",
            [
                .required("path", .file, "the file"),
                .optional(
                    "defaultCountry", region,
                    "where numbers without + are from: `DE`, `49`, `Germany`; else as the own number, else as the daemon's locale"
                ),
                .optional(
                    "replace", .boolean, "remove what the file doesn't have; else that stays", standard: false),
            ],
            result: .object("AddressBookImport"), errors: [.notFound, .invalid, .tooLarge]),
        MethodSpec(
            "addressBook.list", "The address book, in alphabetical order.",
            [
                .optional("onKibo", .boolean, "only those of whom a profile is known, or only the others"),
                .optional(
                    "query", .label(minimum: 0, maximum: ProtocolLimits.queryCharacters),
                    "only what matches in name, e-mail or number, whatever the case and accents"),
                .limit,
                .optional("after", .token(maximumBytes: ProtocolLimits.tokenBytes), "`next` of the page before"),
            ],
            whileLocked: .history,
            result: .fields([
                .required("entries", .results(.object("AddressBookEntry")), "in order of their names"),
                .optional(
                    "next", .token(maximumBytes: ProtocolLimits.tokenBytes),
                    "where the next page begins; absent on the last"),
                .required("total", .count, "how many there are on all pages"),
            ]), errors: [.invalid]),
        MethodSpec(
            "addressBook.remove", "Removes entries of the address book.",
            [entries], result: .fields([.required("removed", .count, "how many were there")])),
        MethodSpec(
            "addressBook.countries", "The countries with their calling codes.",
            whileLocked: .answered,
            result: .fields([
                .required(
                    "countries",
                    .results(
                        .fields([
                            .required("region", region, "ISO 3166-1 alpha-2"),
                            .required("name", .label(minimum: 1, maximum: 128), "its name in English"),
                            .required("callingCode", .token(maximumBytes: 3), "digits"),
                            .required(
                                "trunkPrefix", .text(.characters(8)),
                                "what is dialled before a national number and is no part of it; empty for nothing"),
                        ])), "all of them"),
                .required(
                    "default", .nullable(region), "where numbers without + are taken to be from; null if nobody knows"),
                .required(
                    "defaultFrom", .nullable(.choice(["profile", "locale"])),
                    "how that is known: the own number, or the locale"),
            ])),
    ]

    static let inviteMethods: [MethodSpec] = [
        MethodSpec(
            "invite.compose", "Writes invitations as links that open a program for e-mail or short messages.",
            invitation + [
                .optional(
                    "together", .boolean,
                    "one link for all, who then see each other; refused for a text with {name}", standard: false)
            ],
            result: .fields([
                .required(
                    "links", .results(.token(maximumBytes: ProtocolLimits.linkBytes)),
                    "`mailto:` or `sms:`, one for each recipient"),
                .required(
                    "text", .text(.characters(ProtocolLimits.inviteCharacters)),
                    "what was written, before it was filled in"),
                .required("recipients", [Invitations.Recipient].contractType, "who is invited"),
                .required("failed", [Invitations.Failed].contractType, "who can't be invited"),
            ]), errors: [.invalid]),
        MethodSpec(
            "invite.send", "Sends invitations with the commands of `invite.emailCommand` and `invite.smsCommand`.",
            invitation,
            result: .fields([
                .required("sent", .count, "how many were handed over"),
                .required("recipients", [Invitations.Recipient].contractType, "those"),
                .required("failed", [Invitations.Failed].contractType, "who was not invited"),
            ]), errors: [.invalid, .unsupported, .busy]),
    ]
}

/// The way a person is invited.
public enum InviteVia: String, Hashable, Sendable, CaseIterable { case email, sms }
