/**
 * The process that a person or the runner starts. It runs the review as its child and outlives whatever the child does: an endless loop, a call
 * of the system that never returns, a full heap. It imports nothing but Node itself, as every run pays for its start; the build copies it.
 */
import {                    fork, spawn } from 'node:child_process';
import { once } from 'node:events';


/** What stops a run, and the code that it then ends with: Ctrl-C, Ctrl-\\, a closed terminal, whoever ends processes. */
const stopCodes = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 }         ;
const stopSignals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']         ;


/** All but `tick` are counted in ticks of this process: the time in which a laptop sleeps is no time. */
const usual = {
  /** Milliseconds. */
  tick: 1_000,
  /** Until the run has said how long it may take. */
  start: 60,
  /** Beyond its deadline. */
  late: 10,
  /** After a signal, until it answers, and then until it ends. */
  deaf: 3,
  stopping: 6,
  /** After it said that it is done. */
  ending: 10,
  /** For what is written in its place. */
  words: 20,
};










/** Runs the review, and gives the exit code. */
export async function watch({ script, args = [], inJob, patience }         )                  {
  const limits = { ...usual, ...patience };
  const failed = inJob ? 1 : 3;
  const stops           = [];
  let isLate = false;
  let ticks = limits.start;
  let told             = {};
  // What a hook of somebody else breaks in this process is no reason to leave the run alone.
  process.exitCode = failed;
  process.on('uncaughtException', () => undefined);
  const child = start(script, { args, given: { by: process.pid } });
  child.on('message', (message) => {
    if (typeof message !== 'object') return;
    const news             = message;
    told = { ...told, ...news };
    if (news.end !== undefined) ticks = limits.ending;
    else if (news.heard === true) ticks = limits.stopping;
    else if (news.seconds !== undefined && stops.length === 0) ticks = ticksFor(news.seconds) + limits.late;
  });
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (stops.push(signal) > 1) return kill(child);
      ticks = Math.min(ticks, limits.deaf);
      send(child, signal);
    });
  }
  passOn(child);
  const bond = bindToThisProcess(child);
  const clock = setInterval(() => {
    ticks -= 1;
    if (ticks > 0) return;
    isLate = stops.length === 0;
    kill(child);
  }, limits.tick);
  const [code, by] = await ended(child);
  clearInterval(clock);
  bond?.kill('SIGKILL');
  // What it started may still run.
  kill(child);
  if (told.end !== undefined) return code ?? told.end;
  const [signal = null] = stops;
  const why = signal !== null ? 'cancelled' : told.broke !== undefined ? 'broke' : isLate ? 'late' : 'died';
  const reason = told.broke ?? sentenceFor(why, { by, code, step: told.step });
  const milliseconds = Math.round(performance.now());
  const words = start(script, { args, given: { by: process.pid, words: { ...told, why, reason, milliseconds } } });
  const over = setTimeout(() => kill(words), limits.words * limits.tick);
  await ended(words);
  clearTimeout(over);
  if (why !== 'broke') await say(reason, inJob);
  return inJob || signal === null ? failed : stopCodes[signal];
}

function ticksFor(seconds               )         {
  return seconds === null ? Number.POSITIVE_INFINITY : Math.ceil(seconds);
}

function start(script        , { args, given }                                                )               {
  const env = { ...process.env, POSTIL_WATCHED: JSON.stringify(given) };
  // In a group of its own, so that Ctrl-C reaches this process alone, and what the child starts ends with it.
  return fork(script, args, {
    env,
    detached: !isWindows,
    windowsHide: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}

const isWindows = process.platform === 'win32';

/** Of a child that never started, too; only once everything that it told has arrived. */
async function ended(child              )                                                           {
  const never = new Promise                       ((resolve) => {
    child.on('error', () => child.pid === undefined && resolve([null, null]));
  });
  const gone = child.connected ? once(child, 'disconnect') : null;
  const exit = new Promise                                                 ((resolve) => {
    child.once('exit', (code, signal) => resolve([code, signal]));
  });
  return Promise.race([never, Promise.all([exit, gone]).then(([end]) => end)]);
}

/** With its group. */
function kill(child              , signal                 = 'SIGKILL')       {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It is gone.
  }
}

function send(child              , signal        )       {
  if (child.connected) child.send({ signal }, () => undefined);
}

/** A shell that waits for this process to end, and then ends the run: in an endless loop it would not hear that nobody watches any more. */
function bindToThisProcess({ pid }              )                      {
  if (isWindows || pid === undefined) return null;
  const stdio = ['pipe', 'ignore', 'ignore']         ;
  return (
    spawn('/bin/sh', ['-c', 'read -r _; kill -s KILL -- "-$0"', String(pid)], { stdio: [...stdio], detached: true })
      // A run that does not loop hears it without a shell.
      .on('error', () => undefined)
  );
}

/** What a terminal tells its own group alone. */
function passOn(child              )       {
  if (isWindows) return;
  process.on('SIGWINCH', () => kill(child, 'SIGWINCH'));
  process.on('SIGTSTP', () => {
    kill(child, 'SIGSTOP');
    process.kill(process.pid, 'SIGSTOP');
    // Here it goes on.
    kill(child, 'SIGCONT');
  });
}



function sentenceFor(why                                         , { by, code, step }     )         {
  const what = {
    cancelled: 'The run was cancelled, and did not end by itself.',
    late: 'The run did not end within `timeout-minutes` and was stopped.',
    // An abort is how Node ends when its heap is full.
    died: `The run ended early: ${by === 'SIGABRT' || code === 134 ? 'out of memory, or broken' : by === null ? `broken (exit code ${code})` : `killed (${by})`}.`,
    broke: 'The run broke.',
  }[why];
  return step === undefined ? what : `${what} Its last step: ${step}`;
}

/** An error of the job's log, or a line for whoever started it. */
async function say(sentence        , inJob         )                {
  const data = sentence.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const [stream, text] = inJob ? [process.stdout, `::error::${data}\n`] : [process.stderr, `${sentence}\n`];
  // Called when nobody can be told, too.
  await new Promise((resolve) => stream.write(text, resolve));
}
