import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readReviewFile, reviewFileWriter } from '../../../src/adapters/files/review-file.ts';
import { openReviewFile } from '../../../src/compose-post.ts';
import { explain } from '../../../src/core/errors.ts';
import { renderReviewFile } from '../../../src/core/review/review-file.ts';
import { origin, reviewedDraft, reviewFile } from '../../fakes/review-draft.ts';
import { context } from '../../fakes/review-record.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

const folder = temporaryFolder();
const inside = (name: string) => join(folder, name);
const render = () => renderReviewFile(reviewedDraft(), { ...origin, redact: context.redact });

describe('the review file', () => {
  it('is written in a folder made for it, and read again', async () => {
    const path = inside('deep/review.json');
    const delivery = await reviewFileWriter(path, render)(reviewedDraft());
    expect(delivery).toEqual({ sink: 'review-file', status: 'delivered', reason: null, delivered: [], url: path });
    expect(await openReviewFile(path)).toEqual(reviewFile());
  });

  it('that cannot be written is a failed delivery that says what follows', async () => {
    writeFileSync(inside('file'), '');
    const delivery = await reviewFileWriter(inside('file/review.json'), render)(reviewedDraft());
    expect([delivery.status, delivery.url]).toEqual(['failed', null]);
    expect(delivery.reason).toMatch(/^The review could not be written to .*, so no other job can post it\. EEXIST/);
  });

  it('that does not fit is one too', async () => {
    const tooLarge = () => {
      throw new Error('too large');
    };
    expect((await reviewFileWriter(inside('large.json'), tooLarge)(reviewedDraft())).reason).toContain('too large');
  });
});

const problemOf = (work: Promise<unknown>) => work.then(() => 'none', explain);

describe('what is named as a review file and is none', () => {
  it.each([
    ['is missing', 'nowhere.json', 'does not exist. Did the review job upload it, and this one download it?'],
    ['is a folder', 'folder', 'is not a file.'],
    ['is a link', 'link.json', 'is a symbolic link.'],
    ['is a pipe that nobody writes to', 'pipe', 'is not a file.'],
    ['is too large', 'large', 'is larger than 5 MB.'],
    ['leads through a file', 'small/review.json', "('review-file') cannot be read. ENOTDIR"],
  ])('%s: it is told', async (_, name, problem) => {
    mkdirSync(inside('folder'), { recursive: true });
    writeFileSync(inside('small'), '{}');
    writeFileSync(inside('large'), ' '.repeat(5_000_001));
    if (name === 'link.json') symlinkSync(inside('small'), inside(name));
    if (name === 'pipe') execFileSync('mkfifo', [inside(name)]);
    const told = await problemOf(readReviewFile(inside(name)));
    expect(told).toContain(problem);
    expect(told).toContain("('review-file')");
  });

  it('has another form: the first problem is told, and how to get the right one', async () => {
    writeFileSync(inside('other.json'), '{"schema_version":2}');
    expect(await problemOf(openReviewFile(inside('other.json')))).toMatch(
      /'review-file'\) cannot be used: the value must have required property 'version'\. It must be what the job/,
    );
  });
});
