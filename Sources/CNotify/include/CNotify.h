// The few functions of libnotify and GLib that kibo-notify needs, wrapped because Swift can't call macros and variadic functions.
#ifndef KIBO_CNOTIFY_H
#define KIBO_CNOTIFY_H

// Is called when something has happened on the desktop. `what` is one of "gone" (there is no server any more; with the text
// "startable" the bus starts one at need), "there" (a server has come), "closed" (a notification is not shown any more),
// "action" (the user has pressed a button) and "reply" (the user has written an answer). `tag` names the notification, `text`
// the action or the answer. Both may be NULL.
typedef void (*kibo_notify_told)(const char *what, const char *tag, const char *text);

// Connects with the session's bus. Returns NULL, or the reason if it could not.
const char *kibo_notify_open(const char *program, kibo_notify_told told);

// Returns whether the server has a capability; 0 as well where there is no server.
int kibo_notify_can(const char *capability);

// How a notification asks for attention.
enum kibo_notify_manner {
    KIBO_NOTIFY_TELLS,
    // The notification stays until it is taken away, comes before others, and has the sound of a call.
    KIBO_NOTIFY_RINGS,
    // The notification stays and comes before others in the same way, but without a sound.
    KIBO_NOTIFY_RINGS_SILENTLY,
};

// Shows a notification, in the place of the one with the same tag. `actions` are lines, the name of an action and its
// label in turn; NULL for none. With `label_reply` there is also the action "reply" where the server can take a text for
// it; elsewhere it is left out. Returns NULL, or the reason if it could not.
const char *kibo_notify_show(const char *tag, const char *title, const char *body, const char *category,
                             const char *actions, const char *label_reply, enum kibo_notify_manner manner);

// Takes a notification away; it is no error if none with this tag is shown.
void kibo_notify_close(const char *tag);

// Runs until kibo_notify_stop(); `readable` is called whenever the descriptor has something to read or has ended.
void kibo_notify_run(int descriptor, void (*readable)(void));
void kibo_notify_stop(void);

#endif
