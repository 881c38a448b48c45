import * as z from 'zod';

/** Returns an optional string option. */
export function givenText(what: string) {
  return z.string().min(1).optional().describe(what);
}

/** Returns a Boolean option. */
export function isOn(byDefault: boolean, what: string) {
  return z.boolean().default(byDefault).describe(what);
}

/** Returns an option whose value is one of some texts. */
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

/** Returns an optional option whose value is one of some texts. */
export function maybeOneOf<const Choices extends readonly string[]>(
  choices: Choices,
  what: string,
) {
  return z.enum(choices).optional().describe(what);
}
