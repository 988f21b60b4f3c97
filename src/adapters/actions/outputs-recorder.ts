import { setOutput } from '@actions/core';
import { explain } from '../../core/errors.ts';
import { renderOutputs } from '../../core/report/outputs.ts';
import type { Delivery, Recorder } from '../../core/review/sink.ts';

/**
 * Sets the step's outputs: data, whatever the model wrote into them (FAILURES R4). It comes after the report file's
 * recorder, whose path is an output.
 */
export function outputsRecorder({ redact }: { readonly redact: (text: string) => string }): Recorder {
  const name = 'outputs';
  const delivery = (status: Delivery['status'], reason: string | null): Delivery => {
    return { sink: name, status, reason, delivered: [], url: null };
  };
  return {
    name,
    record: async (record) => {
      // Without the file the library would print a command that runners have ceased to obey.
      if ((process.env['GITHUB_OUTPUT'] ?? '') === '') return delivery('failed', 'GITHUB_OUTPUT is not set.');
      try {
        for (const [output, value] of Object.entries(renderOutputs(record, redact))) setOutput(output, value);
        return delivery('delivered', null);
      } catch (error) {
        return delivery('failed', `The outputs could not be written. ${explain(error)}`);
      }
    },
  };
}
