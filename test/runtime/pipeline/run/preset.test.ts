import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { presetTemplates } from '../../../../src/engine/features/presets/preset-templates.js';
import { readModel } from '../../../../src/engine/models/files/model-file.js';
import { loadTagger } from '../../../../src/runtime/io/load-tagger.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();
const rows = [
  'the DT B-NP',
  'dog NN I-NP',
  'barks VBZ B-VP',
  '. . O',
  '',
  'it PRP B-NP',
  'ran VBD B-VP',
];
writeFileSync(join(folder, 'train.txt'), `${rows.join('\n')}\n`);
const words = ['the DET DT', 'dog NOUN NN', 'barks VERB VBZ'].map((line, i) => {
  const [form, upos, xpos] = line.split(' ');
  return [i + 1, form, '_', upos, xpos, '_', '_', '_', '_', '_'].join('\t');
});
writeFileSync(join(folder, 'train.conllu'), `${words.join('\n')}\n\n`);
writeFileSync(join(folder, 'more.tpl'), 'U900:%length[0,0]\n');

const conll = 'conll: { files: [train.txt], columns: [form, pos, tag] }';
const conllu = (tag: string) => `conllu: { files: [train.conllu], tag: ${tag} }`;

const text = (source: string, featurize: string) => `version: 1
name: x
source: { ${source} }
stages:
  - tokenize
  - featurize: ${featurize}
  - batch: { sentences: 1 }
  - contribute: {}
  - optimize: { sgd: { eta0: 0.1 } }
train: { epochs: 10 }
model: x.model
`;

const load = (source: string, featurize: string) =>
  parsePipeline(text(source, featurize), join(folder, 'x.yaml'), { environment: {} });

/** The templates in the model that a pipeline trains. */
async function trained(source: string, featurize: string): Promise<string> {
  await runPipeline(load(source, featurize), {});
  return readModel(readFileSync(join(folder, 'x.model'))).spec.templates;
}

function errorOf(featurize: string) {
  try {
    load(conll, featurize);
  } catch (error) {
    return error as { message: string; code: string; place: { line?: number } };
  }
  throw new Error('it loaded');
}

describe('featurize.preset', () => {
  it('names a template that the file beside it repeats', async () => {
    writeFileSync(join(folder, 'same.tpl'), 'U900:%length[0,0]\n  B\n');
    await expect(trained(conll, '{ preset: chunk, templates: same.tpl }')).rejects.toThrow(
      "same.tpl: the preset chunk already has B (remove one of the two; to use only these templates, replace preset by templates: --set 'stages.featurize={templates: FILE}')",
    );
  });

  it('puts the templates into the model, which tags without the preset', {
    tags: 'slow',
  }, async () => {
    const templates = await trained(conll, '{ preset: chunk }');
    expect(templates).toBe(presetTemplates('chunk', ['form', 'pos', 'tag']));
    expect(templates).toContain('%x[0,pos]');
    const tagger = loadTagger(join(folder, 'x.model'));
    expect(tagger.tag(['the', 'dog', 'ran'], { pos: ['DT', 'NN', 'VBD'] })).toEqual([
      'B-NP',
      'I-NP',
      'B-VP',
    ]);
  });

  it('takes lines of templates along, or a file of them', async () => {
    const preset = presetTemplates('ner', ['form', 'pos', 'tag']);
    const lines = '{ preset: ner, templates: ["U900:%length[0,0]", "B00:%x[0,pos]"] }';
    expect(await trained(conll, lines)).toBe(`${preset}\nU900:%length[0,0]\nB00:%x[0,pos]`);
    expect(await trained(conll, '{ preset: ner, templates: more.tpl }')).toBe(
      `${preset}\nU900:%length[0,0]\n`,
    );
  });

  it('does not look at the column that is to be predicted', { tags: 'slow' }, async () => {
    const templates = await trained(conllu('upos'), '{ preset: chunk }');
    expect(templates).not.toContain(',upos]');
    expect(templates).toContain('%x[0,xpos]');
    expect(await trained(conllu('xpos'), '{ preset: chunk }')).toContain('%x[0,upos]');
  });

  it('looks at the columns that the stage names', async () => {
    expect(await trained(conll, '{ preset: ner, columns: [form] }')).toBe(presetTemplates('ner'));
  });

  for (const { rows, tags } of everyNth(3, [
    ['{ preset: nre }', /there is no preset "nre": did you mean ner\? known: pos, chunk, ner/],
    ['{ preset: ner, model: x.model }', /expected model, or templates, a preset or both/],
    ['{}', /expected model, or templates, a preset or both/],
  ])) {
    it.each(rows)('is refused as %s', { tags }, (featurize, message) => {
      const error = errorOf(featurize);
      expect(error.message).toMatch(message);
      expect([error.code, error.place.line]).toEqual(['config', 6]);
    });
  }

  it('says where a template stands that is wrong beside it', { tags: 'slow' }, async () => {
    writeFileSync(join(folder, 'wrong.tpl'), '# more\nU900:%lenth[0,0]\n');
    await expect(trained(conll, '{ preset: ner, templates: wrong.tpl }')).rejects.toThrow(
      /wrong\.tpl:2:6.*did you mean %length/s,
    );
  });
});
