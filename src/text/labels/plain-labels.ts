import type { LabelCodec, LabelCodecKind } from './label-codec.js';

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
