/** Returns whether a value, such as parsed JSON, is an object and not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the members of a record that have a value. */
export function withoutUndefined(record: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
