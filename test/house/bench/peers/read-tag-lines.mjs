/**
 * The tags of each record that `tagstream tag --output tags` printed.
 *
 * @param {string} text NDJSON
 * @returns {string[][]}
 */
export function readTagLines(text) {
  const lines = text.split('\n').filter(line => line !== '');
  return lines.map(line => JSON.parse(line).tags);
}
