// Written from the catalogue: run DocumentTests with KIBO_WRITE_DOCS=1, change nothing here.
import type {
  AttachmentKind, AutoDownload, CardProblem, ConversationKind, DoctorAdvice, DoctorFinding, GroupRole, GroupStanding,
  HintCode, HoldReason, LeftOutCause, LineAction, MessageKind, MessageState, Presence, Reason, Relation,
  TransferDirection, TransferPause, TransferSide, TransferState, Trust,
} from "./codes";

export type AccountId = string;
export type Uuid = string;
/** Milliseconds since 1970 UTC. */
export type Time = number;
export type Bytes = number;
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The account of this daemon. */
export interface Account {
  /** the account */ id: AccountId;
  /** what others see */ displayName: string;
  /** a line about yourself */ statusText: string;
  /** e-mail address */ email: string | null;
  /** telephone number in E.164 */ phone: string | null;
  /** where the avatar is, a JPEG */ avatar: null;
  /** a token for that picture, for picture.open: a different picture has a different token */ picture: string | null;
  /** whether a passphrase is needed first */ locked: boolean;
  /** whether a passphrase protects the keys */ hasPassphrase: boolean;
  /** whether the daemon unlocks itself when it starts */ remembered: boolean;
  /** this device */ device: { id: string; name: string };
  /** when it was created */ createdAt: Time;
  /** what friends see: online, away, or offline while the account is locked */ presence: Presence;
}

/** Somebody on the network now. */
export interface Peer {
  /** the account */ account: AccountId;
  /** the device, kibodev1… */ device: string;
  /** what they call themselves */ displayName: string;
  /** their address; empty if that isn't known */ address: string;
  /** our relation to them */ relation: Relation;
  /** when they were last heard */ lastHeard: Time;
  /** who in the address book they say they are */ entry: { id: Uuid; name: string } | null;
}

/** Somebody we know, or who wants to know us. */
export interface Contact {
  /** the account */ id: AccountId;
  /** what they call themselves */ displayName: string;
  /** what we call them, or empty */ alias: string;
  /** a line about themselves */ statusText: string;
  /** e-mail address */ email: string | null;
  /** telephone number in E.164 */ phone: string | null;
  /** our relation to them */ relation: Relation;
  /** how sure we are that it is them */ trust: Trust;
  /** whether they can be reached */ presence: Presence;
  /** when they were last reached */ lastSeen: Time | null;
  /** the conversation with them */ conversation: Uuid | null;
  /** what came with the request */ note: string;
  /** whether their files are taken without asking */ autoDownload: AutoDownload;
  /** where their avatar is, a JPEG made here from what they sent */ avatar: null;
  /** a token for that picture, for picture.open: a different picture has a different token */ picture: string | null;
  /** who in the address book they say they are */ entry: { id: Uuid; name: string } | null;
  /** why our last request failed, until we ask again or decline it */ reason?: Reason;
  /** details of the reason */ detail?: string | null;
  /** while trust is `changed`: the account that came under this contact's name */ changedTo?: AccountId;
  /** while trust is `changed`: since when; absent if that isn't known */ changedAt?: Time;
  /** while relation is `incoming`: where the request came from: an IPv4 address, an IPv6 network, or a whole link; absent if that isn't known */ requestSource?: string;
  /** while relation is `incoming`: they didn't ask, but have us as a friend from before this account was recovered */ knowsUs: boolean;
}

/** A chat with one friend or a group. */
export interface Conversation {
  /** the conversation */ id: Uuid;
  /** who it is with: `notes` are with oneself */ kind: ConversationKind;
  /** what to call it; clients have their own word for notes */ title: string;
  /** the friend; this account for notes */ contact?: AccountId;
  /** the group */ group?: Uuid;
  /** incoming messages that nobody has looked at */ unread: number;
  /** the position of the first of them, in the order that is set */ firstUnread: string | null;
  /** how many of them are calls that were missed */ missedCalls: number;
  /** the newest */ lastMessage: Message | null;
  /** whether it is kept on top */ pinned: boolean;
  /** whether it is put away */ archived: boolean;
  /** whether it shows no notifications */ muted: boolean;
  /** when muting ends by itself */ mutedUntil?: Time;
  /** how many of the unread ones mention this account in a group; at most 1000 */ mentions: number;
  /** while it is muted, mentions don't notify or count either */ mentionsMuted: boolean;
  /** how many of its messages are pinned; at most 100 */ pins: number;
  /** when it last changed */ updatedAt: Time;
}

