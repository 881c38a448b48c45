import { chunkPreset } from './chunk.js';
import { nerPreset } from './ner.js';
import { posPreset } from './pos.js';
import type { Preset } from './preset.js';
import { mediumNerPreset, smallChunkPreset, smallNerPreset } from './small.js';

/** All presets, by which `featurize: { preset: ... }` and `tagstream presets` look up names. */
export const presets: readonly Preset[] = [
  ...[posPreset, chunkPreset, nerPreset],
  ...[smallChunkPreset, smallNerPreset, mediumNerPreset],
];
