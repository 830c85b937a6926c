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
  /** a line about oneself */ statusText: string;
  /** e-mail address */ email: string | null;
  /** telephone number in E.164 */ phone: string | null;
  /** where the avatar lies, a JPEG */ avatar: null;
  /** which picture that is, for picture.open: another one has another token */ picture: string | null;
  /** whether a passphrase is needed first */ locked: boolean;
  /** whether a passphrase protects the keys */ hasPassphrase: boolean;
  /** whether the daemon unlocks itself when it starts */ remembered: boolean;
  /** this device */ device: { id: string; name: string };
  /** since when */ createdAt: Time;
  /** what friends see: online, away, or offline while the account is locked */ presence: Presence;
}

/** Somebody on the network now. */
export interface Peer {
  /** who */ account: AccountId;
  /** on which device, kibodev1… */ device: string;
  /** what they call themselves */ displayName: string;
  /** where; empty if that is not known */ address: string;
  /** how we stand */ relation: Relation;
  /** when last heard */ lastHeard: Time;
  /** whom in the address book they say they are */ entry: { id: Uuid; name: string } | null;
}

/** Somebody we know, or who wants to know us. */
export interface Contact {
  /** who */ id: AccountId;
  /** what they call themselves */ displayName: string;
  /** what we call them, or empty */ alias: string;
  /** a line about themselves */ statusText: string;
  /** e-mail address */ email: string | null;
  /** telephone number in E.164 */ phone: string | null;
  /** how we stand */ relation: Relation;
  /** how sure we are that it is them */ trust: Trust;
  /** whether they can be reached */ presence: Presence;
  /** when last reached */ lastSeen: Time | null;
  /** the conversation with them */ conversation: Uuid | null;
  /** what came with the request */ note: string;
  /** whether their files are taken without asking */ autoDownload: AutoDownload;
  /** where their avatar lies, a JPEG made here of what they sent */ avatar: null;
  /** which picture that is, for picture.open: another one has another token */ picture: string | null;
  /** whom in the address book they say they are */ entry: { id: Uuid; name: string } | null;
  /** why our last request came to nothing, until it is asked again or declined */ reason?: Reason;
  /** what more there is to say about the reason */ detail?: string | null;
  /** while trust is `changed`: the account that came under this contact's name */ changedTo?: AccountId;
  /** while trust is `changed`: since when; missing if that is not known */ changedAt?: Time;
  /** while relation is `incoming`: where the request came from, an IPv4 address, or of IPv6 a network or all of a link; missing if that is not known */ requestSource?: string;
  /** while relation is `incoming`: they haven't asked, but take us for a friend, from before this account was recovered */ knowsUs: boolean;
}

/** A chat with one friend or a group. */
export interface Conversation {
  /** the conversation */ id: Uuid;
  /** with whom: `notes` are with oneself */ kind: ConversationKind;
  /** what to call it; clients have a word of their own for notes */ title: string;
  /** the friend; this account for notes */ contact?: AccountId;
  /** the group */ group?: Uuid;
  /** incoming messages nobody has looked at */ unread: number;
  /** the position of the first of them, in the order that is set */ firstUnread: string | null;
  /** how many of them are calls that were missed */ missedCalls: number;
  /** the newest */ lastMessage: Message | null;
  /** kept on top */ pinned: boolean;
  /** put away */ archived: boolean;
  /** without notifications */ muted: boolean;
  /** when muting ends by itself */ mutedUntil?: Time;
  /** how many of the unread ones mention this account in a group; at most 1000 */ mentions: number;
  /** while it is muted, mentions don't notify or count either */ mentionsMuted: boolean;
  /** how many of its messages are pinned; at most 100 */ pins: number;
  /** of the last change */ updatedAt: Time;
}

