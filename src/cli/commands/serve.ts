import type { CommandModule } from 'yargs';
import { natsOptions } from '../options/nats-options.js';
import { logOptions, metricsOptions, shutdownOption } from '../options/operation-options.js';
import { flag, port, text, texts, wholeNumber } from '../options/option-kinds.js';
import { useOption } from '../options/use-option.js';
import { reporting } from '../report/reporting.js';
import type { ServeArguments } from '../serve/serve-models.js';

const count = (name: string, describe: string) => text(describe, { coerce: wholeNumber(name, 1) });

export const serveCommand: CommandModule<object, ServeArguments> = {
  command: 'serve <models..>',
  describe: 'tag texts and records over HTTP',
  builder: yargs =>
    yargs
      .positional('models', {
        type: 'string',
        array: true,
        demandOption: true,
        describe:
          'model files, or nats://NAME@ALIAS, models of a registry; NAME=FILE sets a name, which defaults to that of the file; the first model is the default',
      })
      .options({
        alias: texts('ALIAS=NAME: another name for a model'),
        port: text('port; 0: any free one [default: 8080]', { coerce: port('port') }),
        host: text('address to listen on [default: 127.0.0.1, reachable only from this machine]'),
        origin: text(
          'public address of the service behind a proxy, such as https://tags.example.com',
        ),
        tokens: text(
          'file of bearer tokens, one per line; each request then needs one; SIGHUP reloads it',
        ),
        cors: texts(
          'origin allowed to send requests from pages (CORS), such as https://app.example.com; * for any',
        ),
        'tls-cert': text('PEM file of the certificate, for HTTPS', { implies: 'tls-key' }),
        'tls-key': text('PEM file of the private key', { implies: 'tls-cert' }),
        watch: flag('switch to a new model when its file is replaced (SIGHUP reloads at any time)'),
        dictionary: text(
          'a dictionary file of words and their allowed tags, for all requests (--no-dictionary: none)',
        ),
        rules: text('a file of rules for names and patterns, for all requests'),
        threads: count('threads', 'threads per model [default: processors minus one]'),
        'max-body': count(
          'max-body',
          'maximum bytes of a body, and of a record of a stream [default: 1048576]',
        ),
        'max-records': count('max-records', 'maximum records of a body [default: 10000]'),
        'max-tokens': count('max-tokens', 'maximum tokens of a sentence [default: 10000]'),
        'max-nbest': count(
          'max-nbest',
          'maximum alternatives that a request may ask for [default: 10]',
        ),
        'max-work': count(
          'max-work',
          'maximum work of a request, in tokens that get plain tags; an explained token counts as about 100 [default: 1000000]',
        ),
        'max-answer': count('max-answer', 'maximum bytes of an answer [default: 33554432]'),
        'max-wait': count(
          'max-wait',
          'milliseconds that a request may wait; it is refused with 503 if it would wait longer [default: 100]',
        ),
        'max-held': count(
          'max-held',
          'maximum bytes of all bodies received without an answer, and of answers not yet taken [default: 67108864]',
        ),
        'max-client-held': count(
          'max-client-held',
          'maximum of these bytes for a client, which is a token or an address [default: half of max-held]',
        ),
        'max-streams': count('max-streams', 'maximum concurrent streams [default: 64]'),
        'max-client-streams': count(
          'max-client-streams',
          'maximum concurrent streams of a client [default: half of max-streams]',
        ),
        'min-rate': count(
          'min-rate',
          'minimum bytes per second at which a body must arrive, after ten seconds [default: 256]',
        ),
        'yield-after': count(
          'yield-after',
          'milliseconds after which an idle client gives way to others when a limit is reached [default: 10000]',
        ),
        'stall-timeout': count(
          'stall-timeout',
          'milliseconds for which a client may take in nothing of its answer [default: 300000]',
        ),
        timeout: count('timeout', 'milliseconds until a request times out [default: 30000]'),
        'idle-timeout': count(
          'idle-timeout',
          'milliseconds that the client of a stream may be idle [default: 300000]',
        ),
      })
      .options(useOption)
      .options(natsOptions)
      .options(shutdownOption)
      .options(metricsOptions)
      .options(logOptions) as never,
  handler: given =>
    reporting(given as never, async report => {
      const { serveModels } = await import('../serve/serve-models.js');
      await serveModels(given, report);
    }),
};
