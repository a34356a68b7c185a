export async function main(): Promise<void> {
  process.stdout.write("lathe\n");
}
