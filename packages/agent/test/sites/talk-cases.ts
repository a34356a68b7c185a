// Pages of forums.

import type { SiteCase } from "./site-case.ts";

export const TALK: readonly SiteCase[] = [
  {
    site: "stack-exchange",
    url: "https://stackoverflow.com/questions/11/how-to-divide",
    answers: {
      "https://api.stackexchange.com/2.3/questions/11?site=stackoverflow.com&filter=withbody": {
        items: [
          {
            title: "How to divide by &lt;zero&gt;?",
            body: "<p>I have <code>1/0</code>.</p>",
            score: 12,
            tags: ["math"],
            answer_count: 2,
            creation_date: 1_700_000_000,
            owner: { display_name: "Ana &amp; Bo" },
          },
        ],
      },
      "https://api.stackexchange.com/2.3/questions/11/answers?order=desc&sort=votes&pagesize=10&site=stackoverflow.com&filter=withbody":
        {
          items: [
            {
              body: "<p>You <em>cannot</em>.</p><pre><code>throw\n</code></pre>",
              score: 30,
              is_accepted: true,
              creation_date: 1_700_100_000,
              owner: { display_name: "Cy" },
            },
          ],
        },
    },
  },
  {
    site: "hacker-news",
    url: "https://news.ycombinator.com/item?id=8863",
    answers: {
      "https://hn.algolia.com/api/v1/items/8863": {
        id: 8863,
        created_at: "2007-04-04T19:16:40.000Z",
        author: "dhouston",
        title: "My app: <b>Throw</b> away your drive",
        url: "http://www.example.com/u?a=1&b=2",
        text: null,
        points: 111,
        children: [
          {
            id: 1,
            author: "ana",
            text: '<p>Nice, see <a href="https://x.example/">this</a>.',
            children: [{ id: 2, author: "bo", text: "No.", children: [] }],
          },
          { id: 3, author: null, text: null, children: [] },
        ],
      },
    },
  },
  {
    site: "reddit",
    url: "https://old.reddit.com/r/math/comments/abc123/how_to_divide/",
    answers: {
      "https://www.reddit.com/r/math/comments/abc123/how_to_divide.json?limit=100&raw_json=1": [
        {
          kind: "Listing",
          data: {
            children: [
              {
                kind: "t3",
                data: {
                  title: "How to divide",
                  subreddit: "math",
                  author: "ana",
                  created_utc: 1_700_000_000,
                  score: 5,
                  selftext: "By **zero**?",
                  num_comments: 2,
                  url: "https://www.reddit.com/r/math/comments/abc123/how_to_divide/",
                },
              },
            ],
          },
        },
        {
          kind: "Listing",
          data: {
            children: [
              {
                kind: "t1",
                data: {
                  author: "bo",
                  score: 3,
                  body: "Never.\n\nReally.",
                  replies: {
                    kind: "Listing",
                    data: { children: [{ kind: "t1", data: { author: "cy", score: 1, body: "Why?", replies: "" } }] },
                  },
                },
              },
              { kind: "more", data: { count: 9, children: ["x"] } },
            ],
          },
        },
      ],
    },
  },
];
