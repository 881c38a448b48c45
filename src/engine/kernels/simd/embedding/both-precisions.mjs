import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const precisions = ['f32', 'f64'];

/**
 * Returns the source of a kernel entry in which each function with type parameters is exported twice, as `NAME_f32` and
 * `NAME_f64`, with all parameters in that precision: WebAssembly has no generic functions.
 *
 * @param {string} entry path of a file with `export { a, b } from './path';`, and imports of the classes of their parameters
 * @returns {string}
 * @throws Error for a function that its file does not export
 */
export function bothPrecisions(entry) {
  const exported = /export \{([^{}]*)\} from '([^']*)';/g;
  return readFileSync(entry, 'utf8').replace(exported, (_, names, path) => {
    const file = `${resolve(dirname(entry), path)}.ts`;
    const source = readFileSync(file, 'utf8');
    const given = names.split(',').map(name => name.trim());
    const signatures = given
      .filter(name => name !== '')
      .map(name => signatureOf(source, name, file));
    const wrapped = signatures.filter(({ types }) => types.length > 0);
    const plain = signatures.filter(({ types }) => types.length === 0);
    const list = which => which.map(({ name }) => name).join(', ');
    return [
      ...(plain.length > 0 ? [`export { ${list(plain)} } from '${path}';`] : []),
      ...(wrapped.length > 0 ? [`import { ${list(wrapped)} } from '${path}';`] : []),
      ...wrapped.flatMap(signature => precisions.map(precision => wrapper(signature, precision))),
    ].join('\n');
  });
}

/** Type parameters, parameters and result of a function. */
function signatureOf(source, name, file) {
  const head = new RegExp(`export function ${name}(?:<([^<>]*)>)?\\(([^()]*)\\): (\\w+) \\{`);
  const match = head.exec(source);
  if (match === null) throw new Error(`${file}: expected export function ${name}(...)`);
  const [, types = '', parameters, result] = match;
  return { name, types: types.split(',').filter(type => type !== ''), parameters, result };
}

function wrapper({ name, types, parameters, result }, precision) {
  const variables = new RegExp(`\\b(?:${types.map(type => type.trim()).join('|')})\\b`, 'g');
  const own = text => text.replace(variables, precision);
  const values = [...parameters.matchAll(/\b(\w+):/g)].map(match => match[1]).join(', ');
  const chosen = types.map(() => precision).join(', ');
  const call = `${name}<${chosen}>(${values});`;
  return `export function ${name}_${precision}(${own(parameters)}): ${own(result)} {
  ${result === 'void' ? call : `return ${call}`}
}`;
}
