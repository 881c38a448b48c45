import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeModel } from '../../../src/engine/models/files/model-file.js';
import { sentenceOf } from '../../engine/features/sentence-of.js';
import { train } from '../../engine/models/examples/train.js';

const spec = { templates: 'U00:%x[0,0]\nU01:%x[-1,0]/%x[0,0]\nB' };

/** A model that marks names. */
export function namesModel(): Uint8Array {
  const sentences = [
    sentenceOf(['Anna', 'lives', 'in', 'Oslo', '.'], { tags: ['B-PER', 'O', 'O', 'B-LOC', 'O'] }),
    sentenceOf(['Ben', 'saw', 'New', 'York'], { tags: ['B-PER', 'O', 'B-LOC', 'I-LOC'] }),
  ];
  return writeModel(train(sentences, { spec }));
}

/** Another one, whose labels are other ones. */
export function petsModel(): Uint8Array {
  const sentences = [
    sentenceOf(['Anna', 'lives', 'in', 'Oslo', '.'], { tags: ['O', 'B-ACT', 'O', 'O', 'O'] }),
    sentenceOf(['the', 'dog', 'saw'], { tags: ['O', 'B-PET', 'B-ACT'] }),
  ];
  return writeModel(train(sentences, { spec }));
}

/** A model of the column `pos`, whose records may have other tags. */
export function columnModel(): Uint8Array {
  const input = { codec: 'ndjson', options: { tag: 'pos' } };
  const sentences = [sentenceOf(['the', 'dog', 'runs'], { tags: ['D', 'N', 'V'] })];
  return writeModel(train(sentences, { spec: { ...spec, input } }));
}

/** One with so many labels that a sentence takes long for its bytes. */
export function slowModel(): Uint8Array {
  const tokens = Array.from({ length: 500 }, (_, i) => `w${i}`);
  const sentences = [sentenceOf(tokens, { tags: tokens.map(word => `T-${word}`) })];
  return writeModel(train(sentences, { spec }));
}

/** Writes both to files of a folder. */
export function writeModels(folder: string): { names: string; pets: string } {
  const files = { names: join(folder, 'names.model'), pets: join(folder, 'pets.model') };
  writeFileSync(files.names, namesModel());
  writeFileSync(files.pets, petsModel());
  return files;
}
