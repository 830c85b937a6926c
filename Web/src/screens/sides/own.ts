// One chunk: groups, settings and the own account.
export { default as GroupDetails } from "../groups/groupDetails";
export { default as Groups } from "../groups/groups";
export { default as Media } from "../media/media";
export { default as NewChat } from "../newChat/newChat";
export { default as About } from "../doctor/about";
export { default as Doctor } from "../doctor/doctor";
export { default as Profile } from "../profile/profile";
export { default as Section } from "../settings/section";
export { default as SettingsList } from "../settings/settingsList";
