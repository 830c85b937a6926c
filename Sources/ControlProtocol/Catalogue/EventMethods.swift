extension Catalogue {
    static let eventMethods: [MethodSpec] = [
        MethodSpec(
            "events.subscribe", "Sends events on this connection from now on, and first what was missed.",
            [
                .optional(
                    "consumer", .label(minimum: 1, maximum: ProtocolLimits.consumerCharacters),
                    "a name whose cursor is remembered, see events.ack"),
                .optional("since", .integer(0 ... .max), "replay what has a greater number; 0: all that is kept"),
                .optional(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "of which log that number is: what the subscription said in which it was learnt"),
                .optional(
                    "types",
                    .list(.choice(of: EventType.self), minimum: 1, maximum: EventType.allCases.count), "only these"),
                .optional("ephemeral", .boolean, "also those that are not kept", standard: true),
                .optional(
                    "notifies", .boolean,
                    "this client tells its user of what comes: other notifications of this account rest meanwhile. Calls ring "
                        + "only while a client has this, ephemeral and call.changed; one of role web needs no notifies",
                    standard: false),
            ],
            whileLocked: .answered,
            result: .fields([
                .required("subscription", .integer(1 ... .max), "what its events carry"),
                .required("next", .integer(0 ... .max), "the number that the next new event gets"),
                .required("oldest", .integer(0 ... .max), "the number of the oldest event kept"),
                .required(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "this run of the daemon, to be kept with the numbers of its events"),
            ]),
            errors: [.busy]),
        MethodSpec(
            "events.ack", "Remembers that a consumer has dealt with everything up to a number.",
            [
                .required("consumer", .label(minimum: 1, maximum: ProtocolLimits.consumerCharacters), "whose cursor"),
                .required("seq", .integer(0 ... .max), "the last one it has dealt with"),
                .optional(
                    "epoch", .label(minimum: 1, maximum: ProtocolLimits.epochCharacters),
                    "of which log that number is; another one than this is not_found"),
            ],
            whileLocked: .answered, result: .fields([]), errors: [.notFound, .invalid]),
        MethodSpec(
            "events.unsubscribe", "Ends a subscription of this connection.",
            [.required("subscription", .integer(1 ... .max), "which")],
            whileLocked: .answered, result: .fields([]), errors: [.notFound]),
    ]
}
