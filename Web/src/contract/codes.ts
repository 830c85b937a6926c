// Written from the catalogue: run DocumentTests with KIBO_WRITE_DOCS=1, change nothing here.

export const reasonCodes = [
  "not_found", "ambiguous", "already_exists", "invalid", "no_account", "locked", "wrong_passphrase", "not_friends",
  "blocked", "key_changed", "offline", "too_large", "type_not_allowed", "no_space", "not_allowed", "busy",
  "cancelled", "unsupported", "internal",
] as const;
export type Reason = (typeof reasonCodes)[number];

export const hintCodes = [
  "make_account", "unlock", "see_status", "listen_elsewhere", "ask_administrator", "set_passphrase",
  "wait_before_trying", "remember_passphrase", "leave_old_out", "give_passphrase_to_remember", "give_passphrase",
  "free_memory", "free_space", "see_log", "retype_name", "retype_code", "give_email", "give_phone",
  "give_phone_digits", "install_media", "give_picture", "shrink_picture", "resave_picture", "make_readable",
  "add_contact", "see_contacts", "see_requests", "await_answer", "answer_request", "unblock", "examine_key",
  "compare_key", "add_another", "give_link", "ask_for_link", "check_address", "give_visible_alias",
  "give_other_alias", "scan_their_link", "give_safety_number", "compare_again", "nearest_name", "choose_candidate",
  "name_by_word", "see_chats_and_people", "see_contacts_and_requests", "see_contacts_and_peers", "see_open_requests",
  "see_blocked", "see_or_make_groups", "see_group_members", "see_chats", "see_messages", "delete_instead", "ask_why",
  "send_anew", "delete_for_me", "answer_or_react", "check_database", "give_next", "give_position", "begin_again",
  "export_again", "give_other_path", "give_content", "give_longer_id", "choose_message", "give_word", "search_less",
  "see_groups", "ask_admin", "try_in_a_moment", "await_meeting", "leave_instead", "see_group_limits", "ask_owner",
  "see_group_roles", "give_group_change", "see_transfers", "decline_offer", "take_offer_back", "accept_offer",
  "await_receiver", "ask_to_send_again", "ask_for_new_version", "send_again", "await_resume", "resume_transfer",
  "cancel_transfer", "give_other_folder", "make_folder", "free_space_or_other_folder", "see_allowed_types",
  "take_anyway", "see_largest_sent", "give_path_from_root", "check_path", "send_target", "rename_file",
  "send_in_parts", "send_when_quiet", "give_cards", "export_without_pictures", "export_fewer", "export_whole",
  "remove_entries", "give_country", "separate_or_nameless", "set_invite_command", "give_invite_text",
  "nearest_setting", "see_settings", "give_allowed_value", "use_default", "give_directory", "give_extension",
  "give_account_id", "give_address", "give_since_with_epoch",
] as const;
export type HintCode = (typeof hintCodes)[number];

export const doctorFindingCodes = [
  "no_account", "account_locked", "account_open", "recovery_code_shown", "backup_made", "backup_old", "backup_none",
  "recovery_code_unseen", "no_interface", "interfaces_missing", "alone", "other_subnet", "interface", "listens",
  "port_taken", "nothing_listens", "announcements_off", "announcements_silent", "announcements_back",
  "announcements_veiled", "announcements_lost", "realm_without_key", "other_realm", "no_friend_connected",
  "no_friend_can_dial", "reached", "was_dialled", "not_reached", "clock_far_off", "clocks_too_far", "clock_apart",
  "clock_agrees", "clock_not_compared", "not_writable", "free_unknown", "free", "disk_full", "put_off_day",
  "put_off_room", "couriers_none", "couriers_keep", "couriers_refuse", "couriers_unknown", "friends_without_courier",
  "nobody_put_off", "database_sound", "database_damaged", "database_not_finished", "database_unreadable",
  "database_not_checked", "permissions_fine", "foreign_owner", "open_to_others", "friend_lost", "friends_lost",
  "own_copy", "copies_of_contacts", "keys_for_nobody", "keys_given", "keys_missing", "firewall_unknown",
  "firewall_unreadable", "ufw_open", "ufw_unreadable", "ufw_closed", "firewalld_open", "firewalld_closed",
  "nftables_open", "nftables_lets_through", "chains_not_followed", "nftables_keeps_out", "nftables_keeps_in",
  "reached_all_the_same", "notifications_work", "no_session_bus", "no_notifier", "notifications_fail",
  "calls_ring_in_window", "calls_ring_on_desktop", "calls_cant_ring", "localsend_on", "localsend_fails",
  "localsend_missing", "localsend_port_taken", "localsend_plain", "localsend_heard", "localsend_unheard",
  "localsend_unjoined", "localsend_deaf", "localsend_reached", "localsend_alone", "configuration_in_use",
  "configuration_not_in_use", "configuration_pending", "hook_runs", "hook_fails",
] as const;
export type DoctorFinding = (typeof doctorFindingCodes)[number];

export const doctorAdviceCodes = [
  "make_account", "unlock", "write_code_down", "name_courier", "make_backup", "use_other_interfaces", "join_network",
  "leave_loopback", "set_mask", "plug_in", "free_port", "add_by_address", "let_announcements_through",
  "let_connections_in", "set_clocks", "see_owner", "free_some", "free_disk", "wait_or_allow_more",
  "recover_database", "examine_disk", "take_ownership", "close_path", "examine_network", "set_up_anew",
  "tell_of_copy", "be_open", "open_ports", "open_ports_in_nftables", "use_session", "install_notifier",
  "install_localsend", "let_localsend_through", "free_localsend_port", "encrypt_localsend", "scan_for_devices",
  "start_notification_server", "keep_window_open", "read_configuration", "restart_daemon", "try_hook",
] as const;
export type DoctorAdvice = (typeof doctorAdviceCodes)[number];

