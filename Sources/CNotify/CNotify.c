#include "CNotify.h"

#include <glib-unix.h>
#include <libnotify/notify.h>
#include <string.h>

#define NOTIFICATIONS "org.freedesktop.Notifications"

static kibo_notify_told tell;
static GDBusConnection *bus;
static GMainLoop *loop;
// The notifications that are shown, by tag; each entry holds a reference.
static GHashTable *shown;
static char problem[256];

static const char *failed(GError *error) {
    g_strlcpy(problem, error != NULL ? error->message : "it failed", sizeof problem);
    g_clear_error(&error);
    return problem;
}

// Returns the tag of the notification to which the server has given this number; NULL if there is none.
static const char *tag_of(guint32 wanted) {
    GHashTableIter each;
    gpointer tag, notification;
    g_hash_table_iter_init(&each, shown);
    while (g_hash_table_iter_next(&each, &tag, &notification)) {
        gint number = 0;
        g_object_get(notification, "id", &number, NULL);
        if (wanted != 0 && (guint32)number == wanted) return tag;
    }
    return NULL;
}

// Handles the server's signal of an answer that was written into a notification, which libnotify doesn't know.
static void replied(GDBusConnection *connection, const gchar *sender, const gchar *path, const gchar *interface,
                    const gchar *signal, GVariant *parameters, gpointer data) {
    (void)connection, (void)sender, (void)path, (void)interface, (void)signal, (void)data;
    if (!g_variant_is_of_type(parameters, G_VARIANT_TYPE("(us)"))) return;
    guint32 number;
    const gchar *text;
    g_variant_get(parameters, "(u&s)", &number, &text);
    const char *tag = tag_of(number);
    if (tag != NULL) tell("reply", tag, text);
}

static void appeared(GDBusConnection *connection, const gchar *name, const gchar *owner, gpointer data) {
    (void)connection, (void)name, (void)owner, (void)data;
    tell("there", NULL, NULL);
}

// Returns whether the bus starts a server for the first notification.
static int is_startable(void) {
    GVariant *answer = g_dbus_connection_call_sync(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                                   "ListActivatableNames", NULL, G_VARIANT_TYPE("(as)"),
                                                   G_DBUS_CALL_FLAGS_NONE, 5000, NULL, NULL);
    if (answer == NULL) return 0;
    GVariant *names = g_variant_get_child_value(answer, 0);
    gsize count = 0;
    const gchar **all = g_variant_get_strv(names, &count);
    int found = 0;
    for (gsize each = 0; each < count; each++) found |= strcmp(all[each], NOTIFICATIONS) == 0;
    g_free(all);
    g_variant_unref(names);
    g_variant_unref(answer);
    return found;
}

static void vanished(GDBusConnection *connection, const gchar *name, gpointer data) {
    (void)connection, (void)name, (void)data;
    // Another server would not know the numbers of these notifications.
    g_hash_table_remove_all(shown);
    tell("gone", NULL, is_startable() ? "startable" : NULL);
}

const char *kibo_notify_open(const char *program, kibo_notify_told told) {
    GError *error = NULL;
    tell = told;
    bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, &error);
    if (bus == NULL) return failed(error);
    if (!notify_init(program)) return "libnotify can't be used";
    shown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
    loop = g_main_loop_new(NULL, FALSE);
    g_dbus_connection_signal_subscribe(bus, NOTIFICATIONS, NOTIFICATIONS, "NotificationReplied", NULL, NULL,
                                       G_DBUS_SIGNAL_FLAGS_NONE, replied, NULL, NULL);
    g_bus_watch_name_on_connection(bus, NOTIFICATIONS, G_BUS_NAME_WATCHER_FLAGS_NONE, appeared, vanished, NULL, NULL);
    return NULL;
}

int kibo_notify_can(const char *capability) {
    GList *all = notify_get_server_caps();
    int found = g_list_find_custom(all, capability, (GCompareFunc)strcmp) != NULL;
    g_list_free_full(all, g_free);
    return found;
}

