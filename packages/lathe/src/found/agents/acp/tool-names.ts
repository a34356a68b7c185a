/** What an ACP agent does through us, as calls of its session. `write` is the tool of all sessions. */
export const ACP_TOOLS = {
  read: "acp_read",
  write: "write_file",
  terminal: "acp_terminal",
  permission: "acp_permission",
  work: "acp_work",
} as const;
