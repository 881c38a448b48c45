/**
 * Names of sections by what was asked for: a name, or the first word of several, as `growth`; all if
 * nothing is asked for.
 *
 * @param {readonly string[]} names of all sections
 * @param {string | undefined} only names between commas
 * @returns {string[]}
 * @throws Error for a name that there is not
 */
export function chooseSections(names, only) {
  if (only === undefined) return [...names];
  const wanted = only.split(',').map(name => name.trim());
  const fits = (name, asked) => name === asked || name.startsWith(`${asked}-`);
  const unknown = wanted.find(asked => !names.some(name => fits(name, asked)));
  if (unknown !== undefined) {
    throw new Error(`--only ${unknown}: expected some of ${names.join(', ')}, or growth, or peers`);
  }
  return names.filter(name => wanted.some(asked => fits(name, asked)));
}
