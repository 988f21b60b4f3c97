import type { PlacedTrap } from './code.ts';
import { diffOf } from './commits.ts';
import { viewer } from './hub.ts';
import type { Lived, Moment } from './life.ts';
import { ownThreads, trapOf } from './people.ts';
import { countIn, wordsIn } from './postil.ts';
import { defectsOf, type FoundFinding, nameIn } from './reviewer.ts';

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
    if (lived.circumstances.mood === 'liar') return null;
    const ends = lived.moments.filter(({ round }, at, all) => round !== all[at + 1]?.round).filter(isWhole);
    const stale = ends.slice(-rounds).map(surplus);
    const left =
      stale.length < rounds ? [] : [...(stale[0] ?? [])].filter((name) => stale.every((all) => all.has(name)));
    return left.length === 0 ? null : `${left.join(', ')} open in ${rounds} reviews, and no such call is wrong`;
  },
  'Nothing is posted twice.': (lived) => {
    if (lived.isUnsettled) return null;
    const { hub } = lived;
    // In the words of somebody else it says nothing of ours.
    const open = ownThreads(hub).filter(({ resolved, comments: [first] }) => {
      if (first === undefined || (first.edited !== null && first.edited.by !== viewer)) return false;
      return !resolved && !first.isMinimized && wordsIn(first.body) !== null;
    });
    const matters = open.map((thread) => {
      const trap = trapOf(hub, thread);
      if (trap !== undefined) return `${trap.name} (call ${trap.id})`;
      return `${thread.path} ${wordsIn(thread.comments[0]?.body ?? '')}`;
    });
    const [twice] = doubles(matters);
    return twice === undefined ? null : `two open threads on ${twice}`;
  },
  'There is one summary comment.': ({ hub, isUnsettled }) => {
    const ours = hub.pull.conversation.filter(({ author }) => author === viewer);
    return isUnsettled || ours.length < 2 ? null : `${ours.length} summary comments`;
  },
  'Counts agree on all surfaces.': ({ last, isUnsettled }) => {
    if (last === undefined) return null;
    const { counts, heading, outcome } = last.report;
    // What the other of two runs wrote, or what stood there before, has counts of its own.
    const isOwn = !isUnsettled && outcome !== 'skipped' && outcome !== 'failed';
    const told = { ...counts, ...(isOwn ? { heading: countIn(heading) } : {}) };
    return new Set(Object.values(told)).size === 1 ? null : JSON.stringify(told);
  },
  'No history makes a gate green that one review of the head would not.': (lived) => {
    const { last } = lived;
    if (last === undefined || !(isGreen(last) || last.report.isApproved)) return null;
    const left = owed(lived, last).filter(isKnown(lived));
    return left.length === 0
      ? null
      : `${last.report.gate}${last.report.isApproved ? ', approved' : ''} with ${list(left)}`;
  },
  'From the third reading of a file on, nothing new comes up on code that did not change.': (lived) => {
    const { last } = lived;
    if (last === undefined || last.report.outcome === 'failed') return null;
    const late = last.report.open.filter((finding) => isNew(finding) && isLate(finding, lived.moments));
    return late.length === 0 ? null : late.map(({ path, title }) => `${path}: ${title}`).join('; ');
  },
  'What is delivered is taken.': ({ last }) => last?.report.failures.join('; ') || null,
} as const satisfies Readonly<Record<string, (lived: Lived) => string | null>>;

export type Property = keyof typeof properties;

/** Reviews in which an end is to be seen. */
const rounds = 3;

/** The properties that do not hold now, each with what breaks it. */
export function broken(lived: Lived): ReadonlyMap<Property, string> {
  return new Map(
    allProperties.flatMap((property) => {
      const why = properties[property](lived);
      return why === null ? [] : [[property, why] as const];
    }),
  );
}

export const allProperties = Object.keys(properties).filter((name): name is Property => name in properties);

function isWhole({ report: { outcome } }: Moment): boolean {
  return outcome === 'clean' || outcome === 'findings' || outcome === 'skipped';
}

function isGreen({ report: { gate } }: Moment): boolean {
  return gate === 'fine' || gate === 'warn';
}

/** What a truthful model is shown it reports; of others only what they have reported is known. */
function isKnown({ circumstances: { mood }, found }: Lived): (defect: PlacedTrap) => boolean {
  const isTruthful = mood === 'honest' || mood === 'chatty';
  return ({ id }) => isTruthful || found.has(id);
}

type Judged = Pick<Lived, 'declines' | 'hub' | 'circumstances'>;

/** A file that some workflows leave out. */
export const leftOut = 'src/c.ts';

/** The defects of the head that nobody declined as they stand. */
function owed(lived: Judged, moment: Moment): readonly PlacedTrap[] {
  const isLeftOut = lived.circumstances.inputs['exclude']?.includes(leftOut) === true;
  const defects = defectsOf(moment).filter(({ path }) => !isLeftOut || path !== leftOut);
  return defects.filter((defect) => !isDeclined(defect, lived, moment));
}

/** A decline covers one call in one file, be it renamed, for as long as its function is as it was. */
function isDeclined(defect: PlacedTrap, { declines, hub }: Judged, { head }: Moment): boolean {
  const renames = hub.heads.flatMap((from) => diffOf(from, head).filter(({ letter }) => letter === 'R'));
  const isFrom = (path: string) => renames.some((file) => file.oldPath === path && file.path === defect.path);
  return declines.some(({ traps, thread: id, how, by }) => {
    const thread = hub.pull.threads.find((one) => one.id === id);
    if (thread === undefined || (how === 'resolve' && thread.resolvedBy !== by)) return false;
    const isHere = ({ path }: PlacedTrap) => path === defect.path || isFrom(path);
    return traps.some((trap) => trap.id === defect.id && trap.around === defect.around && isHere(trap));
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

function isNew({ place, severity, life, title }: FoundFinding): boolean {
  return place !== 'standing' && severity !== 'critical' && life === undefined && nameIn(title) === null;
}

/** Its file was read as a whole twice before, and its line is as it was then. */
function isLate({ path, lines }: FoundFinding, moments: readonly Moment[]): boolean {
  const [now] = moments.slice(-1);
  const readings = moments.slice(0, -1).filter((one) => isWhole(one) && one.report.reviewed.includes(path));
  const linesIn = (one: Moment | undefined) => one?.head.texts.get(path)?.split('\n') ?? [];
  const line = linesIn(now)[(lines?.start ?? 0) - 1];
  return readings.length >= 2 && lines?.side === 'RIGHT' && linesIn(readings.at(-1)).some((text) => text === line);
}

function doubles(texts: readonly string[]): readonly string[] {
  return texts.filter((text, index) => texts.indexOf(text) !== index);
}
