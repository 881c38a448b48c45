import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { suggestion } from '../../core/wording/nearest.js';
import { presets } from './presets.js';

/** Names of columns with parts of speech, of which the first one present is used. */
const partOfSpeech = ['pos', 'upos', 'xpos'];

/**
 * Returns the template text of a preset: `pos`, `chunk` or `ner`.
 *
 * Uses parts of speech if a column is named `pos`, `upos` or `xpos`, otherwise only words.
 *
 * @param columns names of the record columns
 * @throws TagstreamError `config` if the preset does not exist
 * @example
 * presetTemplates('ner', ['form', 'pos']).includes('%x[0,pos]') // => true
 */
export function presetTemplates(name: string, columns: readonly string[] = ['form']): string {
  requireArgument('presetTemplates: the name', name, kinds.text);
  requireArgument('presetTemplates: the columns', columns, kinds.list);
  const preset = presets.find(each => each.name === name);
  if (preset === undefined) throw unknownPreset(name);
  const pos = partOfSpeech.find(column => columns.includes(column));
  let group = 0;
  const nameOf = (i: number) => `U${String(group * 100 + i).padStart(3, '0')}`;
  const text = [`# ${preset.name}: ${preset.summary}`];
  for (const { about, lines, shared } of preset.sections(pos)) {
    text.push('', `# ${about}`);
    text.push(...lines.map((line, i) => `${nameOf(shared === true ? 0 : i)}:${line}`));
    group += 1;
  }
  text.push('', '# How frequent a label is, and which follows which.', 'U:', 'B', '');
  return text.join('\n');
}

function unknownPreset(name: string): TagstreamError {
  const names = presets.map(preset => preset.name);
  return new TagstreamError('config', `there is no preset "${name}"`, {
    fix: suggestion(name, names),
  });
}
