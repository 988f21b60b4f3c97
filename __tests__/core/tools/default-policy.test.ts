import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultPolicy, isDeniedPath } from '../../../src/core/tools/default-policy.ts';
import { changedFile } from '../../fakes/changed-files.ts';

describe('isDeniedPath', () => {
  it.each([
    '.env',
    '.env.production',
    'deep/.ENV.local',
    '.envs/production/django',
    '.envrc',
    'certificates/server.pem',
    'server.KEY',
    '.npmrc',
    'home/.netrc',
    '.ssh/id_rsa',
    'id_ed25519',
    'backup/id_rsa.old',
    'id_deploy',
  ])('denies %s', (path) => {
    expect(isDeniedPath(path, [])).toBe(`${path} is denied: files of this kind hold secrets. Go on without it.`);
  });

  it.each([
    '.env.example',
    'src/env.ts',
    'environment.md',
    'keys.ts',
    'src/key/map.ts',
    'id_card.ts',
    'src/id_rsa_reader.go',
    'id_rsa.pub',
    'id_generator/main.go',
    'npmrc.md',
  ])('lets %s be read', (path) => {
    expect(isDeniedPath(path, [])).toBeNull();
  });

  it.each([
    ['*.tfvars', 'infra/prod.tfvars', true],
    ['*.TFVARS', 'prod.tfvars', true],
    ['secrets/', 'secrets/a/b.txt', true],
    ['secrets', 'deep/secrets/b.txt', true],
    ['config/private/**', 'config/private/.hidden', true],
    ['./config/private', 'config/private/a.ts', true],
    ['config/private', 'other/config/private/a.ts', false],
    ['!src', 'src/a.ts', false],
    ['', 'src/a.ts', false],
  ])('with the pattern %j denies %s: %s', (pattern, path, denied) => {
    expect(isDeniedPath(path, [pattern]) !== null).toBe(denied);
  });
});

describe('defaultPolicy', () => {
  const allowed = { allowed: true };

  it('allows what stays inside the repository', () => {
    const policy = defaultPolicy({ denyPaths: [] });
    expect(policy({ name: 'read_file', arguments: { path: 'src/a.ts' } })).toEqual(allowed);
    expect(policy({ name: 'list_files', arguments: { directory: null, pattern: '../*' } })).toEqual(allowed);
    expect(policy({ name: 'search_text', arguments: { pattern: '/etc/passwd', path: null } })).toEqual(allowed);
  });

  it.each([
    [{ path: '/etc/passwd' }, 'leave out the first slash'],
    [{ path: '/proc/self/environ' }, 'leave out the first slash'],
    [{ directory: 'src/../..' }, 'stay inside the repository'],
    [{ path: './.git/config' }, "git's own folder"],
    [{ path: 'deep//.env' }, 'files of this kind hold secrets'],
    [{ path: 'internal/plan.md' }, 'denied by deny-paths (internal)'],
  ])('denies %j with a reason', (call, reason) => {
    const decision = defaultPolicy({ denyPaths: ['internal'] })({ name: 'read_file', arguments: call });
    expect(decision).toEqual({ allowed: false, reason: expect.stringContaining(reason) });
  });

  it.each(['renamed', 'copied'] as const)('denies a file of the change that was %s from a denied one', (status) => {
    const files = [
      changedFile('docs/settings.txt', { status, oldPath: 'deploy/.env' }),
      changedFile('docs/plan.md', { status, oldPath: 'internal/plan.md' }),
      changedFile('src/b.ts', { status, oldPath: 'src/a.ts' }),
    ];
    const policy = defaultPolicy({ denyPaths: ['internal'], files });
    const decisions = files.map(({ path }) => policy({ name: 'read_file', arguments: { path: `./${path}` } }));
    const why = (path: string, former: string) =>
      `${path} is denied: it comes from ${former}, which may not be read. Go on without it.`;
    expect(decisions).toEqual([
      { allowed: false, reason: why('docs/settings.txt', 'deploy/.env') },
      { allowed: false, reason: why('docs/plan.md', 'internal/plan.md') },
      allowed,
    ]);
  });

  it('denies every call after the last one allowed', () => {
    const policy = defaultPolicy({ denyPaths: [], maxCalls: 2 });
    const call = { name: 'read_file', arguments: { path: 'a.ts' } };
    expect([policy(call), policy(call), policy(call)]).toEqual([
      allowed,
      allowed,
      { allowed: false, exhausted: true, reason: 'This run has used its 2 tool calls: submit what you have.' },
    ]);
  });

  it('never allows a way to a secret file, however its path is written', () => {
    const policy = defaultPolicy({ denyPaths: [], maxCalls: Number.POSITIVE_INFINITY });
    const noise = fc.array(fc.constantFrom('./', '/', 'a/', '././', '../', 'A/.//'), { maxLength: 4 });
    fc.assert(
      fc.property(
        noise,
        fc.constantFrom('.env', '.Env.local', 'x.PEM', '.git/config', 'id_rsa', '.npmrc/'),
        (parts, name) => {
          const decision = policy({ name: 'read_file', arguments: { path: parts.join('') + name } });
          expect(decision.allowed).toBe(false);
        },
      ),
    );
  });
});