/** One message. */
export interface Message {
  /** the message */ id: Uuid;
  /** its conversation */ conversation: Uuid;
  /** who wrote it */ sender: AccountId;
  /** what they are called here now: their alias, or the name they chose */ senderName: string;
  /** what it holds */ kind: MessageKind;
  /** its text */ text: string;
  /** when it was sent, by the sender's clock */ sentAt: Time;
  /** when it arrived, by our clock; null for our own */ receivedAt: Time | null;
  /** its position; sorts as text */ position: string;
  /** how far it has come */ state: MessageState;
  /** its state for each recipient */ recipients: Array<{ id: AccountId; state: MessageState; at: Time; reason?: Reason; detail?: string | null; heldBy?: { id: AccountId; name: string; until: Time } }>;
  /** the message it answers */ replyTo: Uuid | null;
  /** when it was last edited */ editedAt: Time | null;
  /** whether it was deleted, so that only a tombstone is left */ deleted: boolean;
  /** reactions to it */ reactions: Array<{ account: AccountId; emoji: string }>;
  /** files and folders */ attachments: Array<Attachment>;
  /** whether it is incoming and nobody has read it */ unread: boolean;
  /** the order in which messages were stored here; grows */ arrival: number;
  /** whether it is from a group and came here only after its author had left */ late: boolean;
  /** whether it mentions this account and nobody here has read it */ mentionsYou: boolean;
  /** for kind `system`: what Kibo itself says; `text` then has the names in it, for searching. Null if what is stored can't be read */ line: Line | null;
  /** for kind `call`: the record of the call */ call: MessageCall | null;
  /** for a note: the name of the device that gave it, such as a phone with LocalSend */ guest?: string;
  /** for a note: the name of the device that it was given to */ givenTo?: string;
  /** for kinds `system` and `call`: what happened, in English; names in it are as people chose them */ sentence?: string;
  /** from `message.send`: true if a message was sent with this `key` before; this is that message, and nothing was sent now */ duplicate?: boolean;
}

/** What Kibo itself says in a group: who did what. Clients word it. */
export interface Line {
  /** what was done */ action: LineAction;
  /** who did it; for `inherited`, the new owner; for `forked`, the one whose device contradicts itself */ actor: { id: AccountId; name: string; own: boolean };
  /** the people it was done to, at most six */ subjects: Array<{ id: AccountId; name: string; own: boolean }>;
  /** how many others it was done to */ more: number;
  /** the subject's role now */ role: GroupRole | null;
  /** for `created` and `renamed` the name, for `described` the description */ value: string | null;
  /** for `history_changed`: how many of the last messages a new member sees */ count: number | null;
  /** for `avatar_changed`: whether it was removed */ gone: boolean;
  /** whether it was undone: it counted until a removal made at the same time became known */ undone: boolean;
}

/** The record that a call leaves in its conversation. */
export interface MessageCall {
  /** the call */ id: Uuid;
  /** what it started with */ media: "audio" | "video";
  /** what became of it */ outcome: "answered" | "unanswered" | "cancelled" | "declined" | "busy" | "unreachable" | "failed";
  /** when it started, by the caller's clock */ startedAt: Time;
  /** how long both took part, in milliseconds */ duration: number;
}

