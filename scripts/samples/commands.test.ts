import { expect, it } from "vitest";
import { commandsOf } from "./commands.ts";

it("a sample is split as a shell reads it", () => {
  const sample = `
# what follows
first "a
b" # why
cat > file <<'END'
if then
END
second \\
  --more
case $x in
  0) ;;
esac`;
  expect(commandsOf(sample).map((command) => command.trim().split("\n").length)).toEqual([3, 3, 2, 3]);
});

it("half a command is refused", () => {
  expect(() => commandsOf('echo "never closed')).toThrow("not a whole command");
});
