import assert from "node:assert/strict";
import test from "node:test";
import { format, share, total } from "../src/money.js";

test("a total is the sum of all items", () => {
  assert.equal(
    total([
      { price: 250, count: 2 },
      { price: 99, count: 1 },
    ]),
    599,
  );
});

test("amounts have two decimals", () => {
  assert.equal(format(599, "EUR"), "5.99 EUR");
});

test("shares add up to the whole", () => {
  assert.equal(share(1000, 3) * 3, 1000);
});
