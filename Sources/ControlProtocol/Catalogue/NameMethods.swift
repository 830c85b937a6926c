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
                    "name", .label(minimum: 1, maximum: Limits.nameWordCharacters),
                    "an alias, a name, an id or the beginning of one; with a colon before it, that of a group"),
                .required(
                    "for", .choice(of: NamePurpose.self),
                    "among whom: chat: friends, who was one and has a conversation, groups; contact: all that "
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

    static let nameObjects: [ObjectSpec] = [
        ObjectSpec(
            name: "Named", summary: "Somebody, or a group, that a name leads to or may lead to.",
            fields: [
                .required("kind", .choice(of: Named.Kind.self), "what it is"),
                .required("id", .token(maximumBytes: Limits.tokenBytes), "the account, or the group"),
                .required("name", .label(minimum: 0, maximum: 128), "what to call them: the alias, or their own name"),
                .required("alias", .label(minimum: 0, maximum: 128), "what we call them, or empty"),
                .required("relation", .nullable(.choice(of: Relation.self)), "how we stand to a person"),
                .required("trust", .nullable(.choice(of: Trust.self)), "how sure we are that it is that person"),
                .required("members", .nullable(.integer(0 ... .max)), "how many are in a group"),
                .required(
                    "addedBy", .nullable(.label(minimum: 0, maximum: 128)),
                    "what the one is called who has put us into a group; null if we made it"),
                .required(
                    "since", .nullable(.time),
                    "since when a person has called themselves so, as far as is known here"),
                .required("conversation", .nullable(.uuid), "the conversation with them"),
                .required(
                    "word", .label(minimum: 1, maximum: Limits.nameWordCharacters),
                    "what leads to them and to nobody else, also for `strict`; fit for a command line"),
                .required(
                    "others", .integer(0 ... .max), "how many others the name fits, over whom this one prevailed"),
            ])
    ]
}
