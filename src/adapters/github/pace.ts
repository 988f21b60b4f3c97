import Bottleneck from 'bottleneck/light.js';

/** A wait longer than this is not worth a runner's time: the caller gets the refusal instead. */
const longestWaitSeconds = 120;
const waitsPerRequest = 2;

type Asked = { readonly method: string; readonly url: string };

/**
 * What the throttling plugin does when GitHub asks to wait: at most two waits a request, of at most 120 seconds each
 * (FAILURES P6). A request that met a limit was not carried out, so a write may be sent again.
 */
export function limitPatience(onWait: (text: string) => void) {
  return {
    onRateLimit: waitOrGiveUp('rate limit', onWait),
    onSecondaryRateLimit: waitOrGiveUp('secondary rate limit', onWait),
  };
}

/** Gives up where GitHub asks to wait. */
export const noPatience = { onRateLimit: () => false, onSecondaryRateLimit: () => false } as const;

/**
 * One write after the other: three at once, then one a second. GitHub asks for a second between many writes; an ordinary run has a review and
 * a summary comment, and would only wait.
 */
export function paced(): Bottleneck.Group {
  return new Bottleneck.Group({
    maxConcurrent: 1,
    reservoir: writesAtOnce,
    reservoirIncreaseAmount: 1,
    reservoirIncreaseInterval: 1000,
    reservoirIncreaseMaximum: writesAtOnce,
  });
}

const writesAtOnce = 3;

/** A group without spacing, for the throttling plugin. */
export function unpaced(): Bottleneck.Group {
  return new Bottleneck.Group({});
}

function waitOrGiveUp(limit: string, onWait: (text: string) => void) {
  return (seconds: number, asked: Asked, _octokit: unknown, retryCount: number): boolean => {
    const wait = retryCount < waitsPerRequest && seconds <= longestWaitSeconds;
    const consequence = wait ? 'Waiting.' : 'Not waiting that long.';
    onWait(`GitHub's ${limit} asks for ${seconds} s before ${asked.method} ${pathOf(asked.url)}. ${consequence}`);
    return wait;
  };
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}
