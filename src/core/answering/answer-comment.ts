import { sentenceFor } from '../agent/event.ts';
import type { AgentMetrics } from '../agent/meter.ts';
import type { Model } from '../agent/model.ts';
import { runAgent } from '../agent/run-agent.ts';
import { planBatches, tokensPerBatch } from '../batches/plan-batches.ts';
import { groundSources } from '../findings/sources.ts';
import { type Asked, verbOf } from '../history/asked.ts';
import type { Memory, PriorFinding } from '../history/memory.ts';
import { surroundingsAt } from '../history/surroundings.ts';
import { findDocuments } from '../knowledge/knowledge.ts';
import { inEnglish, translatorFor } from '../messages/languages.ts';
import type { Translator } from '../messages/translator.ts';
import { windowLongLines } from '../pull-request/line-windows.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { type Answer, plainAnswer } from '../review/review.ts';
import { hiddenFromModel } from '../reviewing/hide.ts';
import type { ReviewingParts } from '../reviewing/parts.ts';
import { prepareChange } from '../reviewing/prepare-change.ts';
import { commonOpening, extract, fenceFor } from '../reviewing/review-batch.ts';
import { symbolsOf } from '../reviewing/review-with-model.ts';
import { reviewingAgent } from '../reviewing/reviewing-agent.ts';
import { readTeamWords } from '../team/team-words.ts';
import { answerPrompt, formOf } from './answer-prompt.ts';
import { ownAnswer } from './own-answers.ts';
import { findingAsked, listedFinding, openFindings, threadOf } from './subject.ts';
import { type SubmittedAnswer, submitAnswer } from './submit-answer.ts';

/** What came of a question: an answer, or why there is none. */
export type Answered =
  | { readonly answer: Answer; readonly metrics: AgentMetrics | null }
  | { readonly answer: null; readonly why: string; readonly hint: string; readonly metrics: AgentMetrics | null };

/** Answers what a comment asks: by what is known, or by the same bounded agent that reviews. Posts nothing. */
export async function answerComment(parts: ReviewingParts, asked: Asked, memory: Memory): Promise<Answered> {
  const { pullRequest } = parts;
  const t = translatorFor(parts.settings.language) ?? inEnglish;
  const own = ownAnswer({ asked, memory, pullRequest, name: parts.trigger.called ?? '', t });
  if (own !== null) return { answer: own, metrics: null };
  const finding = findingAsked(asked, memory.prior);
  if (parts.models.model === null) {
    if (verbOf(asked) === 'summary') return { answer: listOnly(asked, { memory, t }), metrics: null };
    return { answer: null, why: 'No model can answer: this run has no key.', hint: 'Set `api-key`.', metrics: null };
  }
  const { submitted, sentence, metrics } = await askModel(parts, { asked, memory, model: parts.models.model });
  if (submitted === null || (submitted.text === '' && !formOf(asked).mayPass)) {
    return { answer: null, why: `The model gave no answer. ${sentence}`, hint: '', metrics };
  }
  const about = finding?.mark.id ?? null;
  const ends = submitted.verdict === 'withdrawn' || submitted.verdict === 'fixed';
  const { suggestion } = submitted;
  const at = finding?.held.in === 'thread' ? finding.held.thread.comments[0]?.restId : null;
  // A click applies it to the lines of the thread that it stands in.
  const isThere = (at ?? null) !== null && asked.comment?.thread === at;
  const placed = suggestion === null ? null : { ...suggestion, applies: suggestion.applies && isThere };
  const inPlace = { ...submitted, suggestion: placed };
  const said = ends && !asked.mayWrite ? withoutEnd(inPlace, t) : inPlace;
  const around = finding === null ? undefined : await surroundingsOf(said, { finding, parts });
  const given = around === undefined ? said : { ...said, around };
  return { answer: { ...given, asked, about, isDone: true, movesGate: ends && asked.mayWrite }, metrics };
}

/** What the finding and the line that ends it stand in: the end holds for as long as both are the same. */
async function surroundingsOf(
  { proof }: SubmittedAnswer,
  { finding: { around }, parts }: { finding: PriorFinding; parts: ReviewingParts },
): Promise<Answer['around']> {
  if (proof === undefined || around === null) return undefined;
  const { path, startLine, endLine } = proof;
  const anchor = { kind: 'lines', side: 'RIGHT', startLine, endLine, quote: '' } as const;
  const stood = await surroundingsAt(parts.code).around(path, anchor);
  return stood === null ? undefined : { finding: around, proof: stood };
}

/** Whoever may only read sees the line, and ends nothing by asking. */
function withoutEnd({ verdict: _, proof, ...answer }: SubmittedAnswer, t: Translator): SubmittedAnswer {
  const until = t({ code: 'answer.counts-until' });
  const text = `${answer.text}\n\n${until}`;
  return { ...answer, text, places: [...(proof === undefined ? [] : [proof]), ...answer.places] };
}

