import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline } from '../../cli/commands/workspace.js';

/** Trains a.model, b.model with labels of its own for the same words, and c.model with less training, in a folder. */
export async function toyModels(
  folder: string,
): Promise<Readonly<Record<'a' | 'b' | 'c', string>>> {
  const at = (name: string) => join(folder, name);
  toyPipeline(folder);
  const labels = readFileSync(at('train.ndjson'), 'utf8');
  writeFileSync(at('train-b.ndjson'), labels.replace(/"(DET|NOUN|VERB|ADJ)"/g, '"b$1"'));
  const yaml = readFileSync(at('toy.yaml'), 'utf8');
  for (const name of ['a', 'b', 'c']) {
    const corpus = name === 'b' ? 'train-b' : 'train';
    const passes = name === 'c' ? 4 : 6;
    const own = yaml
      .replace('train.ndjson', `${corpus}.ndjson`)
      .replace('epochs: 6', `epochs: ${passes}`);
    writeFileSync(at(`${name}.yaml`), own.replace('toy.model', `${name}.model`));
    await trainHere(at(`${name}.yaml`));
  }
  return { a: at('a.model'), b: at('b.model'), c: at('c.model') };
}
