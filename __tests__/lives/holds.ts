import type { PlacedTrap } from './code.ts';
import { diffOf } from './commits.ts';
import type { Lived, Moment } from './life.ts';
import { ownThreads, trapOf } from './people.ts';
import { countIn, wordsIn } from './postil.ts';
import { defectsOf, nameIn } from './reviewer.ts';

/** What holds after every round of a life: a sentence, and what breaks it in words; null where it holds. */
export const properties = {
  'A defect that is in the head and was found is open, or declined where it stands.': (lived) => {
    const { last } = lived;
    if (last === undefined || !isWhole(last)) return null;
    return missing(
      last,
      owed(lived, last).filter(({ id }) => lived.found.has(id)),
    );
  },
  'A defect that is not in the head does not stay open for ever.': (lived) => {
    if (lived.life.mood === 'liar') return null;
    const whole = lived.moments.filter(isWhole).slice(-rounds);
    if (whole.length < rounds) return null;
    const stale = whole.map((moment) => surplus(moment));
    const [first] = stale;
    const left = [...(first ?? [])].filter((name) => stale.every((names) => names.has(name)));
    return left.length === 0 ? null : `${left.join(', ')} open in ${rounds} reviews, and no such call is wrong`;
  },
  'Nothing is posted twice.': (lived) => {
    if (lived.isUnsettled) return null;
    const { hub } = lived;
    const open = ownThreads(hub).filter(({ resolved, comments: [first] }) => {
      return !resolved && first !== undefined && !first.isMinimized && wordsIn(first.body) !== null;
    });
    const places = open.flatMap((thread) => {
      const trap = trapOf(hub, thread);
      return trap === undefined ? [] : [`${trap.name} (call ${trap.id})`];
    });
    const texts = open.map(({ path, comments: [first] }) => `${path} ${wordsIn(first?.body ?? '')}`);
    const [twice] = [...doubles(places), ...doubles(texts)];
    return twice === undefined ? null : `two open threads on ${twice}`;
  },
  'There is one summary comment.': ({ hub, isUnsettled }) => {
    const ours = hub.pull.conversation.filter(({ author }) => author === hub.store.world.viewer);
    return isUnsettled || ours.length < 2 ? null : `${ours.length} summary comments`;
  },
  'Counts agree on all surfaces.': ({ last }) => {
    if (last === undefined) return null;
    const { counts, heading, outcome } = last.report;
    const told = { ...counts, ...(outcome === 'skipped' || outcome === 'failed' ? {} : { heading: countIn(heading) }) };
    return new Set(Object.values(told)).size === 1 ? null : JSON.stringify(told);
  },
  'No history makes a gate green that one review of the head would not.': (lived) => {
    const { last } = lived;
    if (last === undefined || !isGreen(last)) return null;
    const left = owed(lived, last).filter(isKnown(lived));
    return left.length === 0
      ? null
      : `${last.report.gate}${last.report.isApproved ? ', approved' : ''} with ${list(left)}`;
  },
  'What is delivered is taken.': ({ last }) => last?.report.failures.join('; ') || null,
} as const satisfies Readonly<Record<string, (lived: Lived) => string | null>>;

export type Property = keyof typeof properties;

/** Reviews in which an end is to be seen. */
const rounds = 3;

/** The properties that do not hold now, with what breaks them. */
export function broken(lived: Lived, meant: readonly Property[] = allProperties): readonly string[] {
  return meant.flatMap((property) => {
    const why = properties[property](lived);
    return why === null ? [] : [`${property} ${why}`];
  });
}

export const allProperties = Object.keys(properties).filter((name): name is Property => name in properties);

function isWhole({ report: { outcome } }: Moment): boolean {
  return outcome === 'clean' || outcome === 'findings' || outcome === 'skipped';
}

function isGreen({ report: { gate } }: Moment): boolean {
  return gate === 'fine' || gate === 'warn';
}

/** What a truthful model is shown it reports; of others only what they have reported is known. */
function isKnown({ life: { mood }, found }: Lived): (defect: PlacedTrap) => boolean {
  const isTruthful = mood === 'honest' || mood === 'chatty';
  return ({ id }) => isTruthful || found.has(id);
}

type Judged = Pick<Lived, 'declines' | 'hub'>;

/** The defects of the head that nobody declined as they stand. */
function owed(lived: Judged, moment: Moment): readonly PlacedTrap[] {
  return defectsOf(moment).filter((defect) => !isDeclined(defect, lived, moment));
}

/** A decline covers one call in one file for as long as its function is as it was. */
function isDeclined(defect: PlacedTrap, { declines, hub }: Judged, { head }: Moment): boolean {
  return declines.some(({ traps, thread: id, how, by, head: sha }) => {
    const thread = hub.pull.threads.find((one) => one.id === id);
    if (thread === undefined || (how === 'resolve' && thread.resolvedBy !== by)) return false;
    const from = hub.heads.find((one) => one.sha === sha);
    const isHere = (path: string) =>
      path === defect.path ||
      (from !== undefined &&
        diffOf(from, head).some((file) => file.letter === 'R' && file.oldPath === path && file.path === defect.path));
    return traps.some((trap) => trap.id === defect.id && trap.around === defect.around && isHere(trap.path));
  });
}

/** Places of open findings by the name of the call that they are about. */
function placesOf({ report }: Moment): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { title, alsoAt, alsoMore } of report.open) {
    const name = nameIn(title);
    if (name !== null) places.set(name, (places.get(name) ?? 0) + 1 + alsoAt.length + alsoMore);
  }
  return places;
}

function missing(moment: Moment, defects: readonly PlacedTrap[]): string | null {
  const places = placesOf(moment);
  const names = [...new Set(defects.map(({ name }) => name))];
  const lost = names.filter((name) => defects.filter((one) => one.name === name).length > (places.get(name) ?? 0));
  if (lost.length === 0) return null;
  const told = lost.map((name) => `${places.get(name) ?? 0} of ${list(defects.filter((one) => one.name === name))}`);
  return `open: ${told.join('; ')}`;
}

/** Names of calls of which more places are open than are wrong. */
function surplus(moment: Moment): ReadonlySet<string> {
  const wrong = (name: string) => moment.head.traps.filter((trap) => trap.name === name && !trap.isGuarded).length;
  return new Set([...placesOf(moment)].flatMap(([name, places]) => (places > wrong(name) ? [name] : [])));
}

function list(defects: readonly PlacedTrap[]): string {
  return defects.map(({ name, path, line }) => `${name} ${path}:${line}`).join(', ');
}

function doubles(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}
