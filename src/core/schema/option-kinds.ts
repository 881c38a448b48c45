import * as z from 'zod';

/** An optional option that is a string. */
export function givenText(what: string) {
  return z.string().min(1).optional().describe(what);
}

/** An option that is true or false. */
export function isOn(byDefault: boolean, what: string) {
  return z.boolean().default(byDefault).describe(what);
}

/** An option that is one of some texts. */
export function oneOf<const Choices extends readonly string[]>(
  choices: Choices,
  byDefault: Choices[number],
  what: string,
) {
  return z
    .enum(choices)
    .default(byDefault as never)
    .describe(what);
}

/** An option that is one of some texts, and may be left out. */
export function maybeOneOf<const Choices extends readonly string[]>(
  choices: Choices,
  what: string,
) {
  return z.enum(choices).optional().describe(what);
}
