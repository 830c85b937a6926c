// React's functions for JSX as names of a module. React has them as members of an object, and each of 2,400 calls would name it.
import runtime from "react/jsx-runtime";

export const { jsx, jsxs, Fragment } = runtime;
