import { describe, expect, it } from 'vitest';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';
import { chooseColumns } from '../../../../src/runtime/pipeline/init/choose-columns.js';
import { adagrad, averagedSgd } from '../../../../src/runtime/pipeline/training/recipe.js';

/** Records of four tokens with so many values of features in all. */
function treebank(records: number, values: number) {
  return Array.from({ length: records }, (_, r) => {
    const feats = [0, 1, 2, 3].map(t => `Case=${(4 * r + t) % values}`);
    const tokens = feats.map((_, t) => `w${t}`);
    const none = tokens.map(() => '_');
    return { tokens, tags: tokens.map(() => 'X'), columns: { feats, xpos: none, lemma: tokens } };
  });
}

const recipe = { why: '', optimizer: averagedSgd(0.4), epochs: 5 };

describe('chooseColumns', () => {
  it('gives parts to features where most values are rare', () => {
    const partsOf = (values: number) =>
      chooseColumns(treebank(100, values), recipe).find(({ name }) => name === 'feats')!.options
        .parts;
    // Twice the root of 400 tokens.
    expect([partsOf(41), partsOf(40)]).toEqual(['|', undefined]);
  });

  it('leaves out columns without values, and learns lemmas from single words', () => {
    const columns = chooseColumns(treebank(10, 3), { ...recipe, optimizer: adagrad });
    expect(columns.map(({ name }) => name)).toEqual(['feats', 'lemma']);
    const [feats, lemma] = columns;
    expect(feats!.options.optimizer).toHaveProperty('sgd');
    const { templates, transitions } = parseTemplates(
      (lemma!.options.templates as readonly string[]).join('\n'),
    );
    expect(transitions).toBe(false);
    const macros = templates.flatMap(({ pieces }) => pieces.filter(p => typeof p !== 'string'));
    expect(macros.every(({ offset }) => offset === 0)).toBe(true);
    expect(macros.some(({ column }) => column === 'feats')).toBe(true);
  });
});
