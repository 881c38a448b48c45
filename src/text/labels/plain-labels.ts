import type { LabelCodec, LabelCodecKind } from './label-codec.js';

const codec: LabelCodec = {
  name: 'plain',
  encode: (_, value) => value,
  decode: (_, label) => label,
  toJSON: () => ({}),
};

/** Labels that are the values. */
export const plainLabels: LabelCodecKind = {
  name: 'plain',
  learn: () => codec,
  read: () => codec,
};
