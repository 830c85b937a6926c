// One chunk: what is said in a chat, and what belongs to it.
export { default as Chat } from "../chat/chat";
export { default as ChatDetails } from "../chat/details";
