const DISCOUNT_FROM = 100;
const DISCOUNT = 0.1;

/** Price of all items before discount and tax. */
export function subtotal(items) {
  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);
}

/** Orders of 100 and more get ten percent off. */
export function discount(amount) {
  return amount > DISCOUNT_FROM ? amount * DISCOUNT : 0;
}

/** What the customer pays, in whole cents. */
export function total(items, taxRate) {
  const net = subtotal(items) - discount(subtotal(items));
  return Math.round(net * (1 + taxRate) * 100) / 100;
}
