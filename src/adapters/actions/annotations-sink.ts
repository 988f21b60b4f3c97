import { type AnnotationProperties, error, notice, warning } from '@actions/core';
import { type Annotation, type AnnotationLevel, renderAnnotations } from '../../core/report/annotations.ts';
import { visibleLine } from '../../core/report/invisible.ts';
import { plural } from '../../core/report/wording.ts';
import type { Sink } from '../../core/review/sink.ts';
import { neutralise } from './neutralise.ts';

export type Annotate = (message: string, properties: AnnotationProperties) => void;

const commands: Readonly<Record<AnnotationLevel, Annotate>> = { error, warning, notice };

/** Check annotations by workflow commands: they need no permission, so they reach the reader of a fork's pull request. */
export function annotationsSink({
  redact,
  annotate = commands,
}: {
  readonly redact: (text: string) => string;
  readonly annotate?: Readonly<Record<AnnotationLevel, Annotate>>;
}): Sink {
  return {
    name: 'annotations',
    deliver: async (review) => {
      const { annotations, leftOut } = renderAnnotations(review, redact);
      for (const one of annotations) annotate[one.level](messageOf(one), propertiesOf(one));
      const reason =
        leftOut[0] === undefined ? null : `${plural(leftOut.length, 'finding')} left out: ${leftOut[0].reason}.`;
      return {
        sink: 'annotations',
        status: annotations.length === 0 ? 'skipped' : 'delivered',
        reason: annotations.length === 0 ? 'There is nothing to annotate.' : reason,
        delivered: annotations.map(({ findingId }) => ({ findingId, place: 'annotation', url: null })),
        url: null,
      };
    },
  };
}

// A path goes into the command as it is: one that could act in a log is reported in the message instead.
function isPlain(path: string): boolean {
  return neutralise(path) === path && !path.includes('\n');
}

function messageOf({ message, path }: Annotation): string {
  return neutralise(isPlain(path) ? message : `${visibleLine(path)}\n\n${message}`);
}

function propertiesOf({ title, path, lines }: Annotation): AnnotationProperties {
  if (!isPlain(path)) return { title: neutralise(title) };
  const place = { title: neutralise(title), file: path };
  return lines === null ? place : { ...place, startLine: lines.start, endLine: lines.end };
}
