import assert from "node:assert/strict";
import { test } from "node:test";
import { discount, subtotal, total } from "../src/invoice.js";

const items = [
  { price: 20, quantity: 2 },
  { price: 30, quantity: 2 },
];

test("adds up the items", () => {
  assert.equal(subtotal(items), 100);
});

test("no discount for small orders", () => {
  assert.equal(discount(99.99), 0);
});

test("an order of exactly 100 gets the discount", () => {
  assert.equal(discount(100), 10);
});

test("tax is added after the discount", () => {
  assert.equal(total(items, 0.2), 108);
});