/** One message. */
export interface Message {
  /** the message */ id: Uuid;
  /** where */ conversation: Uuid;
  /** whose */ sender: AccountId;
  /** what they are called here now: their alias, or the name that they have chosen */ senderName: string;
  /** what it holds */ kind: MessageKind;
  /** its text */ text: string;
  /** by the sender's clock */ sentAt: Time;
  /** by ours; null for our own */ receivedAt: Time | null;
  /** its position; sorts as text */ position: string;
  /** how far it has come */ state: MessageState;
  /** how it stands with each to whom it goes */ recipients: Array<{ id: AccountId; state: MessageState; at: Time; reason?: Reason; detail?: string | null; heldBy?: { id: AccountId; name: string; until: Time } }>;
  /** what it answers */ replyTo: Uuid | null;
  /** when it was last edited */ editedAt: Time | null;
  /** a tombstone */ deleted: boolean;
  /** reactions to it */ reactions: Array<{ account: AccountId; emoji: string }>;
  /** files and folders */ attachments: Array<Attachment>;
  /** incoming, and nobody has read it */ unread: boolean;
  /** the order in which messages were stored here; grows */ arrival: number;
  /** of a group, and came here only after its author was out */ late: boolean;
  /** mentions this account, and nobody here has read it */ mentionsYou: boolean;
  /** of kind `system`: what Kibo itself says; `text` then has the names in it, for searching. Null if what is stored can't be read */ line: Line | null;
  /** of kind `call`: what stays of it */ call: MessageCall | null;
  /** of a note: what the device calls itself that gave it, such as a phone with LocalSend */ guest?: string;
  /** of a note: what the device calls itself that it was given to */ givenTo?: string;
  /** of kinds `system` and `call`: what happened, in English; names in it are as people have chosen them */ sentence?: string;
  /** of `message.send`: true if a message was sent under this `key` before; this is that message, and nothing was sent now */ duplicate?: boolean;
}

/** What Kibo itself says in a group: who did what to whom. Clients word it. */
export interface Line {
  /** what was done */ action: LineAction;
  /** who did it; of `inherited` the new owner, of `forked` the one whose device contradicts itself */ actor: { id: AccountId; name: string; own: boolean };
  /** those whom it was done to, at most six */ subjects: Array<{ id: AccountId; name: string; own: boolean }>;
  /** how many it was done to beside those */ more: number;
  /** what the subject is now */ role: GroupRole | null;
  /** the name of `created` and `renamed`, the description of `described` */ value: string | null;
  /** of `history_changed`: how many of the last messages a new member sees */ count: number | null;
  /** of `avatar_changed`: there is none any more */ gone: boolean;
  /** it counted, and does not any more: a removal made at the same time came to be known */ undone: boolean;
}

/** What stays of a call. */
export interface MessageCall {
  /** the call */ id: Uuid;
  /** what it began with */ media: "audio" | "video";
  /** what became of it */ outcome: "answered" | "unanswered" | "cancelled" | "declined" | "busy" | "unreachable" | "failed";
  /** when it began, by the caller's clock */ startedAt: Time;
  /** milliseconds in which both took part */ duration: number;
}

/** A call between two friends or in a group. */
export interface Call {
  /** the call; the message that stays of it names it in `call` */ id: Uuid;
  /** of two that tell of one call, the one with the greater number was written later: an answer may come after an event that is newer */ revision: number;
  /** where it takes place */ conversation: Uuid | null;
  /** it is a call of a group */ group: boolean;
  /** who has begun it */ direction: "outgoing" | "incoming";
  /** how it stands */ state: "outgoing" | "ringing" | "incoming" | "connecting" | "active" | "ongoing" | "away" | "ended";
  /** what it began with */ media: "audio" | "video";
  /** it rings while another call goes on here */ waiting: boolean;
  /** the devices of the other side; in a group those that take part, or where it rings */ participants: Array<{ account: AccountId; device: string; state: "calling" | "ringing" | "waiting" | "joined" | "away" | "ended" | null; reachable: boolean; since: Time | null; silent: boolean; sends: Array<"microphone" | "camera" | "screen">; verified: boolean; generation: number }>;
  /** what the window here sends */ sends: Array<"microphone" | "camera" | "screen">;
  /** the window that carries it here */ seat: Uuid | null;
  /** counts the seats that this side has had: each needs a new connection */ generation: number;
  /** how many signals have come for the window; call.signals has them */ signals: number;
  /** counts the changes of this host's addresses: with each, the window looks for a new way to the others */ moves: number;
  /** when it began, by the clock here */ startedAt: Time;
  /** when the windows had a connection first */ connectedAt: Time | null;
  /** milliseconds in which both took part, so far */ duration: number;
  /** why it has ended; of a group's call that goes on: why this side is not in it any more */ reason: "hangup" | "declined" | "cancelled" | "unanswered" | "busy" | "elsewhere" | "nobody" | "unsupported" | "not_allowed" | "failed" | "lost" | "full" | null;
  /** the call that stayed when two crossed */ replacedBy?: Uuid;
}

