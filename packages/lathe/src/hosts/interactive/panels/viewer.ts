// The full-screen viewer, in its own file so that it is loaded when it first opens.

export { Viewer } from "@lathe/tui";
