export default function Chats() { return null; }
