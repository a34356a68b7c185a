// The full-screen viewer, in a file of its own: it is loaded when something is opened in it.

export { Viewer } from "@lathe/tui";
