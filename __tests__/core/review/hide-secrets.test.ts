import { describe, expect, it } from 'vitest';
import { hiddenInFiles, hiddenInRepository } from '../../../src/core/review/hide-secrets.ts';
import { hideInSource } from '../../../src/core/rules/find-secrets.ts';
import { changedFile } from '../../fakes/changed-files.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { ruleWith } from '../../fakes/rule-with.ts';

const acme = ruleWith({ entropy: 3, minLength: 12, pattern: '\\b(acme-[a-z0-9]+)', paths: ['*.ts'] });
const pem = ruleWith({ id: 'pem', entropy: 0, multiLine: true, pattern: '(?s)BEGIN\\n(.*?)\\nEND' });
const text =
  'const a = "acme-k3jd8slq0zx7"; // acme-k3jd8slq0zx7\r\nBEGIN\nMIIEvQIBADAN\nEND\nconst b = "known-value";\n';

const repository = hiddenInRepository(new MemoryRepository({ 'a.ts': text, 'a.md': text }), {
  hide: (one) => one.replaceAll('known-value', '[known]'),
  hideInSource: hideInSource([acme, pem, ruleWith({ pattern: 'const' })]),
});

async function textOf(path: string): Promise<string> {
  const content = await repository.readFile(path, 'head');
  return content.kind === 'text' ? content.text : content.kind;
}

describe('a file that the model reads', () => {
  it('has no credential that a rule finds in it, wherever the change is', async () => {
    expect(await textOf('a.ts')).toBe(
      'const a = "[redacted: secret]"; // [redacted: secret]\r\nBEGIN\n[redacted: secret]\nEND\nconst b = "[known]";\n',
    );
  });

  it('stays as it is for a rule that is about other files', async () => {
    expect(await textOf('a.md')).toBe(
      text.replace('MIIEvQIBADAN', '[redacted: secret]').replace('known-value', '[known]'),
    );
  });
});

describe('the files of a change', () => {
  it('are copied only where something is hidden', () => {
    const [plain, leaking] = [
      changedFile('a.ts', { lines: ['+a', '+b'] }),
      changedFile('b.ts', { lines: [' a', '+key', '+b'] }),
    ];
    const hidden = hiddenInFiles([plain, leaking], (line) => line.replace('key', '[hidden]'));
    expect(hidden[0]).toBe(plain);
    expect(hidden[1]?.hunks[0]?.lines).toEqual([' a', '+[hidden]', '+b']);
  });
});
