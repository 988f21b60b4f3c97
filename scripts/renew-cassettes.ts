/**
 * Records the two cassettes of eval/cases again, from a scripted model that says what the golden says. For a change of a prompt or of the tools,
 * after which a replay of them would differ.
 */
import { execFile } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../__tests__/fakes/memory-repository.ts';
import { submit } from '../__tests__/fakes/model-server/script.ts';
import { startModel } from '../__tests__/fakes/model-server/start-model.ts';

const root = join(import.meta.dirname, '..');
const cases = join(root, 'eval/cases');
const defect = {
  path: 'bill.py',
  quote: '    share = round(cents / people)',
  title: 'The rounded shares no longer add up to the bill',
  review: 'The rounded shares no longer add up to the bill: 100 cents for three people make 99.',
  severity: 'critical',
} as const;

const model = await startModel(({ prompt }) => submit(prompt.includes(defect.quote.trim()) ? [defect] : []));
const folder = temporaryFolder();
for (const name of ['py-split-bill', 'py-split-bill-clean'])
  copyFileSync(join(cases, `${name}.yml`), join(folder, `${name}.yml`));
// As much as without a `base-url`: a replay has none.
const environment = {
  POSTIL_API_KEY: model.apiKey,
  POSTIL_BASE_URL: model.url,
  POSTIL_MODEL: 'scripted-example',
  POSTIL_MAX_TOKENS: '16384',
};
// Beside this process, which answers.
await new Promise<void>((resolve, reject) => {
  const args = [join(root, 'dist/cli/index.js'), 'eval', folder, '--record', '--cassettes', cases];
  execFile(process.execPath, args, { env: { ...process.env, ...environment } }, (error, stdout) => {
    console.log(stdout);
    if (error === null) resolve();
    else reject(error);
  });
});
await model.close();
