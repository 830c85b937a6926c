// One chunk: pictures, videos and folders that are looked at.
export { default as Folder } from "../viewer/folder";
export { default as Viewer } from "../viewer/viewer";
