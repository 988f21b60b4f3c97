import { afterEach, describe, expect, it, vi } from 'vitest';
import { jobLog } from '../../../src/adapters/actions/job-log.ts';
import { commandsIn } from './runner-commands.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the log of a job', () => {
  it('gives the runner its own commands and no others', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    const hostile = 'x\n::set-output name=a::b\n  ##[error]c\r::add-mask::d';
    jobLog.line(hostile);
    jobLog.debug(hostile);
    jobLog.group(hostile).end();
    expect(commandsIn(written.join(''))).toEqual(['debug', 'group', 'endgroup']);
  });
});
