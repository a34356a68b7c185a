// The only import of the code that loads the protocol's package: half a megabyte that a start without a connection
// never reads.

export { connectServer } from "./client.ts";
export { signInTo, signOutOf, storedSignIn } from "./sign-in.ts";
