// The model's answer in the pictures: a bit of everything that markdown has.

export const ANSWER = `## Where amounts are split

\`share\` in **src/money.js** rounds each part on its own, so the parts *need not* add up to the whole:

| bill | people | each | sum | lost |
|------|-------:|-----:|----:|-----:|
| 1000 | 3 | 333 | 999 | 1 |
| 2000 | 3 | 667 | 2001 | -1 |
| 1200 | 4 | 300 | 1200 | 0 |

Give out the remainder cent by cent instead:

\`\`\`js
export function shares(cents, people) {
  const least = Math.floor(cents / people);
  const rest = cents - least * people;
  return Array.from({ length: people }, (_, i) => least + (i < rest ? 1 : 0));
}
\`\`\`

1. Every share is at least \`floor(cents / people)\`.
2. The first ones pay one cent more, until nothing is left.
`;
