import type { Range } from '../../core/sentence/document.js';
import { spansOf } from '../tags/spans.js';
import type { DividedWords } from '../tokenizers/tokenizer.js';
import type { CharacterText } from './character-text.js';
import { labelled } from './labels.js';

/** Words and sentences under construction. */
export class CharacterDivision implements DividedWords {
  readonly offsets: Range[] = [];
  readonly sentences: Range[] = [];
  readonly multiword: Range[] = [];
  readonly forms = new Map<number, string>();

  /** Marks the next word as part of the last word's multiword token. */
  #join(): void {
    const next = this.offsets.length;
    const last = this.multiword.at(-1);
    if (last?.[1] === next) this.multiword[this.multiword.length - 1] = [last[0], next + 1];
    else this.multiword.push([next - 1, next + 1]);
  }

  /**
   * Adds the words of a sentence of characters, marked as spans by their tags; a character outside
   * all spans is a word.
   */
  addTagged(characters: readonly Range[], tags: readonly string[]): void {
    const first = this.offsets.length;
    let at = 0;
    const add = (end: number) => {
      this.offsets.push([characters[at]![0], characters[end - 1]![1]]);
      at = end;
    };
    for (const { start, end } of spansOf(tags)) {
      while (at < start) add(at + 1);
      add(end);
    }
    while (at < tags.length) add(at + 1);
    if (at > 0) this.sentences.push([first, this.offsets.length]);
  }

  /**
   * Adds the words and sentences of a paragraph. The first character always begins a sentence; a
   * character after white space begins a token.
   */
  add(text: CharacterText, labels: Uint8Array): void {
    const { length, starts } = text;
    let from = -1;
    let sentence = this.offsets.length;
    const end = (at: number) => {
      let to = at;
      while (to > 0 && text.isSpace(to - 1)) to -= 1;
      if (from >= 0) this.offsets.push([from, starts[to]!]);
      from = -1;
    };
    for (let at = 0; at < length; at += 1) {
      const label = labels[at]!;
      if (label === labelled.inside && from >= 0) continue;
      if (text.isSpace(at) || label === labelled.outside) {
        end(at);
        continue;
      }
      const follows = from >= 0;
      end(at);
      if (label === labelled.sentence && this.offsets.length > sentence) {
        this.sentences.push([sentence, this.offsets.length]);
        sentence = this.offsets.length;
      }
      if (label === labelled.word && follows) this.#join();
      from = starts[at]!;
    }
    end(length);
    if (this.offsets.length > sentence) this.sentences.push([sentence, this.offsets.length]);
  }
}
