import { readFileSync } from 'node:fs';
import { AnnotationServer } from '../../../annotation/server/annotation-server.js';
import { AnnotationSession } from '../../../annotation/session/session.js';
import { strategyOf } from '../../../annotation/strategies/strategies.js';
import { TagstreamError } from '../../../core/errors.js';
import { counted } from '../../../core/wording/counted.js';
import { fileError } from '../../../io/files/file-error.js';
import { writeModelFile } from '../../../io/writing/write-model-file.js';
import { requireFilesApart } from '../../files/require-files-apart.js';
import type { Reporting } from '../../report/reporting.js';
import { stopSignal } from '../../signals/stop-signal.js';
import type { AnnotateArguments } from './annotate-arguments.js';
import { annotationTaskOf } from './annotation-task-of.js';
import { addressOf, annotatorsOf } from './annotators-of.js';
import { mergeAnswers } from './merge-answers.js';
import { recordQueueOf } from './record-queue-of.js';
import { rulesOf } from './rules-of.js';

/** Serves the page on which a person labels the records of a file, until the process is asked to end. */
export async function annotateFile(given: AnnotateArguments, report: Reporting): Promise<void> {
  const { records, out, model, seed, preset, retrain } = given;
  if (records === undefined || out === undefined) {
    throw new TagstreamError(
      'usage',
      `there is no ${records === undefined ? 'file of records' : '--out'}`,
      {
        fix: 'write: tagstream annotate news.txt --labels PER,LOC --out labelled.ndjson',
      },
    );
  }
  const save = given.save ?? `${out.replace(/\.[^./\\]+$/, '')}.model`;
  requireFilesApart({
    reads: { 'the records': records, '--model': model, '--guidelines': given.guidelines },
    writes: { '--out': out, '--save': save },
  });
  const bytes = model === undefined ? undefined : read(model);
  const task = annotationTaskOf(given, bytes && { bytes, file: model! });
  const guidelines =
    given.guidelines === undefined ? undefined : new TextDecoder().decode(read(given.guidelines));
  const queue = await recordQueueOf(records, given.format, report.log);
  const session = await AnnotationSession.open({
    ...annotatorsOf(given),
    ...{ queue, out, task, preset, model: bytes, seed, retrain },
    ...rulesOf(given, task),
    strategy: strategyOf(given.strategy),
    onNotice: text => report.log.warn(text),
  });
  const saveModel = () => {
    writeModelFile(save, [session.model.bytes()]);
    mergeAnswers(session, report.log);
    return save;
  };
  const stop = stopSignal(report, given.shutdownTimeout);
  try {
    const { port = 8765, host, token, origin } = given;
    const place = { port, host, token, origin, guidelines, saveModel };
    const server = await AnnotationServer.start(session, place);
    const size = counted(session.reader.queue.size, 'record');
    if (origin !== undefined) report.log.info(`listens on ${server.own} for the proxy`);
    for (const { name } of session.review === undefined ? [] : session.annotators) {
      report.log.info(`${name}: ${addressOf(server.url, name)}`);
    }
    if (session.review !== undefined) {
      report.log.info(`to decide where they do not agree: ${addressOf(server.url, 'review')}`);
    }
    report.log.info(`${size} of ${records}; open ${server.url} (Ctrl+C ends)`, { url: server.url });
    await new Promise<void>(resolve => {
      if (stop.signal.aborted) resolve();
      stop.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await server.close();
    if (session.model.answers > 0) {
      saveModel();
      const accepted = session.annotators.reduce((sum, { progress }) => sum + progress.accepted, 0);
      report.log.info(`the model of ${counted(accepted, 'accepted answer')} is in ${save}`);
    }
  } finally {
    stop.dispose();
    await session.close();
  }
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw fileError('read', file, cause);
  }
}
