/**
 * What is wrong with a text as a language tag (BCP 47); undefined for one that is well-formed, known or not.
 *
 * @example
 * localeProblem('pt-BR') // => undefined
 * localeProblem('pt_BR') // => '"pt_BR" is no language tag (BCP 47): write pt-BR'
 * localeProblem('?') // => '"?" is no language tag (BCP 47): give one such as en, de or pt-BR'
 */
export function localeProblem(text: string): string | undefined {
  if (isLocale(text)) return undefined;
  const hyphens = text.replaceAll('_', '-');
  const fix = isLocale(hyphens) ? `write ${hyphens}` : 'give one such as en, de or pt-BR';
  return `${JSON.stringify(text)} is no language tag (BCP 47): ${fix}`;
}

function isLocale(text: string): boolean {
  try {
    Intl.getCanonicalLocales(text);
    return true;
  } catch {
    return false;
  }
}
