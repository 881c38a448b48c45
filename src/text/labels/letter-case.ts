/**
 * Lower case that does not depend on the locale, and keeps the number of code points: `İ` is `i`, as in the simple case
 * mapping of Unicode.
 */
export function lowerCase(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** Lower case as Turkic languages have it: `I` is `ı`. */
export function lowerCaseWithDotlessI(text: string): string {
  return lowerCase(text.replaceAll('I', 'ı'));
}

/** The first letter in upper case, all others in lower case. */
export function titleCase(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + lowerCase(text.slice(first.length));
}