/** What the window of the other side tells this one about their connection. */
export interface CallSignal {
  /** its number among all that came for this side */ index: number;
  /** whose */ device: string;
  /** that of the device */ generation: number;
  /** what it is */ kind: "offer" | "answer" | "candidates" | "restart";
  /** a session description without candidates */ sdp?: string;
  /** lines for the browser */ candidates: Array<string>;
}

/** A file or folder that a message carries. */
export interface Attachment {
  /** what moves it */ transfer: Uuid;
  /** one path component */ name: string;
  /** of all its files */ size: Bytes;
  /** what it is */ kind: AttachmentKind;
  /** its media type */ mediaType: string;
  /** how far its transfer has come */ state: TransferState;
  /** where it lies on this host */ path: null;
  /** the name that it has on this disk, where that is another one: the name was taken, or the disk doesn't take it */ savedAs?: string;
  /** who has cancelled it, where no `reason` says why it ended */ cancelledBy?: TransferSide;
  /** why its transfer stands or ended */ reason: Reason | null;
  /** what more there is to say about the reason */ detail?: string | null;
  /** how many files of a folder were left out */ skipped: number;
  /** whether the file was removed here for its age */ removed: boolean;
  /** a small picture in base 64; only in the answer of `message.get`, null everywhere else */ preview: string | null;
  /** how long a sound or film lasts, in ms; null if unknown */ duration: number | null;
  /** why the receiver holds the offer back: it is taken only with `anyway`; absent if it does not, and for what goes to a group */ heldBack?: HoldReason;
  /** the types of its files for which it may be held back, or is; an empty one means files without a type */ unlisted?: Array<string | null>;
}

/** A file or folder on its way. */
export interface Transfer {
  /** the transfer */ id: Uuid;
  /** which way */ direction: TransferDirection;
  /** the other side */ peer: AccountId;
  /** where it was offered */ conversation: Uuid | null;
  /** with which message */ message: Uuid | null;
  /** one path component */ name: string;
  /** in all */ size: Bytes;
  /** of them; while it is active, with what has come of a piece that is not whole yet, and less again if that is lost with a connection */ bytesDone: Bytes;
  /** in all */ files: number;
  /** of them */ filesDone: number;
  /** how many files and folders were left out */ skipped: number;
  /** the first 1,000 that were left out; only in the answer of `transfer.get` */ problems?: Array<TransferProblem>;
  /** how many others are in the group that we have sent it to */ members?: number;
  /** how many of them have told us that they have all of it; `done` says only that one has, from whom the others can get it */ membersDone?: number;
  /** a second, as of late */ rate: Bytes;
  /** at that rate */ secondsLeft: number | null;
  /** how far it has come */ state: TransferState;
  /** who holds it; null if nobody does */ pausedBy: TransferPause | null;
  /** who has cancelled it, where no `reason` says why it ended */ cancelledBy?: TransferSide;
  /** why it stands or ended */ reason: Reason | null;
  /** what more there is to say about the reason; of a file that has come, that the disk here took another name */ detail?: string | null;
  /** it failed because the file is another one than was offered */ changed?: boolean;
  /** where it lies on this host */ path: null;
  /** the name that it has on this disk, where that is another one: the name was taken, or the disk doesn't take it */ savedAs?: string;
  /** when it was offered */ createdAt: Time;
  /** when it ended */ finishedAt: Time | null;
  /** why the receiver holds the offer back: it is taken only with `anyway`; absent if it does not, and for what goes to a group */ heldBack?: HoldReason;
  /** the types of its files for which it may be held back, or is; an empty one means files without a type */ unlisted?: Array<string | null>;
  /** the couriers that keep the file for this account, or will once they have fetched it */ keptBy?: Array<AccountId>;
}

