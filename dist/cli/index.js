#!/usr/bin/env node
import module from 'node:module';
import { isAbsolute, join, relative } from 'node:path';
const { LOCALAPPDATA, XDG_CACHE_HOME, HOME } = process.env;
const caches = LOCALAPPDATA || XDG_CACHE_HOME || (HOME ? join(HOME, '.cache') : '');
if (isAbsolute(caches) && /^\.\.|:/.test(relative(process.cwd(), caches))) {
  module.enableCompileCache?.(join(caches, 'postil', process.argv[2] === 'review' ? 'review' : 'other'));
}
await import('./postil.js');