/** A call between two friends or in a group. */
export interface Call {
  /** the call; the message that it leaves names it in `call` */ id: Uuid;
  /** of two objects for one call, the one with the greater number is newer: an answer may arrive after a newer event */ revision: number;
  /** where it takes place */ conversation: Uuid | null;
  /** whether it is a group's call */ group: boolean;
  /** which side started it */ direction: "outgoing" | "incoming";
  /** its state */ state: "outgoing" | "ringing" | "incoming" | "connecting" | "active" | "ongoing" | "away" | "ended";
  /** what it started with */ media: "audio" | "video";
  /** whether it rings while another call is going on here */ waiting: boolean;
  /** the devices of the other side; in a group, those that take part or ring */ participants: Array<{ account: AccountId; device: string; state: "calling" | "ringing" | "waiting" | "joined" | "away" | "ended" | null; reachable: boolean; since: Time | null; silent: boolean; sends: Array<"microphone" | "camera" | "screen">; verified: boolean; generation: number }>;
  /** what the window here sends */ sends: Array<"microphone" | "camera" | "screen">;
  /** the window here that carries the call */ seat: Uuid | null;
  /** counts the seats that this side has had: each needs a new connection */ generation: number;
  /** how many signals have come for the window; call.signals returns them */ signals: number;
  /** counts the changes of this host's addresses: after each, the window looks for a new way to the others */ moves: number;
  /** when it started, by this host's clock */ startedAt: Time;
  /** when the windows first had a connection */ connectedAt: Time | null;
  /** how long both sides have taken part so far, in milliseconds */ duration: number;
  /** why it ended; for a group's call that goes on: why this side left it */ reason: "hangup" | "declined" | "cancelled" | "unanswered" | "busy" | "elsewhere" | "nobody" | "unsupported" | "not_allowed" | "failed" | "lost" | "full" | null;
  /** the call that was kept when two crossed */ replacedBy?: Uuid;
}

/** What the other side's window tells this one about their connection. */
export interface CallSignal {
  /** its number among all that came for this side */ index: number;
  /** the device it is from */ device: string;
  /** the device's `generation` */ generation: number;
  /** what it is */ kind: "offer" | "answer" | "candidates" | "restart";
  /** a session description without candidates */ sdp?: string;
  /** lines for the browser */ candidates: Array<string>;
}

/** A file or folder that a message carries. */
export interface Attachment {
  /** the transfer that moves it */ transfer: Uuid;
  /** one path component */ name: string;
  /** of all its files */ size: Bytes;
  /** what it is */ kind: AttachmentKind;
  /** its media type */ mediaType: string;
  /** how far its transfer has come */ state: TransferState;
  /** where it is on this host */ path: null;
  /** its name on this disk, if different: the name was taken, or the disk doesn't allow it */ savedAs?: string;
  /** who cancelled it, if no `reason` says why it ended */ cancelledBy?: TransferSide;
  /** why its transfer has stopped or ended */ reason: Reason | null;
  /** details of the reason */ detail?: string | null;
  /** how many files of a folder were left out */ skipped: number;
  /** whether the file was removed here for its age */ removed: boolean;
  /** a small picture in base 64; only in the answer of `message.get`, null everywhere else */ preview: string | null;
  /** how long audio or video lasts, in ms; null if unknown */ duration: number | null;
  /** why the receiver holds the offer back: it is taken only with `anyway`; absent if it isn't held back, and for a group's files */ heldBack?: HoldReason;
  /** the types of its files for which it is, or may be, held back; an empty one means files without a type */ unlisted?: Array<string | null>;
}

/** A file or folder on its way. */
export interface Transfer {
  /** the transfer */ id: Uuid;
  /** incoming (`in`) or outgoing (`out`) */ direction: TransferDirection;
  /** the other side */ peer: AccountId;
  /** where it was offered */ conversation: Uuid | null;
  /** the message it was offered with */ message: Uuid | null;
  /** one path component */ name: string;
  /** in all */ size: Bytes;
  /** how many of these bytes are done; while it is active, this includes an unfinished piece, and drops again if that is lost with the connection */ bytesDone: Bytes;
  /** how many files there are */ files: number;
  /** how many of them are done */ filesDone: number;
  /** how many files and folders were left out */ skipped: number;
  /** the first 1,000 that were left out; only in the answer of `transfer.get` */ problems?: Array<TransferProblem>;
  /** how many other members are in the group that we sent it to */ members?: number;
  /** how many of them have told us that they have all of it; `done` only means that one has, and the others can get it from there */ membersDone?: number;
  /** recent bytes per second */ rate: Bytes;
  /** seconds left at that rate */ secondsLeft: number | null;
  /** how far it has come */ state: TransferState;
  /** who paused it; null if nobody did */ pausedBy: TransferPause | null;
  /** who cancelled it, if no `reason` says why it ended */ cancelledBy?: TransferSide;
  /** why it has stopped or ended */ reason: Reason | null;
  /** details of the reason; for a file that has arrived, that the disk here took a different name */ detail?: string | null;
  /** whether it failed because the file is not the one that was offered */ changed?: boolean;
  /** where it is on this host */ path: null;
  /** its name on this disk, if different: the name was taken, or the disk doesn't allow it */ savedAs?: string;
  /** when it was offered */ createdAt: Time;
  /** when it ended */ finishedAt: Time | null;
  /** why the receiver holds the offer back: it is taken only with `anyway`; absent if it isn't held back, and for a group's files */ heldBack?: HoldReason;
  /** the types of its files for which it is, or may be, held back; an empty one means files without a type */ unlisted?: Array<string | null>;
  /** the couriers that keep the file for this account, or will once they have fetched it */ keptBy?: Array<AccountId>;
}