/** A file or folder that was left out while the rest went on. */
export interface TransferProblem {
  /** within what was offered */ path: string | null;
  /** why */ reason: Reason;
  /** the code of it, where it has one; `detail` is then missing */ cause?: LeftOutCause;
  /** what more there is to say about the reason */ detail?: string | null;
}

/** A setting with its value. */
export interface Setting {
  /** such as `messages.order` */ key: string;
  /** what counts now */ value: Json;
  /** what counts while the user has not set it: the configuration of this host may give another default than the program */ default: Json;
  /** what the value is */ type: "boolean" | "integer" | "string" | "array";
  /** what it does */ description: string;
  /** it holds a path or a command of this host: a connection of role web can't set it, and hears null as its value and default */ host: boolean;
  /** the configuration of this host sets it (`kibod.json5`, `forced`): it can't be changed by a client */ forced: boolean;
  /** what is allowed, in JSON Schema's words: `enum`, `minimum`, `maximum`, … */ limits?: { [name: string]: Json };
}

/** Whether a friend is typing in a conversation just now. */
export interface Typing {
  /** where */ conversation: Uuid;
  /** who */ account: AccountId;
  /** whether they are, or have ceased to */ typing: boolean;
}

/** The disk that holds the data. */
export interface Disk {
  /** `enough`; `short`: others may say little, or wait until there is room; `full`: nothing is stored or taken until there is room */ room: "enough" | "short" | "full";
  /** what was free when the daemon last looked; absent: it can't be told */ freeBytes?: Bytes;
}

/** What waits for the user, in all conversations together. */
export interface Totals {
  /** unread messages in conversations that are not muted */ unread: number;
  /** unread messages in muted conversations */ muted: number;
  /** friend requests that wait for an answer here */ requests: number;
  /** calls that were missed and not seen yet; they count as unread, too */ missedCalls: number;
  /** those of `muted` that mention this account, where mentions are not muted, too */ mentions: number;
}

/** A file or folder on its way from a client into the daemon's care. */
export interface Upload {
  /** the upload: `upload:` and this stand for a path where a file is taken */ id: Uuid;
  /** one path component */ name: string;
  /** bytes that it will have; null if that was not said */ size: Bytes | null;
  /** bytes that are here */ received: Bytes;
  /** whether it is a folder */ folder: boolean;
  /** what it is for */ purpose: "message" | "picture" | "addressBook";
  /** the upload of the folder that it is for */ in: Uuid | null;
  /** its place there */ path: string | null;
  /** how many files are whole */ files: number;
  /** whether all of it is here */ finished: boolean;
  /** when it was begun */ createdAt: Time;
}

/** Events that a subscriber can't have any more. */
export interface Gap {
  /** the first one missing */ from: number;
  /** the last one missing */ to: number;
}

/** People who talk to each other without a server. */
export interface Group {
  /** the group */ id: Uuid;
  /** what it is called */ name: string;
  /** what it is for */ description: string;
  /** where its avatar lies, a JPEG */ avatar: null;
  /** which picture that is, for picture.open: another one has another token */ picture: string | null;
  /** who is in it: owners first, then admins */ members: Array<{ id: AccountId; displayName: string; role: GroupRole; presence: Presence; joinedAt: Time; forked: boolean }>;
  /** who is gone, for what they said then */ former: Array<{ id: AccountId; displayName: string }>;
  /** how many members can be reached, this account among them */ online: number;
  /** since when */ createdAt: Time;
  /** how many changes it has had; grows */ epoch: number;
  /** its conversation; null once that was deleted, until something comes */ conversation: Uuid | null;
  /** how many of the last messages a new member sees */ history: number;
  /** arriving: not all of it is here yet; member; left; removed: somebody has removed this account */ state: GroupStanding;
  /** what this account may do */ role: GroupRole | null;
  /** who has added this account */ addedBy: AccountId | null;
}

