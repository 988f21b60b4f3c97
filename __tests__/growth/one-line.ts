import { refusedBy } from '../../src/adapters/openai/errors.ts';
import { lacksImages, readServerWords } from '../../src/adapters/openai/refusals.ts';
import { parseTextToolCalls } from '../../src/core/agent/text-tool-calls.ts';
import { classOf } from '../../src/core/batches/file-class.ts';
import { parsesAsLock } from '../../src/core/pull-request/lock-file.ts';
import { addedFile } from '../fakes/memory-repository.ts';
import { type Growing, growing, growingText, many } from './changes.ts';

/** What one line, one file or one message can be long of. */
export const oneLine: readonly Growing[] = [
  ...['- ', "'", 'a:', '[', ' ', '"a" '].map((part) =>
    growingText(`lock files of one line of ${JSON.stringify(part)}`, {
      size: 30_000,
      part,
      read: (line) => ['pnpm-lock.yaml', 'uv.lock', 'yarn.lock'].map((name) => parsesAsLock(name, `${line}\n`)),
    }),
  ),
  growing('parts of one new file', 200, (count) => {
    const file = addedFile(
      'src/new.ts',
      many(count * 100, (index) => `const a${index} = 1;`),
    );
    return () => many(count, () => classOf(file));
  }),
  growingText('calls written in text that never end', {
    size: 100_000,
    part: '<tool_call>{',
    read: parseTextToolCalls,
  }),
  ...['model ', 'a', '*', '1', "n't ", '<title'].map((part) =>
    growingText(`a refusal of ${JSON.stringify(part)}`, {
      size: 100_000 / part.length,
      part,
      read: (message) => {
        const words = readServerWords(JSON.stringify({ error: { message, code: message } }), 400);
        return [
          refusedBy({ host: 'h', model: 'm', apiKey: 'key-1234', keyName: 'the key' }, { words, headers: undefined }),
          lacksImages(words),
        ];
      },
    }),
  ),
];