function listOnly(asked: Asked, { memory: { prior }, t }: { memory: Memory; t: Translator }): Answer {
  const open = openFindings(prior);
  const text =
    open.length === 0
      ? t({ code: 'answer.nothing-open' })
      : `${t({ code: 'answer.open' })}\n\n${open
          .slice(0, 12)
          .map((one) => listedFinding(one, t))
          .join('\n')}`;
  return { ...plainAnswer, asked, text };
}

type Question = { readonly asked: Asked; readonly memory: Memory; readonly model: Model };

/** Tokens of diff that a question begins with: the rest can be read. */
const diffTokens = 12_000;

async function askModel(
  given: ReviewingParts,
  asking: Question,
): Promise<{ submitted: SubmittedAnswer | null; sentence: string; metrics: AgentMetrics }> {
  const { asked } = asking;
  const { parts, review, words } = await openReading(given, asking);
  const { settings, pullRequest } = parts;
  const { changes, selection, isDenied, model, memory } = review;
  const finding = findingAsked(asked, memory.prior);
  const symbols = symbolsOf(parts, { isDenied });
  const changedPaths = selection.kept.map(({ path }) => path);
  const [team, documents] = await Promise.all([
    readTeamWords(parts.code.repository, { ...review, settings, changedPaths }),
    findDocuments(parts.code.repository, { globs: settings.knowledge, isDenied }),
  ]);
  const tell = (text: string) => parts.output.report({ type: 'warning', text });
  const agent = reviewingAgent(
    parts,
    { model, changes, isDenied, vision: null },
    { offerDiff: true, symbols, documents, tell },
  );
  // Its mark occurs in nothing that is shown, the question included.
  const fence = fenceFor({
    pullRequest: { ...pullRequest, body: `${pullRequest.body}\n${words}` },
    files: changes.files,
  });
  const told = { memory, words: team.words, isReview: false, fence };
  const { common } = commonOpening(withoutQuestion(pullRequest, asked), changes.files, told);
  const sources = groundSources(parts.code.repository, { files: changes.files, isDenied });
  const { tool, submitted } = submitAnswer(formOf(asked), {
    finding,
    sources,
    t: translatorFor(settings.language) ?? inEnglish,
  });
  const thread = threadOf(asked, pullRequest);
  const { language, maxIterations: turns } = settings;
  const question = { asked, words, finding, thread, language, turns };
  const shownFiles = filesToShow(selection.kept, finding, settings);
  const emit: Parameters<typeof runAgent>[0]['emit'] = (event) =>
    parts.output.report({ type: 'agent-event', batch: 'answer', event });
  const whole = { ...agent, finish: tool, emit, conversation: 'answer' };
  const run = await extract(whole, await runAgent(whole, answerPrompt(question, { common, shownFiles, fence })));
  return { submitted: submitted(), sentence: sentenceFor(run.stop), metrics: agent.meter.metrics };
}

/** The thread and the question stand by themselves. */
function withoutQuestion(pullRequest: PullRequest, asked: Asked): PullRequest {
  const own = threadOf(asked, pullRequest);
  const conversation = pullRequest.conversation.filter(({ id }) => id !== asked.comment?.id);
  return { ...pullRequest, conversation, threads: pullRequest.threads.filter((thread) => thread !== own) };
}

/** Of a large change the part that the finding is in, or the most valuable one. */
function filesToShow(
  kept: Parameters<typeof windowLongLines>[0],
  finding: PriorFinding | null,
  settings: Parameters<typeof tokensPerBatch>[0],
) {
  const files = windowLongLines(kept).files.filter(({ hunks }) => hunks.length > 0);
  const maxTokens = Math.min(diffTokens, tokensPerBatch(settings));
  const batches = planBatches(files, { maxFiles: 30, maxTokens });
  const path = finding === null ? null : (finding.present.path ?? finding.mark.path);
  const own = batches.find((batch) => batch.files.some(({ file }) => file.path === path));
  return (own ?? batches[0])?.files ?? [];
}

/** What a model may read, without what rules hide from it. */
async function openReading(given: ReviewingParts, { asked, memory, model }: Question) {
  const change = await prepareChange(given, { globs: [], rulesOnly: false });
  const { changes, selection, rules, isDenied, redaction } = change;
  const reading = { changes, selection, asked: [], memory, rules, ruleFindings: [], isDenied, model };
  const [parts, review] = hiddenFromModel(given, reading, redaction);
  const question = asked.comment?.body ?? asked.commands[0]?.rest ?? '';
  return { parts, review, words: redaction.hide(question) };
}
