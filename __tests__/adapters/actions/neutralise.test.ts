import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neutralise } from '../../../src/adapters/actions/neutralise.ts';
import { commandsIn } from './runner-commands.ts';

describe('text in the job log', () => {
  it.each([
    ['a command', '::set-output name=a::b', ': :set-output name=a::b'],
    ['a command behind spaces', '  \t::error::x', '  \t: :error::x'],
    ['a command of the old form', 'x ##[error]y', 'x ## [error]y'],
    ['a command behind a carriage return', 'x\r::add-mask::a', 'x\n: :add-mask::a'],
    ['a command behind a zero-width character', '\u200B::error::x', '\\u{200B}::error::x'],
    ['a sequence for the terminal', '\u001B[31mred', '\\u{1B}[31mred'],
    ['C++', 'std::vector<int> a; a::b', 'std::vector<int> a; a::b'],
  ])('does not act when it is %s', (_name, text, printed) => {
    expect([neutralise(text), commandsIn(neutralise(text))]).toEqual([printed, []]);
  });

  it('is known to act without it, by the same reading of the runner', () => {
    const acting = [
      '::error::x',
      ' \u00A0::stop-commands::a',
      'a##[debug]b',
      'x\r::warning file=a::b',
      '\u200B::notice::c',
    ];
    expect(acting.flatMap(commandsIn)).toEqual(['error', 'stop-commands', 'debug', 'warning', 'notice']);
  });

  it('never holds a command, whatever it is made of', () => {
    const pieces = [
      '::',
      ':',
      '##[',
      '#',
      '[',
      ']',
      'error',
      'add-mask',
      ' ',
      '\t',
      '\n',
      '\r',
      '\u200B',
      '\u0000',
      '\u0085',
      '\u2028',
    ];
    const more = [
      '\u00A0',
      '\u3000',
      '\uFEFF',
      '\u00AD',
      '\u{E0041}',
      '\u200D',
      '\uFE0F',
      '👩',
      'é',
      '\v',
      '\f',
      '\u001B',
    ];
    const text = fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (hostile) => {
        expect(commandsIn(neutralise(hostile))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('stays the same when it is neutralised twice', () => {
    const text = fc.string({ unit: fc.constantFrom(':', '#', '[', ' ', '\n', 'a') });
    fc.assert(
      fc.property(text, (hostile) => {
        expect(neutralise(neutralise(hostile))).toBe(neutralise(hostile));
      }),
      { numRuns: 300 },
    );
  });
});
