import { brat } from './brat.js';
import { bratFiles, bratLine } from './brat-files.js';
import { doccano } from './doccano.js';
import type { ForeignFormat } from './foreign-format.js';
import { labelStudio } from './label-studio.js';
import { prodigy } from './prodigy.js';
import { spacy } from './spacy.js';
import { spansFormat } from './spans.js';

/** Every format of texts with spans whose records are JSON. */
export const foreignFormats: readonly ForeignFormat[] = [
  spansFormat,
  doccano,
  spacy,
  prodigy,
  labelStudio,
  { ...brat, fileLines: bratLine, recordFiles: bratFiles },
];
