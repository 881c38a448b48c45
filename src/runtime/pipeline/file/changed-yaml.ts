import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { TagstreamError } from '../../../engine/core/errors.js';

/**
 * Returns the text of a pipeline file after `path=value` settings, which change it as `applyOverrides` changes its
 * value. Keeps comments and the style of everything else; does not break long lines.
 *
 * @param text text of a file that can be loaded with the settings
 * @throws TagstreamError `usage` if a setting leads into a value that has no parts
 * @example
 * changedYaml('stages:\n  - optimize: { sgd: { l2: 1 } } # rate\n', ['stages.optimize.sgd.l2=0.5'])
 * // => 'stages:\n  - optimize: { sgd: { l2: 0.5 } } # rate\n'
 */
export function changedYaml(text: string, settings: readonly string[]): string {
  const document = parseDocument(text);
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    const value = setting.slice(equals + 1);
    const parsed = value === '-' ? value : parseDocument(value).toJS();
    change(document, setting.slice(0, equals), parsed);
  }
  return document.toString({ lineWidth: 0 });
}

function change(document: Document, path: string, value: unknown): void {
  const keys: (string | number)[] = [];
  for (const key of path.split('.')) {
    const holder = keys.length === 0 ? document.contents : document.getIn(keys, true);
    if (isSeq(holder) && !/^\d+$/.test(key)) {
      const item = holder.items.findIndex(
        each => (isMap(each) && each.has(key)) || (isScalar(each) && each.value === key),
      );
      if (item < 0) throw leadsNowhere(path);
      if (isScalar(holder.items[item])) holder.set(item, document.createNode({ [key]: {} }));
      keys.push(item);
    } else if (isScalar(holder)) {
      if (holder.value !== null) throw leadsNowhere(path);
      document.setIn(keys, document.createNode({}));
    }
    keys.push(isSeq(holder) && /^\d+$/.test(key) ? Number(key) : key);
  }
  document.setIn(keys, document.createNode(value));
}

function leadsNowhere(path: string): TagstreamError {
  return new TagstreamError('usage', `cannot set ${path}: a value on this path has no keys`, {
    fix: 'check the path against the pipeline file',
  });
}
