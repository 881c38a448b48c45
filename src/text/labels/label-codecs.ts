import { dictionaryLabels } from './dictionary-labels.js';
import type { LabelCodecKind } from './label-codec.js';
import { plainLabels } from './plain-labels.js';
import { scriptLabels } from './script-labels.js';

/** All kinds of label codecs. */
export const labelCodecs: readonly LabelCodecKind[] = [plainLabels, dictionaryLabels, scriptLabels];