/** Somebody, or a group, that a name leads to or may lead to. */
export interface Named {
  /** what it is */ kind: "person" | "group" | "notes";
  /** the account, one's own for notes, or the group */ id: string;
  /** what to call them: the alias, or their own name */ name: string;
  /** what we call them, or empty */ alias: string;
  /** how we stand to a person */ relation: Relation | null;
  /** how sure we are that it is that person */ trust: Trust | null;
  /** how many are in a group */ members: number | null;
  /** what the one is called who has put us into a group; null if we made it */ addedBy: string | null;
  /** since when a person has called themselves so, as far as is known here */ since: Time | null;
  /** the conversation with them */ conversation: Uuid | null;
  /** what leads to them and to nobody else, also for `strict`; fit for a command line */ word: string;
  /** how many others the name fits, over whom this one prevailed */ others: number;
}

/** A message in which something was found. */
export interface Found {
  /** the message */ message: Message;
  /** the part of the text, or of the names of files, in which it was found; on one line, … where it is cut */ snippet: string;
  /** what was found, in Unicode scalars of `snippet` */ marks: Array<{ start: number; length: number }>;
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
  /** entries that were so already */ unchanged: number;
  /** entries that the file doesn't have */ removed: number;
  /** cards that were not taken: groups, and such with neither number nor e-mail */ skipped: number;
  /** numbers without + that nobody knows the country of */ numbersWithoutCountry: number;
  /** where numbers without + were taken to be from */ country: string | null;
  /** how that is known */ countryFrom: "parameter" | "profile" | "locale" | null;
  /** the first 100 things that were wrong */ problems: Array<{ line: number; name: string; problem: CardProblem | null; detail?: string | null }>;
  /** how much was wrong in all */ problemCount: number;
}

/** What happened to the address book: list it again. */
export interface AddressBookChange {
  /** new entries */ added: number;
  /** entries that are different now */ updated: number;
  /** entries that are gone */ removed: number;
}

/** A courier of yours, or a friend who has named you as one. */
export interface Courier {
  /** who */ id: AccountId;
  /** what they are called here */ name: string;
  /** whether their Kibo keeps messages for others; null: it hasn't said, or is too old for that */ carries: boolean | null;
  /** how many parcels for them are kept here */ parcels: number;
  /** the bytes of these */ bytes: Bytes;
}

/** Sealed messages of a friend for a friend who is away, kept here. */
export interface Parcel {
  /** the parcel */ id: Uuid;
  /** the friend who has left it */ from: AccountId;
  /** what they are called here */ fromName: string;
  /** the friend it is for */ to: AccountId;
  /** what they are called here */ toName: string;
  /** when it came */ cameAt: Time;
  /** until when it is kept */ until: Time;
  /** its length */ bytes: Bytes;
}

/** Somebody was named as a courier or was taken back, says something else about keeping messages, or something else is kept here: list them again. */
export interface CourierChange {
  /** how many parcels are kept here for friends */ parcels: number;
  /** the bytes of these */ bytes: Bytes;
}

/** A device nearby that speaks LocalSend, such as a phone. Nothing it says is proved. */
export interface GuestDevice {
  /** names it in `guest.give`; another address or another certificate is another device */ id: string;
  /** what its user calls it; anybody can take any name */ name: string;
  /** such as the maker's name */ model: string | null;
  /** what it says it is */ kind: "mobile" | "desktop" | "web" | "headless" | "server";
  /** where it is */ address: string;
  /** whether it speaks TLS; otherwise anybody on the network can read along */ encrypted: boolean;
  /** whether something was given to it before; its certificate is checked when something is given to it again */ known: boolean;
  /** whether something was given to another device of this name before, so that this one may only pretend */ namesake: boolean;
}

