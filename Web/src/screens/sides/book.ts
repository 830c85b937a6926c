// One chunk: who is known from outside of Kibo, and who they really are.
export { default as AddressBook } from "../book/book";
export { default as Invite } from "../invite/invite";
export { default as Verify } from "../verify/verify";
