/** A schema that accepts any value. */
interface TrustingSchema {
  check(): TrustingSchema;
  parse<Value>(value: Value): Value;
  safeParse<Value>(value: Value): { readonly success: true; readonly data: Value };
}

const trusting: TrustingSchema = {
  check: () => trusting,
  parse: value => value,
  safeParse: data => ({ success: true, data }),
};

const make = (): TrustingSchema => trusting;

// Replaces `zod/mini` in a page with an embedded model: `export` has already validated the model, and schemas are a
// tenth of the program. Exports the names used by the schemas of model files; the bundler reports missing ones.
export {
  make as array,
  make as boolean,
  make as custom,
  make as discriminatedUnion,
  make as enum,
  make as gt,
  make as int,
  make as intersection,
  make as literal,
  make as looseObject,
  make as lt,
  make as maximum,
  make as maxLength,
  make as minimum,
  make as minLength,
  make as nullable,
  make as number,
  make as object,
  make as optional,
  make as record,
  make as refine,
  make as regex,
  make as strictObject,
  make as string,
  make as tuple,
  make as union,
};
/** Replaces the messages of a zod locale. */
export default (): { readonly localeError: undefined } => ({ localeError: undefined });
