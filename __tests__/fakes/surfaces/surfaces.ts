// Read at once: a run in this process replaces the environment.
const folder = process.env['POSTIL_SURFACES'];

/** Where `POSTIL_SURFACES` names a folder, what tests see of Postil is written there, a file a test; null without. */
export const surfaces = folder ? (await import('./record-surfaces.ts')).recordSurfaces(folder) : null;
