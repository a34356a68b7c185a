/** The other side went away in the middle. The code is the system's for it, so that both read the same. */
export function hungUp(): Error {
  return Object.assign(new Error("the connection closed early."), { code: "ECONNRESET" });
}
