import Basics

/// What each kind of frame does.
extension SessionMachine {
    mutating func handle(_ frame: Frame, _ now: Instant) {
        switch frame.kind {
        case .ping: return output.pong()
        case .pong: return
        case .close: return handleClose(frame)
        case .card: return handleCard(frame)
        default: break
        }
        // Names come first: whoever asks for something has said who they are.
        guard hasPeerCard else { return close(.protocolError, detail: "\(frame.kind) before the card") }
        if frame.kind == .receipt { return handleReceipt(frame, now) }
        guard frame.needsReceipt else {
            if handleHint(frame, now) { return }
            if Self.durableKinds.contains(frame.kind) { close(.protocolError, detail: "\(frame.kind) without id") }
            // What is unknown and asks for no answer gets none.
            return
        }
        if inbox.isHolding { inbox.hold(frame) } else { admit(frame) }
    }

    /// What became of durable frames that were handed out for commit.
    mutating func answer(_ ids: [UUIDv7], _ outcome: CommitOutcome) {
        switch outcome {
        case .stored: output.receipts(.stored, ids)
        case .refused(let refusal): output.receipts(.refused(refusal), ids)
        case .putOff(let refusal):
            for id in ids { output.refuse(id, refusal) }
            for frame in inbox.putOff(ids) { putOff(frame, refusal) }
            return
        }
        for frame in inbox.settle(ids) {
            if inbox.isHolding { inbox.hold(frame) } else { admit(frame) }
        }
    }

    private static let durableKinds: Set<FrameKind> = [
        .message, .contactRequest, .contactAnswer, .contactRemoval, .fileStatus, .edit, .deletion,
        .reaction, .seen, .groupChange, .groupEntry, .groupSeen,
    ]

    /// A frame that was behind one that could not be stored comes again with it.
    private mutating func putOff(_ frame: Frame, _ refusal: Refusal) {
        if frame.kind == .fileStatus, let durable = try? DurableFrame(frame), let transfer = durable.statusOfTransfer {
            inbox.putOff(frame.id, status: transfer)
        }
        output.refuse(frame.id, refusal)
    }

    private static let behind = Refusal(.busy, detail: "one before it could not be stored")
    private static let noMate = "not known as a member of a group here"

    private mutating func admit(_ frame: Frame) {
        guard Self.durableKinds.contains(frame.kind) else {
            return output.refuse(frame.id, Refusal(.unsupported, detail: "frame kind \(frame.kind.rawValue)"))
        }
        guard admits(frame.kind) else {
            // Membership reaches everybody at another time: who was just added may speak before we have heard of it. Their
            // frame waits at their end, until we have, or until they have heard that they are no member any more.
            if frame.kind.isOfGroups { return output.refuse(frame.id, Refusal(.busy, detail: Self.noMate)) }
            // What would make them a friend could not be stored yet, and comes again like this one.
            return output.refuse(frame.id, inbox.isRelationOpen ? Self.behind : Refusal(.notFriends))
        }
        do {
            let durable = try DurableFrame(frame)
            if inbox.mustWait(durable) { return putOff(frame, Self.behind) }
            inbox.handOut(durable, bodyBytes: frame.body.count)
            output.commit(durable)
        } catch {
            output.refuse(frame.id, error.refusal)
        }
    }

    private mutating func handleClose(_ frame: Frame) {
        do {
            let body = try CloseBody(decoding: frame.body)
            end(.closedByPeer(body.reason, detail: body.detail))
        } catch {
            close(.protocolError, detail: "close: \(error.refusal.detail ?? "")")
        }
    }

    private mutating func handleCard(_ frame: Frame) {
        do {
            let card = try Card(decoding: frame.body)
            guard card.account == peer.account, card.device == peer.device else {
                return close(.protocolError, detail: "somebody else's card")
            }
            hasPeerCard = true
            output.effect(.card(card))
        } catch {
            close(.protocolError, detail: "card: \(error.refusal.detail ?? "")")
        }
    }

