// One chunk: searching.
export { default as Results } from "../search/results";
export { default as SearchPane } from "../search/search";