export const storyStepCodes = [
  "written", "written_here", "arrived", "changed", "handed_over", "deposited", "not_taken", "brought", "stored",
  "read", "not_sent_blocked", "refused", "file_taken", "file_taken_here", "file_delivered", "file_here",
  "file_declined", "file_cancelled", "file_failed", "file_removed",
] as const;
export type StoryStep = (typeof storyStepCodes)[number];

export const storyStateCodes = [
  "deleted_for_all", "deleted_by_author", "unread", "read_here", "for_nobody", "kept", "change_waits", "read_by",
  "delivered", "is_blocked", "was_blocked", "failed", "nothing_more", "no_friend", "handing_over", "not_taken",
  "waits", "held", "brought_over", "courier_full", "goes_to_courier", "couriers_away", "couriers_given_up",
  "couriers_refuse", "couriers_unknown", "no_courier", "file_held", "file_goes_to_courier", "file_waits_for_both",
  "tried", "trying", "next_try", "goes_when_heard", "file_offered", "file_awaits_answer", "file_held_back",
  "file_held_back_here", "file_queued", "file_under_way", "file_paused", "file_delivered", "file_here",
  "file_declined", "file_cancelled", "file_failed",
] as const;
export type StoryState = (typeof storyStateCodes)[number];

export const dialProblemCodes = [
  "unreachable", "no_answer", "not_kibo", "other_version", "other_realm", "ourselves", "copy", "other_peer",
  "wrong_clock", "no_key", "handshake", "interrupted", "hung_up", "not_wanted", "no_room", "ended", "closed",
] as const;
export type DialProblem = (typeof dialProblemCodes)[number];

export const leftOutCauseCodes = [
  "symbolic_link", "special", "name", "clash", "too_deep", "unreadable", "type", "changed", "gone",
] as const;
export type LeftOutCause = (typeof leftOutCauseCodes)[number];

export const cardProblemCodes = [
  "no_end", "cut", "long_line", "many_lines", "base64", "encoding", "long_uid", "long_phone", "many_phones",
  "not_email", "many_emails", "no_way",
] as const;
export type CardProblem = (typeof cardProblemCodes)[number];

export const relationCodes = [
  "none", "requested", "incoming", "friend", "blocked",
] as const;
export type Relation = (typeof relationCodes)[number];

export const trustCodes = [
  "unverified", "verified", "changed",
] as const;
export type Trust = (typeof trustCodes)[number];

export const presenceCodes = [
  "online", "away", "offline",
] as const;
export type Presence = (typeof presenceCodes)[number];

export const autoDownloadCodes = [
  "default", "never", "always",
] as const;
export type AutoDownload = (typeof autoDownloadCodes)[number];

export const conversationKindCodes = [
  "direct", "group", "notes",
] as const;
export type ConversationKind = (typeof conversationKindCodes)[number];

export const messageKindCodes = [
  "text", "file", "call", "system",
] as const;
export type MessageKind = (typeof messageKindCodes)[number];

export const messageStateCodes = [
  "queued", "sent", "delivered", "read", "failed", "received",
] as const;
export type MessageState = (typeof messageStateCodes)[number];

export const attachmentKindCodes = [
  "document", "image", "audio", "video", "other", "folder",
] as const;
export type AttachmentKind = (typeof attachmentKindCodes)[number];

export const lineActionCodes = [
  "created", "added", "removed", "role_changed", "left", "renamed", "described", "avatar_changed", "history_changed",
  "inherited", "forked",
] as const;
export type LineAction = (typeof lineActionCodes)[number];

export const transferStateCodes = [
  "offered", "queued", "active", "paused", "done", "declined", "cancelled", "failed",
] as const;
export type TransferState = (typeof transferStateCodes)[number];

export const transferDirectionCodes = [
  "in", "out",
] as const;
export type TransferDirection = (typeof transferDirectionCodes)[number];

export const holdReasonCodes = [
  "type",
] as const;
export type HoldReason = (typeof holdReasonCodes)[number];

export const transferPauseCodes = [
  "us", "peer", "both",
] as const;
export type TransferPause = (typeof transferPauseCodes)[number];

export const transferSideCodes = [
  "us", "peer",
] as const;
export type TransferSide = (typeof transferSideCodes)[number];

export const groupRoleCodes = [
  "owner", "admin", "member",
] as const;
export type GroupRole = (typeof groupRoleCodes)[number];

export const groupStandingCodes = [
  "arriving", "member", "left", "removed",
] as const;
export type GroupStanding = (typeof groupStandingCodes)[number];

export const eventTypeCodes = [
  "account.changed", "contact.changed", "conversation.changed", "message.added", "message.changed",
  "message.removed", "group.changed", "transfer.changed", "settings.changed", "peer.appeared", "peer.vanished",
  "presence.changed", "typing.changed", "transfer.progress", "addressBook.changed", "addressBook.matched",
  "totals.changed", "call.changed", "disk.changed", "courier.changed", "guest.changed", "guest.progress", "gap",
] as const;
export type EventType = (typeof eventTypeCodes)[number];
