import { isInsideRoots } from '../paths.ts';
import type { OrderRule } from '../types.ts';

export const acceptEdits: OrderRule = (part, query) =>
  (query.mode === 'acceptEdits' || query.mode === 'auto') &&
  part.kind === 'write' &&
  part.path !== null &&
  isInsideRoots(query, part.path)
    ? { verdict: 'allow', rule: 'edits in the workspace', why: 'this mode allows to write files of the workspace' }
    : null;
