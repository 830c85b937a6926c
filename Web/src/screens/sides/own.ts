// One chunk: groups, settings and the own account.
export { default as GroupDetails } from "../groups/groupDetails";
export { default as Groups } from "../groups/groups";
export { default as NewChat } from "../newChat/newChat";
