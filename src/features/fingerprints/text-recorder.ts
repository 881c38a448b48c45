import { Fingerprint } from './fingerprint.js';

/** Takes down the text that would be hashed: a feature's name is made of what its hash is made of. */
export class TextRecorder extends Fingerprint {
  recorded = '';

  override start(): void {
    this.recorded = '';
  }

  override byte(value: number): void {
    this.recorded += String.fromCharCode(value);
  }

  /** A word stands for a character: shapes are fed so. */
  override word(value: number): void {
    this.recorded += String.fromCodePoint(value);
  }

  override text(text: string, from = 0, to = text.length): void {
    this.recorded += text.slice(from, to);
  }
}