/** A file or folder that was left out while the rest went on. */
export interface TransferProblem {
  /** its path within what was offered */ path: string | null;
  /** why it was left out */ reason: Reason;
  /** a code for the reason, if it has one; `detail` is then missing */ cause?: LeftOutCause;
  /** details of the reason */ detail?: string | null;
}

/** A setting with its value. */
export interface Setting {
  /** such as `messages.order` */ key: string;
  /** the value in force */ value: Json;
  /** the value while the user has not set it: this host's configuration may give a different default than the program */ default: Json;
  /** the type of the value */ type: "boolean" | "integer" | "string" | "array";
  /** what it does */ description: string;
  /** whether it holds a path or a command of this host: a connection of role web can't set it, and hears null as its value and default */ host: boolean;
  /** whether this host's configuration sets it (`kibod.json5`, `forced`), so that clients can't change it */ forced: boolean;
  /** what is allowed, in JSON Schema's words: `enum`, `minimum`, `maximum`, … */ limits?: { [name: string]: Json };
}

/** Whether a friend is typing in a conversation just now. */
export interface Typing {
  /** the conversation */ conversation: Uuid;
  /** the friend */ account: AccountId;
  /** true: they are typing; false: they have stopped */ typing: boolean;
}

/** The disk that holds the data. */
export interface Disk {
  /** `enough`; `short`: others can send only little, or wait until there is room; `full`: nothing is stored or accepted until there is room */ room: "enough" | "short" | "full";
  /** how much was free when the daemon last looked; absent: unknown */ freeBytes?: Bytes;
}

/** What is waiting for the user, in all conversations together. */
export interface Totals {
  /** unread messages in conversations that are not muted */ unread: number;
  /** unread messages in muted conversations */ muted: number;
  /** friend requests that are waiting for an answer here */ requests: number;
  /** calls that were missed and not seen yet; they count as unread, too */ missedCalls: number;
  /** those of `muted` that mention this account, where mentions are not muted, too */ mentions: number;
}

/** A file or folder that a client is handing to the daemon. */
export interface Upload {
  /** the upload: `upload:` followed by this stands for a path wherever a file is expected */ id: Uuid;
  /** one path component */ name: string;
  /** how many bytes it will have; null if that was not said */ size: Bytes | null;
  /** how many bytes are here */ received: Bytes;
  /** whether it is a folder */ folder: boolean;
  /** what it is for */ purpose: "message" | "picture" | "addressBook";
  /** the upload of the folder that it belongs to */ in: Uuid | null;
  /** its place there */ path: string | null;
  /** how many files are complete */ files: number;
  /** whether all of it is here */ finished: boolean;
  /** when it was begun */ createdAt: Time;
}

/** Events that a subscriber can't get any more. */
export interface Gap {
  /** the first one missing */ from: number;
  /** the last one missing */ to: number;
}

/** People who talk to each other without a server. */
export interface Group {
  /** the group */ id: Uuid;
  /** what it is called */ name: string;
  /** what it is for */ description: string;
  /** where its avatar is, a JPEG */ avatar: null;
  /** a token for that picture, for picture.open: a different picture has a different token */ picture: string | null;
  /** who is in it: owners first, then admins */ members: Array<{ id: AccountId; displayName: string; role: GroupRole; presence: Presence; joinedAt: Time; forked: boolean }>;
  /** former members, to show who wrote their messages */ former: Array<{ id: AccountId; displayName: string }>;
  /** how many members can be reached, including this account */ online: number;
  /** when it was created */ createdAt: Time;
  /** how many changes it has had; grows */ epoch: number;
  /** its conversation; null after that was deleted, until something arrives */ conversation: Uuid | null;
  /** how many of the last messages a new member sees */ history: number;
  /** arriving: not all of it is here yet; member; left; removed: somebody removed this account */ state: GroupStanding;
  /** what this account may do */ role: GroupRole | null;
  /** who added this account */ addedBy: AccountId | null;
}

