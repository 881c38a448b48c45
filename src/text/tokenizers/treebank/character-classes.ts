const wordCharacter = /[\p{L}\p{M}\p{N}]/u;

/** Whether a letter, mark or digit stands at a place; half of a surrogate pair counts as one. */
export function isWordCharacter(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) {
    return (
      (unit >= 0x61 && unit <= 0x7a) ||
      (unit >= 0x41 && unit <= 0x5a) ||
      (unit >= 0x30 && unit <= 0x39)
    );
  }
  return (unit >= 0xd800 && unit <= 0xdfff) || wordCharacter.test(text[at]!);
}

/** Whether a unit is `'` or one of its curved forms. */
export function isApostrophe(unit: number): boolean {
  return unit === 0x27 || unit === 0x2019 || unit === 0x2018;
}
