// One chunk: what opens for a moment over the page or a chat.
export { default as Forward } from "../chat/forward";
export { default as Story } from "../chat/story";
export { default as Offers } from "../guests/offers";
export { default as Palette } from "../palette";
export { default as Shortcuts } from "../shortcuts";
