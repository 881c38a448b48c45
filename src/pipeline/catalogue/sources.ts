import { Registry } from '../../core/registry.js';
import { conllSource } from '../sources/conll.js';
import { conlluSource } from '../sources/conllu.js';
import { crfsuiteSource } from '../sources/crfsuite.js';
import { foreignSources } from '../sources/foreign.js';
import { lettersSource } from '../sources/letters.js';
import { ndjsonSource } from '../sources/ndjson.js';
import { simulatedSource } from '../sources/simulated.js';
import { slashSource } from '../sources/slash.js';
import type { SourceComponent } from '../sources/source-component.js';
import { textSource } from '../sources/text.js';
import { webannoSource } from '../sources/webanno.js';

/** Every format that a pipeline file can read. */
export const sources: readonly SourceComponent[] = [
  ndjsonSource,
  conllSource,
  conlluSource,
  lettersSource,
  textSource,
  slashSource,
  crfsuiteSource,
  webannoSource,
  ...foreignSources,
  simulatedSource,
];

/** The same by their names. */
export const sourceRegistry = new Registry('codec', sources);
