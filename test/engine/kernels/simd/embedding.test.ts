import { expect, it } from 'vitest';
import { decodePrintable } from '../../../../src/engine/kernels/simd/decode-printable.js';
import { encodePrintable } from '../../../../src/engine/kernels/simd/embedding/encode-printable.mjs';
import {
  moduleBytes,
  sharedModuleBytes,
} from '../../../../src/engine/kernels/simd/module-bytes.js';
import {
  recordBytes,
  sharedRecordBytes,
} from '../../../../src/engine/kernels/simd/record-bytes.js';

it('reads every byte from characters that need no escape in a program', () => {
  const bytes = Uint8Array.from({ length: 256 * 256 * 2 }, (_, i) =>
    i % 2 === 0 ? i >> 9 : i >> 1,
  );
  const text = encodePrintable(bytes);
  expect(text).toMatch(/^[(-[\]-~]*$/);
  expect(Buffer.compare(decodePrintable(text), bytes)).toBe(0);
});

it('has modules for memories of one thread and of several', () => {
  for (const bytes of [moduleBytes(), sharedModuleBytes(), recordBytes(), sharedRecordBytes()])
    expect(WebAssembly.validate(bytes)).toBe(true);
});
