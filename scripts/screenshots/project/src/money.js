export function total(items) {
  return items.reduce((sum, { price, count }) => sum + price * count, 0);
}

export function format(cents, currency) {
  return `${(cents / 100).toFixed(2)} ${currency}`;
}

export function share(cents, people) {
  return Math.round(cents / people);
}
