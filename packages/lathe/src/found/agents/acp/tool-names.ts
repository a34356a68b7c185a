/** Names of the calls in which an ACP agent acts through us. `write` is the ordinary tool. */
export const ACP_TOOLS = {
  read: "acp_read",
  write: "write_file",
  terminal: "acp_terminal",
  permission: "acp_permission",
  work: "acp_work",
} as const;
