import { dictionaryLabels } from './dictionary-labels.js';
import type { LabelCodec, LabelCodecKind } from './label-codec.js';
import { scriptLabels } from './script-labels.js';

const codec: LabelCodec = {
  name: 'plain',
  encode: (_, value) => value,
  decode: (_, label) => label,
  toJSON: () => ({}),
};

/** Uses the values themselves as labels. */
export const plainLabels: LabelCodecKind = {
  name: 'plain',
  learn: () => codec,
  read: () => codec,
};

/** All kinds of label codecs. */
export const labelCodecs: readonly LabelCodecKind[] = [plainLabels, dictionaryLabels, scriptLabels];