/** A person, a group or the notes, as what a name means or may mean. */
export interface Named {
  /** what it is */ kind: "person" | "group" | "notes";
  /** the account, one's own for notes, or the group */ id: string;
  /** what to call them: the alias, or their own name */ name: string;
  /** what we call them, or empty */ alias: string;
  /** our relation to a person */ relation: Relation | null;
  /** how sure we are that it is that person */ trust: Trust | null;
  /** how many are in a group */ members: number | null;
  /** the name of who added us to a group; null if we made it */ addedBy: string | null;
  /** since when a person has used that name, as far as is known here */ since: Time | null;
  /** the conversation with them */ conversation: Uuid | null;
  /** a word that means them and nobody else, also for `strict`; fit for a command line */ word: string;
  /** how many others the name fits, too; this one took precedence */ others: number;
}

/** A message in which something was found. */
export interface Found {
  /** the message */ message: Message;
  /** the part of the text, or of the file names, that matches; on one line, with … where it is cut */ snippet: string;
  /** where the matches are, in Unicode scalars of `snippet` */ marks: Array<{ start: number; length: number }>;
}

/** A person of the address book. */
export interface AddressBookEntry {
  /** the entry */ id: Uuid;
  /** what they are called */ name: string;
  /** telephone numbers */ phones: Array<{ number: string; e164: string | null; prefix: string | null; national: string | null; region: string | null; extension: string; label: string }>;
  /** e-mail addresses */ emails: Array<string>;
  /** whether an account shows one of these in its profile */ onKibo: boolean;
  /** the account that is most likely theirs */ contact: AccountId | null;
  /** all such accounts, that one first */ matches: Array<{ account: AccountId; displayName: string; relation: Relation; here: boolean }>;
  /** when they were last sent an invitation */ invitedAt: Time | null;
}

/** What an import did. */
export interface AddressBookImport {
  /** new entries */ added: number;
  /** entries that are different now */ updated: number;
  /** entries that stayed the same */ unchanged: number;
  /** entries that the file doesn't have */ removed: number;
  /** cards that were not taken: groups, and those with neither number nor e-mail */ skipped: number;
  /** numbers without + whose country is unknown */ numbersWithoutCountry: number;
  /** the country assumed for numbers without + */ country: string | null;
  /** where that came from */ countryFrom: "parameter" | "profile" | "locale" | null;
  /** the first 100 problems */ problems: Array<{ line: number; name: string; problem: CardProblem | null; detail?: string | null }>;
  /** how many problems there were in all */ problemCount: number;
}

/** What changed in the address book: list it again. */
export interface AddressBookChange {
  /** new entries */ added: number;
  /** entries that are different now */ updated: number;
  /** entries that are gone */ removed: number;
}

/** A courier of yours, or a friend who has named you as one. */
export interface Courier {
  /** the account */ id: AccountId;
  /** what they are called here */ name: string;
  /** whether their Kibo keeps messages for others; null: it hasn't said, or is too old to say */ carries: boolean | null;
  /** how many parcels for them are kept here */ parcels: number;
  /** their size in all */ bytes: Bytes;
}

/** Sealed messages of a friend for a friend who is away, kept here. */
export interface Parcel {
  /** the parcel */ id: Uuid;
  /** the friend who left it */ from: AccountId;
  /** what they are called here */ fromName: string;
  /** the friend it is for */ to: AccountId;
  /** what they are called here */ toName: string;
  /** when it came */ cameAt: Time;
  /** until when it is kept */ until: Time;
  /** its size */ bytes: Bytes;
}

/** Something about couriers changed: somebody was named as one or removed, says something different about keeping messages, or different parcels are kept here. List them again. */
export interface CourierChange {
  /** how many parcels are kept here for friends */ parcels: number;
  /** their size in all */ bytes: Bytes;
}

/** A device nearby that speaks LocalSend, such as a phone. Nothing it says is verified. */
export interface GuestDevice {
  /** names it in `guest.give`; a different address or certificate means a different device */ id: string;
  /** what its user calls it; anybody can choose any name */ name: string;
  /** its model, or the maker's name */ model: string | null;
  /** what it says it is */ kind: "mobile" | "desktop" | "web" | "headless" | "server";
  /** its address */ address: string;
  /** whether it speaks TLS; if not, anybody on the network can read along */ encrypted: boolean;
  /** whether you gave it something before; its certificate is checked when you do so again */ known: boolean;
  /** whether you gave something to another device of this name before, so this one may be an impostor */ namesake: boolean;
}

