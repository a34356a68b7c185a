// Loaded into the command by NODE_OPTIONS: writes the most memory it ever held, in bytes, into the file MEMORY_REPORT.

process.on("exit", () => {
  require("node:fs").writeFileSync(process.env.MEMORY_REPORT, String(process.resourceUsage().maxRSS * 1024));
});
