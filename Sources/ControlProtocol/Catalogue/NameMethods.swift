import Vocabulary

extension Catalogue {
    static let nameMethods: [MethodSpec] = [
        MethodSpec(
            "name.resolve",
            "Who or which group is meant by a word that a person has typed: the one rule for names, see above. Refused as "
                + "`ambiguous` or `not_found`, `data.candidates` lists those who may be meant, the likeliest first, each a "
                + "`Named`.",
            [
                .required(
                    "name", .label(minimum: 1, maximum: ProtocolLimits.nameWordCharacters),
                    "an alias, a name, an id or the beginning of one; with a colon before it, that of a group"),
                .required(
                    "for", .choice(of: NamePurpose.self),
                    "among whom: chat: friends, who was one and has a conversation, groups, and oneself as `@me`; contact: all that "
                        + "`contact.list` has; anybody: with those on the network; request: who has asked, was asked or has "
                        + "refused; blocked; group; member: of a group"),
                .optional("group", .uuid, "for `member`: of which group"),
                .optional(
                    "strict", .boolean,
                    "for what can't be taken back: only a whole name, alias or id counts, and only if it fits nobody else",
                    standard: false),
            ],
            effect: .reads, whileLocked: .history, result: .object("Named"),
            errors: [.notFound, .ambiguous, .invalid, .blocked])
    ]
}