/** What such a device offers you, or you offer it. */
export interface GuestOffer {
  /** the offer */ id: Uuid;
  /** the device that gives it or gets it */ device: GuestDevice;
  /** how far it has come */ state: "waiting" | "receiving" | "sending" | "taken" | "declined" | "withdrawn" | "expired" | "failed";
  /** the text, if the offer is one; it has no items then */ text: string | null;
  /** its files; after some were taken, only those; none if a device's offer ended without being taken */ items: Array<{ number: number; name: string; folder: string | null; size: Bytes; refusal: Reason | null }>;
  /** how many files it had, or how many were taken */ files: number;
  /** their size in all */ size: Bytes;
  /** when it was offered */ cameAt: Time;
  /** `waiting`: when it ends if nobody answers */ until: Time | null;
  /** how many files are here, or with the device */ filesDone: number;
  /** how many bytes have arrived here, or there */ bytesDone: Bytes;
  /** `failed`: why; `cancelled`: the device ended it; `wrong_passphrase`: it wants a PIN, or a different one; `key_changed`: it doesn't have the certificate that it announced */ problem: Reason | null;
  /** `failed`: details of the problem */ detail: string | null;
}

/** Devices with LocalSend have come or gone, or their offers have changed: list them again. */
export interface GuestChange {
  /** how many are nearby */ devices: number;
  /** how many offers are waiting for the user */ waiting: number;
}

/** How far the files of an offer are, coming in or going out. */
export interface GuestProgress {
  /** the offer */ offer: Uuid;
  /** how many files are here, or with the device */ filesDone: number;
  /** how many bytes have arrived here, or there */ bytesDone: Bytes;
  /** recent bytes per second */ rate: Bytes;
}

/** What a backup file contains. */
export interface Backup {
  /** the file */ path: null;
  /** its size */ bytes: Bytes;
  /** when it was made */ madeAt: Time;
  /** the account it is of */ account: AccountId;
  /** their name, if it was read */ displayName: string | null;
  /** the program that made it */ software: string;
  /** the version of its database */ schema: number;
  /** whether a passphrase protected the account's keys */ hasPassphrase: boolean;
  /** whether a passphrase of its own opens it */ takesPassphrase: boolean;
  /** whether the account's recovery code opens it */ takesCode: boolean;
  /** contacts that are in it */ people: number;
  /** conversations that are in it */ conversations: number;
  /** messages that are in it */ messages: number;
  /** rows of all tables that are in it */ rows: number;
  /** rows that it had when it was made */ rowsAnnounced: number;
  /** whether it is whole */ complete: boolean;
  /** the byte at which it is damaged or cut off */ damagedAt: Bytes | null;
}

/** The state of the account's backups. */
export interface BackupStatus {
  /** the last backup known here; null: none was ever made */ last: { madeAt: Time; name: string; path: null; bytes: Bytes; takesPassphrase: boolean; takesCode: boolean } | null;
  /** whether there is none, or the last is older than 30 days */ due: boolean;
  /** when the recovery code was last shown; null: never */ codeShownAt: Time | null;
  /** one that is being made, looked at or restored now */ running: { step: "writing" | "reading" | "finishing"; done: number; total: number } | null;
}

/** One thing that `system.doctor` has looked at. */
export interface DoctorCheck {
  /** what was looked at, such as `firewall` */ name: string;
  /** whether it looks fine, as far as could be seen */ ok: boolean;
  /** what was found */ findings: Array<{ code: DoctorFinding; parameters: { [name: string]: Json } }>;
  /** what can be done about it */ advice: Array<{ code: DoctorAdvice; parameters: { [name: string]: Json } }>;
}

/** The `data` of an error −32000. */
export interface Refusal {
  /** the kind of refusal, which programs decide by */ kind: Reason;
  /** whether the same request may succeed later */ retryable: boolean;
  /** what can be done about it */ hint?: HintCode;
  /** what it is about: a `name`, a `group`, an `id` and the like */ parameters?: { [name: string]: Json };
  /** the parameter at fault */ field?: string;
  /** who a given name may mean */ candidates?: Array<Named>;
}
