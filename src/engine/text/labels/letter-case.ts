/**
 * Returns a text in lower case, independently of the locale and with the same number of code
 * points: `İ` becomes `i`, as in Unicode's simple case mapping.
 */
export function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** Returns a text in the lower case of Turkic languages: `I` becomes `ı`. */
export function lowerCaseWithDotlessI(text: string): string {
  return lowerCase(text.replaceAll('I', 'ı'));
}

/** Returns a text with the first letter in upper case and all others in lower case. */
export function titleCase(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + lowerCase(text.slice(first.length));
}