    /// What needs no receipt, and is nothing where it can't be read or comes from a stranger.
    /// - Returns: whether it is such a frame.
    private mutating func handleHint(_ frame: Frame, _ now: Instant) -> Bool {
        switch frame.kind {
        case .typing:
            guard relation.admits(.typing) else { return ignore(.notAllowed) }
            guard let body = try? TypingBody(decoding: frame.body) else { return ignore(.malformed) }
            output.typing(body.isTyping)
        case .presence:
            // Somebody who has just accepted us says this right behind it, before we know: it counts once they are a friend.
            guard relation != .blocked else { return ignore(.notAllowed) }
            guard let body = try? PresenceBody(decoding: frame.body) else { return ignore(.malformed) }
            peerPresence = body.presence
        case .avatarRequest:
            guard admits(.avatarRequest) else { return ignore(.notAllowed) }
            guard let body = try? AvatarRequestBody(decoding: frame.body) else { return ignore(.malformed) }
            guard avatarMeter.take(now: now) else { return ignore(.tooOften) }
            output.effect(.avatarWanted(body.digest))
        case .avatar:
            guard admits(.avatar) else { return ignore(.notAllowed) }
            guard let body = try? AvatarBody(decoding: frame.body) else { return ignore(.malformed) }
            output.effect(.avatar(body))
        case .discoveryKeys:
            guard admits(.discoveryKeys) else { return ignore(.notAllowed) }
            guard let body = try? DiscoveryKeysBody(decoding: frame.body) else { return ignore(.malformed) }
            guard keysMeter.take(now: now) else { return ignore(.tooOften) }
            output.effect(.discoveryKeys(body))
        case .peerExchangeRequest:
            guard relation.admits(.peerExchangeRequest) else { return ignore(.notAllowed) }
            guard let body = try? PeerExchangeRequestBody(decoding: frame.body) else { return ignore(.malformed) }
            guard peerExchangeMeter.take(now: now) else { return ignore(.tooOften) }
            output.effect(.peerExchangeWanted(body))
        case .peerExchange:
            guard relation.admits(.peerExchange) else { return ignore(.notAllowed) }
            guard peerExchangePagesAwaited > 0 else { return ignore(.unasked) }
            guard let body = try? PeerExchangeBody(decoding: frame.body) else { return ignore(.malformed) }
            peerExchangePagesAwaited -= 1
            output.effect(.peerExchange(body))
        case .reachRequest:
            guard relation.admits(.reachRequest) else { return ignore(.notAllowed) }
            guard let body = try? ReachRequestBody(decoding: frame.body) else { return ignore(.malformed) }
            guard reachMeter.take(now: now) else { return ignore(.tooOften) }
            output.effect(.reach(.request(body)))
        case .reach:
            guard relation.admits(.reach) else { return ignore(.notAllowed) }
            guard let body = try? ReachBody(decoding: frame.body) else { return ignore(.malformed) }
            output.effect(.reach(.answer(body)))
        case _ where frame.kind.isOfGroups:
            guard admits(frame.kind) else {
                if !Self.durableKinds.contains(frame.kind) { return ignore(.notAllowed) }
                return false
            }
            do {
                guard let word = try GroupFrame(frame) else { return false }
                output.group(word)
            } catch {
                return ignore(.malformed)
            }
        default: return false
        }
        return true
    }

    /// - Returns: true.
    private mutating func ignore(_ why: IgnoredFrame) -> Bool {
        ignored[why, default: 0] &+= 1
        return true
    }

    private mutating func handleReceipt(_ frame: Frame, _ now: Instant) {
        do {
            let body = try ReceiptBody(decoding: frame.body)
            switch body.status {
            case .stored:
                window.settle(body.ids, now: now)
                output.stored(body.ids)
            case .read:
                output.effect(.receipts(.read, body.ids))
            case .refused:
                window.settle(body.ids, now: now)
                output.effect(.receipts(body.status, body.ids))
            }
        } catch .unsupported {
            // A status of a later version says nothing to us.
        } catch {
            close(.protocolError, detail: "receipt: \(error.refusal.detail ?? "")")
        }
    }
}
