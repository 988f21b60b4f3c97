import { appendFile } from 'node:fs/promises';
import { type AnnotationProperties, endGroup, error, notice, setOutput, startGroup, warning } from '@actions/core';
import { explain } from '../../core/errors.ts';
import { type Message, verbatim } from '../../core/messages/message.ts';
import type { Translator } from '../../core/messages/translator.ts';
import { type AnnotationLevel, commandOf, renderAnnotations } from '../../core/report/annotations.ts';
import { renderOutputs } from '../../core/report/json.ts';
import { renderSummary } from '../../core/report/summary.ts';
import type { RenderContext } from '../../core/report/wording.ts';
import { type Destination, deliveredIn, deliveryOf, type ReviewRecord } from '../../core/review/sink.ts';
import { plural } from '../../core/text.ts';

type Annotate = (message: string, properties: AnnotationProperties) => void;

const commands: Readonly<Record<AnnotationLevel, Annotate>> = { error, warning, notice };

/** Check annotations by workflow commands: they need no permission, so they reach the reader of a fork's pull request. */
export function annotations({
  redact,
  t,
  annotate = commands,
}: {
  redact: (text: string) => string;
  t?: Translator | undefined;
  annotate?: Readonly<Record<AnnotationLevel, Annotate>>;
}): Destination {
  const name = 'annotations';
  return {
    name,
    deliver: async (record) => {
      const { annotations, leftOut } = renderAnnotations(record.review, { redact, t, posted: deliveredIn(record) });
      // The runner obeys commands in a group as well, and the log lists the findings already.
      if (annotations.length > 0) startGroup(plural(annotations.length, 'annotation'));
      for (const one of annotations) {
        const { message, properties } = commandOf(one);
        annotate[one.level](message, properties);
      }
      if (annotations.length > 0) endGroup();
      const [first] = leftOut;
      const reason: readonly Message[] =
        first === undefined ? [] : [{ code: 'annotation.left-out', count: leftOut.length, why: first.reason }];
      return {
        sink: name,
        status: annotations.length === 0 ? 'skipped' : 'delivered',
        reason: annotations.length === 0 ? [{ code: 'annotation.nothing' }] : reason,
        delivered: annotations.map(({ findingId }) => ({ findingId, place: 'annotation', url: null })),
        url: null,
      };
    },
  };
}

/** The same for what has no comment on its lines, be it of this run or of an earlier one. */
export function withoutInline(annotations: Destination): Destination {
  return {
    ...annotations,
    deliver: (record) => {
      const { review } = record;
      const inline = new Set(
        deliveredIn(record)
          .filter(({ place }) => place === 'inline')
          .map(({ findingId }) => findingId),
      );
      const findings = review.findings.filter(({ id, place, held }) => {
        return !(place === 'standing' && held === 'thread') && !inline.has(id);
      });
      return annotations.deliver({ ...record, review: { ...review, findings } });
    },
  };
}

/** Sets the step's outputs: data, whatever the model wrote into them. */
export function stepOutputs({ redact }: { redact: (text: string) => string }): Destination {
  return commandFile('outputs', async (record) => {
    // Without the file the library would print a command that runners have ceased to obey.
    if ((process.env['GITHUB_OUTPUT'] ?? '') === '') return 'GITHUB_OUTPUT is not set.';
    for (const [output, value] of Object.entries(renderOutputs(record, redact))) setOutput(output, value);
    return null;
  });
}

/** Writes the job summary. */
export function jobSummary(context: RenderContext, environment: NodeJS.ProcessEnv = process.env): Destination {
  return commandFile('job summary', async (record) => {
    const path = environment['GITHUB_STEP_SUMMARY'] ?? '';
    if (path === '') return 'GITHUB_STEP_SUMMARY is not set.';
    await appendFile(path, renderSummary(record, context), 'utf8');
    return null;
  });
}

/** A file of the runner, or why it was not written. What cannot be written is a delivery that failed, never an error. */
function commandFile(
  name: 'outputs' | 'job summary',
  write: (record: ReviewRecord) => Promise<string | null>,
): Destination {
  return {
    name,
    to: '',
    deliver: async (record) => {
      const failed = (error: unknown) => `The ${name.replace('job ', '')} could not be written. ${explain(error)}`;
      const reason = await write(record).catch(failed);
      return reason === null ? deliveryOf(name, 'delivered') : deliveryOf(name, 'failed', verbatim(reason));
    },
  };
}