static void acted(NotifyNotification *notification, char *action, gpointer tag) {
    (void)notification;
    tell("action", tag, action);
}

static void closed(NotifyNotification *notification, gpointer tag) {
    if (g_hash_table_lookup(shown, tag) != notification) return;
    tell("closed", tag, NULL);
    // The closure of this signal holds its own copy of the tag, which goes with the notification.
    g_object_ref(notification);
    g_hash_table_remove(shown, tag);
    g_object_unref(notification);
}

static void drop(gpointer tag, GClosure *closure) {
    (void)closure;
    g_free(tag);
}

static void add_actions(NotifyNotification *notification, const char *tag, const char *actions) {
    gchar **lines = g_strsplit(actions, "\n", 0);
    for (gchar **line = lines; line[0] != NULL && line[1] != NULL; line += 2)
        notify_notification_add_action(notification, line[0], line[1], acted, g_strdup(tag), g_free);
    g_strfreev(lines);
}

static void ask_for_attention(NotifyNotification *notification, enum kibo_notify_manner manner) {
    int rings = manner != KIBO_NOTIFY_TELLS;
    notify_notification_set_urgency(notification, rings ? NOTIFY_URGENCY_CRITICAL : NOTIFY_URGENCY_NORMAL);
    notify_notification_set_timeout(notification, rings ? NOTIFY_EXPIRES_NEVER : NOTIFY_EXPIRES_DEFAULT);
    if (manner == KIBO_NOTIFY_RINGS)
        notify_notification_set_hint(notification, "sound-name", g_variant_new_string("phone-incoming-call"));
    if (manner == KIBO_NOTIFY_RINGS_SILENTLY)
        notify_notification_set_hint(notification, "suppress-sound", g_variant_new_boolean(TRUE));
}

const char *kibo_notify_show(const char *tag, const char *title, const char *body, const char *category,
                             const char *actions, const char *label_reply, enum kibo_notify_manner manner) {
    char *escaped = kibo_notify_can("body-markup") ? g_markup_escape_text(body, -1) : g_strdup(body);
    NotifyNotification *notification = g_hash_table_lookup(shown, tag);
    int is_new = notification == NULL;
    if (is_new) {
        notification = notify_notification_new(title, escaped, NULL);
        g_signal_connect_data(notification, "closed", G_CALLBACK(closed), g_strdup(tag), drop, 0);
        notify_notification_set_category(notification, category);
        notify_notification_set_hint(notification, "desktop-entry", g_variant_new_string("kibo"));
    } else {
        notify_notification_update(notification, title, escaped, NULL);
        notify_notification_clear_actions(notification);
    }
    g_free(escaped);
    ask_for_attention(notification, manner);
    if (kibo_notify_can("actions")) {
        if (actions != NULL) add_actions(notification, tag, actions);
        if (label_reply != NULL && kibo_notify_can("inline-reply"))
            notify_notification_add_action(notification, "inline-reply", label_reply, acted, g_strdup(tag), g_free);
    }
    GError *error = NULL;
    if (!notify_notification_show(notification, &error)) {
        if (is_new) g_object_unref(notification);
        return failed(error);
    }
    if (is_new) g_hash_table_insert(shown, g_strdup(tag), notification);
    return NULL;
}

void kibo_notify_close(const char *tag) {
    NotifyNotification *notification = g_hash_table_lookup(shown, tag);
    if (notification == NULL) return;
    g_object_ref(notification);
    g_hash_table_remove(shown, tag);
    notify_notification_close(notification, NULL);
    g_object_unref(notification);
}

static gboolean came(gint descriptor, GIOCondition condition, gpointer readable) {
    (void)descriptor, (void)condition;
    ((void (*)(void))readable)();
    return G_SOURCE_CONTINUE;
}

void kibo_notify_run(int descriptor, void (*readable)(void)) {
    g_unix_fd_add(descriptor, G_IO_IN | G_IO_HUP | G_IO_ERR, came, (gpointer)readable);
    g_main_loop_run(loop);
}

void kibo_notify_stop(void) { g_main_loop_quit(loop); }