/** What such a device wants to give to you, or you to it. */
export interface GuestOffer {
  /** the offer */ id: Uuid;
  /** who gives it, or gets it */ device: GuestDevice;
  /** how far it has come */ state: "waiting" | "receiving" | "sending" | "taken" | "declined" | "withdrawn" | "expired" | "failed";
  /** the text, if it is one; then it has no items */ text: string | null;
  /** its files; once some were taken, those; none of an offer of a device that is over without being taken */ items: Array<{ number: number; name: string; folder: string | null; size: Bytes; refusal: Reason | null }>;
  /** how many it had, or were taken */ files: number;
  /** the bytes of these */ size: Bytes;
  /** when it was offered */ cameAt: Time;
  /** `waiting`: when it is over if nobody answers */ until: Time | null;
  /** how many files are here, or with the device */ filesDone: number;
  /** how many bytes have come, or gone */ bytesDone: Bytes;
  /** `failed`: why; `cancelled`: the device has ended it; `wrong_passphrase`: it wants a PIN, or another one; `key_changed`: it doesn't have the certificate that it announced */ problem: Reason | null;
  /** `failed`: what more there is to say about it */ detail: string | null;
}

/** Devices with LocalSend have come or gone, or what they offer is another: list them again. */
export interface GuestChange {
  /** how many are near */ devices: number;
  /** how many offers wait for the user */ waiting: number;
}

/** Files of an offer come in, or go out. */
export interface GuestProgress {
  /** which */ offer: Uuid;
  /** how many files are here, or with the device */ filesDone: number;
  /** how many bytes have come, or gone */ bytesDone: Bytes;
  /** bytes a second, lately */ rate: Bytes;
}

/** What is in the file of a backup. */
export interface Backup {
  /** the file */ path: null;
  /** its size */ bytes: Bytes;
  /** when it was made */ madeAt: Time;
  /** whose it is */ account: AccountId;
  /** their name, where it was read */ displayName: string | null;
  /** the program that made it */ software: string;
  /** the version of its database */ schema: number;
  /** whether a passphrase protected the account's keys */ hasPassphrase: boolean;
  /** whether a passphrase of its own opens it */ takesPassphrase: boolean;
  /** whether the account's recovery code opens it */ takesCode: boolean;
  /** contacts that are in it */ people: number;
  /** conversations that are in it */ conversations: number;
  /** messages that are in it */ messages: number;
  /** rows of all tables that are in it */ rows: number;
  /** rows that it was made with */ rowsAnnounced: number;
  /** whether it is whole */ complete: boolean;
  /** the byte at which it is damaged or cut */ damagedAt: Bytes | null;
}

/** How the backups of the account are. */
export interface BackupStatus {
  /** the last backup that is known here; null: none was ever made */ last: { madeAt: Time; name: string; path: null; bytes: Bytes; takesPassphrase: boolean; takesCode: boolean } | null;
  /** whether there is none, or the last is older than 30 days */ due: boolean;
  /** when the recovery code was shown last; null: it never was */ codeShownAt: Time | null;
  /** one that is being made, looked at or restored now */ running: { step: "writing" | "reading" | "finishing"; done: number; total: number } | null;
}

/** One thing that `system.doctor` has looked at. */
export interface DoctorCheck {
  /** what was looked at, such as `firewall` */ name: string;
  /** whether nothing is wrong with it, as far as could be seen */ ok: boolean;
  /** what was found */ findings: Array<{ code: DoctorFinding; parameters: { [name: string]: Json } }>;
  /** what can be done about it */ advice: Array<{ code: DoctorAdvice; parameters: { [name: string]: Json } }>;
}

/** The `data` of an error −32000. */
export interface Refusal {
  /** what sort of refusal; programs decide by it */ kind: Reason;
  /** whether the same request may succeed later */ retryable: boolean;
  /** what can be done about it */ hint?: HintCode;
  /** what it is about: a `name`, a `group`, an `id` and the like */ parameters?: { [name: string]: Json };
  /** the parameter at fault */ field?: string;
  /** who may be meant by a name that was given */ candidates?: Array<Named>;
}
