// Notes at the exit whether what compiles extensions was loaded.
process.on("exit", () => {
  const loaded = Object.keys(require.cache).some((file) => file.includes("/jiti/"));
  require("node:fs").writeFileSync("loaded", String(loaded));
});
